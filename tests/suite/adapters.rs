//! All adapters over all logs: fixtures, the corpus where there is one, and what nobody
//! wishes for. What is printed is a table: `cargo test -p vac-tests adapters -- --nocapture`.

use vac::AGENTS;
use vac_adapter::session::{self, Options};
use vac_adapter::{Adapter, detect};
use vac_adapter_check::{
    Agent, Log, Outcome, check, check_briefly, check_pieces, corpus, fixture_logs, hostile,
    lossless,
};

/// Every log of an agent is known to be its log, and nothing of it is lost; what is not
/// known is refused.
fn held(adapter: &dyn Adapter) {
    let agent = Agent::of(adapter);
    for log in fixture_logs(adapter) {
        let outcome = row(adapter, &log, check(agent, adapter, &log));
        assert!(!outcome.is_refused(), "{}: {outcome}", log.shown);
    }
    for log in corpus(adapter) {
        row(adapter, &log, check_briefly(agent, adapter, &log));
    }
    agent.print_exceptions();
}

fn row(adapter: &dyn Adapter, log: &Log, outcome: Outcome) -> Outcome {
    println!("{:<9} {:<70} {outcome}", adapter.name(), log.shown);
    let detected = detect(log, AGENTS).expect("memory can be read");
    let detected = detected.map(|(adapter, _)| adapter.name());
    let is_known = detected == Some(adapter.name());
    assert!(is_known || outcome.is_refused(), "{} is known as one of {detected:?}", log.shown);
    outcome
}

#[test]
fn every_log_of_every_agent_is_known_and_complete() {
    std::thread::scope(|scope| {
        for adapter in AGENTS.iter().copied() {
            scope.spawn(move || held(adapter));
        }
    });
}

/// What benchmarks measure are sessions, and all of their lines are understood.
#[test]
fn generated_logs_are_sessions_of_their_agents() {
    for adapter in AGENTS.iter().copied() {
        let logs = vac_tests::native::logs(5);
        let generated = logs.iter().find(|log| log.agent == adapter.name()).expect("one for each");
        let log = Log::new(generated.name, generated.text.as_str());
        let outcome = row(adapter, &log, check(Agent::of(adapter), adapter, &log));
        let report = &outcome.only().report;
        assert_eq!((report.unparsed.count, report.unknown_types.len()), (0, 0), "{report:?}");
        assert!(report.entries["user"] >= 5 && report.entries["tool-call"] == 5, "{report:?}");
    }
}

#[test]
fn an_adapter_refuses_the_logs_of_others_or_loses_nothing_of_them() {
    let mut refused = 0;
    for owner in AGENTS.iter().copied() {
        for log in fixture_logs(owner) {
            for adapter in AGENTS.iter().filter(|adapter| adapter.name() != owner.name()) {
                let called = format!("{} as {}", log.shown, adapter.name());
                let log = log.clone().called(called);
                let outcome = lossless(Agent::of(*adapter), *adapter, &log);
                refused += usize::from(outcome.is_refused());
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn hostile_logs_lose_nothing_in_any_adapter() {
    for owner in AGENTS.iter().copied() {
        for (name, log) in hostile::logs(Agent::of(owner)) {
            for adapter in AGENTS.iter().copied() {
                let called = format!("{name}, of {} as {}", owner.name(), adapter.name());
                lossless(Agent::of(adapter), adapter, &log.clone().called(called));
            }
        }
    }
}

#[test]
fn long_events_are_kept_in_pieces_by_every_adapter() {
    let mut cut = 0;
    for adapter in AGENTS.iter().copied() {
        for log in fixture_logs(adapter) {
            // A piece that might hold a secret is left out as a whole, and turns of plain text
            // are compared without the line before them, which is part of a piece.
            let text = String::from_utf8_lossy(log.first());
            if log.shown.contains("/cursor/text")
                || text.contains("\"secret\"")
                || text.contains("EncryptionKey")
            {
                continue;
            }
            let log = log.within(200);
            let outcome = check_pieces(Agent::of(adapter), adapter, &log);
            for record in outcome.records() {
                cut += record.report.unparsed.reasons.get("too-long").unwrap_or(&0);
            }
        }
    }
    assert!(cut > 300, "{cut} pieces");
}

#[test]
fn a_line_of_67_megabytes_is_carried() {
    let text = "0123456789abcde\u{e9}".repeat((67 << 20) / 17);
    let log = Log::new(
        "long.jsonl",
        Agent::of(vac::agent("claude").expect("an agent").adapter)
            .sample
            .replace("VALUE", "\"VALUE\""),
    );
    let log = String::from_utf8(log.first().to_vec()).expect("text").replacen("VALUE", &text, 1);
    let log = Log::new("long.jsonl", log);
    let sessions = vac::agent("claude").expect("an agent").adapter.survey(&log).expect("a session");
    let mut record = Vec::new();
    session::write(&*sessions[0], &Options::default(), &session::no_sources, &mut record)
        .expect("a record");
    let record = String::from_utf8(record).expect("text");
    let start = record.find(&text[..100]).expect("the beginning of the text");
    assert!(record[start..].starts_with(&text));
}
