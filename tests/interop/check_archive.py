"""An archive that we made, under a checker that was written from the description of its format.

Takes the program to test. Every check is a line; the first that fails ends it.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

VAC, CHECKER = sys.argv[1], Path(__file__).with_name("archive.py")
TEMPORARY = tempfile.TemporaryDirectory()
FOLDER = Path(TEMPORARY.name)


def run(*command):
    ran = subprocess.run([*map(str, command)], cwd=FOLDER, capture_output=True, text=True)
    return ran.returncode, ran.stdout + ran.stderr


def check(what, holds, shown=""):
    print(f"{'ok' if holds else 'FAILED'}: {what}")
    if not holds:
        sys.exit(shown or 1)


def vac(*arguments):
    code, shown = run(VAC, *arguments)
    check(f"vac {' '.join(map(str, arguments))}", code == 0, shown)


def checker(*arguments):
    return run(sys.executable, CHECKER, *arguments)


def grow(name, first, last):
    """Appends prompts to a log."""
    with open(FOLDER / "logs" / name, "a") as log:
        for number in range(first, last):
            text = f"prompt {number} of {name}, {'lantern ' * 40}"
            log.write(json.dumps({"role": "user", "message": {
                "content": [{"type": "text", "text": text}]}}) + "\n")


(FOLDER / "logs").mkdir()
for kind in ("json", "cbor"):
    vac("archive", "init", kind, "--keygen", "--label", "user=ada", "--format", kind)
    for part in range(4):
        for name in ("one.jsonl", "two.jsonl"):
            grow(name, part * 30, part * 30 + 30)
        vac("archive", "add", kind, "logs")
        vac("archive", "head", kind, "-o", f"{kind}.{part}.head")
    key = f"{kind}-key/signing-key.pub.pem"
    code, shown = checker(kind, key)
    check(f"archive in {kind}: {shown.strip()}", code == 0, shown)
    for part in range(4):
        code, shown = checker(kind, key, f"{kind}.{part}.head")
        check(f"with the head of run {part}", code == 0, shown)
    files = [path for path in sorted((FOLDER / kind).rglob("*")) if path.is_file()]
    for path in files:
        before, name = path.read_bytes(), path.relative_to(FOLDER).as_posix()
        changed = bytearray(before)
        changed[len(before) // 2] ^= 1
        for what, content in (("changed bit in", changed), ("byte after", before + b"x"),
                              ("missing second half of", before[:len(before) // 2])):
            path.write_bytes(content)
            code, shown = checker(kind, key)
            ours, said = run(VAC, "archive", "verify", kind, "--key", key)
            is_found = code == ours == 1 and "Traceback" not in shown
            check(f"both find a {what} {name[:24]}", is_found, f"{code}: {shown}\n{ours}: {said}")
        path.write_bytes(before)
    statements = FOLDER / kind / "statements"
    before = statements.read_bytes()
    statements.write_bytes(before[:len(before) // 2])
    check("both find missing statements",
          checker(kind, key)[0] == 1 and run(VAC, "archive", "verify", kind)[0] == 1)
    statements.write_bytes(before)
