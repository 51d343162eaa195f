//! Agents that write the format of another one.

use vac_adapter::session::{self, Named, RecordOptions};
use vac_adapter::{Memory, annotation};

#[test]
fn record_of_a_fork_names_the_fork_and_the_adapter() {
    let bytes = br#"{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}"#;
    let log = Memory { name: "session.jsonl", bytes };
    let adapter = vac::agent("cursor").expect("an agent").adapter;
    let sessions = adapter.survey(&log).expect("a session");
    for (name, cli_name) in [("fork", Some("fork")), ("cursor", None)] {
        let named = Named::new(&*sessions[0], name);
        let (record, report) =
            session::collect(&named, &RecordOptions::default()).expect("a record");
        let found = annotation::session_annotations(&record).expect("valid").expect("annotations");
        assert_eq!((&*found.agent, &*found.adapter), (name, "cursor"));
        assert_eq!(report.agent, name);
        if cli_name.is_some() {
            assert_eq!(record.session.agent_meta.cli_name.as_deref(), cli_name);
        }
    }
}
