//! Values of the session that its lines repeat.

use vac_value::{Node, Text};

/// The first of each that the log states.
#[derive(Debug, Default)]
pub(crate) struct Hoisted {
    pub session_id: Option<String>,
    pub cwd: Option<String>,
    pub version: Option<String>,
    pub branch: Option<String>,
    /// Whether a line says whose it is as logs do.
    is_logged: bool,
    /// Whether a line says whose it is as streams do, and logs sometimes as well.
    is_streamed: bool,
}

impl Hoisted {
    /// Looks at a member of a line for the first of each value.
    pub fn survey(&mut self, key: &str, value: Node<'_, '_>) {
        self.is_logged |= key == "sessionId";
        self.is_streamed |= key == "session_id";
        let place = match key {
            "sessionId" | "session_id" => &mut self.session_id,
            "cwd" => &mut self.cwd,
            "version" | "claude_code_version" => &mut self.version,
            "gitBranch" => &mut self.branch,
            _ => return,
        };
        if place.is_none() {
            *place = value.text().filter(|text| !text.is_empty()).map(Text::into_owned);
        }
    }

    /// Whether these are the lines of a stream rather than of a log.
    pub fn is_stream(&self) -> bool {
        self.is_streamed && !self.is_logged
    }

    /// Whether a line's member says what the session says.
    pub fn says(&self, key: &str, value: Node<'_, '_>) -> bool {
        let said = match key {
            "sessionId" | "session_id" => &self.session_id,
            "cwd" => &self.cwd,
            "version" => &self.version,
            "gitBranch" => &self.branch,
            _ => return false,
        };
        said.as_deref().is_some_and(|said| value.is_text(said))
    }
}
