//! Keeps values of the session that its lines repeat.

use vac_value::{Node, Text};

/// The first value of each kind that the log states.
#[derive(Debug, Default)]
pub(crate) struct SessionDefaults {
    pub session_id: Option<String>,
    pub cwd: Option<String>,
    pub version: Option<String>,
    pub branch: Option<String>,
}

impl SessionDefaults {
    /// Adds the values of a line, where no value is known yet.
    pub fn fill(
        &mut self,
        session_id: Option<Node<'_, '_>>,
        cwd: Option<Node<'_, '_>>,
        version: Option<Node<'_, '_>>,
        branch: Option<Node<'_, '_>>,
    ) {
        fill(&mut self.session_id, session_id);
        fill(&mut self.cwd, cwd);
        fill(&mut self.version, version);
        fill(&mut self.branch, branch);
    }

    /// Adds the values of other lines, where no value is known.
    pub fn or(&mut self, other: Self) {
        let Self { session_id, cwd, version, branch } = other;
        self.session_id = self.session_id.take().or(session_id);
        self.cwd = self.cwd.take().or(cwd);
        self.version = self.version.take().or(version);
        self.branch = self.branch.take().or(branch);
    }

    /// Returns whether a line's member has the value of the session.
    pub fn has(&self, key: &str, value: Node<'_, '_>) -> bool {
        let known = match key {
            "sessionId" | "session_id" => &self.session_id,
            "cwd" => &self.cwd,
            "version" => &self.version,
            "gitBranch" => &self.branch,
            _ => return false,
        };
        known.as_deref().is_some_and(|known| value.is_text(known))
    }
}

fn fill(place: &mut Option<String>, value: Option<Node<'_, '_>>) {
    if place.is_none() {
        let text = value.and_then(Node::text).filter(|text| !text.is_empty());
        *place = text.map(Text::into_owned);
    }
}
