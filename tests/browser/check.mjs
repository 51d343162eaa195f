// Opens pages in a browser and tries everything that they can do.

import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import fs from "node:fs";
import path from "node:path";
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { chromium } from "playwright-core";

import { BIDI, HOSTILE, hostileRecord, largeRecord, variedRecord, wideRecord } from "./records.mjs";

const { VAC, CHROMIUM, FIXTURES, PICTURES } = process.env;
const folder = fs.mkdtempSync(path.join(import.meta.dirname, "work-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

// Runs vac. Returns what it prints.
const vac = (...args) => execFileSync(VAC, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const vacAsync = promisify(execFile);
// Runs vac, which has to fail with exit code 1.
const vacFails = (...args) => assert.throws(() => vac(...args), (error) => error.status === 1);
const file = (name) => path.join(folder, name);
const write = (name, content) => {
  fs.writeFileSync(file(name), content);
  return file(name);
};

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
});
console.log(`${CHROMIUM}, version ${browser.version()}`);

// Opens a tab in a context of its own. Whatever its page does besides showing itself is listed in
// `troubles`: requests, errors, dialogs, downloads, other pages.
const newTab = async ({ viewport = { width: 1100, height: 900 }, colorScheme = "light" } = {}) => {
  const context = await browser.newContext({ viewport, colorScheme });
  // A machine that is busy with other things is slow, not broken.
  context.setDefaultTimeout(90_000);
  const tab = await context.newPage();
  tab.troubles = [];
  const trouble = (text) => tab.troubles.push(text);
  context.on("page", () => trouble("another page was opened"));
  tab.on("console", (message) => trouble(`console: ${message.type()}: ${message.text()}`));
  tab.on("pageerror", (error) => trouble(`error: ${error.stack}`));
  tab.on("dialog", () => trouble("a dialog"));
  tab.on("download", () => trouble("a download"));
  tab.on("request", (request) => {
    const isPage = request.isNavigationRequest() && request.url() === `file://${tab.file}`;
    // Images in the page are not requests to anywhere.
    if (!isPage && !request.url().startsWith("data:image/")) trouble(`request: ${request.url().slice(0, 200)}`);
  });
  return tab;
};

// Loads a page in a tab, waits until it is ready, calls `use`, and fails if there was trouble.
const visit = async (tab, page, use, hash = "") => {
  tab.file = page;
  tab.troubles.length = 0;
  await tab.goto(`file://${page}${hash}`);
  await tab.waitForFunction(() => ["checked", "failed"].includes(document.documentElement.dataset.state));
  const state = await tab.evaluate(() => document.documentElement.dataset.state);
  if (state === "failed") tab.troubles.push(await tab.textContent(".problem:not(noscript *)"));
  const result = await use(tab);
  const harmed = await tab.evaluate(() => [window.harmed, {}.polluted].filter((one) => one !== undefined));
  assert.deepEqual(tab.troubles, []);
  assert.deepEqual(harmed, []);
  return result;
};

// Visits a page in a new tab.
const open = async (page, use, { hash, ...options } = {}) => {
  const tab = await newTab(options);
  try {
    return await visit(tab, page, use, hash);
  } finally {
    await tab.context().close();
  }
};

const proofOf = (tab) => tab.evaluate(() => document.documentElement.dataset.proof);
const visible = (tab, text) => tab.evaluate((one) => document.getElementById("list").textContent.includes(one), text);
const elements = (tab) => tab.evaluate(() => document.querySelectorAll("*").length);
// Scrolls through the whole page and collects the text of the list.
const wholeText = (tab) => tab.evaluate(async () => {
  let all = "";
  scrollTo(0, 0);
  for (;;) {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    all += document.getElementById("list").textContent;
    const before = scrollY;
    scrollBy(0, innerHeight);
    if (scrollY === before) return all;
  }
});

const tests = [];
const test = (name, run) => tests.push([name, run]);

// Keys, and records that are signed in every way.
vac("keygen", "-o", file("ed"));
vac("keygen", "-o", file("other"));
const secret = file("ed/signing-key.pem");
const key = file("ed/signing-key.pub.pem");
const varied = write("varied.json", variedRecord());
vac("transcode", varied, "--to", "cbor", "-o", file("varied.cbor"));
vac("sign", varied, "--key", secret, "-o", file("varied.cose"));
const page = file("varied.html");
vac("view", file("varied.cose"), "--key", key, "-o", page);

// Returns the records among the fixtures of every agent.
const fixtureRecords = () => {
  const others = ["cddl", "rfc", "schema", "events", "hostile", "sign", "show"];
  const folders = fs.readdirSync(FIXTURES, { withFileTypes: true }).filter((it) => it.isDirectory());
  const agents = folders.map((it) => it.name).filter((name) => !others.includes(name));
  const isRecord = (name) => {
    try {
      return JSON.parse(fs.readFileSync(name, "utf8"))?.session?.["agent-meta"] !== undefined;
    } catch {
      return false;
    }
  };
  return agents.flatMap((agent) =>
    fs.readdirSync(path.join(FIXTURES, agent), { recursive: true })
      .filter((name) => name.endsWith(".json"))
      .map((name) => path.join(FIXTURES, agent, name))
      .filter(isRecord));
};

test("pages of every agent's fixtures open", async () => {
  const records = fixtureRecords();
  assert.ok(records.length > 50, `${records.length} records`);
  // A few tabs share the pages: a new one for each page takes most of a second.
  const left = records.entries();
  const visitSome = async () => {
    const tab = await newTab();
    for (const [number, record] of left) {
      const html = file(`fixture-${number}.html`);
      await vacAsync(VAC, ["view", record, "-o", html]);
      await visit(tab, html, async () => {
        assert.equal(await proofOf(tab), "unsigned", record);
        assert.ok((await elements(tab)) < 2000, record);
        assert.equal(await tab.locator(".problem:visible").count(), 0, record);
        await wholeText(tab);
      });
      fs.rmSync(html);
    }
    await tab.context().close();
  };
  await Promise.all([visitSome(), visitSome(), visitSome()]);
  return `${records.length} records`;
});

test("a hostile record runs nothing and is shown as text", async () => {
  const html = file("hostile.html");
  vac("view", write("hostile.json", hostileRecord()), "-o", html);
  await open(html, async (tab) => {
    await tab.click("#filter-toggle");
    for (const chip of ["superseded", "repeated", "all events"]) await tab.locator(".chip", { hasText: chip }).first().click();
    await tab.click("#filter-toggle");
    const text = await wholeText(tab);
    for (const one of HOSTILE) assert.ok(text.includes(one.replaceAll("\n", "\u240a")) || text.includes(one), one);
    // Nothing hidden is left, and what was hidden is shown.
    assert.ok(!/[\u202e\u2066\u2069\u200b\u200f\u061c\u001b\u0007\u009b\u2028\u2029\ufeff]/u.test(text), "hidden characters");
    assert.ok(text.includes("\\u{202e}gpj.exe"), "a shown override");
    assert.ok(BIDI.includes("\u202e"));
    assert.ok(text.includes("half \\u{d83d} pair"), "half a surrogate pair");
    assert.ok(text.includes("__proto__"), "names of objects");
    assert.ok((await elements(tab)) < 2000, `${await elements(tab)} elements`);
    // Everything that can be unfolded.
    for (let round = 0; round < 60; round += 1) {
      await tab.evaluate(() => document.querySelectorAll("#list .fold[aria-expanded=false], #list .raw[aria-expanded=false], #list .more").forEach((one) => one.isConnected && one.click()));
      await tab.evaluate(() => scrollBy(0, innerHeight));
    }
    const scripts = await tab.evaluate(() => [document.scripts.length, document.querySelectorAll("iframe, object, embed, link, base, form, [onerror], [onload], [onclick]").length, [...document.images].map((one) => one.src.slice(0, 22)).filter((src) => !/^data:image\/(png|jpeg|gif|webp)/.test(src)), [...document.links].map((one) => one.getAttribute("href")).filter((href) => !href.startsWith("#/session/entries/"))]);
    assert.deepEqual(scripts, [1, 0, [], []]);
    assert.equal(await tab.evaluate(() => document.title.includes("\u202e")), false);
  });
});

test("a hostile record in CBOR runs nothing either", async () => {
  // CBOR has no text with half a surrogate pair.
  const record = write("hostile-text.json", hostileRecord().replace("half \\ud83d pair", "whole"));
  vac("transcode", record, "--to", "cbor", "-o", file("hostile.cbor"));
  vac("sign", file("hostile.cbor"), "--key", secret, "-o", file("hostile.cose"));
  vac("view", file("hostile.cose"), "--key", key, "-o", file("hostile-cbor.html"));
  await open(file("hostile-cbor.html"), async (tab) => {
    assert.equal(await proofOf(tab), "good");
    const text = await wholeText(tab);
    for (const one of HOSTILE) assert.ok(text.includes(one), one);
    assert.ok(text.includes("\\u{202e}gpj.exe") && !text.includes("\u202e"), "a shown override");
  });
});

test("a record that is wide everywhere stays small in the document", async () => {
  const html = file("wide-record.html");
  vac("view", write("wide-record.json", wideRecord(40_000)), "-o", html);
  return open(html, async (tab) => {
    let most = await elements(tab);
    const ready = await tab.evaluate(() => performance.getEntriesByName("vac-ready")[0].startTime);
    const look = async () => { most = Math.max(most, await elements(tab)); };
    for (const pointer of ["0", "1", "2", "40003", "40004", "50000"]) {
      await tab.evaluate((one) => { location.hash = `#/session/entries/${one}`; }, pointer);
      await tab.locator(".row.selected").waitFor();
      await look();
      await tab.keyboard.press("r");
      await look();
      await tab.keyboard.press("r");
    }
    await tab.evaluate(() => { location.hash = "#/session/entries/2"; });
    await tab.locator(".row.selected .more", { hasText: "more results" }).click();
    assert.ok(await visible(tab, "result 15"));
    await look();
    await tab.keyboard.press("f");
    await look();
    assert.ok(most < 2000, `${most} elements`);
    return `ready in ${Math.round(ready)} ms, at most ${most} elements`;
  });
});

test("odd addresses of a page are harmless", async () => {
  // Neither the name nor the fragment is an encoding of anything.
  const name = file("100%.html");
  fs.copyFileSync(page, name);
  for (const hash of ["#%", "#/session/entries/999999", "#/session/entries/__proto__", "#list", "#<img src=x onerror=harmed=1>"]) {
    const tab = await newTab();
    tab.file = encodeURI(name);
    await tab.goto(`file://${encodeURI(name)}${hash}`);
    await tab.waitForFunction(() => ["checked", "failed"].includes(document.documentElement.dataset.state));
    assert.equal(await proofOf(tab), "good", hash);
    assert.match(await tab.textContent("#proof"), /vac verify page.html/);
    assert.deepEqual(tab.troubles, [], hash);
    await tab.goto(`file://${name}#%`);
    await tab.waitForFunction(() => ["checked", "failed"].includes(document.documentElement.dataset.state));
    assert.equal(await proofOf(tab), "good", "a name with a percent sign");
    await tab.context().close();
  }
});

test("the browser verifies signatures of every kind", async () => {
  const kinds = [["varied.json", []], ["varied.cbor", []], ["varied.json", ["--detached"]], ["varied.json", ["--hash-envelope"]]];
  // ES256: openssl and others make such keys, vac keygen makes Ed25519.
  const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
  write("p256.pem", p256.privateKey.export({ type: "pkcs8", format: "pem" }));
  fs.chmodSync(file("p256.pem"), 0o600);
  write("p256.pub.pem", p256.publicKey.export({ type: "spki", format: "pem" }));
  for (const [private_, public_] of [[secret, key], [file("p256.pem"), file("p256.pub.pem")]]) {
    for (const [number, [record, options]] of kinds.entries()) {
      const name = file(`${path.basename(public_)}-${number}`);
      vac("sign", file(record), "--key", private_, "-o", `${name}.cose`, ...options);
      const apart = options.length > 0 ? ["--record", file(record)] : [];
      vac("view", `${name}.cose`, "--key", public_, "-o", `${name}.html`, ...apart);
      await open(`${name}.html`, async (tab) => {
        assert.equal(await proofOf(tab), "good", name);
        assert.match(await tab.textContent("#proof"), /signature verified/);
        assert.ok(await visible(tab, "Please fire the kiln"));
      });
    }
  }
});

test("one flipped bit says NOT verified", async () => {
  for (const at of [-1, 400]) {
    const bytes = fs.readFileSync(file("varied.cose"));
    const position = at < 0 ? bytes.length + at : bytes.indexOf("fire the kiln") + 2;
    bytes[position] ^= 1;
    vacFails("view", write("flipped.cose", bytes), "--key", key, "-o", file("flipped.html"), "--force");
    await open(file("flipped.html"), async (tab) => {
      assert.equal(await proofOf(tab), "bad");
      const text = await tab.textContent("#proof");
      assert.equal(text.match(/NOT verified/g)?.length, 2, "both the browser and vac say so");
      assert.equal(await tab.textContent("#state"), "NOT verified");
      // Each voice has the colour of its own verdict, and says which answer was the wrong one.
      assert.equal(await tab.locator(".voice.then.bad details[open] .reply.failed").count() > 0, true);
    });
  }
});

test("a dropped key verifies, another one does not", async () => {
  vac("view", file("varied.cose"), "-o", file("keyless.html"));
  await open(file("keyless.html"), async (tab) => {
    assert.equal(await proofOf(tab), "open");
    assert.match(await tab.textContent("#state"), /not checked/);
    const drop = async (name, content) => {
      const data = await tab.evaluateHandle(([one, text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], one));
        return transfer;
      }, [name, content]);
      await tab.dispatchEvent("body", "drop", { dataTransfer: data });
    };
    const wait = (state) => tab.waitForFunction((one) => document.documentElement.dataset.proof === one, state);
    await drop("signer.pem", fs.readFileSync(key, "utf8"));
    await wait("good");
    assert.match(await tab.textContent("#proof"), /the key that you gave \(signer.pem\)/);
    // vac had no key: what the browser finds does not change that.
    assert.equal(await tab.locator(".voice.now.good").count(), 1);
    assert.match(await tab.textContent(".voice.then.open .verdict"), /not checked/);
    await drop("other.pem", fs.readFileSync(file("other/signing-key.pub.pem"), "utf8"));
    await wait("bad");
    await drop("secret.pem", fs.readFileSync(secret, "utf8"));
    await wait("open");
    assert.match(await tab.textContent("#proof"), /private key/);
    await tab.setInputFiles("#key-file", key);
    await wait("good");
  });
});

