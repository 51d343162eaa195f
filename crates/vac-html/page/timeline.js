// A strip of tokens and actions over time. Pauses are shortened.

const BINS = 180;
const STRIP = { width: 1080, tokens: 34, actions: 14 };
// Milliseconds to which longer pauses are shortened.
const LONGEST_PAUSE = 300_000;

const renderTimeline = (section, rows, index, onPick) => {
  if (rows.length < 2) return;
  // The position of each row: time without long pauses, or the order if times are not stated.
  const positions = [];
  let position = 0;
  let last = NaN;
  let known = 0;
  for (const row of rows) {
    const { time } = row.item;
    if (!Number.isNaN(time)) {
      known += 1;
      if (time > last) position += Math.min(time - last, LONGEST_PAUSE);
      if (!(time <= last)) last = time;
    }
    positions.push(position);
  }
  const isTimed = known > rows.length / 2 && position > 0;
  const at = (number) => (isTimed ? positions[number] / position : number / (rows.length - 1));
  const bins = Array.from({ length: BINS }, () => ({ tokens: 0, output: 0, actions: 0, failed: 0, prompts: 0, row: undefined }));
  const binAt = (x) => bins[Math.min(BINS - 1, Math.max(0, Math.floor(x * BINS)))];
  rows.forEach((row, number) => {
    const bin = binAt(at(number));
    bin.row ??= row;
    if (row.kind === "prompt") bin.prompts += 1;
    if (row.kind === "call") {
      bin.actions += 1;
      if (row.isFailure) bin.failed += 1;
    }
  });
  // Usage can be stated by entries that are not rows: it belongs to the row after them.
  let number = 0;
  for (const item of index.items) {
    while (number < rows.length - 1 && rows[number].item.number < item.number) number += 1;
    const usage = item.notes?.get("usage");
    if (usage === undefined || item.note("inherited") !== undefined || item.note("duplicate-of") !== undefined) continue;
    const bin = binAt(at(number));
    const output = numberMember(usage, "output") ?? 0;
    bin.output += output;
    bin.tokens += output + (numberMember(usage, "input") ?? 0) + (numberMember(usage, "cache-write") ?? 0);
  }
  const most = (key) => Math.max(1, ...bins.map((bin) => bin[key]));
  const [tokens, actions] = [most("tokens"), most("actions")];
  const step = STRIP.width / BINS;
  const base = STRIP.tokens;
  // Heights are square roots: single large requests would hide all others.
  const bars = (key, max, height, down) =>
    bins.map((bin, one) => {
      if (bin[key] === 0) return "";
      const size = Math.max(1.5, Math.sqrt(bin[key] / max) * height).toFixed(1);
      return `M${(one * step).toFixed(1)} ${base + (down ? 2 : 0)}h${(step - 1).toFixed(1)}v${down ? "" : "-"}${size}h-${(step - 1).toFixed(1)}z`;
    }).join("");
  const strip = svg(
    "svg",
    { class: "strip", viewBox: `0 0 ${STRIP.width} ${STRIP.tokens + STRIP.actions + 12}`, preserveAspectRatio: "none", role: "img", "aria-label": "Tokens and actions over time" },
    svg("path", { class: "base", d: `M0 ${base + 1}h${STRIP.width}` }),
    svg("path", { class: "tokens", d: bars("tokens", tokens, STRIP.tokens - 2, false) }),
    svg("path", { class: "output", d: bars("output", tokens, STRIP.tokens - 2, false) }),
    svg("path", { class: "actions", d: bars("actions", actions, STRIP.actions, true) }),
    svg("path", { class: "failed", d: bars("failed", actions, STRIP.actions, true) }),
    svg("path", {
      class: "prompts",
      d: bins.map((bin, one) => (bin.prompts === 0 ? "" : `M${(one * step + step / 2).toFixed(1)} ${base + STRIP.actions + 4}l3 6h-6z`)).join(""),
    }),
  );
  const note = el("span", "id", "Hover for details, click to go there.");
  const binOf = (event) => {
    const box = strip.getBoundingClientRect();
    return binAt((event.clientX - box.left) / box.width);
  };
  strip.addEventListener("pointermove", (event) => {
    const bin = binOf(event);
    const row = bin.row;
    const when = row && !Number.isNaN(row.item.time) ? `${new Date(row.item.time).toISOString().slice(0, 19).replace("T", " ")}  ` : "";
    note.textContent = `${when}${shortNumber(bin.tokens)} tokens, ${plural(bin.actions, "action")}${bin.failed ? `, ${bin.failed} failed` : ""}${bin.prompts ? `, ${plural(bin.prompts, "prompt")}` : ""}`;
  });
  strip.addEventListener("click", (event) => {
    const bin = binOf(event);
    const from = bins.indexOf(bin);
    const near = bin.row ?? bins.slice(0, from).findLast((one) => one.row)?.row;
    if (near) onPick(near);
  });
  section.replaceChildren(
    strip,
    el("div", "legend", el("span", "dot tokens"), "tokens, without cache reads ", el("span", "dot output"), "output ", el("span", "dot actions"), "actions ", el("span", "dot failed"), "failed ", el("span", "dot prompts"), "prompts ", note),
  );
};
