//! What is true of every record, whatever the log.

use std::collections::BTreeSet;
use std::io::{self, Read};

use vac_adapter::session::{self, Options};
use vac_adapter::{Adapter, Error, Input, Profile, detect};
use vac_adapter_claude::Claude;
use vac_value::{Document, Encoding, Kind, Layout, Node};

use crate::files::{Log, all};
use crate::no_drop::at;

/// A file that is not held in memory and gives a few bytes at a time.
struct Trickle<'l>(&'l Log);

impl Input for Trickle<'_> {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(Few(&self.0.bytes)))
    }
}

struct Few<'b>(&'b [u8]);

impl Read for Few<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(1000);
        self.0.read(&mut buffer[..length])
    }
}

/// Logs that are logs, with all they can become.
fn converted() -> Vec<Log> {
    all().into_iter().filter(|log| !matches!(log.json(), Err(Error::Refused(_)))).collect()
}

#[test]
fn every_record_is_valid_in_every_form() {
    for log in converted() {
        for profile in [Profile::Full, Profile::Canonical] {
            for (encoding, layout) in [
                (Encoding::Json, Layout::Compact),
                (Encoding::Json, Layout::Pretty),
                (Encoding::Cbor, Layout::Compact),
            ] {
                let options = Options { encoding, layout, profile, ..Options::default() };
                let (record, report) = log.convert(&options).expect("a record");
                let verdict = vac_validate::validate(&record, encoding).expect("well-formed");
                assert!(verdict.is_valid(), "{}: {:?}", log.name, verdict.violations);
                let document = Document::scan(&record, encoding).expect("well-formed");
                assert_eq!(document.duplicate_keys().len(), 0, "{}", log.name);
                assert_eq!(layout == Layout::Compact, document.is_tidy(), "{}", log.name);
                let entries = at(document.root(), "/session/entries").expect("entries");
                assert_eq!(entries.elements().count() as u64, report.frames, "{}", log.name);
            }
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bytes_held_or_streamed() {
    for log in converted() {
        for encoding in [Encoding::Json, Encoding::Cbor] {
            let options = Options { encoding, ..Options::default() };
            let (first, report) = log.convert(&options).expect("a record");
            let (second, _) = log.convert(&options).expect("a record");
            assert!(first == second, "{}", log.name);
            let trickle = Trickle(&log);
            let session = Claude.survey(&trickle).expect("a session");
            let mut streamed = Vec::new();
            let again = session::write(&*session[0], &options, &mut streamed).expect("a record");
            assert!(first == streamed, "{}", log.name);
            assert_eq!(format!("{report:?}"), format!("{again:?}"));
        }
    }
}

#[test]
fn a_collected_record_is_the_written_one() {
    use vac_value::Encode;
    for log in converted() {
        let (written, report) = log.json().expect("a record");
        let input = log.input();
        let sessions = Claude.survey(&input).expect("a session");
        let (record, collected) =
            session::collect(&*sessions[0], &Options::default()).expect("a record");
        assert!(record.to_json().expect("JSON").as_bytes() == written, "{}", log.name);
        assert_eq!(format!("{report:?}"), format!("{collected:?}"));
    }
}

#[test]
fn ids_that_resolve_in_the_log_resolve_in_the_record() {
    let mut parents = 0;
    let mut calls = 0;
    for log in converted() {
        let native = References::of_log(&log.bytes);
        let (record, _) = log.json().expect("a record");
        let document = Document::json(&record).expect("JSON");
        let mut found = References::default();
        let entries = at(document.root(), "/session/entries").expect("entries");
        entries.elements().for_each(|entry| found.entry(entry));
        assert_eq!(native.resolved(), found.resolved(), "{}", log.name);
        parents += native.resolved().0;
        calls += native.resolved().1;
    }
    println!("{parents} parent ids and {calls} call ids resolve");
    assert!(parents > 10 && calls > 2);
}

#[derive(Default)]
struct References {
    ids: BTreeSet<String>,
    parents: Vec<String>,
    calls: BTreeSet<String>,
    results: Vec<String>,
}

impl References {
    fn resolved(&self) -> (usize, usize) {
        let parents = self.parents.iter().filter(|id| self.ids.contains(*id)).count();
        let results = self.results.iter().filter(|id| self.calls.contains(*id)).count();
        (parents, results)
    }

    /// By lines and by the names that the log uses.
    fn of_log(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        for frame in vac_adapter::frame::held(bytes) {
            use vac_adapter::frame::{Content, Raw};
            let (Content::Document(document) | Content::Raw(Raw { document: Some(document), .. })) =
                &frame.content
            else {
                continue;
            };
            let root = document.root();
            let is_value = matches!(frame.content, Content::Document(_));
            match root.member("loglines") {
                Some(lines) => lines.elements().for_each(|line| found.line(line, true)),
                None => found.line(root, is_value),
            }
        }
        found
    }

    /// A line; the blocks of one that cannot be carried as a value are not
    /// looked at.
    fn line(&mut self, line: Node<'_, '_>, is_value: bool) {
        self.ids.extend(text(line, "uuid"));
        self.parents.extend(text(line, "parentUuid"));
        let is_message = matches!(text(line, "type").as_deref(), Some("user" | "assistant"));
        let content = at(line, "/message/content").filter(|_| is_value && is_message);
        for block in content.into_iter().flat_map(Node::elements) {
            self.results.extend(text(block, "tool_use_id"));
            if text(block, "type").is_some_and(|kind| kind.ends_with("tool_use")) {
                self.calls.extend(text(block, "id"));
            }
        }
    }

    fn entry(&mut self, entry: Node<'_, '_>) {
        self.ids.extend(text(entry, "id"));
        self.parents.extend(text(entry, "parent-id"));
        match text(entry, "type").as_deref() {
            Some("tool-call") => self.calls.extend(text(entry, "call-id")),
            Some("tool-result") => self.results.extend(text(entry, "call-id")),
            _ => {}
        }
        for child in entry.member("children").into_iter().flat_map(Node::elements) {
            self.entry(child);
        }
    }
}

fn text(node: Node<'_, '_>, key: &str) -> Option<String> {
    node.member(key).and_then(Node::text).map(std::borrow::Cow::into_owned)
}

#[test]
fn every_log_is_detected_and_nothing_else_is() {
    for log in all() {
        let input = log.input();
        let found = detect(&input, &[&Claude]).expect("readable").is_some();
        let refused = matches!(log.json(), Err(Error::Refused(_)));
        assert_ne!(found, refused, "{}", log.path.display());
    }
}

#[test]
fn output_tokens_are_counted_once_for_each_message() {
    for log in converted() {
        let mut native = std::collections::BTreeMap::new();
        for frame in vac_adapter::frame::held(&log.bytes) {
            let vac_adapter::frame::Content::Document(document) = &frame.content else { continue };
            let Some(message) = document.root().member("message") else { continue };
            if message.kind() != Kind::Map || text(document.root(), "type").is_none() {
                continue;
            }
            let key = text(message, "id").unwrap_or_else(|| frame.place.id());
            let output = message.member("usage").and_then(|usage| usage.member("output_tokens"));
            if let Some(output) = output.and_then(Node::uint) {
                native.insert(key, output);
            }
        }
        let (record, _) = log.json().expect("a record");
        let document = Document::json(&record).expect("JSON");
        let entries = at(document.root(), "/session/entries").expect("entries");
        let counted: u64 = entries
            .elements()
            .filter_map(|entry| at(entry, "/token-usage/output").and_then(Node::uint))
            .sum();
        assert_eq!(native.values().sum::<u64>(), counted, "{}", log.name);
    }
}