test("vac verifies the envelope in a page, and compares pages", async () => {
  assert.match(vac("verify", page, "--key", key), /verdict: +verified/);
  assert.match(vac("view", "--check", page), /same/);
  const changed = write("changed.html", fs.readFileSync(page, "utf8").replace("A page can claim anything", "Trust this page, please ."));
  vacFails("view", "--check", changed);
  vac("view", file("varied.cose"), "--key", key, "-o", file("again.html"));
  assert.ok(fs.readFileSync(page).equals(fs.readFileSync(file("again.html"))), "deterministic");
});

test("everything in a session is shown", async () => {
  await open(page, async (tab) => {
    const text = await wholeText(tab);
    for (const one of ["Please fire the kiln", "kiln --status", "exit 3", "cone = 6", "new line", "Look at this.", "system/compact_boundary", "Subagent helper-1", "4 entries, 1 call, 1 failed"]) {
      assert.ok(text.includes(one), one);
    }
    for (const one of ["superseded answer", "repeated answer", "heartbeat", "Subagent says", "secret thought"]) assert.ok(!text.includes(one), one);
    const head = await tab.textContent("#summary");
    for (const one of ["browser-test", "kiln 1.0", "model-1", "/home/ada/kiln", "2026-02-03 10:00:00 UTC"]) assert.ok(head.includes(one), one);
    const cards = await tab.textContent("#cards");
    for (const one of ["1\u2009470 tokens", "computed by vac", "session.jsonl", "00".repeat(32), "4 calls", "2 failed"]) assert.ok(cards.includes(one), `${one} in ${cards}`);
    assert.ok((await tab.locator("#timeline path").count()) >= 4);
    assert.equal(await tab.locator("#list img.picture").evaluateAll((all) => all.every((one) => one.complete && one.naturalWidth === 1)), true);
    // An edit, and a patch between two lines of its format.
    for (const [pointer, expected] of [["4", [1, 1, 0]], ["5", [1, 1, 2]]]) {
      await tab.evaluate((one) => { location.hash = `#/session/entries/${one}`; }, pointer);
      await tab.locator(".row.selected .diff").waitFor();
      const marks = await Promise.all(["added", "removed", "place"].map((name) => tab.locator(`.row.selected .diff .${name}`).count()));
      assert.deepEqual(marks, expected, pointer);
    }
    await tab.evaluate(() => { location.hash = "#/session/entries/7"; });
    await tab.locator(".row.selected.divider").waitFor();
  });
});

