//! What was asked in several sessions, in one file: Gemini's `logs.json`.
//!
//! Each session reads as a list of its own prompts, so that what is asked in another one
//! changes nothing.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use vac_adapter::Glimpse;
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{Document, IntoOwned, Kind, Node};

use crate::safe_path::SafePath;
use crate::store::{Held, Store, bad_data};

const AGENT: &str = "gemini";
const VARIANT: &str = "logs";
/// A larger file is not taken apart.
const MOST: u64 = 64 << 20;

/// Such a file.
#[derive(Debug)]
pub(crate) struct Prompts {
    bytes: Vec<u8>,
    /// In the order in which they begin.
    sessions: Vec<Session>,
    places: HashMap<String, usize>,
}

/// What was asked in one session.
#[derive(Debug)]
struct Session {
    id: String,
    start: Option<AbstractTimestamp<'static>>,
    prompts: Vec<Range<usize>>,
}

impl Prompts {
    /// The file, if all of it is prompts that say whose they are.
    pub fn of(path: &SafePath) -> io::Result<Option<Self>> {
        let bytes = match path.read(MOST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut prompts = Self { bytes: Vec::new(), sessions: Vec::new(), places: HashMap::new() };
        let is_one = prompts.take(&bytes).is_some();
        prompts.bytes = bytes;
        Ok(is_one.then_some(prompts))
    }

    fn take(&mut self, bytes: &[u8]) -> Option<()> {
        let document = Document::json(bytes).ok()?;
        let is_list = document.root().kind() == Kind::Array;
        if !is_list || document.duplicate_keys().next().is_some() {
            return None;
        }
        for prompt in document.root().elements() {
            prompt.member("message")?;
            let id = prompt.member("sessionId").and_then(Node::text).filter(|id| !id.is_empty())?;
            let next = self.sessions.len();
            let place = *self.places.entry(id.clone().into_owned()).or_insert(next);
            if place == next {
                let id = id.into_owned();
                self.sessions.push(Session { id, start: None, prompts: Vec::new() });
            }
            let session = self.sessions.get_mut(place)?;
            if session.start.is_none() {
                let start = prompt.member("timestamp").map(AbstractTimestamp::from_node);
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

impl Store for Prompts {
    fn sessions(&self) -> io::Result<Vec<Held>> {
        let held = |session: &Session| {
            let glimpse = Glimpse {
                variant: VARIANT,
                session_id: Some(session.id.clone()),
                start: session.start.clone(),
                ..Glimpse::default()
            };
            let size = self.prompts(session).map(|prompt| prompt.len() as u64).sum();
            let glimpse = Some((AGENT, glimpse));
            Held { key: session.id.clone(), size: Some(size), glimpse }
        };
        Ok(self.sessions.iter().map(held).collect())
    }

    fn read(&self, key: &str) -> io::Result<Vec<u8>> {
        let session = self.places.get(key).and_then(|place| self.sessions.get(*place));
        let session = session.ok_or_else(|| bad_data(format!("nothing was asked in {key}")))?;
        let mut list = vec![b'['];
        for (number, prompt) in self.prompts(session).enumerate() {
            if number > 0 {
                list.extend_from_slice(b",\n");
            }
            list.extend_from_slice(prompt);
        }
        list.extend_from_slice(b"]\n");
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skipped::Skipped;

    fn prompts(text: &str) -> Option<Prompts> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        Prompts::of(&SafePath::named(file.path(), &Skipped::default())).unwrap()
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
        let ids: Vec<_> = sessions.iter().map(|held| held.key.as_str()).collect();
        assert_eq!(ids, ["b", "a"]);
        let (agent, glimpse) = sessions[0].glimpse.clone().unwrap();
        assert_eq!((agent, glimpse.variant), ("gemini", "logs"));
        assert_eq!(glimpse.start, AbstractTimestamp::try_from("2026-01-02T03:04:05Z").ok());
        assert_eq!(
            String::from_utf8(file.read("b").unwrap()).unwrap(),
            concat!(
                r#"[{"sessionId": "b", "messageId": 0, "message": "one", "timestamp": "2026-01-02T03:04:05Z"},"#,
                "\n",
                r#"{"sessionId": "b", "messageId": 1, "message": "three \ud800 1.0"}]"#,
                "\n",
            )
        );
        assert!(file.read("c").is_err());
    }

    #[test]
    fn what_does_not_say_whose_it_is_stays_whole() {
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
