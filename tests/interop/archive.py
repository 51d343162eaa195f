"""Checks an archive of `vac archive`, from crates/vac-archive/FORMAT.md alone.

    python archive.py ARCHIVE [PUBLIC-KEY.pem [HEAD]]

Needs cbor2, cryptography and zstandard. Prints what is wrong, one line each; exits with 1 if
anything is.
"""

import base64
import hashlib
import json
import re
import struct
import sys
from pathlib import Path

import cbor2
import zstandard
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

ROOT, PROBLEMS = Path(sys.argv[1]), []


def sha256(data):
    return hashlib.sha256(data).digest()


def wrong(text):
    PROBLEMS.append(text)


def split(data):
    """The items of a file: bytes, protected header as bytes and decoded, payload, signature. What an
    interrupted run has left of one at the end is not an error."""
    at = 0
    while at < len(data):
        start = at
        if data[at:at + 2] != b"\xd2\x84"[:len(data) - at] or (
                data[at + 2:at + 3] not in (b"", b"\x58", b"\x59")):
            return wrong(f"bytes after {at} cannot be read")
        if len(data) - at < 5:
            return print(f"note: bytes after {at} are incomplete")
        width = data[at + 2] - 0x57
        length = int.from_bytes(data[at + 3:at + 3 + width], "big")
        if length < (24 if width == 1 else 256):
            return wrong(f"bytes after {at} have a length that is not the shortest")
        at += 3 + width
        protected, at = data[at:at + length], at + length
        if at + 101 > len(data):
            return print(f"note: bytes after {start} are incomplete")
        if data[at:at + 3] != b"\xa0\x58\x20" or data[at + 35:at + 37] != b"\x58\x40":
            return wrong(f"bytes after {start} cannot be read")
        payload, signature, at = data[at + 3:at + 35], data[at + 37:at + 101], at + 101
        header = cbor2.loads(protected)
        if cbor2.dumps(header, canonical=True) != protected:
            wrong(f"bytes after {start}: the header is not deterministic")
        yield data[start:at], protected, header, payload, signature


def thumbprint(key):
    """The thumbprint of a key (RFC 9679)."""
    if isinstance(key, ec.EllipticCurvePublicKey):
        point = key.public_numbers()
        x, y = (number.to_bytes(32, "big") for number in (point.x, point.y))
        return sha256(cbor2.dumps({1: 2, -1: 1, -2: x, -3: y}, canonical=True))
    x = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return sha256(cbor2.dumps({1: 1, -1: 6, -2: x}, canonical=True))


def uri(key):
    digest = base64.urlsafe_b64encode(thumbprint(key)).rstrip(b"=").decode()
    return f"urn:ietf:params:oauth:ckt:sha-256:{digest}"


def verify(key, protected, header, payload, signature):
    if header[4] != thumbprint(key) or header[15][1] != uri(key):
        return False
    message = cbor2.dumps(["Signature1", protected, b"", payload])
    try:
        if isinstance(key, ec.EllipticCurvePublicKey):
            r, s = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
            key.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
        else:
            key.verify(signature, message)
        return True
    except InvalidSignature:
        return False


def tree(leaves):
    if len(leaves) <= 1:
        return leaves[0] if leaves else sha256(b"")
    middle = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\x01" + tree(leaves[:middle]) + tree(leaves[middle:]))


def read_object(name, chain=0, is_patch_base=False):
    """The content of an object, by its hash in hexadecimal."""
    data = (ROOT / "objects" / name[:2] / name[2:]).read_bytes()
    length = struct.unpack("<I", data[4:8])[0] if data[:4] == b"\x50\x2a\x4d\x18" else None
    if length not in (None, 40, 32) or chain > 63 or (is_patch_base or chain) and length == 32 or (
            is_patch_base and length):
        raise ValueError("a form or a base that no object has")
    prefix, base = b"", None
    if length == 40:
        size = struct.unpack("<Q", data[40:48])[0]
        prefix = read_object(data[8:40].hex(), chain + 1)[:size]
        if len(prefix) != size:
            raise ValueError("its base is too short")
    elif length == 32:
        content = read_object(data[8:40].hex(), is_patch_base=True)
        base = zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    reader = zstandard.ZstdDecompressor(dict_data=base, max_window_size=1 << 27).decompressobj()
    content = prefix + reader.decompress(data if length is None else data[8 + length:])
    if not reader.eof or reader.unused_data:
        raise ValueError("it is not one whole frame")
    if sha256(content).hex() != name:
        raise ValueError("its content does not have the hash that its name states")
    return content


def fetch(name, what):
    try:
        return read_object(name)
    except (OSError, ValueError, struct.error, zstandard.ZstdError) as error:
        wrong(f"objects/{name[:2]}/{name[2:]}: {what}: {error}")


def contains(now, before):
    """Whether a version contains another one; each is the claim, the sources and the entries."""
    if not (now[0]["logs"] and before[0]["logs"]):
        return True
    grown = all(any(new["name"] == old["name"] and old["sha-256"] == sha256(
        read_object(new["sha-256"])[:old["size"]]).hex() for new in now[1]) for old in before[1])
    entries = iter(now[2])
    return grown or all(entry in entries for entry in before[2])


