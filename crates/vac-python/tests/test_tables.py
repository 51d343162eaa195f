"""Tables, by the Arrow C data interface."""

import os
import pathlib
import pickle
import shutil
import sqlite3
import subprocess
import time

import duckdb
import pyarrow
import pyarrow.parquet
import pytest
from pyarrow import fs

import vac
from vac import _engine


def rows(tasks, table, **options):
    return pyarrow.table(vac.tables(tasks, table, **options))


def test_tables_have_the_rows_of_the_command_line(samples, program, tmp_path):
    subprocess.run([program, "export", samples, "-o", tmp_path], capture_output=True, check=True)
    tasks = vac.plan(samples)
    for table in vac.TABLES:
        ours = rows(tasks, table)
        assert ours.schema.equals(pyarrow.schema(vac.schema(table)), check_metadata=True)
        theirs = f"read_parquet('{tmp_path}/{table}/*.parquet')"
        for query in [
            f"SELECT * FROM ours EXCEPT ALL SELECT * FROM {theirs}",
            f"SELECT * FROM {theirs} EXCEPT ALL SELECT * FROM ours",
        ]:
            assert duckdb.sql(query).fetchall() == []
        assert ours.num_rows == duckdb.sql(f"SELECT count(*) FROM {theirs}").fetchall()[0][0] > 0


def test_engines_take_tables_without_copies(samples):
    tasks = vac.plan(samples)
    calls = vac.tables(tasks, "tool_calls")
    expected = pyarrow.table(calls).num_rows
    assert expected > 20
    assert pyarrow.RecordBatchReader.from_stream(calls).read_all().num_rows == expected
    assert duckdb.sql("SELECT count(*) FROM calls").fetchall() == [(expected,)]
    # A table is read again each time.
    assert duckdb.sql("SELECT count(DISTINCT call_index) > 1 FROM calls").fetchall() == [(True,)]


def test_polars_takes_tables(samples):
    polars = pytest.importorskip("polars")
    table = vac.tables(vac.plan(samples), "entries")
    frame = polars.DataFrame(table)
    assert frame.height == pyarrow.table(table).num_rows
    assert frame["record_key"].n_unique() == len(list(samples.iterdir()))


def test_datafusion_takes_tables(samples):
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    table = vac.tables(vac.plan(samples), "usage")
    frame = context.from_arrow(table, name="usage")
    assert frame.count() == pyarrow.table(table).num_rows


def test_number_of_jobs_changes_nothing(fixtures):
    tasks = vac.plan(fixtures)
    one, four = (rows(tasks, "entries", on_error="skip", jobs=jobs) for jobs in (1, 4))
    assert one.equals(four) and one.num_rows > 1000


def test_pickled_tasks_give_the_same_rows(fixtures):
    tasks = vac.plan(fixtures)
    copies = pickle.loads(pickle.dumps(list(tasks)))
    for table in vac.TABLES:
        assert rows(tasks, table).equals(rows(copies, table))


def test_batches_read_several_tables_in_one_pass(fixtures):
    tasks = vac.plan(fixtures)
    read = {}
    for name, batch in vac.batches(tasks, ["sessions", "files"]):
        read.setdefault(name, []).append(pyarrow.record_batch(batch))
        assert batch.num_rows == read[name][-1].num_rows
    assert set(read) == {"sessions", "files"}
    for name, batches in read.items():
        assert pyarrow.Table.from_batches(batches).equals(rows(tasks, name).combine_chunks()) or (
            pyarrow.Table.from_batches(batches).to_pylist() == rows(tasks, name).to_pylist()
        )
    assert {name for name, _ in vac.batches(tasks)} == set(vac.TABLES)


def test_written_tables_are_those_of_the_command_line(samples, program, tmp_path):
    subprocess.run(
        [program, "export", samples, "-o", tmp_path / "cli"], capture_output=True, check=True
    )
    written = vac.write(vac.plan(samples), tmp_path / "wheel")
    assert set(written.rows) == set(vac.TABLES) and written.failures == []
    for table in vac.TABLES:
        one, two = (
            f"read_parquet('{tmp_path}/{name}/{table}/*.parquet')" for name in ("cli", "wheel")
        )
        assert duckdb.sql(f"SELECT * FROM {one} EXCEPT ALL SELECT * FROM {two}").fetchall() == []
        count = duckdb.sql(f"SELECT count(*) FROM {two}").fetchall()[0][0]
        assert count == duckdb.sql(f"SELECT count(*) FROM {one}").fetchall()[0][0]
        assert count == written.rows[table]
    (part,) = (tmp_path / "wheel" / "usage").iterdir()
    assert part.stat().st_mode & 0o777 == 0o600


