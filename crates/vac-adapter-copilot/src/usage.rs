//! Reads numbers of tokens.
//!
//! A message states only its output. Everything else is in `session.shutdown`, for each model and
//! for the whole process, and in `session.compaction_complete` for the request that compacted. To
//! count nothing twice, the output counts on messages, and all other tokens on these events.

use std::collections::HashMap;

use vac_adapter::{Report, mapping};
use vac_record::annotations::Usage;
use vac_value::{Kind, Node, Text};

mapping! {
    /// `usage` of a model in `session.shutdown`, and `compactionTokensUsed`. The event keeps it, too.
    pub(crate) struct NativeUsage<'a>("usage"; key, value) {
        "inputTokens" => "`vac.usage.input`, without those of caches", take input: u64 = value.uint();
        "outputTokens" => "`vac.usage.output`, without those of messages", take output: u64 = value.uint();
        "cacheReadTokens" => "`vac.usage.cache-read`", take cache_read: u64 = value.uint();
        "cacheWriteTokens" => "`vac.usage.cache-write`", take cache_write: u64 = value.uint();
        "reasoningTokens" => "`vac.usage.reasoning`", take reasoning: u64 = value.uint();
        "model" => "`vac.usage.model`", take model: Text<'a> = value.text();
        "copilotUsage" | "duration" => "", keep;
    }
}

/// Numbers of one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    reasoning: u64,
}

impl Numbers {
    fn parse<'a>(usage: Node<'a, '_>) -> (Self, Option<Text<'a>>) {
        let NativeUsage { input, output, cache_read, cache_write, reasoning, model, rest: _ } =
            NativeUsage::read(usage, &[], &mut Report::default());
        let number = |stated: Option<u64>| stated.unwrap_or(0);
        let numbers = Self {
            input: number(input),
            output: number(output),
            cache_read: number(cache_read),
            cache_write: number(cache_write),
            reasoning: number(reasoning),
        };
        (numbers, model)
    }

    fn since(self, earlier: Self) -> Self {
        Self {
            input: self.input.saturating_sub(earlier.input),
            output: self.output.saturating_sub(earlier.output),
            cache_read: self.cache_read.saturating_sub(earlier.cache_read),
            cache_write: self.cache_write.saturating_sub(earlier.cache_write),
            reasoning: self.reasoning.saturating_sub(earlier.reasoning),
        }
    }

    /// Returns the numbers in buckets. The input contains tokens read from and written to caches.
    fn buckets(self) -> Usage<'static> {
        let some = |number: u64| (number > 0).then_some(number);
        let cached = self.cache_read.saturating_add(self.cache_write);
        Usage {
            input: some(self.input.saturating_sub(cached)),
            cache_read: some(self.cache_read),
            cache_write: some(self.cache_write),
            output: some(self.output),
            reasoning: some(self.reasoning),
            model: None,
        }
    }
}

/// Returns the tokens that the request of a compaction used.
pub(crate) fn compaction(used: Node<'_, '_>) -> Option<Usage<'static>> {
    let (numbers, model) = Numbers::parse(used);
    let buckets = numbers.buckets();
    (buckets != Usage::default())
        .then(|| Usage { model: model.map(|model| model.into_owned().into()), ..buckets })
}

/// Adds up tokens while a log is read.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    models: HashMap<String, OfModel>,
}

/// The tokens of a model.
#[derive(Clone, Copy, Debug, Default)]
struct OfModel {
    /// The output of messages of the running process, and of all before it.
    output: u64,
    earlier_output: u64,
    /// The tokens that all shutdowns have counted so far, and those of the running process.
    counted: Numbers,
    of_process: Numbers,
}

impl Totals {
    /// Adds the output of a message.
    pub fn message(&mut self, model: &str, output: u64) {
        let of_model = self.models.entry(model.to_owned()).or_default();
        of_model.output = of_model.output.saturating_add(output);
    }

    /// Begins another process, which resumes the session.
    pub fn resume(&mut self) {
        for of_model in self.models.values_mut() {
            of_model.earlier_output = of_model.earlier_output.saturating_add(of_model.output);
            of_model.output = 0;
            of_model.of_process = Numbers::default();
        }
    }

    /// Returns the tokens that each model used according to a shutdown, without the output of
    /// messages and tokens that an earlier shutdown has counted.
    ///
    /// A process counts from its start. If it continued the count of the previous process, its
    /// output would be at least that of all messages.
    pub fn shutdown(&mut self, metrics: Node<'_, '_>) -> Vec<Usage<'static>> {
        let mut found = Vec::new();
        for (model, of_model) in metrics.members() {
            let usage = of_model.member("usage").filter(|usage| usage.kind() == Kind::Map);
            let (Some(model), Some(usage)) = (model.text(), usage) else { continue };
            let (stated, _) = Numbers::parse(usage);
            let known = self.models.entry(model.clone().into_owned()).or_default();
            let all = known.output.saturating_add(known.earlier_output);
            let continues = known.earlier_output > 0 && stated.output >= all;
            let (earlier, messages) =
                if continues { (known.counted, all) } else { (known.of_process, known.output) };
            let new = stated.since(earlier);
            let beyond = stated.output.saturating_sub(messages.max(earlier.output));
            (known.of_process, known.counted) = (stated, stated);
            let usage = Numbers { output: beyond, ..new }.buckets();
            if usage != Usage::default() {
                found.push(Usage { model: Some(model.into_owned().into()), ..usage });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::Document;

    fn shutdown(totals: &mut Totals, input: u64, output: u64) -> Vec<(Option<u64>, Option<u64>)> {
        let text = format!(
            r#"{{"m":{{"usage":{{"inputTokens":{input},"outputTokens":{output},"cacheReadTokens":10}}}}}}"#
        );
        let document = Document::json(text.as_bytes()).expect("JSON");
        let found = totals.shutdown(document.root());
        found.iter().map(|usage| (usage.input, usage.output)).collect()
    }

    #[test]
    fn output_counts_on_messages_and_processes_count_on_their_own() {
        let mut totals = Totals::default();
        totals.message("m", 30);
        assert_eq!(shutdown(&mut totals, 110, 30), [(Some(100), None)]);
        totals.resume();
        totals.message("m", 5);
        assert_eq!(shutdown(&mut totals, 60, 5), [(Some(50), None)]);
    }

    #[test]
    fn continued_count_is_not_added_again() {
        let mut totals = Totals::default();
        totals.message("m", 30);
        assert_eq!(shutdown(&mut totals, 110, 30), [(Some(100), None)]);
        totals.resume();
        totals.message("m", 5);
        assert_eq!(shutdown(&mut totals, 150, 35), [(Some(40), None)]);
    }

    #[test]
    fn output_of_messages_that_were_removed_counts_on_the_shutdown() {
        let mut totals = Totals::default();
        totals.message("m", 30);
        assert_eq!(shutdown(&mut totals, 110, 42), [(Some(100), Some(12))]);
        assert_eq!(shutdown(&mut totals, 110, 42), []);
    }
}
