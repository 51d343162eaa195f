"""Fill a folder with the homes of three developers, from the fixtures of this repository.

    python sample_bucket.py target/fleet/homes

ada uses Claude Code, bo uses Codex and Gemini CLI, and cy uses OpenCode, whose database has a
write-ahead log that was not applied yet.
"""

import pathlib
import shutil
import sqlite3
import sys

FIXTURES = pathlib.Path(__file__).resolve().parents[4] / "fixtures"
HOMES = {
    "ada/.claude/projects/-home-ada-tidewatch/7d1f4c52-3b0e-4f6a-9c2d-51a0be77e901.jsonl":
        "samples/claude.jsonl",
    "bo/.codex/sessions/2026/09/14/rollout-2026-09-14T09-00-00-sample.jsonl":
        "samples/codex.jsonl",
    "bo/.gemini/tmp/sample/chats/session-2026-09-14T10-00-sample.json":
        "samples/gemini.json",
    "cy/.local/share/opencode/opencode.db": "opencode/database/basic/opencode.db",
}


def fill(folder: pathlib.Path) -> None:
    for name, fixture in HOMES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(FIXTURES / fixture, path)
    add_journal(folder / "cy/.local/share/opencode/opencode.db")


def add_journal(database: pathlib.Path) -> None:
    """Change the database as an agent does that is copied while it runs: the change is in the journal."""
    work = database.with_name("work.db")
    shutil.copy(database, work)
    writer = sqlite3.connect(work)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute("DELETE FROM part WHERE rowid = (SELECT max(rowid) FROM part)")
    writer.commit()
    shutil.copy(work, database)
    shutil.copy(f"{work}-wal", f"{database}-wal")
    writer.close()
    for path in database.parent.glob("work.db*"):
        path.unlink()


if __name__ == "__main__":
    fill(pathlib.Path(sys.argv[1]))