def test_tables_are_written_as_a_whole_or_not_at_all(samples, tmp_path):
    tasks, gone = missing(samples, tmp_path)
    out = tmp_path / "tables"
    with pytest.raises(vac.Error) as caught:
        vac.write(tasks, out)
    assert caught.value.place == gone.name and list(out.iterdir()) == []
    written = vac.write(tasks, out, ["sessions", "files"], on_error="skip")
    assert [failure.place for failure in written.failures] == [gone.name]
    assert sorted(path.name for path in out.iterdir()) == ["files", "sessions"]
    assert written.rows["sessions"] == len(tasks) - 1
    with pytest.raises(vac.Error, match="already exists"):
        vac.write(tasks, out, ["sessions"], on_error="skip")
    with pytest.raises(vac.Error, match="unknown table"):
        vac.write(tasks, out, ["tools"])
    empty = vac.write([], tmp_path / "empty")
    assert set(empty.rows.values()) == {0}
    for table in vac.TABLES:
        path = tmp_path / "empty" / table / "part-00000.parquet"
        assert pyarrow.parquet.read_table(path).num_rows == 0


def test_number_of_jobs_does_not_change_files(fixtures, tmp_path):
    tasks = vac.plan(fixtures)
    for jobs in (1, 4):
        vac.write(tasks, tmp_path / str(jobs), jobs=jobs)
    names = sorted(path.relative_to(tmp_path / "1") for path in (tmp_path / "1").rglob("*.parquet"))
    assert len(names) >= 5
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "4" / name).read_bytes()


def missing(samples, tmp_path):
    """Tasks of which one cannot be read any more."""
    shutil.copytree(samples, tmp_path / "logs")
    tasks = vac.plan(tmp_path / "logs")
    copies = [vac.Task.from_json(task.to_json()) for task in tasks]
    gone = next(task for task in copies if task.agent == "codex")
    os.remove(gone.paths[0])
    return copies, gone


def test_log_that_cannot_be_read_ends_the_table(samples, tmp_path):
    tasks, gone = missing(samples, tmp_path)
    with pytest.raises(Exception, match=os.path.basename(gone.name)):
        rows(tasks, "sessions")
    with pytest.raises(vac.Error) as caught:
        list(vac.batches(tasks))
    assert caught.value.kind == "io" and caught.value.place == gone.name


def test_log_that_cannot_be_read_is_skipped_on_request(samples, tmp_path):
    tasks, gone = missing(samples, tmp_path)
    table = vac.tables(tasks, "entries", on_error="skip")
    found = pyarrow.table(table)
    (failure,) = table.failures
    assert failure.kind == "io" and failure.place == gone.name
    others = [task for task in tasks if task is not gone]
    assert found.equals(rows(others, "entries"))
    with pytest.raises(vac.Error, match="on_error"):
        vac.tables(tasks, "entries", on_error="ignore")


def test_large_table_that_fails_is_skipped_as_a_whole(tmp_path):
    # The rows of the first log are more than are held at once. The second is gone.
    line = '{"role": "user", "message": {"content": [{"type": "text", "text": "%s"}]}}\n'
    (tmp_path / "a.jsonl").write_text((line % ("x" * 100_000)) * 800)
    (tmp_path / "b.jsonl").write_text(line % "Hi")
    tasks = [vac.Task.from_json(task.to_json()) for task in vac.plan(tmp_path)]
    os.remove(tmp_path / "b.jsonl")
    table = vac.tables(tasks, "entries", on_error="skip", jobs=1)
    assert pyarrow.table(table).num_rows == 800
    assert len(table.failures) == 1
    os.remove(tmp_path / "a.jsonl")
    assert pyarrow.table(table).num_rows == 0
    assert len(table.failures) == 2


def test_threads_end_when_a_table_is_not_consumed(fixtures):
    threads = pathlib.Path("/proc/self/task")
    if not threads.exists():
        pytest.skip("no list of threads")
    tasks = vac.plan(fixtures)
    before = len(list(threads.iterdir()))
    for _ in range(3):
        reader = pyarrow.RecordBatchReader.from_stream(vac.tables(tasks, "entries", jobs=4))
        reader.read_next_batch()
        del reader
        iterator = vac.batches(tasks, jobs=4)
        next(iterator)
        del iterator
    limit = time.monotonic() + 60
    while len(list(threads.iterdir())) > before and time.monotonic() < limit:
        time.sleep(0.05)
    assert len(list(threads.iterdir())) <= before


def test_no_tasks_give_no_rows():
    assert rows([], "sessions").num_rows == 0
    assert list(vac.batches([])) == []


def test_schema_is_that_of_the_crate():
    for table in vac.TABLES:
        schema = vac.schema(table)
        arrow = pyarrow.schema(schema)
        assert arrow.names == [name for name, *_ in schema.columns]
        assert all(doc for *_, doc in schema.columns) and schema.doc
        assert schema.table == table
    with pytest.raises(vac.Error, match="sessions, entries"):
        vac.schema("tools")


class Files:
    """The files of a folder, as an object store gives them."""

    def __init__(self, folder):
        self.folder = folder
        self.listed = 0

    def names(self):
        self.listed += 1
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return [path.relative_to(self.folder).as_posix() for path in found]

    def size(self, name):
        return (self.folder / name).stat().st_size

    def open(self, name):
        return open(self.folder / name, "rb")


