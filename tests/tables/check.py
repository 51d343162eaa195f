"""Tables of all fixtures in pyarrow, Polars and DuckDB: the same rows everywhere, the entries of
records, the numbers of `vac inspect`, and queries that find what the fixtures contain."""

import csv
import filecmp
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import polars
import pyarrow
import pyarrow.csv
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet

TABLES = ["sessions", "entries", "tool_calls", "usage", "files"]
JSON_COLUMNS = {
    "entries": ["content", "extensions"],
    "tool_calls": ["input"],
    "usage": ["statement"],
}
# The member of an entry that the column `content` has, if it is not `content`.
CONTENTS = {"tool-call": "input", "tool-result": "output", "system-event": "data"}
FIXTURES = pathlib.Path("fixtures").resolve()
# Folders of fixtures without sessions of an agent.
OTHERS = {"cddl", "events", "example", "prices", "rfc", "schema", "show", "sign", "terminal"}
AGENTS = sorted(path for path in FIXTURES.iterdir() if path.name not in OTHERS)
QUERIES = pathlib.Path("crates/vac-table/queries").resolve()
# Queries that find something in the fixtures; the others have to run.
FINDING = {
    "failed-commands-by-project",
    "files-edited-unread",
    "hosts-reached",
    "prompts-with-most-failures",
    "cost-by-model-and-day",
    "sessions-without-commit",
    "longest-waits",
    "subagents-by-parent",
    "tools-by-error-rate",
}

vac = sys.argv[1]
passed = failed = 0


def check(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name} {detail}")


def run(*arguments, allowed=(0, 1)):
    done = subprocess.run([vac, *arguments], capture_output=True, env={**os.environ, "NO_COLOR": "1"})
    if done.returncode not in allowed:
        sys.exit(f"vac {' '.join(map(str, arguments))}: {done.stderr.decode()}")
    return done.stdout


def files(folder, table):
    return sorted(str(path) for path in (folder / table).rglob("part-*"))


def same_folders(one, two):
    """Whether two folders contain the same bytes, apart from manifests, which state times."""
    names = lambda folder: sorted(p.relative_to(folder) for p in folder.rglob("part-*"))
    return names(one) == names(two) and all(
        filecmp.cmp(one / name, two / name, shallow=False) for name in names(one)
    )


def lone_surrogate(text):
    return any(0xD800 <= ord(c) < 0xE000 for c in text)


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from strings(member)
    elif isinstance(value, list):
        for element in value:
            yield from strings(element)


def engines(folder, json_check=True):
    """Reads every row of every table with every engine. Returns the tables of pyarrow."""
    tables = {}
    for table in TABLES:
        parts = files(folder, table)
        arrow = pyarrow.concat_tables(pyarrow.parquet.ParquetFile(part).read() for part in parts)
        rows = arrow.to_pylist()
        frame = polars.concat(polars.read_parquet(part) for part in parts)
        found = duckdb.sql(f"SELECT * FROM read_parquet({parts}, hive_partitioning = false)")
        in_duckdb = found.fetchall()
        counts = (len(rows), len(frame.rows()), len(in_duckdb))
        check(f"{table}: the same number of rows", len(set(counts)) == 1 and counts[0] > 0, counts)
        names = arrow.column_names
        check(f"{table}: the same columns", names == frame.columns == found.columns)
        for at, name in enumerate(names):
            column = [row[name] for row in rows]
            nulls = (
                sum(value is None for value in column),
                frame[name].null_count(),
                sum(row[at] is None for row in in_duckdb),
            )
            check(f"{table}.{name}: the same nulls", len(set(nulls)) == 1, nulls)
            if column and isinstance(next((v for v in column if v is not None), None), (str, int, bool)):
                equal = column == [row[at] for row in in_duckdb] == frame[name].to_list()
                check(f"{table}.{name}: the same values", equal)
        for name in JSON_COLUMNS.get(table, []) if json_check else []:
            texts = [row[name] for row in rows if row[name] is not None]
            clean = all(not lone_surrogate(s) for text in texts for s in strings(json.loads(text)))
            check(f"{table}.{name}: JSON without lone surrogates", clean and texts)
            # Polars finds nothing in JSON that it cannot read.
            found = polars.Series(texts).str.json_path_match("$").to_list()
            refused = [text for text, value in zip(texts, found) if value is None and text != "null"]
            check(f"{table}.{name}: JSON in Polars", not refused, refused[:1])
            invalid = duckdb.sql(
                f"SELECT count(*) FROM read_parquet({parts}, hive_partitioning = false)"
                f" WHERE {name} IS NOT NULL AND NOT json_valid({name})"
            ).fetchall()[0][0]
            check(f"{table}.{name}: valid JSON in DuckDB", invalid == 0, invalid)
        tables[table] = rows
    return tables


