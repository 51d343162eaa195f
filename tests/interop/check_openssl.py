"""Keys of real `openssl` and `ssh-keygen`, and the whole round of a time stamp with `openssl ts`.

Usage: check_openssl.py VAC. Without the programs it says so and is content."""

import os
import shutil
import subprocess
import sys
import tempfile

VAC = sys.argv[1]
PASSWORD = "a password with ünicode"
CONFIG = """
[req]
distinguished_name = name
prompt = no
[name]
CN = x
[ca]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[tsa]
extendedKeyUsage = critical,timeStamping
[authority]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256,sha384,sha512
ess_cert_id_alg = sha256
accuracy = secs:1, millisecs:500
"""
RECORD = (
    '{"version": "3.0.0-draft", "id": "r", "session": {"session-id": "s", "agent-meta": '
    '{"model-id": "m", "model-provider": "p"}, "entries": [{"type": "user", "content": "hi", '
    '"timestamp": "2026-03-01T08:00:00Z"}]}}\n'
)
passed = 0


def run(*words, code=0, **options):
    """Runs a program and returns what it prints."""
    ran = subprocess.run(words, capture_output=True, text=True, **options)
    if ran.returncode != code:
        sys.exit(f"{' '.join(words)} ended with {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout + ran.stderr


def check(condition, what):
    global passed
    if not condition:
        sys.exit(f"failed: {what}")
    passed += 1


def signs(private, public):
    """Signs with a private key, and verifies with its public key."""
    os.chmod(private, 0o600)
    run(VAC, "sign", "record.json", "--key", private, "--password-file", "password",
        "-o", "key.cose", "--force")
    check("verified" in run(VAC, "verify", "key.cose", "--key", public), private)


def keys_of_openssl():
    for name, options in [("ed25519", ["ed25519"]),
                          ("p256", ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"])]:
        run("openssl", "genpkey", "-algorithm", *options, "-out", f"{name}.pem")
        run("openssl", "pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub")
        signs(f"{name}.pem", f"{name}.pub")
        for form in [["-v2", "aes-256-cbc"], ["-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512"],
                     ["-scrypt"]]:
            run("openssl", "pkcs8", "-topk8", "-in", f"{name}.pem", "-passout", "file:password",
                "-out", "encrypted.pem", *form)
            signs("encrypted.pem", f"{name}.pub")
    # What vac encrypts, openssl reads.
    for name in ["ed25519", "es256"]:
        run(VAC, "keygen", "--alg", name, "--encrypt", "--password-file", "password", "-o", name)
        public = run("openssl", "pkey", "-in", f"{name}/signing-key.pem", "-passin",
                     "file:password", "-pubout")
        check(public == open(f"{name}/signing-key.pub.pem").read(), f"openssl reads {name}")


def keys_of_openssh():
    for number, (kind, word, more) in enumerate([
            ("ed25519", "", []), ("ed25519", PASSWORD, []), ("ed25519", PASSWORD, ["-a", "40"]),
            ("ed25519", PASSWORD, ["-Z", "aes256-cbc"]), ("ecdsa", "", ["-b", "256"]),
            ("ecdsa", PASSWORD, ["-b", "256"])]):
        name = f"ssh{number}"
        run("ssh-keygen", "-q", "-t", kind, "-N", word, "-C", "signer", "-f", name, *more)
        signs(name, f"{name}.pub")


def time_stamps():
    open("tsa.cnf", "w").write(CONFIG)
    open("serial", "w").write("01\n")
    verify = [VAC, "verify", "--key", "ed25519.pub"]
    for name, key in [("rsa", ["rsa:2048"]),
                      ("ec", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])]:
        root, tsa = f"{name}-root", f"{name}-tsa"
        request = ["openssl", "req", "-config", "tsa.cnf", "-newkey", *key, "-nodes"]
        run(*request, "-x509", "-keyout", f"{root}.key", "-out", f"{root}.pem", "-extensions", "ca",
            "-subj", f"/CN={root}")
        run(*request, "-keyout", f"{tsa}.key", "-out", f"{tsa}.csr", "-subj", f"/CN={tsa}")
        run("openssl", "x509", "-req", "-in", f"{tsa}.csr", "-CA", f"{root}.pem", "-CAkey",
            f"{root}.key", "-CAcreateserial", "-extfile", "tsa.cnf", "-extensions", "tsa",
            "-out", f"{tsa}.pem")
        run(VAC, "sign", "record.json", "--key", "ed25519.pem", "-o", "a.cose", "--force")

        def reply(file, to):
            digest = run(VAC, "timestamp", "digest", file).strip()
            run("openssl", "ts", "-query", "-digest", digest, "-sha256", "-cert", "-out", "q.tsq")
            run("openssl", "ts", "-reply", "-queryfile", "q.tsq", "-signer", f"{tsa}.pem",
                "-inkey", f"{tsa}.key", "-config", "tsa.cnf", "-section", "authority", "-out", to)

        reply("a.cose", "reply.tsr")
        run(VAC, "timestamp", "attach", "a.cose", "reply.tsr", "--tsa-root", f"{root}.pem",
            "-o", "stamped.cose", "--force")
        shown = run(*verify, "stamped.cose", "--tsa-root", f"{root}.pem")
        check("time stamp:     ok (the signature existed at 20" in shown and tsa in shown, shown)
        check("time stamp:     not checked" in run(*verify, "stamped.cose"), "without a root")
        # It outlives the authority's certificate.
        shown = run(*verify, "stamped.cose", "--tsa-root", f"{root}.pem", "--at", "2100-01-01")
        check("time stamp:     ok" in shown and "(accurate to 1.5 s)" in shown, shown)
        # OpenSSL agrees about the token that vac keeps.
        run("openssl", "ts", "-reply", "-in", "reply.tsr", "-token_out", "-out", "token.tst")
        check(open("token.tst", "rb").read() in open("stamped.cose", "rb").read(), "the token")
        run("openssl", "ts", "-verify", "-in", "reply.tsr", "-queryfile", "q.tsq", "-CAfile",
            f"{root}.pem")
        # A signature that was made later is another one.
        run(VAC, "sign", "record.json", "--key", "ed25519.pem", "--subject", "other",
            "-o", "b.cose", "--force")
        shown = run(*verify, "b.cose", "--timestamp", "reply.tsr", "--tsa-root", f"{root}.pem",
                    code=1)
        check("the token is not for this signature" in shown, shown)
        reply("record.json", "payload.tsr")
        run(VAC, "sign", "record.json", "--key", "ed25519.pem", "--timestamp", "payload.tsr",
            "-o", "c.cose", "--force")
        shown = run(*verify, "c.cose", "--tsa-root", f"{root}.pem")
        check("ok (the payload existed at 20" in shown, shown)
    shown = run(*verify, "stamped.cose", "--tsa-root", "rsa-root.pem", code=1)
    check("it does not lead to a trust root" in shown, shown)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    open("record.json", "w").write(RECORD)
    open("password", "w").write(PASSWORD + "\n")
    os.chmod("password", 0o600)
    if shutil.which("openssl"):
        keys_of_openssl()
        time_stamps()
    else:
        print("skipped: no openssl")
    if shutil.which("ssh-keygen"):
        keys_of_openssh()
    else:
        print("skipped: no ssh-keygen")
print(f"{passed} passed, 0 failed")
