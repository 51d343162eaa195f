"""Tables of all fixtures in pyarrow, Polars and DuckDB: the same rows everywhere, the numbers of
`vac inspect`, and queries that find what the fixtures contain."""

import filecmp
import json
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
FIXTURES = pathlib.Path("fixtures").resolve()
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
    by_id = {}
    for row in tables["sessions"]:
        tokens = tuple(sorted(sums.get(row["record_key"], {}).items()))
        sources = tuple((s["name"], s["sha_256"]) for s in row["sources"])
        by_id.setdefault((row["session_id"], sources), set()).add(tokens)
    compared = 0
    for agent in ["claude", "codex", "cursor", "gemini", "opencode", "hostile"]:
        document = json.loads(run("inspect", "--json", FIXTURES / agent, allowed=(0, 1, 2)))
        for session in document["sessions"]:
            tokens = {k.replace("-", "_"): v for k, v in session.get("tokens", {}).items()}
            sources = tuple((s["name"], s["sha-256"]) for s in session["sources"])
            expected = tuple(sorted(tokens.items()))
            found = by_id.get((session["session-id"], sources), set())
            check(f"usage of {session['session-id']}", expected in found, (expected, found))
            compared += 1
    check("sessions are compared with inspect", compared > 100, compared)


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


def formats(folder, tables):
    """The same rows in the other formats."""
    for format, read in {
        "arrow": lambda path: pyarrow.ipc.open_file(path).read_all().to_pylist(),
        "ndjson": lambda path: [json.loads(line) for line in open(path, encoding="utf-8")],
    }.items():
        run("export", FIXTURES, "-f", format, "-o", folder / format)
        for table in TABLES:
            rows = [row for part in files(folder / format, table) for row in read(part)]
            keys = [(row["record_key"], row.get("ordinal")) for row in rows]
            expected = [(row["record_key"], row.get("ordinal")) for row in tables[table]]
            check(f"{format}: rows of {table}", sorted(map(str, keys)) == sorted(map(str, expected)))
    run("export", FIXTURES, "-f", "csv", "-o", folder / "csv")
    for table in TABLES:
        count = duckdb.sql(
            f"SELECT count(*) FROM read_csv({files(folder / 'csv', table)}, header = true,"
            " all_varchar = true, quote = '\"', escape = '\"', max_line_size = 100000000,"
            " parallel = false)"
        ).fetchall()[0][0]
        check(f"csv: rows of {table}", count == len(tables[table]), (count, len(tables[table])))
    stream = run("export", FIXTURES, "-f", "arrow", "--tables", "entries", "-o", "-")
    streamed = pyarrow.ipc.open_stream(stream).read_all().to_pylist()
    # Files are sorted by their names, a stream by its logs.
    place = lambda row: (row["record_key"], row["ordinal"])
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


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    for jobs in ["1", "4"]:
        run("export", FIXTURES, "-j", jobs, "-o", folder / f"tables{jobs}")
    check("1 and 4 jobs give the same bytes", same_folders(folder / "tables1", folder / "tables4"))
    tables = engines(folder / "tables1")
    check("lone surrogates are marked", any(row["is_lossy"] for row in tables["entries"]))
    inspected(tables)
    queries(folder / "tables1")
    secrets(folder)
    formats(folder, tables)
    partitions(folder, tables)

versions = f"DuckDB {duckdb.__version__}, Polars {polars.__version__}, pyarrow {pyarrow.__version__}"
print(f"tables of {len(tables['sessions'])} sessions, {len(tables['entries'])} entries: {versions}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
