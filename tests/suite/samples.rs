//! Tests the sample sessions that the README converts: there is one of each agent, without anything
//! unusual.

use std::collections::BTreeSet;

use vac::{AGENTS, ConvertOptions, Search};
use vac_tests::root;

#[test]
fn samples_are_one_healthy_session_of_each_agent() {
    let search = Search { paths: vec![root().join("fixtures/samples")], ..Search::default() };
    let plan = search.plan().expect("a plan");
    assert!(plan.skipped.is_empty() && plan.troubles.is_empty(), "{plan:?}");
    let mut agents = BTreeSet::new();
    for task in &plan.tasks {
        let mut record = Vec::new();
        let converted =
            vac::convert(task, &ConvertOptions::default(), &mut record).expect("a record");
        let [report] = &converted.sessions[..] else { panic!("{}: {converted:?}", task.name) };
        assert!(!report.has_unknown(), "{}: {report:?}", task.name);
        assert!(report.warnings.is_empty(), "{}: {report:?}", task.name);
        assert!(vac::validate(&record).expect("readable").is_valid(), "{}", task.name);
        let facts = vac::inspect(task).expect("facts");
        assert_eq!(facts.len(), 1, "{}", task.name);
        assert!(facts[0].first_prompt.is_some(), "{}", task.name);
        agents.insert(task.agent.clone());
    }
    let expected: BTreeSet<_> = AGENTS.iter().map(|agent| agent.name().to_owned()).collect();
    assert_eq!(agents, expected);
    assert_eq!(plan.tasks.len(), expected.len());
}