def test_files_of_a_python_object_are_read(samples):
    source = Files(samples)
    files = vac.Files(source)
    tasks = vac.plan(files=files)
    assert len(tasks) == len(list(samples.iterdir()))
    expected = rows(vac.plan(samples), "entries")
    assert rows(tasks, "entries").equals(expected)
    assert rows(tasks, "entries", jobs=2).equals(expected)
    # Consumers that hold the interpreter's lock do not wait for workers that need it.
    entries = vac.tables(tasks, "entries")
    assert duckdb.sql("SELECT count(*) FROM entries").fetchall() == [(expected.num_rows,)]
    sent = [vac.Task.from_json(task.to_json()) for task in tasks]
    with pytest.raises(vac.Error, match="not on disk"):
        vac.convert(sent[0])
    again = [task.in_files(files) for task in sent]
    assert rows(again, "entries").equals(expected)
    assert source.listed == 1
    assert pickle.loads(pickle.dumps(files)).files.folder == samples


def test_errors_of_python_files_are_errors(samples):
    class Broken(Files):
        def open(self, name):
            raise PermissionError(f"{name} is locked")

    plan = vac.plan(files=vac.Files(Broken(samples)))
    assert len(plan) == 0 and "locked" in str(plan.troubles[0])


def test_bucket_has_databases_with_their_journals(tmp_path, fixtures):
    home = tmp_path / "bucket" / "ada"
    home.mkdir(parents=True)
    database = home / "opencode.db"
    shutil.copy(fixtures / "opencode" / "database" / "basic" / "opencode.db", database)
    writer = sqlite3.connect(database)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute("DELETE FROM part WHERE rowid = (SELECT max(rowid) FROM part)")
    writer.commit()
    assert (home / "opencode.db-wal").stat().st_size > 0
    bucket = vac.Bucket(f"file://{tmp_path}/bucket")
    tasks = vac.plan(files=bucket)
    assert len(tasks) > 0 and all(task.store is not None for task in tasks)
    # What workers of an engine do.
    bucket = pickle.loads(pickle.dumps(bucket))
    sent = [vac.Task.from_json(task.to_json()) for task in tasks]
    read = rows([task.in_files(bucket) for task in sent], "entries")
    group = _engine.divide(tasks, 1)[0]
    in_engine = rows(_engine.open_group(group, bucket), "entries")
    assert in_engine.equals(read)
    on_disk = rows(vac.plan(tmp_path / "bucket"), "entries")
    assert read.num_rows == on_disk.num_rows
    assert read["content"].to_pylist() == on_disk["content"].to_pylist()
    # Without the journal, the database has what was deleted.
    (tmp_path / "copy").mkdir()
    shutil.copy(database, tmp_path / "copy" / "opencode.db")
    assert rows(vac.plan(tmp_path / "copy"), "entries").num_rows > read.num_rows
    writer.close()


def test_workers_list_only_the_folders_of_their_tasks(tmp_path, samples):
    for user in ("ada", "bo", "bo/deep"):
        (tmp_path / user).mkdir()
        shutil.copy(samples / "codex.jsonl", tmp_path / user / "log.jsonl")
    (tmp_path / "top.jsonl").touch()
    files = vac.Bucket(f"file://{tmp_path}").files
    assert sorted(files.names()) == [
        "ada/log.jsonl", "bo/deep/log.jsonl", "bo/log.jsonl", "top.jsonl",
    ]
    assert files.around(["ada/log.jsonl", "ada/other.jsonl"]).names() == ["ada/log.jsonl"]
    around = files.around(["bo/deep/log.jsonl", "bo/log.jsonl", "gone/log.jsonl"])
    assert sorted(around.names()) == ["bo/deep/log.jsonl", "bo/log.jsonl"]
    assert files.around(["top.jsonl", "bo/log.jsonl"]).folders == [""]
    assert files.size("bo/log.jsonl") > 0
    with pytest.raises(FileNotFoundError):
        files.size("bo/gone.jsonl")


def test_names_of_a_bucket_have_no_part_of_its_location(tmp_path, samples):
    (tmp_path / "ada").mkdir()
    shutil.copy(samples / "codex.jsonl", tmp_path / "ada" / "log.jsonl")
    local = fs.LocalFileSystem()
    below = fs.SubTreeFileSystem(str(tmp_path), local)
    for location, filesystem, name in [
        ("", below, "ada/log.jsonl"),
        ("ada/", below, "log.jsonl"),
        (str(tmp_path), local, "ada/log.jsonl"),
    ]:
        files = vac.Bucket(location, filesystem).files
        assert files.names() == files.around([name]).names() == [name]
        assert files.size(name) > 0 and len(files.open(name).read()) > 0
    root = vac.Bucket("/", local).files
    name = str(tmp_path / "ada" / "log.jsonl")[1:]
    assert root.around([name]).names() == [name] and root.size(name) > 0


def test_groups_have_all_tasks_in_order(fixtures):
    tasks = vac.plan(fixtures)
    for groups in (None, 1, 7, 10_000):
        divided = _engine.divide(tasks, groups)
        names = [task.name for group in divided for task in _engine.open_group(group, None)]
        assert names == [task.name for task in tasks]
        assert len(divided) <= (groups or 64)
    assert len(_engine.divide(tasks, 1)) == 1
    assert _engine.divide([], None) == []