def inspected(tables):
    """Compares sums of `usage` with `vac inspect` for every session of the fixtures."""
    sums = {}
    for row in tables["usage"]:
        if row["is_counted"]:
            buckets = sums.setdefault(row["record_key"], {})
            for name in ["input", "cache_read", "cache_write", "output", "reasoning", "total"]:
                if row[f"{name}_tokens"] is not None:
                    buckets[name] = buckets.get(name, 0) + row[f"{name}_tokens"]
            if row["cost"] is not None:
                buckets["cost"] = buckets.get("cost", 0) + row["cost"]
    rounded = lambda buckets: tuple(sorted((k, round(v, 5)) for k, v in buckets.items()))
    by_id = {}
    for row in tables["sessions"]:
        tokens = rounded(sums.get(row["record_key"], {}))
        sources = tuple((s["name"], s["sha_256"]) for s in row["sources"])
        by_id.setdefault((row["session_id"], sources), set()).add(tokens)
    agents = set()
    for folder in AGENTS:
        document = json.loads(run("inspect", "--json", folder, allowed=(0, 1, 2)))
        for session in document["sessions"]:
            buckets = {k.replace("-", "_"): v for k, v in session.get("tokens", {}).items()}
            buckets |= {"cost": session["cost"]} if "cost" in session else {}
            sources = tuple((s["name"], s["sha-256"]) for s in session["sources"])
            found = by_id.get((session["session-id"], sources), set())
            expected = rounded(buckets)
            check(f"usage of {session['session-id']}", expected in found, (expected, found))
            agents.add(session["agent"])
    # Only records state these sample agents.
    missing = {row["agent"] for row in tables["sessions"]} - agents - {"example", "example-cli"}
    check("sessions of all agents are compared with inspect", not missing and len(agents) > 15, missing)


def pointers(folder, tables):
    """Compares rows of `entries` with what their paths lead to in the record of the same log."""
    records = {}
    run("convert", *AGENTS, "-o", folder / "records", allowed=(0, 1, 2))
    for path in (folder / "records").rglob("*.json"):
        text = path.read_text(errors="surrogatepass")
        record = json.loads(text, parse_int=integer, parse_float=number)
        sources = tuple(s["sha-256"] for s in record["recording-agent"]["sources"])
        records[json.dumps(record["session"]["session-id"]), sources] = record
    entries = {}
    for row in tables["entries"]:
        entries.setdefault(row["record_key"], []).append(row)
    compared = 0
    for session in tables["sessions"]:
        sources = tuple(s["sha_256"] for s in session["sources"])
        record = records.get((json.dumps(session["session_id"]), sources))
        if record is None:
            continue
        rows = sorted(entries.get(session["record_key"], []), key=lambda row: row["ordinal"])
        found = list(preorder(record["session"]["entries"], "/session/entries", None))
        name = f"entries of {session['agent']} {session['session_id']}"
        check(f"{name}: places", [row["path"] for row in rows] == [path for path, _, _ in found])
        check(f"{name}: parents", [row["parent_ordinal"] for row in rows] == [p for _, p, _ in found])
        for row, (path, _, entry) in zip(rows, found):
            stated = [row["type"], row["entry_id"], row["event_type"], row["is_error"]]
            keys = ["type", "id", "event-type", "is-error"]
            if entry["type"] in ("tool-call", "tool-result"):
                stated.append(row["call_id"])
                keys.append("call-id")
            expected = [replaced(entry.get(key)) for key in keys]
            content = entry.get(CONTENTS.get(entry["type"], "content"))
            same = row["content"] is None and content is None or (
                row["content"] is not None and json.loads(row["content"]) == replaced(content)
            )
            check(f"{name}: {path}", stated == expected and same, (stated, expected))
        compared += 1
    check("entries are compared with records", compared > 150, compared)


