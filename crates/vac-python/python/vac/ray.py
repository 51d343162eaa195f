"""Tables of sessions with Ray Data.

>>> tasks = vac.plan(roots=["/fleet/homes"])
>>> vac.ray.table(tasks, "usage").sum("total_tokens")
>>> vac.ray.write(tasks, "s3://warehouse/agents")

The driver plans, since files of one session have to be found together. A row of the plan is a group
of tasks; workers read the logs themselves, with the same code as ``vac.tables``. The package, and
the logs, have to be on every worker: at the same paths, or in a ``Bucket`` (``files``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow
import ray.data

from . import Files, Task, _engine


def table(
    tasks: Sequence[Task],
    name: str,
    *,
    files: Files | None = None,
    on_error: str = "raise",
    groups: int | None = None,
) -> ray.data.Dataset:
    """Return one table of the sessions of tasks. The logs are read when it is used, each time.

    With ``on_error="skip"``, sessions that cannot be read have no rows; see ``failures``. The tasks
    are divided into ``groups`` blocks.
    """
    empty = _engine.arrow_schema(name).empty_table()

    def read(batch: pyarrow.Table) -> Iterator[pyarrow.Table]:
        # Also the block of a group without rows has the columns.
        yield empty
        for group in batch.column("tasks").to_pylist():
            for rows in _engine.read_group(group, name, files, on_error):
                yield pyarrow.Table.from_batches([rows])

    return _map(tasks, groups, read)


def failures(
    tasks: Sequence[Task], *, files: Files | None = None, groups: int | None = None
) -> ray.data.Dataset:
    """Return the sessions that cannot be read: kind, place and reason. Reads all logs."""

    def read(batch: pyarrow.Table) -> Iterator[pyarrow.Table]:
        for group in batch.column("tasks").to_pylist():
            yield pyarrow.Table.from_batches([_engine.find_failures(group, files)])

    return _map(tasks, groups, read)


def write(
    tasks: Sequence[Task],
    folder: str,
    *,
    tables: Sequence[str] | None = None,
    files: Files | None = None,
    on_error: str = "raise",
    groups: int | None = None,
    **options: Any,
) -> None:
    """Write tables as Parquet, each to a folder of its name; all by default.

    The logs are read once for each table. With ``on_error="skip"``, the folder ``failures`` has the
    sessions that cannot be read, which takes another pass. Further options are those of Ray's
    ``write_parquet``.
    """
    folder = folder.rstrip("/")
    options.setdefault("compression", "zstd")
    for name in _engine.names(tables):
        rows = table(tasks, name, files=files, on_error=on_error, groups=groups)
        rows.write_parquet(f"{folder}/{name}", **options)
    if on_error == "skip":
        rows = failures(tasks, files=files, groups=groups)
        rows.write_parquet(f"{folder}/failures", **options)


def _map(
    tasks: Sequence[Task],
    groups: int | None,
    read: Callable[[pyarrow.Table], Iterator[pyarrow.Table]],
) -> ray.data.Dataset:
    divided = _engine.divide(tasks, groups)
    rows = ray.data.from_items(
        [{"tasks": group} for group in divided], override_num_blocks=max(1, len(divided))
    )
    return rows.map_batches(read, batch_size=1, batch_format="pyarrow")
