//! Types that versions 0.144 to 0.166 added.

use vac_adapter_check::{check, fixture};
use vac_adapter_codex::Codex;
use vac_adapter_codex::check::CODEX;

#[test]
fn realtime_segments_are_messages_of_their_speaker() {
    let outcome = check(&CODEX, &Codex, &fixture(&Codex, "paginated/realtime"));
    let record = outcome.only();
    assert!(record.report.unknown_types.is_empty(), "{:?}", record.report.unknown_types);
    let entries = record.entries();
    let of = |id: &str| entries.iter().find(|entry| entry["id"] == id).expect("an entry");
    assert_eq!(
        (&of("rt-2")["type"], &of("rt-2")["content"]),
        (&"user".into(), &"Is the kiln hot?".into())
    );
    assert_eq!(of("rt-3")["type"], "assistant");
    assert_eq!(of("L6")["type"], "system-event", "an unknown role");
}

#[test]
fn line_that_states_it_is_inherited() {
    let outcome = check(&CODEX, &Codex, &fixture(&Codex, "paginated/realtime"));
    let entries = outcome.only().entries();
    let inherited: Vec<_> = entries
        .iter()
        .filter(|entry| entry["vac"]["inherited"] == true)
        .map(|entry| &entry["id"])
        .collect();
    assert_eq!(inherited, ["L11"]);
}
