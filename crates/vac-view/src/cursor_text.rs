//! The old text form of Cursor's transcripts: what the model said there, without the
//! thoughts, calls and results between, which are entries of their own.

const THINKING: &str = "[Thinking]";
const CALL: &str = "[Tool call]";
const RESULT: &str = "[Tool result]";

/// Where a line stands.
#[derive(Clone, Copy)]
enum Place {
    /// In what is said.
    Said,
    /// In the arguments of a call: lines that are indented, and blank ones.
    Arguments,
    /// In a result: up to a blank line.
    Output,
}

/// The lines of a turn that are said.
pub(crate) fn spoken(turn: &str) -> String {
    let mut spoken = String::new();
    let mut place = Place::Said;
    for line in turn.split_inclusive('\n') {
        let is_blank = line.trim().is_empty();
        place = match place {
            _ if line.starts_with(CALL) => Place::Arguments,
            _ if line.starts_with(RESULT) => Place::Output,
            _ if line.starts_with(THINKING) => {
                place = Place::Said;
                continue;
            }
            Place::Arguments if is_blank || line.starts_with("  ") => Place::Arguments,
            Place::Output if !is_blank => Place::Output,
            Place::Said | Place::Arguments | Place::Output => {
                spoken.push_str(line);
                Place::Said
            }
        };
    }
    spoken.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::spoken;

    #[test]
    fn thoughts_calls_and_results_are_not_said() {
        let turn = "[Thinking] Look first.\nI'll look.\n[Tool call] Read\n  path: a\n\n  limit: 8\n\
            [Tool result] Read\nline\n\nFound it.\n[Tool call] Shell\n  command: ls\n\nDone.\n";
        assert_eq!(spoken(turn), "I'll look.\n\nFound it.\nDone.");
        assert_eq!(spoken("Nothing but words.\n"), "Nothing but words.");
        assert_eq!(spoken("[Thinking] only\n"), "");
    }
}
