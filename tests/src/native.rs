//! Generates native logs of every agent for tests and benchmarks. The same sizes give the same
//! bytes. A turn consists of a prompt, a thought, a call with a screen of output, and an answer.

use std::fmt::Write as _;

/// A generated log of an agent.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The name of the agent.
    pub agent: &'static str,
    /// A file name of the form that the agent uses.
    pub name: &'static str,
    /// The log.
    pub text: String,
}

/// Generates a log of each agent with the given number of turns.
pub fn logs(turns: usize) -> Vec<Generated> {
    let lines = |head: &str, turn: fn(usize, &mut String)| {
        let mut text = head.to_owned();
        (0..turns).for_each(|number| turn(number, &mut text));
        text
    };
    let listed = |head: &str, turn: fn(usize, &mut String)| {
        let mut text = lines(head, turn);
        text.pop();
        text + "]}"
    };
    let generated = |agent, name, text| Generated { agent, name, text };
    vec![
        generated("claude", "11111111-0000-4000-8000-000000000001.jsonl", lines("", claude)),
        generated("codex", "rollout-generated.jsonl", lines(CODEX, codex)),
        generated("gemini", "session-generated.json", listed(GEMINI, gemini)),
        generated("opencode", "session.json", listed(OPENCODE, opencode)),
        generated("cursor", "22222222-0000-4000-8000-000000000002.jsonl", lines("", cursor)),
        generated("qwen", "33333333-0000-4000-8000-000000000003.jsonl", lines("", qwen)),
        generated("copilot", "events.jsonl", lines(COPILOT, copilot)),
        generated("pi", "2026-02-10T00-00-00-000Z_generated.jsonl", lines(PI, pi)),
        generated("droid", "66666666-0000-4000-8000-000000000006.jsonl", lines(DROID, droid)),
        generated("antigravity", "generated.jsonl", lines("", antigravity)),
        generated("grok", "updates.jsonl", lines("", grok)),
        generated("goose", "20250901_090000.jsonl", lines(GOOSE, goose)),
        generated("hermes", "rows.jsonl", lines(HERMES, hermes)),
        generated("atif", "generated.json", listed(ATIF, atif)),
    ]
}

const PROMPT: &str = r#"Please look at this case: it fails with \"no such key\".\nWhy?"#;
const THOUGHT: &str = "The map is closed, so the key has to be added before the tests run again.";
const ANSWER: &str = "The key was missing; I have added it and the tests pass.";

/// Returns a screen of output, escaped for JSON.
fn output(number: usize) -> String {
    let mut text = String::new();
    for line in 0..24 {
        let line = format!(r#"{line:>4}\tlet value_{number} = map.get(\"{line}\")?; // größer\n"#);
        text.push_str(&line);
    }
    text
}

fn time(number: usize) -> String {
    let (hour, minute, second) = (number / 3600 % 24, number / 60 % 60, number % 60);
    format!("2026-02-10T{hour:02}:{minute:02}:{second:02}.123Z")
}

/// Adds a line of JSON.
fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    writeln!(text, "{line}").unwrap_or_default();
}

fn claude(number: usize, text: &mut String) {
    let (time, output) = (time(number), output(number));
    let around = |id: &str, parent: &str| {
        format!(
            r#""uuid":"{id}{number}","parentUuid":"{parent}{number}","isSidechain":false,"userType":"external","cwd":"/home/ada/loom","sessionId":"11111111-0000-4000-8000-000000000001","version":"2.1.40","gitBranch":"main","timestamp":"{time}""#
        )
    };
    let (prompt, call, result, answer) =
        (around("p", "x"), around("c", "p"), around("r", "c"), around("a", "r"));
    let message = r#""role":"assistant","model":"claude-example""#;
    line(
        text,
        format_args!(
            r#"{{"type":"user",{prompt},"message":{{"role":"user","content":"{PROMPT}"}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{"type":"assistant",{call},"requestId":"req_{number}","message":{{"id":"m{number}",{message},"content":[{{"type":"thinking","thinking":"{THOUGHT}","signature":"c2lnbmVk"}},{{"type":"tool_use","id":"t{number}","name":"Read","input":{{"file_path":"/home/ada/loom/src/case_{number}.rs","limit":200}}}}],"usage":{{"input_tokens":1200,"output_tokens":85,"cache_read_input_tokens":1000}}}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{"type":"user",{result},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{number}","content":"{output}"}}]}},"toolUseResult":{{"type":"text","file":{{"filePath":"/home/ada/loom/src/case.rs","content":"{output}","numLines":24}}}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{"type":"assistant",{answer},"message":{{"id":"n{number}",{message},"content":[{{"type":"text","text":"{ANSWER}"}}]}}}}"#
        ),
    );
}

