"""Our signatures under the public Python tools, and theirs under ours.

Takes the program to test. Every check is a line; the first that fails ends it.
"""

import hashlib
import json
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import cbor2
import scitt_cose
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from pycose.headers import Algorithm, ContentType
from pycose.keys import EC2Key, OKPKey
from pycose.messages import Sign1Message
from pycose.algorithms import EdDSA

VAC = sys.argv[1]
TEMPORARY = tempfile.TemporaryDirectory()
FOLDER = Path(TEMPORARY.name)


def vac(*arguments, code=0):
    """Runs the program in the folder."""
    ran = subprocess.run([VAC, *map(str, arguments)], cwd=FOLDER, capture_output=True)
    if ran.returncode != code:
        sys.exit(f"vac {' '.join(map(str, arguments))}: {ran.returncode}\n"
                 f"{ran.stdout.decode()}{ran.stderr.decode()}")
    return ran.stdout.decode()


def check(what, holds):
    """One line."""
    print(f"{'ok' if holds else 'FAILED'}: {what}")
    if not holds:
        sys.exit(1)


def read(name):
    return (FOLDER / name).read_bytes()


def write(name, content):
    (FOLDER / name).write_bytes(content)
    (FOLDER / name).chmod(0o600)


def pem(key):
    """A private and a public key in PEM."""
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption())
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private, public


def record(more=None):
    """A record of ours, as text."""
    numbers = random.Random(7)
    doubles = [0.00001, 1e-7, 1e16, 123456.75, -0.0, 5e-324, 1.7976931348623157e308]
    while len(doubles) < 2000:
        double = struct.unpack("<d", numbers.randbytes(8))[0]
        if double == double and abs(double) != float("inf"):
            doubles.append(double)
    entry = {"type": "tool-call", "name": "n", "input": {
        "\u00e9\U0001f602\ufb33": "\u0001\u007f</x>\"\\", "b": 2**70, "a": doubles, "": None}}
    session = {
        "session-id": "s-\u00fc", "session-start": "2026-03-01T08:00:00Z",
        "agent-meta": {"model-id": "m", "model-provider": "p"},
        "entries": [{"type": "user", "content": "hi"}, entry]}
    made = {"version": "3.0.0-draft", "id": "r", "session": session, **(more or {})}
    return json.dumps(made, indent=1, ensure_ascii=True)


def canonical(text):
    """The form that the draft's authors sign."""
    return json.dumps(json.loads(text), separators=(",", ":"), sort_keys=True,
                      ensure_ascii=False).encode()


def pycose_verifies(envelope, key, payload=None):
    message = Sign1Message.decode(envelope)
    message.key = key
    if payload is not None:
        message.payload = payload
    try:
        return message.verify_signature()
    except Exception:
        return False


def ours_under_pycose():
    keys = {
        "EdDSA": (read("keys/signing-key.pem"), read("keys/signing-key.pub.pem"), OKPKey),
        "ES256": (*pem(ec.generate_private_key(ec.SECP256R1())), EC2Key),
    }
    for algorithm, (private, public, kind) in keys.items():
        write("key.pem", private)
        write("key.pub.pem", public)
        key = kind.from_pem_public_key(public.decode())
        sign = ["sign", "record.json", "--key", "key.pem", "--force", "-o"]
        vac(*sign, "attached")
        check(f"pycose verifies our {algorithm}", pycose_verifies(read("attached"), key))
        message = Sign1Message.decode(read("attached"))
        check(f"{algorithm}: the payload is the record", message.payload == read("record.json"))
        check(f"{algorithm}: the header names it", message.phdr[Algorithm].fullname == algorithm.upper())
        vac(*sign, "detached", "--detached")
        detached = read("detached")
        check(f"{algorithm}: detached", pycose_verifies(detached, key, read("record.json")))
        check(f"{algorithm}: another record", not pycose_verifies(detached, key, b"{}"))
        vac(*sign, "canonical", "--payload", "canonical-json", "--detached")
        form = canonical(read("record.json"))
        check(f"{algorithm}: canonical", pycose_verifies(read("canonical"), key, form))
        vac("verify", "canonical", "--key", "key.pub.pem", "--record", "record.json")
        vac(*sign, "canonical", "--payload", "canonical-json")
        payload = Sign1Message.decode(read("canonical")).payload
        check(f"{algorithm}: the canonical form is Python's", payload == form)


