//! Tests the mapping tables of all agents: the pages that show them, and the keys that they do not
//! name.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use vac::AGENTS;
use vac_adapter::Adapter;
use vac_adapter_check::{AgentRules, check_briefly, corpus};

/// Returns the page with the mapping tables of an agent.
fn page(adapter: &dyn Adapter) -> String {
    let mut page = String::from("\n# Mapping\n\nGenerated from the tables in the code.\n");
    for mapping in adapter.mappings() {
        write!(page, "\n{mapping}").expect("a string takes everything");
    }
    page
}

#[test]
fn mapping_pages_are_those_of_the_code() {
    for adapter in AGENTS.iter().copied() {
        let name = adapter.name();
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../crates/vac-adapter-{name}/MAPPING.md"));
        let page = page(adapter);
        if std::env::var_os("VAC_BLESS").is_some() {
            fs::write(&path, &page).expect("the page can be written");
        }
        let found = fs::read_to_string(&path).expect("every agent has a page");
        assert!(found == page, "{} differs: VAC_BLESS=1 writes it", path.display());
    }
}

#[test]
fn every_object_of_an_agent_has_one_mapping_and_each_key_one_row() {
    for adapter in AGENTS {
        let mappings = adapter.mappings();
        assert!(!mappings.is_empty(), "{}", adapter.name());
        let mut objects: Vec<_> = mappings.iter().map(|mapping| mapping.object).collect();
        objects.sort_unstable();
        let count = objects.len();
        objects.dedup();
        assert_eq!(objects.len(), count, "{}: {objects:?}", adapter.name());
        for mapping in mappings {
            let mut keys: Vec<_> = mapping.rows.iter().flat_map(|row| row.keys).collect();
            keys.sort_unstable();
            let count = keys.len();
            keys.dedup();
            assert_eq!(keys.len(), count, "{} {}: {keys:?}", adapter.name(), mapping.object);
        }
    }
}

#[test]
fn real_sessions_have_no_unknown_keys() {
    let mut unknown = Vec::new();
    for adapter in AGENTS.iter().copied() {
        for log in corpus(adapter) {
            let outcome = check_briefly(AgentRules::from_adapter(adapter), adapter, &log);
            for record in outcome.records() {
                let keys = record.report.unknown_keys.keys();
                unknown.extend(keys.map(|key| format!("{} {key}: {}", adapter.name(), log.shown)));
            }
        }
    }
    // These keys are misspelled in one file, or were added by the publisher of a file.
    let others = ["line.timesstamp", "message.contenst", "session.source", "session.meta"];
    unknown.retain(|it| !others.iter().any(|other| it.contains(&format!(" {other}:"))));
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}