test("folding, raw entries and cut texts", async () => {
  await open(page, async (tab) => {
    const bodies = () => tab.evaluate(() => document.getElementById("list").textContent);
    await tab.locator(".row.reasoning .fold").click();
    assert.ok((await bodies()).includes("secret thought about glaze"));
    await tab.locator(".row.reasoning .fold").click();
    assert.ok(!(await bodies()).includes("secret thought about glaze"));
    await tab.locator(".row.prompt .raw").first().click();
    const raw = await tab.textContent(".source");
    assert.ok(raw.includes("/session/entries/0"), raw);
    assert.ok(raw.includes('{"type":"user","content":"Please fire the kiln to cone 6.","timestamp":"2026-02-03T10:00:00Z","vac":{"author":"user"}}'), raw);
    const call = tab.locator(".row.call", { hasText: "kiln --status" });
    assert.ok(!(await call.textContent()).includes("sensor 299"));
    await call.locator(".more").click();
    assert.ok((await tab.locator(".row.call", { hasText: "kiln --status" }).textContent()).includes("sensor 299"));
    await tab.keyboard.press("G");
    await tab.mouse.wheel(0, -600);
    await tab.locator(".row.group .fold").waitFor();
    await tab.locator(".row.group .fold").click();
    assert.ok(await visible(tab, "Subagent says 2."));
    await tab.locator(".row.group .fold").click();
    assert.ok(!(await visible(tab, "Subagent says 2.")));
  });
});

