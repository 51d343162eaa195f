"""Trajectories and spans of all fixtures: accepted by the models of their formats, with the numbers of
`vac inspect`."""

import base64
import json
import pathlib
import tempfile

from harness import FIXTURES, check, run, skip

# Folders of fixtures that are not of an agent.
OTHERS = {"cddl", "events", "example", "hostile", "prices", "rfc", "samples", "schema", "show", "sign", "terminal"}
AGENTS = sorted(path for path in FIXTURES.iterdir() if path.name not in OTHERS)


def exported(form, suffix):
    """Exports the logs and records of all agents; returns the documents by key."""
    with tempfile.TemporaryDirectory() as folder:
        run("export", "-f", form, "-o", folder, *AGENTS)
        files = sorted(pathlib.Path(folder).glob(f"*.{suffix}"))
        return {file.name.split(".")[0]: json.loads(file.read_text()) for file in files}


def facts():
    """Returns what `vac inspect` prints of the same sessions: tokens and cost, by session id."""
    found = {}
    for line in run("export", "-f", "ndjson", "--tables", "sessions", "-o", "-", *AGENTS).stdout.splitlines():
        row = json.loads(line)
        found[row["record_key"]] = row
    return found


def total(row, *names):
    return sum(row.get(f"{name}_tokens") or 0 for name in names)


def check_trajectories():
    try:
        from atif import Trajectory
    except ImportError:
        return skip("the models of ATIF are not installed")
    documents = exported("atif", "atif.json")
    sessions = facts()
    check("each session is a trajectory", documents.keys() == sessions.keys(), len(documents))
    calls = prompts = 0
    for key, document in documents.items():
        row = sessions[key]
        name = f"trajectory {key} of {row['agent']}"
        try:
            Trajectory.model_validate(document)
            check(name, True)
        except ValueError as error:
            check(name, False, str(error)[:400])
        check(f"{name} has a session and a key", document["session_id"] == row["session_id"] and document["trajectory_id"] == key)
        steps = [step for step in document["steps"] if not step.get("is_copied_context")]
        metrics = [step["metrics"] for step in steps if "metrics" in step]
        added = lambda field: sum(one.get(field, 0) for one in metrics)
        check(f"{name}: prompt tokens", added("prompt_tokens") == total(row, "input", "cache_read", "cache_write"), row["session_id"])
        check(f"{name}: completion tokens", added("completion_tokens") == total(row, "output"))
        check(f"{name}: cached tokens", added("cached_tokens") == total(row, "cache_read"))
        final = document["final_metrics"]
        check(f"{name}: final prompt tokens", final.get("total_prompt_tokens", 0) == added("prompt_tokens"))
        check(f"{name}: final completion tokens", final.get("total_completion_tokens", 0) == added("completion_tokens"))
        check(f"{name}: cost", abs(added("cost_usd") - (row.get("cost") or 0)) < 1e-5)
        check(f"{name}: steps", final["total_steps"] == len(document["steps"]))
        count = sum(len(step.get("tool_calls", [])) for step in steps)
        check(f"{name}: calls", count == row["tool_calls"], (count, row["tool_calls"]))
        calls += count
        is_prompt = lambda step: step["source"] == "user" and step["extra"]["vac"].get("author", "unstated") == "unstated"
        prompts += sum(map(is_prompt, steps))
    check("trajectories contain prompts and calls", prompts > 200 and calls > 200, (prompts, calls))
    print(f"ATIF: {len(documents)} trajectories, {prompts} prompts, {calls} calls")


def check_spans():
    try:
        from google.protobuf import json_format
        from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
    except ImportError:
        return skip("the messages of OTLP are not installed")
    documents = exported("otel", "otlp.json")
    sessions = facts()
    check("each session is a trace", documents.keys() == sessions.keys(), len(documents))
    count = 0
    for key, document in documents.items():
        row = sessions[key]
        name = f"trace {key} of {row['agent']}"
        spans = [span for resource in document["resourceSpans"] for scope in resource["scopeSpans"] for span in scope["spans"]]
        count += len(spans)
        ids = {span["spanId"] for span in spans}
        check(f"{name}: ids are distinct", len(ids) == len(spans))
        is_hex = lambda text, length: len(text) == length and set(text) <= set("0123456789abcdef") and set(text) != {"0"}
        check(f"{name}: ids have the right length", all(is_hex(span["traceId"], 32) and is_hex(span["spanId"], 16) for span in spans))
        roots = [span for span in spans if "parentSpanId" not in span]
        check(f"{name}: there is one root", len(roots) == 1)
        check(f"{name}: parents exist", all(span.get("parentSpanId", span["spanId"]) in ids for span in spans))
        start = lambda span: int(span["startTimeUnixNano"])
        end = lambda span: int(span["endTimeUnixNano"])
        check(f"{name}: times are in order", all(start(span) <= end(span) for span in spans))
        timed = [span for span in spans if start(span)]
        if roots and timed:
            check(f"{name}: the root is around all", all(start(roots[0]) <= start(span) and end(span) <= end(roots[0]) for span in timed))
        attributes = [{one["key"]: one["value"] for one in span["attributes"]} for span in spans]
        operations = [one["gen_ai.operation.name"]["stringValue"] for one in attributes]
        check(f"{name}: operations", set(operations) <= {"invoke_agent", "chat", "execute_tool"})
        added = lambda field: sum(int(one.get(field, {}).get("intValue", 0)) for one in attributes)
        check(f"{name}: input tokens", added("gen_ai.usage.input_tokens") == total(row, "input", "cache_read", "cache_write"))
        check(f"{name}: output tokens", added("gen_ai.usage.output_tokens") == total(row, "output"))
        check(f"{name}: cached tokens", added("gen_ai.usage.cache_read.input_tokens") == total(row, "cache_read"))
        called = sum("vac.tool.has_no_call" not in one for one, operation in zip(attributes, operations) if operation == "execute_tool")
        check(f"{name}: calls", called == row["tool_calls"], (called, row["tool_calls"]))
        for one in attributes:
            for field in ("gen_ai.input.messages", "gen_ai.output.messages"):
                if field in one:
                    messages = json.loads(one[field]["stringValue"])
                    check(f"{name}: {field}", all(message["role"] and message["parts"] for message in messages))
        # OTLP has hexadecimal ids in JSON, where Protocol Buffers have base64.
        for span in spans:
            for field in ("traceId", "spanId", "parentSpanId"):
                if field in span:
                    span[field] = base64.b64encode(bytes.fromhex(span[field])).decode()
        try:
            json_format.ParseDict(document, TracesData())
            check(f"{name} is OTLP", True)
        except json_format.ParseError as error:
            check(f"{name} is OTLP", False, error)
    print(f"OTLP: {len(documents)} traces, {count} spans")
