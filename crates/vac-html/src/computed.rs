//! Computes the part `vac-computed` of a page from a record.

use serde::Serialize;
use vac_adapter::{Adapter, Error, Session};
use vac_record::annotations::{Action, Outcome};
use vac_sign::{Answer, Answers};
use vac_value::Document;
use vac_view::{AuthorSet, EventKind, EventOptions, Facts, record};

/// The facts that `vac` computes from a record. Nothing in it is signed.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Computed<'c> {
    /// The version of `vac`.
    version: &'c str,
    /// The state of the signature; absent if the record is not signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<Signature>,
    /// Facts about the session.
    facts: Facts,
    /// Facts about single entries.
    entries: Vec<ComputedEntry>,
}

/// The state of a signature.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Signature {
    verdict: &'static str,
    answers: Vec<NamedAnswer>,
    /// The thumbprint of the key that the page was made with.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct NamedAnswer {
    question: &'static str,
    verdict: &'static str,
    detail: String,
}

/// Facts about an entry.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ComputedEntry {
    /// The indexes that lead to the entry.
    at: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i128>,
}

impl ComputedEntry {
    fn new(at: Vec<usize>) -> Self {
        Self {
            at,
            command: None,
            paths: Vec::new(),
            host: None,
            canonical: None,
            category: None,
            outcome: None,
            exit_code: None,
        }
    }

    fn action(&mut self, action: Option<&Action<'_>>) {
        self.canonical = action.map(|action| action.tool.to_string());
        self.category = action.map(|action| action.category.as_str());
    }
}

impl<'c> Computed<'c> {
    /// Reads a record. `answers` are the answers about its envelope, and its key's thumbprint.
    ///
    /// # Errors
    /// If the document does not contain a valid record.
    pub fn new(
        document: &Document<'_>,
        agents: &[&'static dyn Adapter],
        answers: Option<(&Answers<'_>, Option<String>)>,
        version: &'c str,
    ) -> Result<Self, Error> {
        let (facts, entries) = record::read(document, agents, &mut |session| {
            Ok((vac_view::inspect(session, &[])?, computed_entries(session)?))
        })?;
        let signature = answers.map(|(answers, key)| Signature {
            verdict: answers.verdict().code(),
            answers: answers.lines().into_iter().map(named_answer).collect(),
            key,
        });
        Ok(Self { version, signature, facts, entries })
    }

    /// Returns the number of entries, with children.
    pub fn count(&self) -> u64 {
        self.facts.entries.values().sum()
    }

    /// Returns the id of the session.
    pub fn session_id(&self) -> &str {
        &self.facts.session_id
    }

    /// Returns the JSON of everything.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("keys are text, and writing to memory cannot fail")
    }
}

fn named_answer((question, answer): (&'static str, &Answer)) -> NamedAnswer {
    NamedAnswer { question, verdict: answer.code(), detail: answer.detail().to_owned() }
}

fn computed_entries(session: &dyn Session) -> Result<Vec<ComputedEntry>, Error> {
    let options = EventOptions {
        prompts: true,
        tools: true,
        authors: AuthorSet::ALL,
        repeated: true,
        ..EventOptions::NOTHING
    };
    let mut entries = Vec::new();
    vac_view::events(session, &[], options, &mut |event| {
        let Some(position) = event.context.position else { return Ok(()) };
        let mut entry = ComputedEntry::new(position.indexes());
        match &event.kind {
            EventKind::UserPrompt { command: Some(command), action, .. } => {
                entry.action(*action);
                entry.command = Some(command.clone());
            }
            EventKind::ToolUse { action, target, outcome, exit_code, .. } => {
                entry.action(Some(action));
                entry.command.clone_from(&target.command);
                entry.paths.clone_from(&target.paths);
                entry.host.clone_from(&target.host);
                entry.outcome = outcome.map(Outcome::as_str);
                entry.exit_code = *exit_code;
            }
            EventKind::ToolResult { action, outcome, exit_code, .. } => {
                entry.action(*action);
                entry.outcome = Some(outcome.as_str());
                entry.exit_code = *exit_code;
            }
            _ => return Ok(()),
        }
        entries.push(entry);
        Ok(())
    })?;
    Ok(entries)
}
