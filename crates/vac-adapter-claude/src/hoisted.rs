//! Values of the session that its lines repeat.

use vac_value::{Node, Text};

/// The first of each that the log states.
#[derive(Debug, Default)]
pub(crate) struct Hoisted {
    pub session_id: Option<String>,
    pub cwd: Option<String>,
    pub version: Option<String>,
    pub branch: Option<String>,
}

impl Hoisted {
    /// Looks at a member of a line for the first of each value.
    pub fn survey(&mut self, key: &str, value: Node<'_, '_>) {
        let place = match key {
            "sessionId" => &mut self.session_id,
            "cwd" => &mut self.cwd,
            "version" => &mut self.version,
            "gitBranch" => &mut self.branch,
            _ => return,
        };
        if place.is_none() {
            *place = value.text().filter(|text| !text.is_empty()).map(Text::into_owned);
        }
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
