"""JSON Schema and TypeScript of the golden schemas and of records."""

import copy
import json
import os
import pathlib
import re
import subprocess

from harness import FIXTURES, check, records, run, skip, target

GOLDEN = sorted((FIXTURES / "cddl").glob("*.cddl"))
# Golden schemas that no JSON document matches.
CBOR_ONLY = {"14-named-int-keys", "33-signed-envelope", "34-mixed-keys"}
# Golden schemas of which at least one wrong document has to be accepted, and a comment says so.
LOOSER = {
    "07-inlined-groups", "08-repeated-group", "20-prelude-numbers", "21-size", "22-bits",
    "30-names-and-keywords", "40-greedy-groups", "44-text-encodings", "45-base10-printf", "46-json",
    "47-join", "48-abnf", "49-equality",
}


def cases(path):
    """Returns the JSON documents of a golden schema, as text, and whether they are valid."""
    for case in json.loads(path.with_suffix(".cases.json").read_text()):
        text = case.get("both", case.get("json"))
        try:
            json.loads(text or "")
        except ValueError:
            continue
        yield text, case["expect"] == "valid", case["why"]


def exported(path, form):
    done = run("schema", "--format", form, "--schema", path, allowed=(0, 1, 2))
    return done if done.returncode == 0 else None


def is_of_numbers(why):
    """JSON Schema does not distinguish 1.0 from 1."""
    return "float" in why or "integer" in why


def check_json_schema():
    try:
        from jsonschema import Draft202012Validator as Validator
    except ImportError:
        return skip("jsonschema is not installed")
    agreed = 0
    for path in GOLDEN:
        done = exported(path, "json-schema")
        check(f"{path.stem} is exported unless it is for CBOR only", (done is None) == (path.stem in CBOR_ONLY))
        if done is None:
            continue
        schema = json.loads(done.stdout)
        Validator.check_schema(schema)
        validator = Validator(schema)
        has_notes = b"cannot be expressed" in done.stderr
        looser = 0
        for text, is_valid, why in cases(path):
            accepts = validator.is_valid(json.loads(text))
            if is_valid:
                check(f"{path.stem} accepts {text} ({why})", accepts)
            elif accepts:
                looser += not is_of_numbers(why)
                check(f"{path.stem} has a comment for {text} ({why})", has_notes or is_of_numbers(why))
            agreed += accepts == is_valid
        check(f"{path.stem} is as strict as before", (looser == 0) == (path.stem not in LOOSER), looser)
        comments = done.stdout.count(b'"$comment"')
        check(f"{path.stem} has comments", not has_notes or comments > 1)
    check("golden documents get the same verdict", agreed > 600, agreed)

    validator = Validator(json.loads(run("schema", "--format", "json-schema").stdout))
    valid = records()
    check("there are records", len(valid) > 150, len(valid))
    for path, record in valid.items():
        errors = list(validator.iter_errors(record))
        check(f"{path} is valid", not errors, errors[:1])
    wrong = list(wrong_records())
    for name, record in wrong:
        check(f"a record with {name} is refused", not validator.is_valid(record))
        done = run("validate", "-", text=json.dumps(record).encode())
        check(f"vac validate refuses a record with {name}", done.returncode == 1)
    print(f"JSON Schema: {len(GOLDEN)} golden schemas, {len(valid)} records, {len(wrong)} wrong ones")


BASE = {
    "version": "3.0.0-draft",
    "id": "r1",
    "session": {
        "session-id": "s1",
        "agent-meta": {"model-id": "m", "model-provider": "p"},
        "entries": [
            {"type": "user", "content": "Hi", "timestamp": "2026-04-01T08:00:00Z"},
            {"type": "tool-call", "name": "look", "input": {}, "children": [{"type": "reasoning", "content": ""}]},
            {"type": "tool-result", "output": None, "is-error": False},
            {"type": "assistant", "token-usage": {"input": 3, "cost": 0.5}},
            {"type": "system-event", "event-type": "note", "data": {"a": 1}},
        ],
    },
    "file-attribution": {
        "files": [{"path": "a.rs", "conversations": [{"ranges": [{"start-line": 1, "end-line": 2}]}]}]
    },
}