const CODEX: &str = concat!(
    r#"{"timestamp":"2026-02-10T00:00:00.000Z","type":"session_meta","payload":{"id":"019c0000-0000-7000-8000-000000000001","timestamp":"2026-02-10T00:00:00.000Z","cwd":"/home/ada/loom","originator":"codex-tui","cli_version":"0.118.0","source":"cli","model_provider":"openai"}}"#,
    "\n",
    r#"{"timestamp":"2026-02-10T00:00:00.000Z","type":"turn_context","payload":{"turn_id":"turn-1","cwd":"/home/ada/loom","model":"gpt-example","sandbox_policy":{"type":"workspace-write"}}}"#,
    "\n",
);

fn codex(number: usize, text: &mut String) {
    let (time, output) = (time(number), output(number));
    let mut item = |payload: std::fmt::Arguments<'_>| {
        line(
            text,
            format_args!(
                r#"{{"timestamp":"{time}","type":"response_item","payload":{{{payload}}}}}"#
            ),
        );
    };
    item(format_args!(
        r#""type":"message","role":"user","content":[{{"type":"input_text","text":"{PROMPT}"}}]"#
    ));
    item(format_args!(
        r#""type":"reasoning","summary":[{{"type":"summary_text","text":"{THOUGHT}"}}],"content":null,"encrypted_content":"Z29uZQ==""#
    ));
    item(format_args!(
        r#""type":"function_call","name":"shell","arguments":"{{\"command\":[\"cat\",\"case_{number}.rs\"]}}","call_id":"call_{number}""#
    ));
    item(format_args!(
        r#""type":"function_call_output","call_id":"call_{number}","output":"{output}""#
    ));
    item(format_args!(
        r#""type":"message","role":"assistant","content":[{{"type":"output_text","text":"{ANSWER}"}}]"#
    ));
    line(
        text,
        format_args!(
            r#"{{"timestamp":"{time}","type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{total},"output_tokens":{number}}},"last_token_usage":{{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":85,"reasoning_output_tokens":21,"total_tokens":1285}}}}}}}}"#,
            total = 1200 * number,
        ),
    );
}

const GEMINI: &str = r#"{"sessionId":"33333333-0000-4000-8000-000000000003","projectHash":"3f3f3f","startTime":"2026-02-10T00:00:00.000Z","lastUpdated":"2026-02-10T23:00:00.000Z","messages":["#;

