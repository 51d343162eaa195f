//! Reads numbers of tokens.

use vac_adapter::{Report, mapping};
use vac_record::TokenUsage;
use vac_record::annotations::Usage;
use vac_value::Node;

mapping! {
    /// `usageMetadata` of an answer.
    pub(crate) struct UsageMetadata<'a>("usageMetadata"; key, value) {
        "promptTokenCount" => "`token-usage.input`; without cached ones `vac.usage.input`",
            take input: u64 = value.uint();
        "candidatesTokenCount" => "`token-usage.output`, `vac.usage.output`",
            take output: u64 = value.uint();
        "cachedContentTokenCount" => "`token-usage.cached`, `vac.usage.cache-read`",
            take cached: u64 = value.uint();
        "thoughtsTokenCount" => "`token-usage.reasoning`, `vac.usage.reasoning`",
            take reasoning: u64 = value.uint();
        "totalTokenCount" => "`token-usage.total`", take total: u64 = value.uint();
        "toolUsePromptTokenCount" | "promptTokensDetails" | "candidatesTokensDetails"
        | "cacheTokensDetails" | "trafficType" => "", keep;
    }
}

/// Returns the numbers as the log states them, and in buckets that can be added up.
///
/// Thoughts are part of the candidates if the provider has an API like that of `OpenAI`, and
/// counted separately if it has that of Gemini. The total shows which.
pub(crate) fn read<'a>(
    usage: Node<'a, '_>,
    report: &mut Report,
) -> (TokenUsage<'a>, Option<Usage<'static>>) {
    let UsageMetadata { input, output, cached, reasoning, total, rest } =
        UsageMetadata::read(usage, &TokenUsage::KEYS, report);
    let sum =
        |numbers: [Option<u64>; 3]| numbers.into_iter().flatten().try_fold(0_u64, u64::checked_add);
    let is_next_to = total.is_some() && total == sum([input, output, reasoning]);
    let buckets = Usage {
        input: input.map(|input| input.saturating_sub(cached.unwrap_or(0))),
        cache_read: cached.filter(|cached| *cached > 0),
        cache_write: None,
        output: if is_next_to {
            sum([output, reasoning, None]).filter(|_| output.is_some())
        } else {
            output
        },
        reasoning: reasoning.filter(|reasoning| *reasoning > 0),
        model: None,
    };
    let stated =
        TokenUsage { input, output, cached, reasoning, total, cost: None, extensions: rest };
    (stated, (buckets != Usage::default()).then_some(buckets))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::Document;

    #[test]
    fn thoughts_count_once() {
        let number = |key: &str, value: u64| format!(r#""{key}TokenCount":{value},"#);
        for (total, output) in [(130, 30), (140, 40)] {
            let text = format!(
                r#"{{{}{}{}{}"totalTokenCount":{total}}}"#,
                number("prompt", 100),
                number("candidates", 30),
                number("thoughts", 10),
                number("cachedContent", 60),
            );
            let document = Document::json(text.as_bytes()).expect("JSON");
            let (stated, buckets) = read(document.root(), &mut Report::default());
            assert_eq!((stated.input, stated.output), (Some(100), Some(30)));
            let buckets = buckets.expect("buckets");
            assert_eq!((buckets.input, buckets.cache_read), (Some(40), Some(60)));
            assert_eq!((buckets.output, buckets.reasoning), (Some(output), Some(10)), "{total}");
        }
    }
}