test("filters by type, category, failures and subagent", async () => {
  await open(page, async (tab) => {
    const chip = (name) => tab.locator("#filters .chip", { hasText: name }).first();
    const count = () => tab.textContent("#count");
    const before = await count();
    await tab.keyboard.press("f");
    await chip("failures").click();
    assert.match(await count(), /^2 of/);
    assert.ok(await visible(tab, "kiln --status"));
    await chip("failures").click();
    assert.equal(await count(), before);
    await chip("superseded").click();
    assert.ok((await wholeText(tab)).includes("A superseded answer."));
    await chip("superseded").click();
    await chip("Edit").click();
    assert.ok(!(await wholeText(tab)).includes("apply_patch"));
    await chip("Edit").click();
    await chip("Prompts").click({ modifiers: ["Shift"] });
    assert.match(await count(), /^2 of/);
    await tab.locator("#filters button", { hasText: "Reset" }).click();
    assert.equal(await count(), before);
    await tab.selectOption("#filters select", { label: "subagent helper-1 (4)" });
    assert.match(await count(), /^4 of/);
    assert.ok(await visible(tab, "Subagent says 3."));
    await tab.selectOption("#filters select", "main");
    assert.ok(!(await wholeText(tab)).includes("helper-1"));
  });
});

test("search goes to the next and the previous hit", async () => {
  await open(page, async (tab) => {
    const hits = () => tab.textContent("#hits");
    const search = async (text, expected) => {
      await tab.keyboard.press("/");
      await tab.fill("#query", text);
      await tab.waitForFunction((one) => document.getElementById("hits").dataset.query === one, text);
      assert.equal(await hits(), expected);
    };
    await search("NEEDLE", "1 of 2");
    assert.ok(await visible(tab, "needle-in-haystack"));
    await tab.keyboard.press("Escape");
    await search("needle", "1 of 2");
    await tab.keyboard.press("Enter");
    assert.equal(await hits(), "2 of 2");
    assert.ok(await visible(tab, "needle-at-the-end"), "a hit in a cut text is shown");
    await tab.locator("#previous").click();
    assert.equal(await hits(), "1 of 2");
    await search('caf\u00e9 "quoted"', "1 of 1");
    await search("Subagent says 2", "1 of 1");
    assert.ok(await visible(tab, "Subagent says 2."), "a hit in a folded group is shown");
    await search("thought about glaze", "1 of 1");
    assert.ok(await visible(tab, "secret thought about glaze"), "a hit in folded reasoning is shown");
    await search("nowhere", "no hits");
    assert.ok(await tab.evaluate(() => CSS.highlights !== undefined));
  });
});

