//! Reads the prompts of several sessions in one file, by the rule of an agent.
//!
//! Each session is a list of its own prompts, so that the prompts of another session do not affect
//! it.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use vac_adapter::Preview;
use vac_adapter::companions::PromptList;
use vac_adapter::container::{Documents, SessionStore, StoredSession, bad_data};
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{Document, IntoOwned, Kind, Node};

use crate::safe_path::SafePath;

/// The maximum number of bytes of a file that is divided. A larger file is read as one log.
const MAX_SIZE: u64 = 64 << 20;

/// A file with prompts.
#[derive(Debug)]
pub(crate) struct Prompts {
    rule: PromptList,
    bytes: Vec<u8>,
    /// The sessions in the order of their first prompts.
    sessions: Vec<Session>,
    places: HashMap<String, usize>,
}

/// The prompts of one session.
#[derive(Debug)]
struct Session {
    id: String,
    start: Option<AbstractTimestamp<'static>>,
    prompts: Vec<Range<usize>>,
}

impl Prompts {
    /// Reads a file. `None` if an element is not a prompt that names its session.
    pub fn read(path: &SafePath, rule: PromptList) -> io::Result<Option<Self>> {
        let bytes = match path.read(MAX_SIZE) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut prompts =
            Self { rule, bytes: Vec::new(), sessions: Vec::new(), places: HashMap::new() };
        let is_one = prompts.add(&bytes).is_some();
        prompts.bytes = bytes;
        Ok(is_one.then_some(prompts))
    }

    fn add(&mut self, bytes: &[u8]) -> Option<()> {
        let document = Document::json(bytes).ok()?;
        let is_list = document.root().kind() == Kind::Array;
        if !is_list || document.duplicate_keys().next().is_some() {
            return None;
        }
        for prompt in document.root().elements() {
            prompt.member(self.rule.prompt)?;
            let id = prompt.member(self.rule.session_id).and_then(Node::text);
            let id = id.filter(|id| !id.is_empty())?;
            let next = self.sessions.len();
            let place = *self.places.entry(id.clone().into_owned()).or_insert(next);
            if place == next {
                let id = id.into_owned();
                self.sessions.push(Session { id, start: None, prompts: Vec::new() });
            }
            let session = self.sessions.get_mut(place)?;
            if session.start.is_none() {
                let start = prompt.member(self.rule.timestamp).map(AbstractTimestamp::from_node);
                session.start = start.and_then(Result::ok).map(IntoOwned::into_owned);
            }
            session.prompts.push(prompt.offset()..prompt.offset() + prompt.raw().len());
        }
        Some(())
    }

    fn prompts<'p>(&'p self, session: &'p Session) -> impl Iterator<Item = &'p [u8]> {
        session.prompts.iter().filter_map(|range| self.bytes.get(range.clone()))
    }
}

impl SessionStore for Prompts {
    fn sessions(&self) -> io::Result<Vec<StoredSession>> {
        let stored = |session: &Session| {
            let preview = Preview {
                variant: self.rule.variant,
                session_id: Some(session.id.clone()),
                start: session.start.clone(),
                ..Preview::default()
            };
            let size = self.prompts(session).map(|prompt| prompt.len() as u64).sum();
            let key = session.id.clone();
            StoredSession { key, size: Some(size), preview, is_replaced: false }
        };
        Ok(self.sessions.iter().map(stored).collect())
    }

    fn read(&self, key: &str) -> io::Result<Documents> {
        let session = self.places.get(key).and_then(|place| self.sessions.get(*place));
        let session = session.ok_or_else(|| bad_data(format!("no prompt of session `{key}`")))?;
        let mut list = vec![b'['];
        for (number, prompt) in self.prompts(session).enumerate() {
            if number > 0 {
                list.extend_from_slice(b",\n");
            }
            list.extend_from_slice(prompt);
        }
        list.push(b']');
        let mut documents = Documents::default();
        documents.file(&list);
        Ok(documents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skipped::Skipped;

    fn prompts(text: &str) -> Option<Prompts> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        let rule = PromptList {
            variant: "logs",
            session_id: "sessionId",
            prompt: "message",
            timestamp: "timestamp",
        };
        Prompts::read(&SafePath::named(file.path(), &Skipped::default()), rule).unwrap()
    }

    #[test]
    fn each_session_is_a_list_of_its_own_prompts() {
        let file = prompts(
            r#"[{"sessionId": "b", "messageId": 0, "message": "one", "timestamp": "2026-01-02T03:04:05Z"},
                {"sessionId": "a", "messageId": 0, "message": "two"},
                {"sessionId": "b", "messageId": 1, "message": "three \ud800 1.0"}]"#,
        )
        .unwrap();
        let sessions = file.sessions().unwrap();
        let ids: Vec<_> = sessions.iter().map(|stored| stored.key.as_str()).collect();
        assert_eq!(ids, ["b", "a"]);
        assert_eq!(sessions[0].preview.variant, "logs");
        assert_eq!(
            sessions[0].preview.start,
            AbstractTimestamp::try_from("2026-01-02T03:04:05Z").ok()
        );
        assert_eq!(
            String::from_utf8(SessionStore::read(&file, "b").unwrap().finish().0).unwrap(),
            concat!(
                r#"[{"sessionId": "b", "messageId": 0, "message": "one", "timestamp": "2026-01-02T03:04:05Z"},"#,
                "\n",
                r#"{"sessionId": "b", "messageId": 1, "message": "three \ud800 1.0"}]"#,
                "\n",
            )
        );
        assert!(SessionStore::read(&file, "c").is_err());
    }

    #[test]
    fn file_with_a_prompt_of_no_session_stays_whole() {
        for text in [
            "",
            "{}",
            r#"[{"message": "whose?"}]"#,
            r#"[{"sessionId": "", "message": "whose?"}]"#,
            r#"[{"sessionId": 7, "message": "whose?"}]"#,
            r#"[{"sessionId": "a", "sessionId": "b", "message": "whose?"}]"#,
            r#"[{"sessionId": "a"}]"#,
            r#"[{"sessionId": "a", "message": "cut"#,
        ] {
            assert!(prompts(text).is_none(), "{text}");
        }
        assert!(prompts("[]").unwrap().sessions().unwrap().is_empty());
    }
}
