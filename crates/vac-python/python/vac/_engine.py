"""What the engines share: groups of tasks as rows, and the functions that workers call."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence

import pyarrow

from . import TABLES, Files, Task, batches, schema, tables

#: By default a group has about this many bytes of logs, unless there are fewer groups than this.
GROUP_BYTES = 64 << 20
MIN_GROUPS = 64
#: The size of a log that is not known.
UNKNOWN_SIZE = 1 << 20

#: The columns of failures.
FAILURES = pyarrow.schema(
    [(name, pyarrow.string()) for name in ("kind", "place", "reason")]
)


def divide(tasks: Sequence[Task], groups: int | None = None) -> list[str]:
    """Divide tasks into groups of about the same number of bytes, each as JSON.

    Tasks stay in their order, so that sessions of one store are in one group, or in few: a worker
    opens the store once for all of them.
    """
    sizes = [UNKNOWN_SIZE if task.size is None else task.size for task in tasks]
    if groups is None:
        groups = max(MIN_GROUPS, sum(sizes) // GROUP_BYTES)
    groups = max(1, min(groups, len(tasks)))
    # One byte more for each, so that empty logs count.
    share = (sum(sizes) + len(sizes)) / groups
    divided: list[list[str]] = [[] for _ in range(groups)]
    end = 0
    for task, size in zip(tasks, sizes):
        divided[min(int(end / share), groups - 1)].append(task.to_json())
        end += size + 1
    return [json.dumps(group) for group in divided if group]


def open_group(group: str, files: Files | None) -> list[Task]:
    """Return the tasks of a group, in the process that reads them."""
    opened = [Task.from_json(text) for text in json.loads(group)]
    if files is None:
        return opened
    if hasattr(files.files, "around"):
        # A worker lists the folders of its tasks, not the bucket.
        paths = [os.fspath(path) for task in opened for path in task.paths]
        files = Files(files.files.around(paths))
    return [task.in_files(files) for task in opened]


def arrow_schema(table: str) -> pyarrow.Schema:
    """Return the schema of a table with JSON as text, which every engine has."""
    plain = []
    for field in pyarrow.schema(schema(table)):
        kind = field.type
        if isinstance(kind, pyarrow.BaseExtensionType):
            kind = kind.storage_type
        plain.append(pyarrow.field(field.name, kind, field.nullable))
    return pyarrow.schema(plain)


def read_group(
    group: str, table: str, files: Files | None, on_error: str
) -> Iterator[pyarrow.RecordBatch]:
    """Read a table of a group of tasks, on one thread: an engine runs several workers."""
    read = tables(open_group(group, files), table, on_error=on_error, jobs=1)
    plain = arrow_schema(table)
    for batch in pyarrow.RecordBatchReader.from_stream(read):
        columns = [
            column.storage if isinstance(column, pyarrow.ExtensionArray) else column
            for column in batch.columns
        ]
        yield pyarrow.RecordBatch.from_arrays(columns, schema=plain)


def find_failures(group: str, files: Files | None) -> pyarrow.RecordBatch:
    """Return the sessions of a group that cannot be read."""
    read = batches(open_group(group, files), ["sessions"], on_error="skip", jobs=1)
    for _ in read:
        pass
    rows = [{"kind": it.kind, "place": it.place, "reason": it.reason} for it in read.failures]
    return pyarrow.RecordBatch.from_pylist(rows, schema=FAILURES)


def names(selected: Sequence[str] | None) -> Sequence[str]:
    """Return the names of tables, all by default. An unknown name is an error."""
    for name in selected or ():
        schema(name)
    return TABLES if selected is None else selected
