//! Session logs.

use vac::AGENTS;
use vac_adapter::{Adapter, Error, Input, Memory, Session, detect};
use vac_adapter_check::{convert_full, convert_in_every_way};
use vac_value::Document;
use vac_view::{EventOptions, events, inspect};

/// Converts a log in memory. If the first byte is less than the number of agents, it selects one of
/// them and the log follows; otherwise the whole input is a log, whose agent is detected.
pub fn convert(bytes: &[u8]) {
    let forced = bytes.first().and_then(|number| AGENTS.get(usize::from(*number)));
    let bytes = if forced.is_some() { &bytes[1..] } else { bytes };
    let input = Memory { name: "log.jsonl", bytes };
    let detected = detect(&input, AGENTS).expect("memory can be read");
    if let Some(adapter) = forced.copied().or(detected.map(|(adapter, _)| adapter)) {
        check_log(adapter, &input);
    }
}

/// Converts a log in every way. Either each conversion fails, or all give the same valid records,
/// with the same number of entries in both encodings.
pub(super) fn check_log(adapter: &dyn Adapter, input: &dyn Input) {
    match convert_in_every_way(adapter, input) {
        Ok(_) => {
            for session in adapter.survey(input).expect("it was converted") {
                view(&*session).expect("it was converted");
            }
        }
        Err(Error::Refused(reason)) => {
            assert!(!reason.is_empty(), "refused without a reason");
            assert!(convert_full(adapter, input).is_err(), "refused, but not every time: {reason}");
        }
        Err(error) => panic!("{error}"),
    }
}

/// Reads the facts and the events of a session. Each event has to be a JSON document.
pub(super) fn view(session: &dyn Session) -> Result<(), Error> {
    inspect(session, &[])?;
    let options = EventOptions::everything();
    events(session, &[], options, &mut |event| {
        let line = event.line();
        Document::json(&line).unwrap_or_else(|error| panic!("{error}: {event:?}"));
        Ok(())
    })?;
    Ok(())
}