def wrong_records():
    """Yields records with one mistake each."""

    def changed(name, change):
        record = copy.deepcopy(BASE)
        change(record)
        return name, record

    yield "nothing in it", {}
    yield changed("no version", lambda r: r.pop("version"))
    yield changed("a number as id", lambda r: r.update(id=7))
    yield changed("no session", lambda r: r.pop("session"))
    yield changed("no entries", lambda r: r["session"].pop("entries"))
    yield changed("no model", lambda r: r["session"]["agent-meta"].pop("model-id"))
    yield changed("a null as session id", lambda r: r["session"].update({"session-id": None}))
    entries = lambda r: r["session"]["entries"]
    yield changed("an entry without type", lambda r: entries(r)[0].pop("type"))
    yield changed("an entry of an unknown type", lambda r: entries(r)[0].update(type="shout"))
    yield changed("a time that is none", lambda r: entries(r)[0].update(timestamp="yesterday"))
    yield changed("a day that is none", lambda r: entries(r)[0].update(timestamp="2026-04-32T08:00:00Z"))
    yield changed("a negative time", lambda r: entries(r)[0].update(timestamp=-1))
    yield changed("a call without a name", lambda r: entries(r)[1].pop("name"))
    yield changed("a wrong entry inside an entry", lambda r: entries(r)[1]["children"][0].pop("content"))
    yield changed("a text as error flag", lambda r: entries(r)[2].update({"is-error": "no"}))
    yield changed("negative tokens", lambda r: entries(r)[3]["token-usage"].update(input=-3))
    yield changed("tokens as text", lambda r: entries(r)[3]["token-usage"].update(output="3"))
    yield changed("an array as data", lambda r: entries(r)[4].update(data=[]))
    files = lambda r: r["file-attribution"]["files"]
    yield changed("an unknown member in a closed map", lambda r: files(r)[0].update(size=3))
    yield changed("an unknown contributor", lambda r: files(r)[0]["conversations"][0].update(contributor={"type": "cat"}))


def check_typescript():
    compiler = target / "npm/node_modules/.bin/tsc"
    if not compiler.exists():
        return skip("the compiler of TypeScript is not installed")
    folder = target / "typescript"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.ts"):
        old.unlink()
    count = 0
    for path in GOLDEN:
        done = exported(path, "typescript")
        if done is None:
            continue
        name = re.sub(r"[^a-z0-9]+", "_", f"g{path.stem}")
        (folder / f"{name}.d.ts").write_bytes(done.stdout)
        root = re.search(rb"export (?:type|interface) (\w+)", done.stdout)[1].decode()
        lines = [f'import type {{ {root} }} from "./{name}";']
        for number, (text, is_valid, _) in enumerate(cases(path)):
            if is_valid:
                lines.append(f"export const value{number}: {root} = {text};")
                count += 1
        (folder / f"{name}_values.ts").write_text("\n".join(lines) + "\n")
    declarations = run("schema", "--format", "typescript").stdout
    (folder / "record.d.ts").write_bytes(declarations)
    lines = ['import type { Start, Entry } from "./record";']
    for number, record in enumerate(records().values()):
        lines.append(f"export const record{number}: Start = {json.dumps(record)};")
        count += 1
    (folder / "records.ts").write_text("\n".join(lines) + "\n")
    # What must not compile: the compiler reports a directive without an error.
    wrong = [
        '{ type: "tool-call", input: {} }',
        '{ type: "shout" }',
        '{ type: "tool-result", output: 1, "is-error": "no" }',
    ]
    lines = ['import type { Start, Entry } from "./record";']
    for number, entry in enumerate(wrong):
        lines += ["// @ts-expect-error", f"export const wrong{number}: Entry = {entry};"]
    lines += ["// @ts-expect-error", 'export const record: Start = { version: "1", id: "r" };']
    (folder / "wrong.ts").write_text("\n".join(lines) + "\n")
    options = ["--noEmit", "--strict", "--target", "es2022", "--module", "es2022", "--skipLibCheck", "false"]
    files = sorted(map(str, folder.glob("*.ts")))
    done = subprocess.run([compiler, *options, *files], capture_output=True, env=os.environ)
    check("TypeScript compiles", done.returncode == 0, done.stdout.decode()[:3000])
    print(f"TypeScript: {len(files)} files, {count} documents that have to compile")
