//! Files that belong to a session and state facts about it.

use std::sync::Arc;

use vac::{MemorySource, Search, Source};

/// Returns the troubles of a search for a session with this `workspace.yaml`, and the number of
/// sessions.
fn search(workspace: &[u8]) -> (Vec<String>, usize) {
    let id = "77777777-0000-4000-8000-000000000001";
    let line = format!(
        r#"{{"type":"session.start","data":{{"sessionId":"{id}","copilotVersion":"1.0.79"}},"id":"e1","parentId":null}}"#
    );
    let folder = format!("session-state/{id}");
    let files = [
        (format!("{folder}/events.jsonl"), line.into_bytes()),
        (format!("{folder}/workspace.yaml"), workspace.to_vec()),
    ];
    let source: Arc<dyn Source> = Arc::new(MemorySource::from_iter(files));
    let plan = Search::default().plan_in(&source).expect("a plan");
    (plan.troubles.iter().map(ToString::to_string).collect(), plan.tasks.len())
}

#[test]
fn companion_that_is_not_utf_8_is_reported() {
    assert_eq!(search(b"cwd: /home/ada\n"), (Vec::new(), 1));
    let (troubles, sessions) = search(b"cwd: /home/\xff\n");
    assert_eq!(sessions, 1, "the session is read all the same");
    assert_eq!(troubles.len(), 1, "{troubles:?}");
    assert!(troubles[0].contains("workspace.yaml"), "{troubles:?}");
    assert!(troubles[0].contains("not UTF-8, so the working directory"), "{troubles:?}");
}