fn gemini(number: usize, text: &mut String) {
    let (time, output) = (time(number), output(number));
    let around = |id: &str| format!(r#""id":"{id}{number}","timestamp":"{time}""#);
    let (prompt, answer) = (around("p"), around("a"));
    line(
        text,
        format_args!(
            r#"{{{prompt},"type":"user","content":"{PROMPT}"}},
{{{answer},"type":"gemini","content":"{ANSWER}","thoughts":[{{"subject":"Keys","description":"{THOUGHT}","timestamp":"{time}"}}],"tokens":{{"input":1200,"output":85,"cached":1000,"thoughts":21,"tool":0,"total":1306}},"model":"gemini-example","toolCalls":[{{"id":"c{number}","name":"read_file","args":{{"file_path":"case_{number}.rs"}},"result":[{{"functionResponse":{{"id":"c{number}","name":"read_file","response":{{"output":"{output}"}}}}}}],"status":"success","timestamp":"{time}","resultDisplay":"Read 24 lines"}}]}}"#
        ),
    );
    text.pop();
    text.push(',');
}

const OPENCODE: &str = r#"{"info":{"id":"ses_generated","version":"1.1.40","projectID":"5f0e","directory":"/home/ada/lantern","title":"Generated","time":{"created":1772700000000,"updated":1772799999000}},"messages":["#;

fn opencode(number: usize, text: &mut String) {
    let output = output(number);
    let made = 1_772_700_000_000 + 1000 * number;
    let ids = |id: &str, message: &str| {
        format!(
            r#""id":"{id}{number:06}","sessionID":"ses_generated","messageID":"{message}{number:06}""#
        )
    };
    let (asked, thought, call, said) = (
        ids("prt_a", "msg_p"),
        ids("prt_b", "msg_q"),
        ids("prt_c", "msg_q"),
        ids("prt_d", "msg_q"),
    );
    line(
        text,
        format_args!(
            r#"{{"info":{{"id":"msg_p{number:06}","sessionID":"ses_generated","role":"user","time":{{"created":{made}}},"agent":"build","model":{{"providerID":"openai","modelID":"gpt-example"}}}},"parts":[{{"type":"text","text":"{PROMPT}",{asked}}}]}},
{{"info":{{"id":"msg_q{number:06}","sessionID":"ses_generated","role":"assistant","parentID":"msg_p{number:06}","time":{{"created":{made},"completed":{made}}},"modelID":"gpt-example","providerID":"openai","cost":0.0123,"tokens":{{"input":200,"output":85,"reasoning":21,"cache":{{"read":1000,"write":0}}}}}},"parts":[{{"type":"reasoning","text":"{THOUGHT}","time":{{"start":{made},"end":{made}}},{thought}}},{{"type":"tool","tool":"read","callID":"call_{number}","state":{{"status":"completed","input":{{"filePath":"case_{number}.rs"}},"output":"{output}","title":"case","time":{{"start":{made},"end":{made}}}}},{call}}},{{"type":"text","text":"{ANSWER}","time":{{"start":{made},"end":{made}}},{said}}}]}}"#
        ),
    );
    text.pop();
    text.push(',');
}

fn cursor(number: usize, text: &mut String) {
    let output = output(number);
    line(
        text,
        format_args!(
            r#"{{"role":"user","message":{{"content":[{{"type":"text","text":"{PROMPT}"}}]}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{"role":"assistant","message":{{"content":[{{"type":"text","text":"{THOUGHT}"}},{{"type":"tool_use","id":"t{number}","name":"Write","input":{{"path":"case_{number}.rs","contents":"{output}"}}}}]}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{"role":"assistant","message":{{"content":[{{"type":"text","text":"{ANSWER}"}}]}}}}"#
        ),
    );
}

fn qwen(number: usize, text: &mut String) {
    let (time, output) = (time(number), output(number));
    let around = |id: &str, parent: &str| {
        format!(
            r#""uuid":"{id}{number}","parentUuid":"{parent}{number}","sessionId":"33333333-0000-4000-8000-000000000003","timestamp":"{time}","cwd":"/home/ada/loom","version":"0.21.14","gitBranch":"main""#
        )
    };
    let (prompt, call, result, answer) =
        (around("p", "x"), around("c", "p"), around("r", "c"), around("a", "r"));
    let model = r#""type":"assistant","model":"qwen-example","usageMetadata":{"promptTokenCount":900,"candidatesTokenCount":80,"totalTokenCount":980,"cachedContentTokenCount":700}"#;
    line(
        text,
        format_args!(
            r#"{{{prompt},"type":"user","message":{{"role":"user","parts":[{{"text":"{PROMPT}"}}]}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{{call},{model},"message":{{"role":"model","parts":[{{"text":"{THOUGHT}","thought":true}},{{"functionCall":{{"id":"call{number}","name":"run_shell_command","args":{{"command":"cargo test"}}}}}}]}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{{result},"type":"tool_result","message":{{"role":"user","parts":[{{"functionResponse":{{"id":"call{number}","name":"run_shell_command","response":{{"output":"{output}"}}}}}}]}},"toolCallResult":{{"callId":"call{number}","status":"success"}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{{answer},{model},"message":{{"role":"model","parts":[{{"text":"{ANSWER}"}}]}}}}"#
        ),
    );
}

const COPILOT: &str = concat!(
    r#"{"type":"session.start","data":{"sessionId":"44444444-0000-4000-8000-000000000004","version":1,"producer":"copilot-agent","copilotVersion":"1.0.78","startTime":"2026-02-10T00:00:00.000Z","context":{"cwd":"/home/ada/loom","branch":"main"}},"id":"s","timestamp":"2026-02-10T00:00:00.000Z","parentId":null}"#,
    "\n",
);

fn copilot(number: usize, text: &mut String) {
    let (time, output) = (time(number), output(number));
    let around = |id: &str, parent: &str| {
        format!(r#""id":"{id}{number}","timestamp":"{time}","parentId":"{parent}{number}""#)
    };
    let (prompt, call, result, answer) =
        (around("p", "x"), around("c", "p"), around("r", "c"), around("a", "r"));
    let message = r#""model":"gpt-example","interactionId":"i","turnId":"0","outputTokens":80"#;
    line(
        text,
        format_args!(
            r#"{{"type":"user.message","data":{{"content":"{PROMPT}","attachments":[]}},{prompt}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{"type":"assistant.message","data":{{"messageId":"m{number}",{message},"content":"","reasoningText":"{THOUGHT}","toolRequests":[{{"toolCallId":"call{number}","name":"bash","arguments":{{"command":"cargo test"}},"type":"function"}}]}},{call}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{"type":"tool.execution_complete","data":{{"toolCallId":"call{number}","success":true,"result":{{"content":"{output}"}}}},{result}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{"type":"assistant.message","data":{{"messageId":"n{number}",{message},"content":"{ANSWER}","toolRequests":[]}},{answer}}}"#
        ),
    );
}

const PI: &str = concat!(
    r#"{"type":"session","version":3,"id":"55555555-0000-4000-8000-000000000005","timestamp":"2026-02-10T00:00:00.000Z","cwd":"/home/ada/loom"}"#,
    "\n",
);

fn pi(number: usize, text: &mut String) {
    let (time, output) = (time(number), output(number));
    let before = number.checked_sub(1);
    let parent = before.map_or("null".to_owned(), |before| format!(r#""a{before}""#));
    let around = |id: &str, parent: &str| {
        format!(r#""type":"message","id":"{id}{number}","parentId":{parent},"timestamp":"{time}""#)
    };
    let of_turn = |id: &str| format!(r#""{id}{number}""#);
    let (prompt, call, result, answer) = (
        around("p", &parent),
        around("c", &of_turn("p")),
        around("r", &of_turn("c")),
        around("a", &of_turn("r")),
    );
    let message = r#""role":"assistant","api":"x","provider":"anthropic","model":"claude-example","usage":{"input":90,"output":80,"cacheRead":700,"cacheWrite":0,"totalTokens":870},"timestamp":1"#;
    line(
        text,
        format_args!(
            r#"{{{prompt},"message":{{"role":"user","content":[{{"type":"text","text":"{PROMPT}"}}],"timestamp":1}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{{call},"message":{{{message},"stopReason":"toolUse","content":[{{"type":"thinking","thinking":"{THOUGHT}"}},{{"type":"toolCall","id":"call{number}","name":"bash","arguments":{{"command":"cargo test"}}}}]}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{{result},"message":{{"role":"toolResult","toolCallId":"call{number}","toolName":"bash","content":[{{"type":"text","text":"{output}"}}],"isError":false,"timestamp":1}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{{answer},"message":{{{message},"stopReason":"stop","content":[{{"type":"text","text":"{ANSWER}"}}]}}}}"#
        ),
    );
}

const DROID: &str = concat!(
    r#"{"type":"session_start","id":"66666666-0000-4000-8000-000000000006","title":"T","sessionTitle":"N","owner":"ada","version":2,"cwd":"/home/ada/loom"}"#,
    "\n",
);

fn droid(number: usize, text: &mut String) {
    let (time, output) = (time(number), output(number));
    let around = |id: &str| format!(r#""type":"message","id":"{id}{number}","timestamp":"{time}""#);
    let (prompt, call, result, answer) = (around("p"), around("c"), around("r"), around("a"));
    line(
        text,
        format_args!(
            r#"{{{prompt},"message":{{"role":"user","content":[{{"type":"text","text":"{PROMPT}"}}]}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{{call},"message":{{"role":"assistant","content":[{{"type":"thinking","thinking":"{THOUGHT}","signature":"x"}},{{"type":"tool_use","id":"call{number}","name":"Execute","input":{{"command":"cargo test"}}}}]}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{{result},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"call{number}","content":"{output}"}}]}}}}"#
        ),
    );
    line(
        text,
        format_args!(
            r#"{{{answer},"message":{{"role":"assistant","content":[{{"type":"text","text":"{ANSWER}"}}]}}}}"#
        ),
    );
}

fn antigravity(number: usize, text: &mut String) {
    let (time, output) = (time(number), output(number));
    let around = |step: usize, source: &str, kind: &str| {
        let step = number * 4 + step;
        format!(
            r#""step_index":{step},"source":"{source}","type":"{kind}","status":"DONE","created_at":"{time}""#
        )
    };
    let (prompt, call, result, answer) = (
        around(0, "USER_EXPLICIT", "USER_INPUT"),
        around(1, "MODEL", "PLANNER_RESPONSE"),
        around(2, "MODEL", "RUN_COMMAND"),
        around(3, "MODEL", "PLANNER_RESPONSE"),
    );
    line(
        text,
        format_args!(r#"{{{prompt},"content":"<USER_REQUEST>\n{PROMPT}\n</USER_REQUEST>"}}"#),
    );
    line(
        text,
        format_args!(
            r#"{{{call},"thinking":"{THOUGHT}","tool_calls":[{{"name":"run_command","args":{{"CommandLine":"\"cargo test\""}}}}]}}"#
        ),
    );
    line(text, format_args!(r#"{{{result},"content":"{output}"}}"#));
    line(text, format_args!(r#"{{{answer},"content":"{ANSWER}"}}"#));
}

const GOOSE: &str =
    concat!(r#"{"working_dir":"/home/ada/loom","description":"T","message_count":4}"#, "\n");

fn goose(number: usize, text: &mut String) {
    let output = output(number);
    let mut message = |step: usize, role: &str, block: std::fmt::Arguments<'_>| {
        let (created, id) = (1_756_717_200 + number, number * 4 + step);
        line(
            text,
            format_args!(
                r#"{{"id":"m{id}","role":"{role}","created":{created},"content":[{{{block}}}]}}"#
            ),
        );
    };
    message(0, "user", format_args!(r#""type":"text","text":"{PROMPT}""#));
    message(
        1,
        "assistant",
        format_args!(
            r#""type":"toolRequest","id":"call{number}","toolCall":{{"status":"success","value":{{"name":"developer__shell","arguments":{{"command":"cargo test"}}}}}}"#
        ),
    );
    message(
        2,
        "user",
        format_args!(
            r#""type":"toolResponse","id":"call{number}","toolResult":{{"status":"success","value":{{"content":[{{"type":"text","text":"{output}"}}]}}}}"#
        ),
    );
    message(3, "assistant", format_args!(r#""type":"text","text":"{ANSWER}""#));
}

const HERMES: &str = concat!(
    r#"{"sessions":{"id":"hermes-generated","source":"cli","started_at":1785800000.5,"cwd":"/home/ada/loom"}}"#,
    "\n",
);

fn hermes(number: usize, text: &mut String) {
    let output = output(number);
    let mut message = |step: usize, members: std::fmt::Arguments<'_>| {
        let (time, id) = (1_785_800_000 + number, number * 4 + step);
        line(
            text,
            format_args!(
                r#"{{"messages":{{"id":{id},"session_id":"hermes-generated",{members},"timestamp":{time}.5,"active":1}}}}"#
            ),
        );
    };
    message(0, format_args!(r#""role":"user","content":"{PROMPT}""#));
    message(
        1,
        format_args!(
            r#""role":"assistant","content":"","reasoning":"{THOUGHT}","tool_calls":[{{"id":"call{number}","type":"function","function":{{"name":"terminal","arguments":"{{\"command\":\"cargo test\"}}"}}}}]"#
        ),
    );
    message(2, format_args!(r#""role":"tool","content":"{output}","tool_call_id":"call{number}""#));
    message(3, format_args!(r#""role":"assistant","content":"{ANSWER}""#));
}

fn grok(number: usize, text: &mut String) {
    let output = output(number);
    let mut step = |step: usize, update: std::fmt::Arguments<'_>| {
        let (seconds, id) = (1_787_000_000 + number, number * 5 + step);
        line(
            text,
            format_args!(
                r#"{{"timestamp":{seconds},"method":"session/update","params":{{"sessionId":"grok-generated","update":{{{update}}},"_meta":{{"eventId":"grok-generated-{id}","agentTimestampMs":{seconds}123}}}}}}"#
            ),
        );
    };
    let content = |kind: &str, words: &str| {
        format!(r#""sessionUpdate":"{kind}","content":{{"type":"text","text":"{words}"}}"#)
    };
    step(0, format_args!("{}", content("user_message_chunk", PROMPT)));
    step(1, format_args!("{}", content("agent_thought_chunk", THOUGHT)));
    step(
        2,
        format_args!(
            r#""sessionUpdate":"tool_call","toolCallId":"call{number}","title":"bash","rawInput":{{"command":"cargo test"}}"#
        ),
    );
    step(
        3,
        format_args!(
            r#""sessionUpdate":"tool_call_update","toolCallId":"call{number}","status":"completed","rawOutput":{{"exit_code":0,"output":"{output}"}}"#
        ),
    );
    step(4, format_args!("{}", content("agent_message_chunk", ANSWER)));
}

const ATIF: &str = r#"{"schema_version":"ATIF-v1.7","session_id":"generated","agent":{"name":"kiln","version":"0.4","model_name":"house-model-2"},"steps":["#;

fn atif(number: usize, text: &mut String) {
    let (time, output) = (time(number), output(number));
    let (prompt, answer) = (3 * number + 1, 3 * number + 2);
    line(
        text,
        format_args!(
            r#"{{"step_id":{prompt},"timestamp":"{time}","source":"user","message":"{PROMPT}"}},
{{"step_id":{answer},"timestamp":"{time}","source":"agent","message":"","reasoning_content":"{THOUGHT}","tool_calls":[{{"tool_call_id":"c{number}","function_name":"read_file","arguments":{{"path":"case_{number}.rs"}}}}],"observation":{{"results":[{{"source_call_id":"c{number}","content":"{output}"}}]}},"metrics":{{"prompt_tokens":1200,"completion_tokens":85,"cached_tokens":1000}}}},
{{"step_id":{},"timestamp":"{time}","source":"agent","message":"{ANSWER}"}}"#,
            3 * number + 3
        ),
    );
    text.pop();
    text.push(',');
}
