"""Reads session logs of AI coding agents as verifiable records and Arrow tables.

>>> import vac
>>> tasks = vac.plan(["fixtures/samples"])
>>> record = vac.convert(tasks[0])[0]
>>> vac.validate(record).is_valid
True

``plan`` finds sessions; each of its tasks is one session log. ``convert`` creates the record of a
task, and ``update_folder`` keeps a folder with the records of many tasks. ``inspect`` and ``events``
read sessions, ``validate``, ``sign`` and ``verify`` work on records, and ``tables``, ``batches`` and
``write`` create Arrow tables of many sessions. ``vac.spark`` and ``vac.ray`` create these tables on a
cluster.
"""

from __future__ import annotations

import datetime as _datetime
import os as _os
from collections.abc import Iterable as _Iterable
from typing import Any as _Any

from ._error import Error
from ._native import (
    Batch,
    Files,
    PublicKey,
    Record,
    Schema,
    SecretKey,
    SignedRecord,
    Table,
    Task,
    Validation,
    Verified,
    Written,
    __version__,
    batches,
    convert,
    events,
    inspect,
    schema,
    sign,
    tables,
    update_folder,
    validate,
    verify,
    write,
)
from ._native import plan as _plan
from ._bucket import Bucket

__all__ = [
    "TABLES",
    "Batch",
    "Bucket",
    "Error",
    "Files",
    "Plan",
    "PublicKey",
    "Record",
    "Schema",
    "SecretKey",
    "SignedRecord",
    "Table",
    "Task",
    "Validation",
    "Verified",
    "Written",
    "__version__",
    "batches",
    "convert",
    "events",
    "inspect",
    "plan",
    "schema",
    "sign",
    "tables",
    "update_folder",
    "validate",
    "verify",
    "write",
]

#: The names of the tables.
TABLES = ("sessions", "entries", "tool_calls", "usage", "files")

_EPOCH = _datetime.datetime(1970, 1, 1, tzinfo=_datetime.timezone.utc)


class Plan(list[Task]):
    """The tasks that ``plan`` found, and the files that are not tasks."""

    #: Files that are not logs of a supported agent, links and special files.
    skipped: list[dict[str, _Any]]
    #: Logs of which another one contains everything.
    duplicates: list[dict[str, _Any]]
    #: Errors of files that could not be read, and of named files that are not logs.
    troubles: list[Error]


def plan(
    paths: str | _os.PathLike[str] | _Iterable[str | _os.PathLike[str]] = (),
    *,
    roots: _Iterable[str | _os.PathLike[str]] = (),
    discover: bool = False,
    agents: _Iterable[str] = (),
    since: _datetime.datetime | None = None,
    until: _datetime.datetime | None = None,
    project: str | None = None,
    homes_apart: bool = False,
    jobs: int = 0,
    files: Files | None = None,
) -> Plan:
    """Find sessions, each once, even if several files contain it.

    ``paths`` are files and folders, searched at any depth. ``roots`` are home folders, folders of
    homes, or copies of agents' folders, of which only the places where agents keep sessions are
    searched. ``discover`` searches those places on this machine. ``agents`` selects agents by name,
    ``since`` and ``until`` sessions by their start (sessions of unknown start are included), and
    ``project`` those of projects whose path contains a text. Of a log with several sessions, its task
    gives the selected ones.

    Of copies of a log in several homes, the first is converted. With ``homes_apart`` all are: each
    belongs to a user, and labels with ``{home}`` say to which.

    With ``files``, such as a ``Bucket``, paths and roots are names in these; without any, all of
    them are searched.
    """
    if isinstance(paths, (str, _os.PathLike)):
        paths = [paths]
    if isinstance(agents, str):
        agents = [agents]
    tasks, skipped, duplicates, troubles = _plan(
        list(paths),
        list(roots),
        discover,
        list(agents),
        _nanoseconds(since),
        _nanoseconds(until),
        project,
        homes_apart,
        jobs,
        files,
    )
    found = Plan(tasks)
    found.skipped = skipped
    found.duplicates = duplicates
    found.troubles = troubles
    return found


def _nanoseconds(time: _datetime.datetime | None) -> int | None:
    if time is None:
        return None
    if time.tzinfo is None:
        raise Error("refused", None, "a time without a time zone: use datetime(..., tzinfo=...)")
    return (time - _EPOCH) // _datetime.timedelta(microseconds=1) * 1000
