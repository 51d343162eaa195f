"""Make tables of the sessions in a bucket of homes.

    python fleet.py BUCKET TABLES [--engine local|spark|ray]

BUCKET is anything that pyarrow opens: s3://bucket/homes, gs://..., file:///srv/homes. TABLES is a
folder for Parquet, one folder for each table. With Spark or Ray the folder has to be one that all
workers write to, such as s3a://warehouse/agents (Spark) or s3://warehouse/agents (Ray).
"""

import argparse

import pyarrow
import pyarrow.parquet

import vac


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bucket")
    parser.add_argument("tables")
    parser.add_argument("--engine", choices=["local", "spark", "ray"], default="local")
    arguments = parser.parse_args()

    # The driver finds the sessions, in the places where agents keep them.
    bucket = vac.Bucket(arguments.bucket)
    tasks = vac.plan(roots=[""], files=bucket)
    for error in tasks.troubles:
        print(f"not read: {error}")
    print(f"{len(tasks)} sessions in {len({home(task) for task in tasks})} homes")

    # A session that cannot be read does not stop the others; it is a row of `failures`.
    write = {"local": write_here, "spark": write_with_spark, "ray": write_with_ray}
    write[arguments.engine](tasks, bucket, arguments.tables.rstrip("/"))


def write_here(tasks, bucket, folder):
    """One pass over the logs for all tables, on all processors of this machine."""
    for error in vac.write(tasks, folder, on_error="skip").failures:
        print(f"not read: {error}")
    pyarrow.parquet.write_to_dataset(
        homes(tasks), f"{folder}/homes", basename_template="part-{i}.parquet"
    )


# An engine also writes the table of homes: it has the credentials for the folder, and engines name
# the same storage differently (s3a:// for Spark, s3:// for Ray).


def write_with_spark(tasks, bucket, folder):
    from pyspark.sql import SparkSession

    import vac.spark

    spark = SparkSession.builder.appName("fleet").getOrCreate()
    vac.spark.write(spark, tasks, folder, files=bucket, on_error="skip")
    rows = [tuple(row.values()) for row in homes(tasks).to_pylist()]
    schema = ", ".join(f"{name} string" for name in HOMES.names)
    spark.createDataFrame(rows, schema).write.parquet(f"{folder}/homes")


def write_with_ray(tasks, bucket, folder):
    import ray.data

    import vac.ray

    vac.ray.write(tasks, folder, files=bucket, on_error="skip")
    ray.data.from_arrow(homes(tasks)).write_parquet(f"{folder}/homes")


HOMES = pyarrow.schema([(name, "string") for name in ("home", "agent", "session_id", "log")])


def home(task):
    """The home that a log is in: the first folder of its name."""
    return task.name.split("/")[0]


def homes(tasks):
    """A table of whose sessions these are. Logs do not say that, and the bucket does."""
    rows = [
        {"home": home(task), "agent": task.agent, "session_id": task.session_id, "log": task.name}
        for task in tasks
    ]
    return pyarrow.Table.from_pylist(rows, schema=HOMES)


if __name__ == "__main__":
    main()