def theirs_under_ours():
    private, public = pem(ed25519.Ed25519PrivateKey.generate())
    write("key.pub.pem", public)
    form = canonical(read("record.json"))
    claims = {1: "somebody", 2: "s"}
    message = Sign1Message(
        phdr={Algorithm: EdDSA, ContentType: "application/json", 15: claims}, payload=form)
    message.key = OKPKey.from_pem_private_key(private.decode())
    envelope = cbor2.loads(message.encode()).value
    write("theirs", cbor2.dumps(cbor2.CBORTag(18, [*envelope[:2], None, envelope[3]])))
    vac("verify", "theirs", "--key", "key.pub.pem", "--record", "record.json")
    check("we verify pycose's", True)
    vac("verify", "theirs", "--key", "key.pub.pem", "--record", "other.json", code=1)
    check("we refuse another record", True)
    statement = scitt_cose.build_signed_statement(
        read("record.json"), alg="EdDSA", private_key_pem=private, issuer="https://example.com",
        subject="s", content_type="application/json", kid=b"key")
    write("theirs", statement)
    # Its parameters come in the order in which it was given them.
    noted = "deterministic: no" in vac("verify", "theirs", "--key", "key.pub.pem")
    check("we verify a protected header in another order, and say so", noted)
    vac("verify", "theirs", "--key", "key.pub.pem", "--strict", code=1)
    check("--strict refuses it", True)
    vac("validate", "theirs")
    check("it is valid", True)


def statements_and_receipts():
    public = read("keys/signing-key.pub.pem")
    logs = {"EdDSA": ed25519.Ed25519PrivateKey.generate(),
            "ES256": ec.generate_private_key(ec.SECP256R1())}
    for flag in ["--attached", "--hash-envelope"]:
        vac("sign", "record.json", "--key", "keys/signing-key.pem", flag, "--force",
            "--issuer", "https://example.com/ci", "-o", "statement")
        statement = read("statement")
        parsed = scitt_cose.parse_signed_statement(statement, public_key_pem=public)
        check(f"scitt-cose verifies our statement, {flag}", parsed["signature_verified"] is True)
        check("it reads who signed", parsed["issuer"] == "https://example.com/ci")
        protected, _, payload, signature = cbor2.loads(statement).value
        registered = cbor2.dumps(cbor2.CBORTag(18, [protected, {}, payload, signature]))
        entry = hashlib.sha256(registered).hexdigest()
        for algorithm, log in logs.items():
            private, log_public = pem(log)
            write("log.pub.pem", log_public)
            for size in [1, 2, 7]:
                others = [hashlib.sha256(bytes([at])).hexdigest() for at in range(size)]
                index = size // 2
                entries = others[:index] + [entry] + others[index + 1:]
                receipt = scitt_cose.build_receipt(
                    leaf_entry_hex=entry, leaf_index=index, tree_entries_hex=entries,
                    alg=algorithm, log_private_key_pem=private, iss="https://log.example",
                    sub="s", kid=b"log")
                write("receipt", receipt)
                vac("receipts", "attach", "statement", "receipt", "--receipt-key", "log.pub.pem",
                    "--force", "-o", "transparent")
                vac("verify", "transparent", "--key", "keys/signing-key.pub.pem", "--receipt-key",
                    "log.pub.pem", "--record", "record.json")
                [attached] = scitt_cose.extract_receipts(read("transparent"))
                verified = scitt_cose.verify_receipt(
                    attached, leaf_entry_hex=entry, log_public_key_pem=log_public)
                check(f"receipt of a log of {size} with {algorithm}, {flag}", verified.ok)
            vac("verify", "transparent", "--key", "keys/signing-key.pub.pem", "--receipt-key",
                "keys/signing-key.pub.pem", "--record", "record.json", code=1)


write("record.json", record().encode())
write("other.json", record({"note": "another"}).encode())
vac("keygen", "-o", "keys")
ours_under_pycose()
theirs_under_ours()
statements_and_receipts()
print("all is well")
