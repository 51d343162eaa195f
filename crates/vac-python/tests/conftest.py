import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def fixtures():
    return ROOT / "fixtures"


@pytest.fixture
def samples(fixtures):
    return fixtures / "samples"


@pytest.fixture
def program():
    """The command line, to compare with."""
    path = os.environ.get("VAC")
    if path is None:
        pytest.skip("VAC does not name the command line")
    return path


@pytest.fixture
def log(tmp_path):
    """A log of two messages."""
    path = tmp_path / "session.jsonl"
    path.write_text(
        '{"role": "user", "message": {"content": [{"type": "text", "text": "Tidy the shelf"}]}}\n'
        '{"role": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}}\n'
    )
    return path
