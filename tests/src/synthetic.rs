//! Generates records for tests and benchmarks. The same sizes give the same bytes.

use std::fmt::Write as _;

/// Generates a JSON record with the given number of top-level entries, in the proportions of real
/// sessions: messages with blocks, calls, results with a screen of output.
pub fn record(entries: usize) -> String {
    let mut text = String::from(
        r#"{"version":"3.0.0-draft","id":"synthetic","created":"2026-02-10T17:27:58Z","session":{"format":"interactive","session-id":"synthetic","session-start":"2026-02-10T17:27:58Z","agent-meta":{"model-id":"model-1","model-provider":"provider","models":["model-1"],"cli-name":"cli","cli-version":"1.2.3"},"environment":{"working-dir":"/work","vcs":{"type":"git","branch":"main"}},"entries":["#,
    );
    for number in 0..entries {
        if number > 0 {
            text.push(',');
        }
        entry(number, &mut text);
    }
    text.push_str("]}}");
    text
}

fn entry(number: usize, text: &mut String) {
    let time = format!(
        "2026-02-10T{:02}:{:02}:{:02}.123Z",
        number / 3600 % 24,
        number / 60 % 60,
        number % 60
    );
    let written = match number % 4 {
        0 => write!(
            text,
            r#"{{"type":"user","content":"Please look at case {number}: it fails with \"no such key\" and I do not know why.\nHere is the log.","timestamp":"{time}","id":"e{number}","uuid":"00000000-0000-4000-8000-{number:012}","isSidechain":false,"userType":"external"}}"#
        ),
        1 => write!(
            text,
            r#"{{"type":"assistant","content":[{{"type":"text","text":"Looking at case {number}."}},{{"type":"tool_use","id":"call{number}","name":"Read","input":{{"path":"/home/ada/src/case_{number}.rs","limit":200}}}}],"timestamp":"{time}","id":"e{number}","model-id":"model-1","parent-id":"e{}","token-usage":{{"input":1200,"output":85,"cached":1000,"total":1285,"cost":0.0123}},"children":[{{"type":"tool-call","name":"Read","input":{{"path":"/home/ada/src/case_{number}.rs","limit":200}},"call-id":"call{number}","timestamp":"{time}"}}],"requestId":"req_{number}","stop_reason":"tool_use"}}"#,
            number.saturating_sub(1)
        ),
        2 => {
            let lines: Vec<_> = (0..24)
                .map(|line| {
                    format!(
                        "{line:>4}\\tlet value_{line} = map.get(\\\"key {line}\\\")?; // größer\\n"
                    )
                })
                .collect();
            let lines = lines.concat();
            write!(
                text,
                r#"{{"type":"tool-result","output":[{{"type":"text","text":"{lines}"}}],"call-id":"call{}","status":"success","is-error":false,"timestamp":"{time}","id":"e{number}","toolUseResult":{{"type":"text","file":{{"filePath":"/home/ada/src/case.rs","numLines":24,"startLine":1,"totalLines":24}}}}}}"#,
                number - 1
            )
        }
        _ => write!(
            text,
            r#"{{"type":"reasoning","content":"The key is missing because the map is closed. I will add it and run the tests again.","timestamp":"{time}","id":"e{number}","signature":"Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4"}}"#
        ),
    };
    written.unwrap_or_default();
}

/// Generates a JSON record of about the given number of bytes. Most of them are outputs of a few
/// kilobytes, with one value in 60 bytes as in real sessions.
pub fn with_output(bytes: usize) -> String {
    let line = "  42\\tlet value = map.get(\\\"key\\\")?; // largest first, größer als je zuvor\\n";
    let output = line.repeat(40);
    let plain = record(400);
    let (before, entries) = plain.split_once("\"entries\":[").unwrap_or_default();
    let entries = entries.trim_end_matches("]}}");
    let result = format!(r#",{{"type":"tool-result","output":"{output}","call-id":"c"}}"#);
    let block = format!("{entries}{}", result.repeat(150));
    let count = bytes / block.len();
    format!("{before}\"entries\":[{}]}}}}", vec![block; count.max(1)].join(","))
}

/// Generates a JSON record with one entry that is nested through `children` to this depth.
pub fn nested(depth: usize) -> String {
    let open = r#"{"children":["#;
    let leaf = r#"{"type":"system-event","event-type":"leaf"}"#;
    let close = r#"],"type":"assistant"}"#;
    let entry = format!("{}{leaf}{}", open.repeat(depth), close.repeat(depth));
    format!(
        r#"{{"version":"3","id":"n","session":{{"session-id":"n","agent-meta":{{"model-id":"m","model-provider":"p"}},"entries":[{entry}]}}}}"#
    )
}
