"""Tables of all fixtures by Spark and Ray: the same rows as those of `vac export`."""

import importlib.util
import logging
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import duckdb

import vac

# The Parquet of these is compared row by row.
COMPARED = ["sessions", "entries"]
FIXTURES = pathlib.Path("fixtures").resolve()
FLEET = pathlib.Path("crates/vac-python/examples/fleet").resolve()
sys.path.insert(0, str(FLEET))
import fleet
import sample_bucket

program = sys.argv[1]
passed = failed = 0


def check(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name} {detail}")


def export(source, folder):
    """Writes the tables of the command line."""
    done = subprocess.run([program, "export", source, "-o", folder], capture_output=True)
    # Logs that cannot be read are reported, and the others are exported.
    if done.returncode not in (0, 1):
        sys.exit(f"vac export: {done.stderr.decode()}")


def logs(folder):
    """Copies the fixtures without records, valid or not: a plan has tasks for logs only."""
    def is_record(path):
        try:
            return vac.validate(path).is_valid and not vac.plan(path)
        except vac.Error:
            return False

    def ignored(parent, names):
        paths = [pathlib.Path(parent, name) for name in names]
        records = [path.name for path in paths if path.is_file() and is_record(path)]
        return [*records, "schema"] if parent == str(FIXTURES) else records

    shutil.copytree(FIXTURES, folder, ignore=ignored, symlinks=True)


def count(folder, table):
    parts = f"read_parquet('{folder}/{table}/**/*.parquet', hive_partitioning = false)"
    return duckdb.sql(f"SELECT count(*) FROM {parts}").fetchall()[0][0]


def same_rows(name, one, two):
    for table in COMPARED:
        parts = [
            f"(SELECT * FROM read_parquet('{folder}/{table}/*.parquet', hive_partitioning = false))"
            for folder in (one, two)
        ]
        rows = count(one, table)
        check(f"{name}: rows of {table}", rows == count(two, table) > 100)
        for left, right in (parts, parts[::-1]):
            different = duckdb.sql(f"SELECT count(*) FROM ({left} EXCEPT ALL {right})")
            different = different.fetchall()[0][0]
            check(f"{name}: {table} has the rows of the command line", different == 0, different)


def with_spark(folder, tasks):
    from pyspark.sql import SparkSession

    import vac.spark

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.session.timeZone", "UTC")
    builder = builder.config("spark.log.level", "ERROR").config("spark.driver.memory", "1g")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    # An address of S3 as Spark names it, for the folder of this test.
    builder = builder.config(
        "spark.hadoop.fs.s3a.impl", "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"
    )
    builder = builder.config(
        "spark.hadoop.fs.viewfs.overload.scheme.target.file.impl",
        "org.apache.hadoop.fs.LocalFileSystem",
    )
    builder = builder.config(
        "spark.hadoop.fs.viewfs.mounttable.warehouse.link./tables", f"file://{folder}"
    )
    spark = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse")).getOrCreate()
    for table in vac.TABLES:
        # Reads every value of every row.
        rows = spark.read.parquet(f"{folder}/all/{table}").toArrow().num_rows
        check(f"Spark reads all rows of {table}", rows == count(folder / "all", table) > 0, rows)
    vac.spark.write(
        spark, tasks, f"{folder}/spark", tables=COMPARED, on_error="skip", groups=4
    )
    same_rows("Spark", folder / "logs-tables", folder / "spark")
    check("Spark: no failures", count(folder / "spark", "failures") == 0)
    broken = [*tasks[:3], missing(tasks)]
    rows = vac.spark.failures(spark, broken, groups=2).collect()
    check("Spark: a missing log is a failure", [row.kind for row in rows] == ["io"], rows)
    rows = vac.spark.table(spark, broken, "sessions", on_error="skip", groups=2).count()
    check("Spark: the other logs are read", rows == 3, rows)
    # The failure is expected, and Spark prints it at length.
    spark.sparkContext.setLogLevel("OFF")
    try:
        vac.spark.table(spark, broken, "sessions", groups=2).count()
        check("Spark: a missing log is an error", False)
    except Exception as error:
        check("Spark: the error names the log", "no-such.jsonl" in str(error), error)
    rows = vac.spark._rows(spark, tasks, 40).rdd.glom().map(len).collect()
    check("Spark: each group is a partition", len(rows) > 8 and set(rows) == {1}, rows)
    bucket_of_homes(folder, "Spark", fleet.write_with_spark, "s3a://warehouse/tables")
    spark.stop()


def with_ray(folder, tasks):
    # Ray restarts the environment for its workers otherwise.
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    import ray

    import vac.ray

    ray.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
        object_store_memory=256 << 20,
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    vac.ray.write(tasks, f"{folder}/ray", tables=COMPARED, on_error="skip", groups=4)
    same_rows("Ray", folder / "logs-tables", folder / "ray")
    broken = [*tasks[:3], missing(tasks)]
    rows = vac.ray.failures(broken, groups=2).take_all()
    check("Ray: a missing log is a failure", [row["kind"] for row in rows] == ["io"], rows)
    rows = vac.ray.table(broken, "sessions", on_error="skip", groups=2).count()
    check("Ray: the other logs are read", rows == 3, rows)
    try:
        vac.ray.table(broken, "sessions", groups=2).count()
        check("Ray: a missing log is an error", False)
    except Exception as error:
        check("Ray: the error names the log", "no-such.jsonl" in str(error), error)
    bucket_of_homes(folder, "Ray", fleet.write_with_ray, str(folder))
    ray.shutdown()


def bucket_of_homes(folder, name, write, address):
    """Runs the fleet example with an engine: homes in a bucket, with a database and its journal.

    ``address`` is what the engine calls the folder.
    """
    answers = []
    for engine, write_tables, at in [("local", fleet.write_here, folder), (name, write, address)]:
        tables = f"fleet-{name}-{engine}"
        bucket = vac.Bucket(f"file://{folder}/homes")
        tasks = vac.plan(roots=[""], files=bucket)
        write_tables(tasks, bucket, f"{at}/{tables}")
        for query in ["homes.sql", "failed_commands.sql"]:
            sql = (FLEET / query).read_text().replace("'tables/", f"'{folder}/{tables}/")
            answers.append(duckdb.sql(sql).fetchall())
    check(f"{name}: the fleet has sessions of four agents", len(answers[0]) == 4, answers[0])
    check(f"{name}: the fleet has the answers of one machine", answers[:2] == answers[2:], answers)


def missing(tasks):
    """Returns a task of a log that does not exist."""
    log = next(task for task in tasks if task.name.endswith(".jsonl") and len(task.paths) == 1)
    name = pathlib.Path(log.name).name
    return vac.Task.from_json(log.to_json().replace(name, "no-such.jsonl"))


durations = []
with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    export(str(FIXTURES), str(folder / "all"))
    logs(folder / "logs")
    export(str(folder / "logs"), str(folder / "logs-tables"))
    tasks = vac.plan(folder / "logs")
    sample_bucket.fill(folder / "homes")
    for name, module, run in [("Spark", "pyspark", with_spark), ("Ray", "ray", with_ray)]:
        if importlib.util.find_spec(module) is None:
            print(f"skipped: no {module}")
            continue
        if name == "Spark" and shutil.which("java") is None:
            print("skipped: no java")
            continue
        start = time.monotonic()
        run(folder, tasks)
        durations.append(f"{name} in {time.monotonic() - start:.0f} s")

print(f"tables of {len(tasks)} logs: {', '.join(durations)}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