test("permalinks lead to entries, also to hidden ones", async () => {
  for (const [pointer, text] of [
    ["/session/entries/16", "log 0"],
    ["/session/entries/3/children/0", "kiln --status"],
    ["/session/entries/9", "A superseded answer."],
    ["/session/entries/12", "Subagent says 2."],
  ]) {
    await open(page, async (tab) => {
      const selected = await tab.textContent(".row.selected");
      assert.ok(selected.includes(text), `${pointer}: ${selected}`);
      const box = await tab.locator(".row.selected").boundingBox();
      assert.ok(box.y >= 0 && box.y < 900, `${pointer} is at ${box.y}`);
    }, { hash: `#${pointer}` });
  }
  await open(page, async (tab) => {
    const time = tab.locator(".row a.time").nth(1);
    const href = await time.getAttribute("href");
    await time.click();
    assert.ok((await tab.evaluate(() => location.hash)).endsWith(href.slice(1)));
  });
});

test("the keyboard is enough", async () => {
  await open(page, async (tab) => {
    const selected = () => tab.evaluate(() => document.querySelector(".row.selected")?.getAttribute("aria-posinset"));
    await tab.keyboard.press("j");
    assert.equal(await selected(), "1");
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("j");
    assert.equal(await selected(), "3");
    await tab.keyboard.press("k");
    assert.equal(await selected(), "2");
    await tab.keyboard.press("r");
    assert.ok(await tab.locator(".row.selected .source").count());
    await tab.keyboard.press("G");
    assert.equal(await selected(), await tab.evaluate(() => document.querySelector(".row.selected").getAttribute("aria-setsize")));
    await tab.keyboard.press("?");
    assert.ok(await tab.locator("#help").isVisible());
    await tab.keyboard.press("Escape");
    assert.ok(!(await tab.locator("#help").isVisible()));
    assert.ok(await tab.evaluate(() => [...document.querySelectorAll("button, input, select")].every((one) => one.textContent.trim() || one.getAttribute("aria-label"))), "every control has a name");
  });
});

