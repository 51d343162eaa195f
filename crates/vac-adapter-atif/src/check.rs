//! Rules for tests about trajectories: what a record may omit and why, and where native logs state
//! ids.

use vac_adapter_check::Value;
use vac_adapter_check::agents::{AgentRules, Exception, When, elements, file_bytes};
use vac_adapter_check::references::{References, text};

/// The rules for trajectories.
pub const ATIF: AgentRules = AgentRules {
    name: "atif",
    exceptions: &[Exception {
        paths: &["steps[].source", "subagent_trajectories[].steps[].source"],
        when: When::Is(&["user", "agent"]),
        reason: "the type of its entry",
    }],
    copies: &[],
    one_entry_a_document: |_| false,
    reads_damaged: |_| false,
    documents: file_bytes,
    references,
    sample: concat!(
        r#"{"schema_version":"ATIF-v1.7","session_id":"s1","agent":{"name":"kiln","version":"0.4","extra":VALUE},"#,
        r#""steps":[{"step_id":1,"source":"user","message":VALUE,"extra":VALUE},"#,
        r#"{"step_id":2,"timestamp":VALUE,"source":"agent","model_name":VALUE,"message":"Looking.","reasoning_content":VALUE,"#,
        r#""tool_calls":[{"tool_call_id":"c1","function_name":"look","arguments":VALUE,"extra":VALUE}],"#,
        r#""observation":{"results":[{"source_call_id":"c1","content":VALUE}],"more":VALUE},"metrics":{"prompt_tokens":VALUE,"cost_usd":VALUE}},"#,
        r#"{"step_id":3,"source":"agent","message":VALUE,"tool_calls":VALUE,"observation":VALUE,"metrics":VALUE,"is_copied_context":VALUE},"#,
        r#"{"step_id":4,"source":"system","message":VALUE},VALUE,{"step_id":6,"source":VALUE,"other":VALUE}],"#,
        r#""final_metrics":VALUE,"notes":VALUE,"subagent_trajectories":VALUE,"unheard_of":VALUE}"#,
        "\n",
    ),
};

fn references(trajectory: &Value, found: &mut References) {
    for step in elements(&trajectory["steps"]) {
        if step["source"] == "agent" {
            let calls: Vec<_> = elements(&step["tool_calls"]).collect();
            if calls.iter().all(|call| call.is_object()) {
                found.calls.extend(calls.iter().filter_map(|call| text(&call["tool_call_id"])));
            }
        }
        let results: Vec<_> = elements(&step["observation"]["results"]).collect();
        if results.iter().all(|result| result.is_object()) {
            found.results.extend(results.iter().filter_map(|it| text(&it["source_call_id"])));
        }
    }
    for subagent in elements(&trajectory["subagent_trajectories"]) {
        references(subagent, found);
    }
}
