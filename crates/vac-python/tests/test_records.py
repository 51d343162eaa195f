"""Plans, records, facts, events and signatures."""

import ast
import datetime
import inspect
import json
import pathlib
import pickle
import re
import shutil
import subprocess
import threading
import time

import pytest

import vac


def test_plan_finds_every_session_once(samples, tmp_path):
    plan = vac.plan([samples])
    # One of each agent, in a file that is named after it.
    assert sorted(task.agent for task in plan) == sorted(it.stem for it in samples.iterdir())
    assert plan.troubles == [] and plan.duplicates == []
    assert isinstance(plan, list) and isinstance(plan[0], vac.Task)
    assert len(vac.plan(samples, agents=["codex"])) == 1
    (tmp_path / "notes.txt").write_text("Not a log.")
    assert vac.plan(str(tmp_path)).skipped[0]["reason"] == "not-a-log"


def test_plan_selects_by_time(samples):
    utc = datetime.timezone.utc
    starts = sorted(task.start for task in vac.plan(samples) if task.start)
    middle = datetime.datetime.fromisoformat(starts[len(starts) // 2].replace("Z", "+00:00"))
    early = {t.name for t in vac.plan(samples, until=middle) if t.start}
    late = {t.name for t in vac.plan(samples, since=middle) if t.start}
    assert early and late and len(early | late) == len(starts)
    assert not vac.plan(samples / "claude.jsonl", since=datetime.datetime(2100, 1, 1, tzinfo=utc))
    with pytest.raises(vac.Error, match="time zone"):
        vac.plan(samples, since=datetime.datetime(2026, 1, 1))


def test_plan_selects_sessions_of_a_log(fixtures):
    log = fixtures / "claude" / "jsonl" / "two-sessions" / "collected.jsonl"
    (task,) = vac.plan(log, project="wheel")
    (record,) = vac.convert(pickle.loads(pickle.dumps(task)))
    assert record.report["session-id"] == "3f0a6c1e-0d51-4c7e-9a55-1b2c3d4e5f02"


def test_label_states_the_home_of_a_session(fixtures, tmp_path):
    log = fixtures / "claude" / "jsonl" / "basic"
    for home in ["ada", "bob"]:
        shutil.copytree(log, tmp_path / home / ".claude" / "projects" / "a")
    assert len(vac.plan(roots=[tmp_path])) == 1
    tasks = vac.plan(roots=[tmp_path], homes_apart=True)
    assert sorted(task.home for task in tasks) == ["ada", "bob"]
    for task in tasks:
        (record,) = vac.convert(task, labels={"user": "{home}"})
        assert f'"user":"{task.home}"'.encode() in record.data


def test_named_file_that_is_not_a_log_is_a_trouble(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("Not a log.")
    (error,) = vac.plan(path).troubles
    assert isinstance(error, vac.Error) and error.kind == "unrecognised"
    assert error.place == str(path) and str(path) in str(error)


def test_tasks_are_data(samples, tmp_path):
    for task in vac.plan(samples):
        for copy in (pickle.loads(pickle.dumps(task)), vac.Task.from_json(task.to_json())):
            assert copy.to_json() == task.to_json()
            assert copy.name == task.name and copy.paths == task.paths
            assert copy.store == task.store
            assert vac.convert(copy)[0].data == vac.convert(task)[0].data
    with pytest.raises(vac.Error, match="not a task"):
        vac.Task.from_json("{}")


def test_errors_have_members_and_can_be_pickled(tmp_path):
    with pytest.raises(vac.Error) as caught:
        vac.convert(tmp_path / "missing.jsonl")
    error = caught.value
    assert error.kind == "io" and error.place.endswith("missing.jsonl") and error.reason
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.kind, copy.place, copy.reason) == (error.kind, error.place, error.reason)


def test_records_are_those_of_the_command_line(samples, program):
    for path in [samples / "claude.jsonl", samples / "gemini.json"]:
        for encoding, end in [("json", b"\n"), ("cbor", b"")]:
            arguments = [program, "convert", "-f", encoding, path]
            expected = subprocess.run(arguments, capture_output=True, check=True).stdout
            (record,) = vac.convert(path, encoding=encoding)
            assert record.data + end == expected


def test_log_can_be_a_path_bytes_or_a_task(log):
    data = log.read_bytes()
    by_path = vac.convert(log)[0]
    by_bytes = vac.convert(vac.Task.from_bytes(data, "session.jsonl"))[0]
    assert by_path.data == by_bytes.data == bytes(by_path)
    assert vac.convert(data)[0].report["entries"] == {"assistant": 1, "user": 1}
    record = json.loads(by_path.data)
    assert record["session"]["entries"][0]["content"][0]["text"] == "Tidy the shelf"
    with pytest.raises(vac.Error, match="record, not a log"):
        vac.convert(by_path)


def test_folder_of_records_is_updated(samples, tmp_path):
    log = tmp_path / "session.jsonl"
    lines = (samples / "claude.jsonl").read_text().splitlines(keepends=True)
    folder = tmp_path / "records"

    def update(count, **options):
        log.write_text("".join(lines[:count]))
        report = vac.update_folder(vac.plan(log), folder, **options)
        assert report["failed"] == []
        (session,) = report["sessions"]
        return session

    first = update(8)
    assert first["change"] == "new" and first["report"]["agent"] == "claude"
    assert vac.validate(first["record"]).is_valid
    assert update(8)["change"] == "unchanged"
    assert update(8, reconvert=True)["change"] == "changed"
    assert update(9)["change"] == "changed"
    cut = update(2)
    assert (cut["change"], cut["because"]) == ("kept-earlier", "not-contained")
    assert cut["earlier"] == first["record"] != cut["record"]
    assert json.loads(json.dumps(cut)) == cut


def test_options_of_records(log, samples):
    labelled = json.loads(vac.convert(log, labels={"user": "ada"})[0].data)
    assert "ada" in json.dumps(labelled["recording-agent"])
    assert b"\n" in vac.convert(log, pretty=True)[0].data
    full, canonical = (
        vac.convert(samples / "claude.jsonl", profile=profile)[0].data
        for profile in ("full", "canonical")
    )
    assert len(canonical) < len(full)
    for wrong in [{"encoding": "xml"}, {"profile": "half"}]:
        with pytest.raises(vac.Error, match="unknown"):
            vac.convert(log, **wrong)


def test_validate_reports_violations(log, tmp_path):
    record = vac.convert(log)[0]
    assert vac.validate(record).is_valid and vac.validate(record.data).records == 1
    path = tmp_path / "record.json"
    path.write_bytes(record.data)
    assert vac.validate(path).is_valid
    found = vac.validate(b'{"version": "3.0.0-draft", "id": 7}')
    assert not found.is_valid and found.total_violations >= 1
    assert any(it["path"] == "/id" and it["record"] == 1 for it in found.violations)
    assert vac.validate(b"{").syntax_error
    with pytest.raises(vac.Error, match="convert it first"):
        vac.validate(vac.plan(log)[0])


def test_facts_and_events_of_logs_and_records_are_the_same(log):
    record = vac.convert(log)[0]
    for source in (log, record, record.data, vac.plan(log)[0]):
        (facts,) = vac.inspect(source)
        assert facts["first-prompt"] == "Tidy the shelf"
        events = list(vac.events(source))
        assert [it["event"] for it in events] == [
            "session_start", "user_prompt", "assistant_text", "session_end",
        ]
    assert [it["event"] for it in vac.events(log, only=["prompts"])] == ["user_prompt"]
    assert list(vac.events(log, only=["prompts"], authors=["hook"])) == []
    for wrong in [{"only": ["walks"]}, {"authors": ["ghost"]}]:
        with pytest.raises(vac.Error, match="unknown"):
            vac.events(log, **wrong)
    with pytest.raises(vac.Error) as caught:
        list(vac.events(b"Not a log."))
    assert caught.value.kind == "unrecognised"


def test_events_are_those_of_the_command_line(samples, program):
    path = samples / "claude.jsonl"
    expected = subprocess.run([program, "events", path], capture_output=True, check=True).stdout
    assert list(vac.events(path)) == [json.loads(line) for line in expected.splitlines()]


def test_iterator_of_events_ends_once_and_can_be_dropped(log, tmp_path):
    events = vac.events(log)
    assert len(list(events)) == 4 and list(events) == []
    long = tmp_path / "long.jsonl"
    long.write_bytes(log.read_bytes() * 20_000)
    del events
    assert next(vac.events(long))["event"] == "session_start"


def test_iterators_end_after_an_error(log):
    task = vac.Task.from_json(vac.plan(log)[0].to_json())
    log.unlink()
    for iterator in (vac.events(task), vac.batches([task])):
        with pytest.raises(vac.Error) as caught:
            next(iterator)
        assert caught.value.kind == "io"
        assert list(iterator) == []


def test_signed_records_are_verified(log):
    key = vac.SecretKey.ed25519(bytes(range(32)))
    record = vac.convert(log)[0]
    signed = vac.sign(record, key, issuer="https://loom.example", time=1_800_000_000)
    assert signed.facts["issuer"] == "https://loom.example"
    assert signed.facts["key"] == key.public_key.thumbprint
    verified = vac.verify(signed.envelope, key.public_key)
    assert verified.verified and verified.verdict == "verified"
    assert verified.record == record.data
    assert verified.answers["claims"]["issued-at"] == 1_800_000_000
    assert vac.inspect(signed.envelope)[0]["first-prompt"] == "Tidy the shelf"

    other = vac.SecretKey.ed25519(bytes(32)).public_key
    failed = vac.verify(signed.envelope, other)
    assert not failed.verified and failed.record is None
    changed = bytearray(signed.envelope)
    changed[-1] ^= 1
    assert vac.verify(changed, key.public_key).verdict == "failed"
    assert not vac.verify(signed.envelope, key.public_key, issuer="https://other.example").verified


def test_detached_records_are_needed_to_verify(log):
    key = vac.SecretKey.from_pem(vac.SecretKey.ed25519(bytes(range(32))).to_pem())
    public = vac.PublicKey.from_pem(key.public_key.to_pem())
    record = vac.convert(log)[0]
    for carriage in ["detached", "digest"]:
        envelope = vac.sign(record, key, carriage=carriage).envelope
        assert vac.verify(envelope, public, record=record).verified
        assert not vac.verify(envelope, public).verified
    with pytest.raises(vac.Error, match="carriage"):
        vac.sign(record, key, carriage="by hand")
    with pytest.raises(vac.Error) as caught:
        vac.sign(b'{"version": "3.0.0-draft", "id": 7}', key)
    assert caught.value.kind == "invalid"
    with pytest.raises(vac.Error):
        vac.SecretKey.from_pem("no key")
    with pytest.raises(vac.Error, match="needs `time`"):
        vac.verify(envelope, trust="")


def test_encrypted_keys_need_their_password(fixtures):
    text = (fixtures / "sign/keys/pkcs8-pbkdf2.pem").read_text()
    public = (fixtures / "sign/keys/pkcs8-ed25519.pub.pem").read_text()
    key = vac.SecretKey.from_pem(text, b"sesame")
    assert key.public_key.to_pem() == public
    with pytest.raises(vac.Error, match="no password"):
        vac.SecretKey.from_pem(text)
    with pytest.raises(vac.Error, match="password is wrong"):
        vac.SecretKey.from_pem(text, password=b"open")


def test_time_stamps_and_receipts_are_checked(fixtures):
    # The record and the key that the tokens of the fixtures were made for.
    source = (fixtures.parent / "crates/vac-sign/tests/sign/main.rs").read_text()
    record = re.search(r'const RECORD: &str = r#"(.*?)"#;', source, re.DOTALL)[1].encode()
    key = vac.SecretKey.ed25519(b"\x51" * 32)
    envelope = vac.sign(record, key).envelope
    folder = fixtures / "sign/timestamps"
    token = (folder / "rsa.tst").read_bytes()
    stamped = 1_795_023_863
    roots = [(folder / name).read_text() for name in ("rsa-root.pem", "other-root.pem")]

    def verify(authorities):
        options = {"time_stamp": token, "authorities": authorities, "time": stamped + 3600}
        return vac.verify(envelope, key.public_key, **options)

    verified = verify(roots[0])
    assert verified.verified and verified.answers["stamped-at"] == stamped
    assert not verify(roots[1]).verified
    unchecked = verify(None)
    assert unchecked.verified and "stamped-at" not in unchecked.answers
    with pytest.raises(vac.Error, match="`authorities` needs `time`"):
        vac.verify(envelope, key.public_key, authorities=roots[0])
    # Who names a log wants its receipt.
    answers = vac.verify(envelope, key.public_key, receipt_keys=[key.public_key]).answers
    assert answers["receipts"]["verdict"] == answers["verdict"] == "failed"


def test_secret_keys_are_not_printed_or_pickled():
    key = vac.SecretKey.ed25519(bytes(range(32)))
    assert "PRIVATE" not in repr(key) and key.public_key.thumbprint in repr(key)
    with pytest.raises(TypeError):
        pickle.dumps(key)


def test_other_threads_run_while_a_log_is_read(log, tmp_path):
    long = tmp_path / "long.jsonl"
    long.write_bytes(log.read_bytes() * 20_000)
    counted, done = 0, threading.Event()

    def convert():
        vac.convert(long)
        done.set()

    thread = threading.Thread(target=convert)
    thread.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    # With the lock held, this thread could run before and after, and not meanwhile.
    assert counted > 20


def test_nested_documents_do_not_overflow_the_stack(tmp_path):
    path = tmp_path / "nested.jsonl"
    nested = "[" * 200 + "]" * 200
    path.write_text(
        '{"role": "user", "message": {"content": [{"type": "text", "text": "Hi"}]}}\n'
        f'{{"role": "assistant", "message": {{"content": [], "x": {nested}}}}}\n'
    )
    results = []
    thread = threading.Thread(target=lambda: results.append(vac.convert(path)))
    thread.start()
    thread.join()
    assert vac.validate(results[0][0]).is_valid


def test_stubs_have_the_signatures_of_the_module():
    stub = pathlib.Path(vac.__file__).with_name("_native.pyi")
    tree = ast.parse(stub.read_text())
    native = vac._native
    stubbed = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            stubbed[node.name] = node
        elif isinstance(node, ast.ClassDef) and hasattr(native, node.name):
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    stubbed[f"{node.name}.{member.name}"] = member
    found = {}
    for name, value in vars(native).items():
        if inspect.isclass(value):
            for member in vars(value):
                if not member.startswith("__"):
                    found[f"{name}.{member}"] = getattr(value, member)
        elif callable(value):
            found[name] = value
    special = {name for name in stubbed if ".__" in name}
    assert set(stubbed) - special == set(found)
    for name, value in found.items():
        if callable(value) and "." not in name:
            node = stubbed[name].args
            expected = [it.arg for it in node.args + node.kwonlyargs]
            assert list(inspect.signature(value).parameters) == expected, name


def test_everything_public_is_documented():
    for name in vac.__all__:
        if name not in ("TABLES", "__version__"):
            assert getattr(vac, name).__doc__, name
    for cls in (vac.Task, vac.Table, vac.Record, vac.Verified, vac.Files):
        for name in vars(cls):
            if not name.startswith("_"):
                assert getattr(cls, name).__doc__, f"{cls.__name__}.{name}"