test("the whole session is printed", async () => {
  await open(page, async (tab) => {
    const printed = await tab.evaluate(() => {
      dispatchEvent(new Event("beforeprint"));
      const text = document.getElementById("list").textContent;
      dispatchEvent(new Event("afterprint"));
      return text;
    });
    for (const one of ["Please fire the kiln", "needle-in-haystack", "secret thought about glaze", "sensor 299", "needle-at-the-end", "Subagent says 2."]) {
      assert.ok(printed.includes(one), one);
    }
    assert.ok(!printed.includes("A superseded answer."), "filters apply");
    assert.ok((await tab.pdf()).length > 10_000);
    assert.ok(!(await tab.evaluate(() => document.getElementById("list").textContent)).includes("sensor 299"), "texts are cut again");
    assert.ok(await visible(tab, "Please fire the kiln"));
  });
});

// Returns the contrast of two colours, as the accessibility guidelines of the W3C define it.
const contrast = (one, other) => {
  const luminance = (color) => {
    const [red, green, blue] = color.match(/\w\w/g).map((part) => {
      const share = parseInt(part, 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

test("pages fit and can be read in light, dark, narrow and print", async () => {
  let worst = Infinity;
  for (const [name, record] of [["varied", page], ["hostile", file("wide.html")]]) {
    if (name === "hostile") vac("view", write("wide.json", hostileRecord()), "-o", record);
    for (const [width, colorScheme, media] of [[1280, "light", "screen"], [1280, "dark", "screen"], [760, "light", "screen"], [360, "dark", "screen"], [360, "light", "screen"], [794, "light", "print"]]) {
      await open(record, async (tab) => {
        const place = `${name}, ${width} pixels, ${colorScheme}, ${media}`;
        await tab.emulateMedia({ media });
        for (const part of [0, 0.5, 1]) {
          await tab.evaluate((one) => scrollTo(0, document.documentElement.scrollHeight * one), part);
          await tab.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
          const [needed, given] = await tab.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
          assert.ok(needed <= given, `${place}: ${needed} of ${given} pixels`);
        }
        assert.equal(await tab.locator("#bar").isVisible(), media === "screen", place);
        const colors = await tab.evaluate(() => {
          const style = getComputedStyle(document.documentElement);
          return Object.fromEntries(["page", "card", "faint", "text", "soft", "accent", "good", "bad", "warn", "added", "removed", "hit", "accent-soft", "good-soft", "bad-soft", "warn-soft", "violet", "teal"].map((one) => [one, style.getPropertyValue(`--${one}`).trim()]));
        });
        const pairs = [
          ...["page", "card", "faint"].flatMap((ground) => ["text", "soft", "accent", "bad", "good", "warn", "violet", "teal"].map((ink) => [ink, ground])),
          ["text", "added"], ["text", "removed"], ["text", "hit"], ["text", "accent-soft"], ["accent", "accent-soft"], ["good", "good-soft"], ["bad", "bad-soft"], ["warn", "warn-soft"],
        ];
        for (const [ink, ground] of pairs) {
          const ratio = contrast(colors[ink], colors[ground]);
          worst = Math.min(worst, ratio);
          assert.ok(ratio >= 4.5, `${place}: ${ink} on ${ground}: ${ratio.toFixed(2)}`);
        }
      }, { viewport: { width, height: 900 }, colorScheme });
    }
  }
  return `least contrast ${worst.toFixed(1)}`;
});

test("a page without JavaScript says so", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const tab = await context.newPage();
  await tab.goto(`file://${page}`);
  assert.match(await tab.textContent("noscript"), /needs JavaScript/);
  await context.close();
});

test("a large session is ready soon and has few elements", async () => {
  const record = largeRecord(53e6, 26_000);
  vac("sign", write("large.json", record), "--key", secret, "-o", file("large.cose"));
  vac("view", file("large.cose"), "--key", key, "-o", file("large.html"));
  return open(file("large.html"), async (tab) => {
    assert.equal(await proofOf(tab), "good");
    const ready = await tab.evaluate(() => performance.getEntriesByName("vac-ready")[0].startTime);
    let most = await elements(tab);
    for (const part of [0.25, 0.5, 0.75, 1, 0.1]) {
      await tab.evaluate(async (one) => {
        scrollTo(0, document.documentElement.scrollHeight * one);
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }, part);
      const rows = await tab.locator(".row").count();
      assert.ok(rows > 0, `rows at ${part}`);
      most = Math.max(most, await elements(tab));
    }
    await tab.keyboard.press("G");
    assert.equal(await tab.evaluate(() => document.querySelector(".row.selected").getAttribute("aria-posinset")), await tab.evaluate(() => document.querySelector(".row.selected").getAttribute("aria-setsize")));
    // A search that has to go through everything.
    const searched = await tab.evaluate(async () => {
      const start = performance.now();
      const [query, hits] = ["query", "hits"].map((one) => document.getElementById(one));
      query.value = "not in this session";
      query.dispatchEvent(new Event("input"));
      while (hits.dataset.query !== query.value) await new Promise((resolve) => setTimeout(resolve, 10));
      return performance.now() - start;
    });
    assert.equal(await tab.textContent("#hits"), "no hits");
    most = Math.max(most, await elements(tab));
    assert.ok(most < 2000, `${most} elements`);
    const size = (name) => `${(fs.statSync(file(name)).size / 1e6).toFixed(1)} MB`;
    return `record ${size("large.json")}, page ${size("large.html")}, 26000 entries: ready in ${Math.round(ready)} ms, searched in ${Math.round(searched)} ms, at most ${most} elements`;
  });
});

test("pictures", async () => {
  const sample = path.join(FIXTURES, "samples", "claude.jsonl");
  vac("convert", sample, "-o", file("sample.json"));
  vac("sign", file("sample.json"), "--key", secret, "-o", file("sample.cose"));
  vac("view", file("sample.cose"), "--key", key, "-o", file("session.html"));
  // The first one is in the README.
  for (const [name, viewport, colorScheme, place] of [
    ["page", { width: 1180, height: 1180 }, "light", PICTURES],
    ["page-dark", { width: 1180, height: 900 }, "dark", import.meta.dirname],
    ["page-narrow", { width: 400, height: 900 }, "light", import.meta.dirname],
  ]) {
    const picture = path.join(place, `${name}.png`);
    await open(file("session.html"), (tab) => tab.screenshot({ path: picture }), { viewport, colorScheme });
  }
  return PICTURES;
});

let [passed, failed] = [0, 0];
// A part of a name runs only the tests with such names.
const only = process.argv[2];
for (const [name, run] of tests.filter(([one]) => !only || one.includes(only))) {
  const start = Date.now();
  try {
    const detail = await run();
    passed += 1;
    console.log(`ok      ${name}${detail ? `: ${detail}` : ""} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
