"""Tables of sessions with Apache Spark.

>>> tasks = vac.plan(roots=["/fleet/homes"])
>>> vac.spark.table(spark, tasks, "tool_calls").where("outcome = 'error'").count()
>>> vac.spark.write(spark, tasks, "s3a://warehouse/agents")

The driver plans, since files of one session have to be found together. A row of the plan is a group
of tasks; workers read the logs themselves, with the same code as ``vac.tables``. The package, and
the logs, have to be on every worker: at the same paths, or in a ``Bucket`` (``files``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow
from pyspark.sql.pandas.types import from_arrow_schema

from . import Files, Task, _engine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TIMESTAMPS = "spark.sql.parquet.outputTimestampType"


def table(
    spark: SparkSession,
    tasks: Sequence[Task],
    name: str,
    *,
    files: Files | None = None,
    on_error: str = "raise",
    groups: int | None = None,
) -> DataFrame:
    """Return one table of the sessions of tasks. The logs are read when it is used, each time.

    With ``on_error="skip"``, sessions that cannot be read have no rows; see ``failures``. The tasks
    are divided into ``groups`` partitions, or fewer if some of these would have none.
    """

    def read(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            for group in batch.column(0).to_pylist():
                yield from _engine.read_group(group, name, files, on_error)

    return _rows(spark, tasks, groups).mapInArrow(read, from_arrow_schema(_engine.arrow_schema(name)))


def failures(
    spark: SparkSession,
    tasks: Sequence[Task],
    *,
    files: Files | None = None,
    groups: int | None = None,
) -> DataFrame:
    """Return the sessions that cannot be read: kind, place and reason. Reads all logs."""

    def read(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            for group in batch.column(0).to_pylist():
                yield _engine.find_failures(group, files)

    return _rows(spark, tasks, groups).mapInArrow(read, from_arrow_schema(_engine.FAILURES))


def write(
    spark: SparkSession,
    tasks: Sequence[Task],
    folder: str,
    *,
    tables: Sequence[str] | None = None,
    files: Files | None = None,
    on_error: str = "raise",
    groups: int | None = None,
    mode: str = "error",
) -> None:
    """Write tables as Parquet, each to a folder of its name; all by default.

    The logs are read once for each table. With ``on_error="skip"``, the folder ``failures`` has the
    sessions that cannot be read, which takes another pass. ``mode`` is that of Spark.
    """
    wanted = {
        name: table(spark, tasks, name, files=files, on_error=on_error, groups=groups)
        for name in _engine.names(tables)
    }
    if on_error == "skip":
        wanted["failures"] = failures(spark, tasks, files=files, groups=groups)
    before = spark.conf.get(_TIMESTAMPS)
    # Spark's own format of timestamps has no time zone, and few others read it.
    spark.conf.set(_TIMESTAMPS, "TIMESTAMP_MICROS")
    try:
        for name, frame in wanted.items():
            frame.write.mode(mode).parquet(f"{folder.rstrip('/')}/{name}", compression="zstd")
    finally:
        if before is None:
            spark.conf.unset(_TIMESTAMPS)
        else:
            spark.conf.set(_TIMESTAMPS, before)


def _rows(spark: SparkSession, tasks: Sequence[Task], groups: int | None) -> DataFrame:
    divided = _engine.divide(tasks, groups)
    rows = spark.createDataFrame(list(enumerate(divided)), "number int, tasks string")
    # `repartition(n)` distributes rows at random: some partitions get several groups, others none.
    # By range, each of these few rows is a partition. That also works with Spark Connect, which has
    # no `parallelize`.
    return rows.repartitionByRange(max(1, len(divided)), "number").select("tasks")