def check_index(key, heads):
    """The index is not needed; one that is not signed, or is of a later head, is an error."""
    if not (ROOT / "index").exists():
        return
    content = (ROOT / "index").read_bytes()
    end = content.rindex(b"\n", 0, -1) + 1
    signed = base64.b64decode(json.loads(content[end:])["signature"], validate=True)
    for data, protected, header, payload, signature in split(signed):
        if data != signed or payload != sha256(content[:end]) or (
                "vac-archive-index" not in header[15]
                or not verify(key, protected, header, payload, signature)):
            wrong("index: it is not signed with the key")
    if json.loads(content[:content.index(b"\n")])["head"] >= heads:
        wrong("heads: rolled back, the index is of a later head")


def main():
    description_bytes = (ROOT / "archive.json").read_bytes()
    description = json.loads(description_bytes)
    if sha256((ROOT / "README").read_bytes()).hex() != description["readme-sha-256"]:
        wrong("README: another hash")
    members = {"vac-archive", "id", "format", "labels", "key", "readme-sha-256"}
    if set(description) - {"created"} != members or description["vac-archive"] != 1 or (
            description["format"] not in ("json", "cbor")):
        wrong("archive.json: not a description of this format")
    pem = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "key.pub.pem"
    key = serialization.load_pem_public_key(pem.read_bytes())
    written = key.public_bytes(serialization.Encoding.PEM,
                               serialization.PublicFormat.SubjectPublicKeyInfo)
    if (ROOT / "key.pub.pem").read_bytes() != written or description["key"] != uri(key):
        wrong("key.pub.pem: not the key, or not as it was written")
    used, seen, leaves, versions = set(), [], [], {}
    for number, (data, protected, header, payload, signature) in enumerate(
            split((ROOT / "statements").read_bytes())):
        claims, name = header[15], payload.hex()
        claim, where = claims["vac-archive"], f"statement {number}"
        leaves.append(sha256(b"\x00" + sha256(data)))
        seen.append((claims[2], claim["version"]))
        if not verify(key, protected, header, payload, signature):
            wrong(f"{where}: the signature is not valid")
        if claim["number"] != number or claim["archive"] != description["id"] or header[258] != -16:
            wrong(f"{where}: of another place or archive")
        if "previous" in claim and seen[claim["previous"]] != (claims[2], claim["version"] - 1):
            wrong(f"{where}: not the next version")
        used.add(name)
        if (record := fetch(name, where)) is not None:
            record = (json.loads if description["format"] == "json" else cbor2.loads)(record)
            agent = record["recording-agent"]
            if record["id"] != claims[2] or agent.get("labels", {}) != claim["labels"]:
                wrong(f"{where}: another session or other labels than its record")
            versions[number] = claim, agent["sources"], record["session"]["entries"]
            for source in agent["sources"] if claim["logs"] else []:
                used.add(source["sha-256"])
                log = fetch(source["sha-256"], where)
                if log is not None and len(log) != source["size"]:
                    wrong(f"{where}: {source['name']} has another size")
            before = versions.get(claim.get("previous"))
            try:
                if claim.get("continues") and before and not contains(versions[number], before):
                    wrong(f"{where}: does not contain the previous version")
            except (OSError, ValueError, struct.error, zstandard.ZstdError):
                pass  # What cannot be read is reported.
    heads, previous, size = [], None, 0
    for number, (data, protected, header, payload, signature) in enumerate(
            split((ROOT / "heads").read_bytes())):
        claim, where = header[15]["vac-archive-head"], f"head {number}"
        if not verify(key, protected, header, payload, signature):
            wrong(f"{where}: the signature is not valid")
        if (claim["number"], claim["archive"], claim.get("previous"), header[15][2], header[395]) != (
                number, sha256(description_bytes), previous, description["id"], 1):
            wrong(f"{where}: of another place or archive")
        if not size <= claim["size"] <= len(leaves) or tree(leaves[:claim["size"]]) != payload:
            wrong(f"{where}: not the root of the statements")
        previous, size = sha256(data), claim["size"]
        heads.append(data)
    if len(sys.argv) > 3:
        kept = Path(sys.argv[3]).read_bytes()
        kept = kept if kept[:1] == b"\xd2" else base64.b64decode(kept)
        if kept not in heads:
            wrong("the given head is not one of the archive")
    check_index(key, len(heads))
    known = {"README", "archive.json", "key.pub.pem", "statements", "heads", "index"}
    known |= {"objects", "tmp"} | {f"objects/{name[:2]}" for name in used}
    known |= {f"objects/{name[:2]}/{name[2:]}" for name in used}
    for path in ROOT.rglob("*"):
        name = path.relative_to(ROOT).as_posix()
        if re.fullmatch("objects/[0-9a-f]{2}/[0-9a-f]{62}", name) and name not in known:
            if fetch(name[8:].replace("/", ""), "no statement names it") is not None:
                print(f"note: {name}: no statement names it")
        elif path.is_symlink() or name not in known and not re.fullmatch(
                "tmp/[^/]+|objects/[0-9a-f]{2}", name):
            wrong(f"{name}: not part of the archive")


def report():
    try:
        main()
    except Exception as error:  # Anything can be in the files of an archive that was changed.
        wrong(f"the archive cannot be read: {type(error).__name__}: {error}")
    for problem in PROBLEMS:
        print(problem)
    print("NOT valid" if PROBLEMS else "valid")
    sys.exit(1 if PROBLEMS else 0)


report()
