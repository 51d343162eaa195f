"""What all checks share: running vac, and counting."""

import json
import os
import pathlib
import subprocess
import sys

FIXTURES = pathlib.Path("fixtures").resolve()
vac = sys.argv[1]
target = pathlib.Path(sys.argv[2])
passed = failed = skipped = 0


def check(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name} {detail}")


def skip(reason):
    global skipped
    skipped += 1
    print(f"skipped: {reason}")


def run(*arguments, allowed=(0, 1), text=None):
    """Runs vac; returns what it prints on both streams, and its exit code."""
    done = subprocess.run(
        [vac, *map(str, arguments)],
        capture_output=True,
        input=text,
        env={**os.environ, "NO_COLOR": "1"},
    )
    if done.returncode not in allowed:
        sys.exit(f"vac {' '.join(map(str, arguments))}: {done.stderr.decode()}")
    return done


def records():
    """Returns the records that are expected of all fixtures, by path."""
    found = {}
    for path in sorted(FIXTURES.glob("*/*/*/expected*.json")):
        record = json.loads(path.read_text(errors="surrogatepass"))
        if "session" in record:
            found[path.relative_to(FIXTURES)] = record
    return found


def finish():
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0
