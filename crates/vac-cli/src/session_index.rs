//! Lists the sessions that agents keep, for `vac list` and to find sessions by name.

use std::io::Read as _;

use vac::Agent;
use vac::adapter::session::Named;
use vac::adapter::{Error, Input, Memory, Session as _};
use vac::session_filter::SessionFacts;
use vac::store::join::DetectedLog;
use vac::view::event_time::to_utc;
use vac::view::{AuthorSet, EventKind, EventOptions, MessageAuthor, events};

use crate::json_output::ListedSession;
use crate::sessions;

/// Logs with at most this many bytes are read whole: the preview reads as much of every log.
const MAX_SMALL: u64 = 256 * 1024;
/// The maximum size of an event, as `vac convert` has it by default.
const MAX_EVENT: usize = 256 << 20;
/// The maximum length of a first prompt, in characters.
const MAX_PROMPT: usize = 400;

impl ListedSession {
    /// Returns the wanted sessions of a log, as their records state them. Of a large log that is
    /// certainly one session, only the beginning is parsed.
    pub fn from_log(known: &DetectedLog, with_prompts: bool) -> Vec<Self> {
        let Some(agent) = sessions::named(known) else { return Vec::new() };
        let preview = Self::from_preview(known, agent);
        let is_small = preview.size.is_some_and(|size| size <= MAX_SMALL);
        // What cannot be read is reported when it is converted.
        let is_one = || known.log.is_one_session(agent.adapter, &known.preview).unwrap_or(true);
        // The rows of a session can state a start that the list of sessions does not.
        let is_stated =
            preview.session_id.is_some() && (preview.start.is_some() || !known.log.is_in_store());
        if is_stated && !is_small && is_one() {
            let prompt = with_prompts.then(|| prompt_of_large(known, agent, &preview)).flatten();
            return vec![Self { first_prompt: prompt, ..preview }];
        }
        match Self::survey(known, agent, &preview, with_prompts) {
            Ok(sessions) if !sessions.is_empty() || known.log.wanted.is_some() => sessions,
            // The reason is reported when it is converted.
            _ => vec![preview],
        }
    }

    /// Reads a log and returns its wanted sessions. What the only session of a log does not state is
    /// that of the preview.
    fn survey(
        known: &DetectedLog,
        agent: Agent,
        preview: &Self,
        with_prompts: bool,
    ) -> Result<Vec<Self>, Error> {
        let log = known.log.load_within(MAX_EVENT)?;
        let sessions = agent.adapter.survey(&log)?;
        let is_only = sessions.len() == 1 && known.log.wanted.is_none();
        let indexed = |session: &dyn vac::adapter::Session| {
            let session = Named::new(session, agent.name);
            let facts = SessionFacts::new(&session.record());
            if !known.log.is_wanted(&facts.record_id) {
                return None;
            }
            let or_preview = |fact: Option<String>, preview: &Option<String>| {
                fact.or_else(|| preview.clone().filter(|_| is_only))
            };
            let parent = session.parent();
            Some(Self {
                agent: session.agent().into_owned(),
                session_id: Some(facts.record_id),
                start: or_preview(facts.start.as_ref().and_then(to_utc), &preview.start),
                size: preview.size,
                variant: session.variant(),
                project: or_preview(facts.project, &preview.project),
                cli_version: or_preview(facts.version, &preview.cli_version),
                parent: parent.as_ref().map(|parent| parent.session_id.clone()),
                relation: parent.map(|parent| parent.relation.as_str()),
                first_prompt: with_prompts.then(|| first_prompt(&session)).flatten(),
                files: preview.files.clone(),
            })
        };
        Ok(sessions.iter().filter_map(|session| indexed(&**session)).collect())
    }

    fn from_preview(known: &DetectedLog, agent: Agent) -> Self {
        let start = known.preview.start.as_ref().and_then(to_utc);
        let parent = known.preview.parent.as_ref();
        let files = known.log.paths().map(|path| path.to_string_lossy().into_owned());
        Self {
            agent: agent.name.to_owned(),
            session_id: known.preview.session_id.clone(),
            start,
            size: known.log.size(),
            variant: known.variant(agent.adapter),
            project: known.preview.project.clone(),
            cli_version: known.preview.version.clone(),
            parent: parent.map(|parent| parent.session_id.clone()),
            relation: parent.map(|parent| parent.relation.as_str()),
            first_prompt: None,
            files: files.collect(),
        }
    }
}

/// Returns the first prompt of a large log: of its first lines, or of the session in a store.
fn prompt_of_large(known: &DetectedLog, agent: Agent, session: &ListedSession) -> Option<String> {
    let find = |input: &dyn Input| {
        let sessions = agent.adapter.survey(input).ok()?;
        let is_only = sessions.len() == 1;
        let mut sessions = sessions.iter().map(|session| &**session);
        let found = sessions
            .find(|found| is_only || Some(&*found.record().id) == session.session_id.as_deref());
        found.and_then(first_prompt)
    };
    if session.size.is_none() {
        return find(&known.log.load_within(MAX_EVENT).ok()?);
    }
    let input = known.log.unread();
    let mut beginning = Vec::new();
    input.open().ok()?.take(MAX_SMALL).read_to_end(&mut beginning).ok()?;
    // A log that is one document has no part that can be read alone.
    let end = beginning.iter().rposition(|byte| *byte == b'\n')? + 1;
    find(&Memory { name: input.name(), bytes: &beginning[..end] })
}

/// Returns the beginning of the first prompt of a session, and stops reading there: of the first
/// of the user to the model if there is one, else of the first local command, else of the first
/// by another agent.
fn first_prompt(session: &dyn vac::adapter::Session) -> Option<String> {
    let authors = AuthorSet::USER.with(MessageAuthor::OtherAgent);
    let options = EventOptions { prompts: true, authors, ..EventOptions::NOTHING };
    let (mut first, mut fallback) = (None, None);
    let read = events(session, &[], options, &mut |event| {
        let EventKind::UserPrompt { text, author, is_local_command, .. } = &event.kind else {
            return Ok(());
        };
        let text: String = text.text.trim().chars().take(MAX_PROMPT).collect();
        if text.is_empty() {
            return Ok(());
        }
        if *is_local_command || *author == MessageAuthor::OtherAgent {
            fallback.get_or_insert(text);
            return Ok(());
        }
        first = Some(text);
        // The rest of the session is not read.
        Err(Error::Refused(String::new()))
    });
    // What cannot be read is reported when it is converted.
    drop(read);
    first.or(fallback)
}
