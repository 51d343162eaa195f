// The banner: what vac found, what this browser finds, and that a page can claim anything.

class Proof {
  constructor(section, chip, parts) {
    Object.assign(this, { section, chip }, parts);
    this.result = { state: "unsigned", words: "not signed" };
    this.details = [];
    if (isEnvelope(this.document)) this.open();
    this.render();
    for (const name of ["dragover", "drop"]) {
      addEventListener(name, (event) => {
        event.preventDefault();
        if (name === "drop" && event.dataTransfer.files.length > 0) this.useFile(event.dataTransfer.files[0]);
      });
    }
  }

  open() {
    this.result = { state: "open", words: "signed, not checked yet" };
    try {
      this.envelope = readEnvelope(this.document);
      this.claims = signedClaims(this.envelope);
    } catch (error) {
      this.result = { state: "bad", words: "NOT verified", why: reasonOf(error) };
    }
  }

  // Checks with the keys that the page contains.
  async checkOwnKeys() {
    if (!this.envelope) return;
    const certificate = envelopeCertificate(this.envelope);
    if (this.keyText) await this.check(new TextEncoder().encode(this.keyText), "the key in this page");
    else if (certificate) {
      try {
        await this.check(certificateKey(certificate), "the key of the certificate in the envelope");
      } catch (error) {
        this.set({ state: "bad", words: "NOT verified", why: reasonOf(error) });
      }
    } else this.set({ state: "open", words: "signed, not checked", why: "This page contains no key. Drop the signer's public key (PEM) on it." });
  }

  async useFile(file) {
    if (!this.envelope) return;
    if (file.size > 100_000) {
      this.set({ state: "open", words: "signed, not checked", why: "This file is too large for a key." });
      return;
    }
    await this.check(new Uint8Array(await file.arrayBuffer()), `the key that you gave (${beginning(file.name, 60)})`);
  }

  async check(bytes, origin) {
    let key;
    try {
      key = await readKey(bytes, origin);
      const what = await verifyEnvelope(this.envelope, this.record, key);
      this.set({ state: "good", words: "signature verified", why: `Made over ${what}, with ${origin}.`, key });
    } catch (error) {
      // Without a key nothing was checked.
      if (key) this.set({ state: "bad", words: "NOT verified", why: `With ${origin}: ${reasonOf(error)}.`, key });
      else this.set({ state: "open", words: "signed, not checked", why: `${reasonOf(error)}.` });
    }
  }

  set(result) {
    this.result = result;
    this.render();
  }

  render() {
    const { state, words, why, key } = this.result;
    this.chip.className = `chip-state ${state}`;
    this.chip.textContent = words;
    this.chip.title = visibleLine(why ?? "");
    document.documentElement.dataset.proof = state;
    if (state === "unsigned") {
      this.section.className = "proof unsigned";
      this.section.replaceChildren(
        el("p", "", el("strong", "", "not signed"), " Anyone could have changed this record. This page shows its bytes as they are in this file."),
      );
      return;
    }
    this.section.className = `proof ${state}`;
    const inPage = key?.origin === "the key in this page";
    this.section.replaceChildren(
      el(
        "section", `voice now ${state}`,
        el("h2", "", "This browser, now"),
        labelled(el("p", "verdict", words), `This browser finds: ${words}`),
        why && el("p", "", why),
        el("dl", "answers", fact("key", key && titled(el("code", "", key.thumbprint.split(":").at(-1)), key.thumbprint))),
        inPage && el("p", "id", "The maker of the page chose this key: compare it, or give the signer's."),
        this.chooser(),
        folded(
          "What was signed",
          el(
            "dl", "answers",
            fact("issuer", this.claims?.issuer && el("code", "", this.claims.issuer)),
            fact("subject", this.claims?.subject && el("code", "", this.claims.subject)),
            fact("sha-256", this.hash && el("code", "", this.hash)),
          ),
        ),
      ),
      this.renderFound(),
      this.renderDoubt(),
    );
  }

  chooser() {
    const input = el("input", "file");
    input.type = "file";
    input.id = "key-file";
    labelled(input, "The signer's public key");
    input.addEventListener("change", () => input.files.length > 0 && this.useFile(input.files[0]));
    const words = el("label", "choose", "Choose a public key, or drop it here");
    words.htmlFor = "key-file";
    return el("p", "", input, words);
  }

  renderFound() {
    const { signature, version } = this.computed;
    const words = new Map([["verified", "verified"], ["statement-only", "statement verified, record not examined"]]);
    const answers = signature?.answers ?? [];
    const found = words.get(signature?.verdict);
    const state = found ? "good" : signature?.key ? "bad" : "open";
    const details = folded(
      plural(answers.length, "answer"),
      el("dl", "answers", answers.map((one) => fact(one.question, el("span", `reply ${["ok", "failed"].includes(one.verdict) ? one.verdict : ""}`, one.verdict === "not-checked" ? "not checked" : one.verdict), ` ${one.detail}`))),
    );
    details.open = state === "bad";
    return el(
      "section", `voice then ${state}`,
      el("h2", "", "vac, when it made this page"),
      el("p", "verdict", found ?? (state === "bad" ? "NOT verified" : "not checked, no key was given")),
      details,
      el("p", "id", `vac ${version}. Whether claims and certificates are valid today is not part of it.`),
    );
  }

  renderDoubt() {
    const file = decoded(location.pathname.split("/").at(-1) ?? "");
    const name = /^[\w.-]+$/.test(file) ? file : "page.html";
    return el(
      "section", "voice",
      el("h2", "", "A page can claim anything"),
      el("p", "", "Also this one. These commands do not rely on it:"),
      el("pre", "commands", blockOf("code", "", `vac verify ${name} --key signer.pub.pem\nvac view --check ${name}`)),
      el("p", "id", "The first takes the signed bytes out of this file and verifies them. The second makes the page again and compares."),
    );
  }
}

const reasonOf = (error) => (error instanceof NotVerified ? error.message : `it cannot be read (${error.message})`);
