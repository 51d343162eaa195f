//! An adapter with every table that a view reads. Its logs are never read: only its records are.

use vac_adapter::members::Rest;
use vac_adapter::prompt::{PromptRule, Typed};
use vac_adapter::tools::edits::ChangeKeys;
use vac_adapter::tools::{Tool, ToolTable};
use vac_adapter::{Adapter, Error, Input, Sample, Session, Verdict};
use vac_record::annotations::{Author, Category};
use vac_record::{AbstractTimestamp, MessageEntry};
use vac_value::{Any, IntoOwned, Node};

pub struct Kiln;

const TOOLS: ToolTable = ToolTable {
    tools: &[
        Tool::new("shell_exec", Category::Execute, &["run"]).command(&["cmd"]),
        Tool::new("file_edit", Category::Edit, &["glaze"])
            .paths(&["path", "paths"])
            .changes(ChangeKeys { old: &["old"], new: &["new"], ..ChangeKeys::NONE }),
        Tool::new("web_access", Category::Fetch, &["fetch"]).address(&["url"]),
    ],
    server: |name| name.strip_prefix("mcp__")?.split_once("__").map(|(server, _)| server),
};

const RULES: &[PromptRule] = &[PromptRule::tag("kiln-context", Author::Program, "1.0")];

impl Adapter for Kiln {
    fn name(&self) -> &'static str {
        "kiln"
    }

    fn cli_name(&self) -> &'static str {
        "kiln-cli"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        sample.verdict(vac_adapter::Fit::unknown)
    }

    fn start_in_name(&self, file: &str) -> Option<AbstractTimestamp<'static>> {
        let start = file.strip_prefix("at-")?.strip_suffix(".json")?;
        AbstractTimestamp::try_from(start).ok().map(IntoOwned::into_owned)
    }

    fn tools(&self) -> &'static ToolTable {
        &TOOLS
    }

    fn compaction_events(&self) -> &'static [&'static str] {
        &["kiln-compaction"]
    }

    fn prompt_rules(&self) -> &'static [PromptRule] {
        RULES
    }

    fn typed(&self, text: &str, _: &Rest<'_>) -> Option<Typed> {
        let text = text.strip_prefix("Typed: ")?.to_owned();
        Some(Typed { text, left_out: "prefix" })
    }

    fn spoken(&self, message: &MessageEntry<'_>, text: &str) -> Option<String> {
        message.children.as_ref()?;
        Some(text.split("[call]").next()?.to_owned())
    }

    fn result_text(&self, output: &Any<'_>) -> Option<String> {
        let document = output.document().ok()?;
        document.root().member("stdout").and_then(Node::text).map(Into::into)
    }

    fn logs_results(&self) -> bool {
        true
    }

    fn survey<'i>(&self, _: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        Err(Error::Refused("kiln has no logs".to_owned()))
    }
}