def preorder(entries, path, parent, numbers=None):
    """Yields the path of each entry, the number of the entry around it, and the entry."""
    numbers = iter(range(1 << 60)) if numbers is None else numbers
    for at, entry in enumerate(entries):
        number = next(numbers)
        yield f"{path}/{at}", parent, entry
        yield from preorder(entry.get("children", []), f"{path}/{at}/children", number, numbers)


def integer(text):
    """Parses an integer as the tables have it: one that some parsers refuse is text."""
    return text if len(text.lstrip("-")) > 38 else int(text)


def number(text):
    """Parses a number as the tables have it: one that some parsers refuse is text."""
    return text if math.isinf(float(text)) else float(text)


def replaced(value):
    """Returns a value of JSON without lone surrogates."""
    if isinstance(value, str):
        return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in value)
    if isinstance(value, dict):
        return {replaced(key): replaced(member) for key, member in value.items()}
    if isinstance(value, list):
        return [replaced(element) for element in value]
    return value


def queries(folder):
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    views = (QUERIES / "views.sql").read_text()
    database.execute(views.replace("'tables/", f"'{folder}/"))
    names = {path.stem for path in QUERIES.glob("*.sql")} - {"views"}
    check("there are ten queries", len(names) == 10, names)
    for name in sorted(names):
        rows = database.execute((QUERIES / f"{name}.sql").read_text()).fetchall()
        check(f"{name}.sql finds something", rows or name not in FINDING)
    errors = "SELECT count(*) FROM tool_calls WHERE is_counted AND outcome = 'error'"
    total = database.execute(errors).fetchall()[0][0]
    rows = database.execute((QUERIES / "tools-by-error-rate.sql").read_text()).fetchall()
    check("errors of all tools are all errors", sum(row[5] for row in rows) == total)
    rows = database.execute((QUERIES / "subagents-by-parent.sql").read_text()).fetchall()
    own = "SELECT count(*) FROM sessions WHERE relation = 'subagent'"
    own, inside = database.execute(f"""SELECT ({own}), count(DISTINCT (s.session_id, c.subagent))
        FROM tool_calls c JOIN sessions s USING (record_key)
        WHERE c.is_counted AND c.subagent IS NOT NULL AND s.relation IS NULL""").fetchall()[0]
    check("each subagent counts once", sum(row[1] for row in rows) == own + inside, (own, inside))
    rows = database.execute((QUERIES / "cost-by-model-and-day.sql").read_text()).fetchall()
    used = database.execute("SELECT sum(total_tokens) FROM sessions").fetchall()[0][0]
    check("tokens of all days are all tokens", sum(row[8] or 0 for row in rows) == used)


def secrets(folder):
    """A log with secrets in its outputs, and addresses in its commands."""
    log = folder / "secrets.jsonl"
    token = "ghp_" + "a1B2" * 9
    lines = [
        {"type": "user", "message": {"role": "user", "content": "Show the settings"}},
        {"type": "assistant", "message": {"role": "assistant", "model": "m", "content": [
            {"type": "tool_use", "id": "c1", "name": "Bash",
             "input": {"command": "curl https://ada@Loom.example/x"}}]}},
        {"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": f"token is {token}"}]}},
    ]
    for number, line in enumerate(lines):
        line |= {"uuid": f"00000000-0000-4000-8000-00000000000{number}",
                 "sessionId": "5ec2e75a-0000-4000-8000-000000000001", "version": "2.0.0",
                 "timestamp": f"2026-01-05T09:30:0{number}.000Z", "cwd": "/home/ada/loom"}
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run("export", log, "-o", folder / "secrets", allowed=(0,))
    database = duckdb.connect()
    views = (QUERIES / "views.sql").read_text()
    database.execute(views.replace("'tables/", f"'{folder}/secrets/"))
    rows = database.execute((QUERIES / "secrets-in-outputs.sql").read_text()).fetchall()
    check("a secret is found", [row[0] for row in rows] == ["token of GitHub"], rows)
    check("the secret is not printed", token not in str(rows))
    rows = database.execute((QUERIES / "hosts-reached.sql").read_text()).fetchall()
    check("a host is found", [row[0] for row in rows] == ["loom.example"], rows)


def place(row):
    """What sorts the rows of a table: files are sorted by their names, a stream by its logs."""
    numbers = (int(row.get(name) or 0) for name in ("ordinal", "call_index"))
    return (row["record_key"], *numbers, row.get("path") or "", row.get("operation") or "")


