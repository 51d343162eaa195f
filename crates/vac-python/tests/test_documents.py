"""What the documents of the package show works."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import vac

ROOT = pathlib.Path(__file__).resolve().parents[3]
README = ROOT / "crates/vac-python/README.md"
FLEET = ROOT / "crates/vac-python/examples/fleet"


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)


def test_python_of_the_readme_runs(tmp_path, monkeypatch):
    pytest.importorskip("polars")
    shutil.copytree(ROOT / "fixtures" / "samples", tmp_path / "logs")
    monkeypatch.chdir(tmp_path)
    names, ran = {}, 0
    for block in blocks(README, "python"):
        # Those need a cluster; tests/python/engines.py calls the same functions.
        if "spark" not in block and "ray" not in block:
            exec(compile(block, str(README), "exec"), names)
            ran += 1
    assert ran >= 3


def test_fleet_answers_from_a_bucket(tmp_path):
    shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures", symlinks=True)
    shutil.copytree(FLEET, tmp_path / "crates/vac-python/examples/fleet")
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    (commands,) = blocks(FLEET / "README.md", "sh")
    printed = []
    for line in commands.splitlines():
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{line}: {done.stderr}"
        printed.append(done.stdout)
    assert printed[1] == "5 sessions in 3 homes\n"
    shown = blocks(FLEET / "README.md", "text")[-1]
    assert printed[2].strip() == shown.strip()
    assert "cargo test spring" in printed[3] and "ada" in printed[3]


def test_fleet_reads_the_journal_of_a_database(tmp_path):
    sys.path.insert(0, str(FLEET))
    try:
        import sample_bucket
    finally:
        sys.path.remove(str(FLEET))
    sample_bucket.fill(tmp_path)
    bucket = vac.Bucket(f"file://{tmp_path}")
    entries = lambda: sum(
        batch.num_rows
        for _, batch in vac.batches(vac.plan(roots=["cy"], files=bucket), ["entries"])
    )
    with_journal = entries()
    os.remove(tmp_path / "cy/.local/share/opencode/opencode.db-wal")
    bucket = vac.Bucket(f"file://{tmp_path}")
    assert 0 < with_journal < entries()