def plain(value):
    """Returns a value as formats of text have it."""
    if hasattr(value, "isoformat"):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")
    return value


def as_text(value):
    """Returns a value as CSV has it. An empty text is in quotes there, which Python does not see."""
    value = plain(value)
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def formats(folder, tables):
    """The same rows in the other formats."""
    csv.field_size_limit(1 << 30)
    for format, read in {
        "arrow": lambda path: pyarrow.ipc.open_file(path).read_all().to_pylist(),
        "ndjson": lambda path: [json.loads(line) for line in open(path, encoding="utf-8")],
        "csv": lambda path: list(csv.DictReader(open(path, encoding="utf-8", newline=""))),
    }.items():
        run("export", FIXTURES, "-f", format, "-o", folder / format)
        for table in TABLES:
            rows = [row for part in files(folder / format, table) for row in read(part)]
            expected = sorted(tables[table], key=place)
            if format == "ndjson":
                expected = [{k: plain(v) for k, v in row.items() if v is not None} for row in expected]
            if format == "csv":
                expected = [{k: as_text(v) for k, v in row.items()} for row in expected]
                number = lambda text: float(text) if text else None
                for row in [*rows, *expected]:
                    row |= {"cost": number(row["cost"])} if "cost" in row else {}
            rows = sorted(rows, key=place)
            different = [pair for pair in zip(rows, expected) if pair[0] != pair[1]]
            same = len(rows) == len(expected) and not different
            check(f"{format}: rows of {table}", same, (len(rows), len(expected), different[:1]))
    for table in TABLES:
        count = duckdb.sql(
            f"SELECT count(*) FROM read_csv({files(folder / 'csv', table)}, header = true,"
            " all_varchar = true, quote = '\"', escape = '\"', max_line_size = 100000000,"
            " parallel = false)"
        ).fetchall()[0][0]
        check(f"csv in DuckDB: rows of {table}", count == len(tables[table]), (count, len(tables[table])))
    stream = run("export", FIXTURES, "-f", "arrow", "--tables", "entries", "-o", "-")
    streamed = pyarrow.ipc.open_stream(stream).read_all().to_pylist()
    expected = sorted(tables["entries"], key=place)
    check("a stream has the rows of the files", sorted(streamed, key=place) == expected)


def partitions(folder, tables):
    run("export", FIXTURES, "--partition-by", "agent,day", "-o", folder / "parts")
    rows = duckdb.sql(
        "SELECT agent, day, count(*) FROM"
        f" read_parquet('{folder}/parts/sessions/**/*.parquet', hive_partitioning = true) GROUP BY ALL"
    ).fetchall()
    check("partitions have all sessions", sum(row[2] for row in rows) == len(tables["sessions"]))
    check("partitions are by agent and day", len(rows) > 10 and any(row[1] for row in rows))
    counts = {agent: sum(row[2] for row in rows if row[0] == agent) for agent, _, _ in rows}
    for table in TABLES:
        path = folder / "parts" / table
        read = {
            "pyarrow": pyarrow.parquet.read_table(path).to_pylist(),
            "Polars": polars.read_parquet(path, hive_partitioning=True).to_dicts(),
        }
        for name, found in read.items():
            check(f"{name}: all rows of {table} in partitions", len(found) == len(tables[table]))
            if table == "sessions":
                agents = [row["agent"] for row in found]
                check(f"{name}: partitions by agent", counts == {a: agents.count(a) for a in agents})


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    for jobs in ["1", "4"]:
        run("export", FIXTURES, "-j", jobs, "-o", folder / f"tables{jobs}")
    check("1 and 4 jobs give the same bytes", same_folders(folder / "tables1", folder / "tables4"))
    tables = engines(folder / "tables1")
    check("lone surrogates are marked", any(row["is_lossy"] for row in tables["entries"]))
    inspected(tables)
    pointers(folder, tables)
    queries(folder / "tables1")
    secrets(folder)
    formats(folder, tables)
    partitions(folder, tables)
    queries(folder / "parts")

versions = f"DuckDB {duckdb.__version__}, Polars {polars.__version__}, pyarrow {pyarrow.__version__}"
print(f"tables of {len(tables['sessions'])} sessions, {len(tables['entries'])} entries: {versions}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
