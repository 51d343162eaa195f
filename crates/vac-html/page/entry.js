// One row of the list: an entry with its results, or the head of a group of entries.

const KINDS = new Map([
  ["prompt", "Prompts"],
  ["answer", "Answers"],
  ["reasoning", "Reasoning"],
  ["call", "Calls"],
  ["note", "Other messages"],
  ["event", "Events"],
]);
const CATEGORIES = ["Execute", "Edit", "Read", "Search", "Fetch", "Think", "Plan", "Delegate", "Other"];
const ICONS = new Map([
  ["Execute", "$"], ["Edit", "\u270e"], ["Read", "\u2261"], ["Search", "\u2315"], ["Fetch", "\u21e9"],
  ["Think", "\u2026"], ["Plan", "\u2713"], ["Delegate", "\u2197"], ["Other", "\u2022"],
]);

// The number of results of one call that are shown at once.
const MAX_RESULTS = 8;

// Events that are shown even if others are not.
const isNotable = (item) =>
  isCompaction(item) || item.notes?.has("reason") || item.notes?.has("permission") || item.notes?.has("ends") ||
  /error|fail|abort|interrupt|rewound|rewind|rolled|refus|missing/i.test(item["event-type"] ?? "");
const isCompaction = (item) => /compact/i.test(item["event-type"] ?? "");

// A row for an entry.
class Row {
  constructor(item, computed) {
    this.item = item;
    this.computed = computed;
    // What is unfolded.
    this.open = new Map();
    this.isPrinted = false;
    this.kind = kindOf(item);
    const isMessage = item.type === "user" || item.type === "assistant";
    this.isNotable = isMessage ? item.hasContent : this.kind !== "event" || isNotable(item);
    const subagent = item.note("subagent");
    this.subagent = subagent === undefined ? undefined : textMember(subagent, "id") ?? textMember(subagent, "call-id") ?? "subagent";
    this.superseded = textMember(item.note("superseded"), "how");
    this.isDuplicate = item.note("duplicate-of") !== undefined;
    this.isInherited = item.note("inherited") !== undefined;
    if (this.kind === "call") {
      const own = computed.get(item.path);
      this.category = textMember(item.notes, "action", "category") ?? own?.category ?? "Other";
      if (!CATEGORIES.includes(this.category)) this.category = "Other";
      const ends = [item, ...item.results].map((one) => outcomeOf(one, computed)).filter(Boolean);
      this.end = ends.findLast((end) => end.outcome !== "unknown") ?? ends.at(-1);
    }
  }

  get isFailure() {
    return this.end?.outcome === "error";
  }
}

const kindOf = (item) => {
  const author = textMember(item.notes, "author");
  switch (item.type) {
    case "user":
      return author === undefined || author === "user" ? "prompt" : "note";
    case "assistant":
      return author === undefined ? "answer" : "note";
    case "reasoning":
      return "reasoning";
    case "tool-call":
    case "tool-result":
      return "call";
    default:
      return "event";
  }
};

// Returns how a call ended: by the record, or else as vac computed it.
const outcomeOf = (item, computed) => {
  const own = computed.get(item.path);
  const outcome =
    textMember(item.notes, "outcome") ??
    (item.type === "tool-result" && item.isError !== undefined ? (item.isError ? "error" : "success") : undefined);
  const code = member(item.notes, "exit-code");
  const exitCode = code instanceof Num ? code.text : own?.["exit-code"];
  if (outcome !== undefined) return { outcome, exitCode };
  return own?.outcome === undefined ? undefined : { outcome: own.outcome, exitCode, isComputed: true };
};

// A row for the head of a group: entries of one subagent.
class GroupRow {
  constructor(subagent) {
    this.subagent = subagent;
    this.isGroup = true;
    this.isOpen = false;
    this.open = new Map();
    this.rows = [];
  }
}

const clock = (time) => {
  const date = new Date(time);
  const two = (number) => String(number).padStart(2, "0");
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
};

const timeText = (item) => {
  if (!Number.isNaN(item.time)) return new Date(item.time).toISOString();
  return item.timestamp === undefined ? "no time stated" : pretty(item.timestamp);
};

const AUTHORS = new Map([
  ["user", "User"], ["program", "Program"], ["other-agent", "Another agent"], ["hook", "Hook"],
  ["unknown", "Unknown author"],
]);
const OUTCOMES = new Map([["success", "ok"], ["error", "failed"], ["cancelled", "cancelled"]]);

const heading = (name, ...parts) => el("div", `head ${name}`, parts);

const badge = (end) => {
  if (!end) return undefined;
  const code = end.exitCode === undefined || end.exitCode === null ? "" : `exit ${end.exitCode}`;
  const text = code || OUTCOMES.get(end.outcome);
  if (!text) return undefined;
  const name = OUTCOMES.has(end.outcome) ? end.outcome : "unknown";
  const from = end.isComputed ? "Computed by vac." : "As the record states.";
  return titled(el("span", `badge ${name}`, text), `${end.outcome}${code ? `, ${code}` : ""}. ${from}`);
};

// Returns the first words of a text, for one line.
const firstLine = (text, length = 160) => {
  const line = text.trimStart().split("\n", 1)[0];
  const short = beginning(line, length);
  return short.length < text.trimEnd().length ? `${short}\u2026` : short;
};

// Whether a value contains exactly this text somewhere.
const containsText = (value, text) => {
  if (typeof value === "string") return value === text;
  if (Array.isArray(value)) return value.some((one) => containsText(one, text));
  if (value instanceof Map) return Array.from(value.values()).some((one) => containsText(one, text));
  return false;
};

// Renders rows. `index` decodes entries.
class RowRenderer {
  constructor(index, list) {
    this.index = index;
    this.list = list;
  }

  render(row) {
    if (row.isGroup) return this.group(row);
    const { item } = row;
    const element = el("article", `row ${row.kind}`);
    if (row.superseded !== undefined || row.isDuplicate || row.isInherited) element.classList.add("dimmed");
    if (row.subagent !== undefined) element.classList.add("nested");
    if (row.isFailure) element.classList.add("failed");
    if (row.kind === "event" && isCompaction(item)) element.classList.add("divider");
    const shown = new Shown(row, () => this.list.change(row));
    const link = titled(el("a", "time", Number.isNaN(item.time) ? `#${item.path}` : clock(item.time)), `${timeText(item)}\n${item.pointer}`);
    link.href = `#${item.pointer}`;
    let body;
    try {
      body = this.body(row, shown);
    } catch (error) {
      body = el("p", "problem", `This entry cannot be shown: ${error.message}`);
    }
    const raw = titled(button("raw", "{ }", () => this.list.toggleRaw(row)), "Show the exact bytes of this entry (r)");
    raw.setAttribute("aria-expanded", String(row.open.get("raw") === true));
    labelled(raw, "Show the source of this entry");
    return append(element, [
      link,
      el("div", "body", this.marks(row), body, row.open.get("raw") === true && this.raw(row, shown)),
      raw,
    ]);
  }

  marks(row) {
    const marks = [];
    if (row.superseded !== undefined) marks.push(`superseded: ${row.superseded}`);
    if (row.isDuplicate) marks.push("repeats another entry");
    if (row.isInherited) marks.push("from another session");
    return marks.length > 0 && el("div", "marks", marks.join(", "));
  }

  body(row, shown) {
    const { item } = row;
    const value = this.index.value(item);
    switch (item.type) {
      case "user":
      case "assistant":
        return this.message(row, shown, value);
      case "reasoning":
        return this.reasoning(row, shown, value);
      case "tool-call":
        return this.call(row, shown, value);
      case "tool-result":
        return el(
          "div", "",
          heading("call", el("span", "name", "Result"), item["call-id"] && el("span", "id", item["call-id"]), badge(row.end)),
          this.result(item, shown),
        );
      default:
        return this.event(row, shown, value);
    }
  }

  message(row, shown, value) {
    const { item } = row;
    const author = textMember(item.notes, "author");
    const who = AUTHORS.get(author) ?? (item.type === "user" ? "User" : author === undefined ? "Agent" : "Program");
    const content = value.get("content");
    const isLong = row.kind === "note";
    const head = heading(
      "", el("span", "who", who), item["model-id"] && el("span", "id", item["model-id"]),
      member(item.notes, "local-command") === true && el("span", "id", "local command"),
    );
    if (content === undefined || content === null || content === "") return el("div", "", head, el("p", "nothing", "no content"));
    if (isLong) return el("div", "", head, this.fold(row, shown, summaryOf(content), () => renderContent(shown, content, item)));
    return el("div", "", head, renderContent(shown, content, item));
  }

  // A part that is folded to one line at first.
  fold(row, shown, summary, render) {
    const slot = shown.next();
    const isOpen = shown.state(slot) === true || row.isPrinted;
    const toggle = button("fold", `${isOpen ? "\u25be" : "\u25b8"} ${summary}`, () => shown.set(slot, !isOpen));
    toggle.setAttribute("aria-expanded", String(isOpen));
    return el("div", "folded", toggle, isOpen && render());
  }

  reasoning(row, shown, value) {
    const content = value.get("content");
    const text = textsOf(content).join("\n");
    const subject = row.item.subject ?? textMember(value, "subject");
    const isEncrypted = typeof value.get("encrypted") === "string";
    if (text.trim() === "") {
      return heading("reasoning", el("span", "who", "Reasoning"), el("span", "id", isEncrypted ? "encrypted" : "without text"));
    }
    const summary = `Reasoning, ${plural(text.length, "character")}${subject ? `: ${firstLine(subject, 80)}` : ""}`;
    return this.fold(row, shown, summary, () => renderContent(shown, content, row.item));
  }

  call(row, shown, value) {
    const { item } = row;
    const own = row.computed.get(item.path) ?? {};
    let input = value.get("input");
    // Some agents log the input as the text of an object.
    if (typeof input === "string" && /^\s*\{/.test(input)) {
      try {
        input = json.parseText(input);
      } catch {
        // It only begins like one.
      }
    }
    const icon = titled(el("span", `icon ${row.category}`, ICONS.get(row.category)), row.category);
    labelled(icon, row.category);
    const delegated = textMember(item.notes, "delegated-to");
    const without = [];
    const head = heading("call", icon, el("span", "name", item.name ?? "tool"), this.target(row, own, input, without), badge(row.end),
      delegated !== undefined && el("span", "id", `started ${delegated}`));
    const parts = [head];
    if (own.command !== undefined) {
      const isSigned = containsText(input, own.command);
      const line = renderText(shown, own.command, { tag: "pre", name: "command", lines: 12, characters: 2000 });
      parts.push(el("div", "commandline", line, !isSigned && computedMark()));
      if (isSigned && input instanceof Map) {
        for (const [key, one] of input) if (containsText(one, own.command)) without.push(key);
      }
    }
    if (input instanceof Map) {
      if (input.size > without.length) parts.push(this.input(row, shown, input, without));
    } else if (!(own.command !== undefined && containsText(input, own.command)) && input !== null) {
      parts.push(renderValue(shown, input));
    }
    return el("div", "", parts, this.results(item, shown));
  }

  // What a call is about, on its first line. A member of the input that says just that is added to
  // `without`.
  target(row, own, input, without) {
    const { item } = row;
    const parts = [];
    if (own.paths?.length === 1 && own.host === undefined && input instanceof Map) {
      const same = Array.from(input).find(([, one]) => one === own.paths[0]);
      if (same) {
        without.push(same[0]);
        return titled(el("span", "target signed", same[1]), `${same[0]} of the input.`);
      }
    }
    if (own.paths?.length > 0) parts.push(own.paths.slice(0, 3).join(", ") + (own.paths.length > 3 ? ` and ${own.paths.length - 3} more` : ""));
    if (own.host !== undefined) parts.push(own.host);
    if (parts.length === 0) return item["call-id"] && el("span", "id", item["call-id"]);
    return titled(el("span", "target", parts.join(" ")), `${parts.join(" ")}\nComputed by vac from the input.`);
  }

  // The input of a call: short members at once, long ones folded.
  input(row, shown, input, without) {
    const left = Array.from(input).filter(([key]) => !without.includes(key));
    const isSmall = left.every(([, one]) => isShort(one)) && left.length <= 4;
    if (isSmall || editOf(input) || left.some(([, one]) => typeof one === "string" && isPatch(one)) || row.category === "Edit") {
      return renderMembers(shown, input, { prose: false, depth: 1 }, without);
    }
    const summary = left.map(([key, one]) => `${key}: ${isShort(one) ? (typeof one === "string" ? one : pretty(one)) : "\u2026"}`).join(", ");
    return this.fold(row, shown, firstLine(summary, 140), () => renderMembers(shown, input, { prose: false, depth: 1 }, without));
  }

  // The results of a call: most have one.
  results(item, shown) {
    const slot = shown.next();
    const count = shown.state(slot) ?? MAX_RESULTS;
    const rest = item.results.length - count;
    return [
      item.results.slice(0, count).map((result) => this.result(result, shown)),
      rest > 0 && button("more", `show ${plural(Math.min(rest, MAX_RESULTS), "more result")} of ${grouped(rest)}`, () => shown.set(slot, count + MAX_RESULTS)),
    ];
  }

  result(item, shown) {
    const output = this.index.value(item).get("output");
    const nothing = output === undefined || output === null || output === "" || (Array.isArray(output) && output.length === 0);
    return el("div", "result", nothing ? el("p", "nothing", "no output") : renderValue(shown, output));
  }

  event(row, shown, value) {
    const { item } = row;
    const permission = member(item.notes, "permission");
    const words = permission instanceof Map
      ? `permission ${textMember(permission, "decision") ?? ""}${permission.get("by") ? ` by ${textMember(permission, "by")}` : ""}${permission.get("what") ? `: ${textMember(permission, "what")}` : ""}`
      : undefined;
    const reason = textMember(item.notes, "reason");
    const data = value.get("data");
    const rest = new Map(Array.from(value).filter(([key]) => !["type", "event-type", "timestamp", "id", "children", "vac", "data"].includes(key)));
    const all = data instanceof Map ? new Map([...data, ...rest]) : rest;
    const name = `${item["event-type"] ?? item.type ?? "entry"}${words ? ` \u2014 ${words}` : ""}${reason ? ` \u2014 not parsed: ${reason}` : ""}`;
    if (all.size === 0) return el("div", "head event", name);
    return this.fold(row, shown, name, () => renderMembers(shown, all, { prose: false, depth: 1 }));
  }

  // The exact source of an entry and of its results.
  raw(row, shown) {
    const items = [row.item, ...row.item.results.slice(0, MAX_RESULTS)];
    const around = row.item.parent;
    if (around) items.push(around);
    return el(
      "div", "source",
      items.map((item) => {
        const [start, end] = this.index.range(item);
        const how = this.index.reader === json ? "exact source" : "CBOR in words";
        const name = item === around ? "inside " : "";
        return el(
          "div", "",
          el("div", "pointer", el("code", "", `${name}${item.pointer}`), ` bytes ${grouped(start)} to ${grouped(end)} (${sizeText(end - start)}), ${how}`),
          item === around
            ? this.fold(row, shown, "the entry around it", () => renderText(shown, this.index.source(item), { tag: "pre", name: "code", lines: 60, characters: 8000 }))
            : renderText(shown, this.index.source(item), { tag: "pre", name: "code", lines: 60, characters: 8000 }),
        );
      }),
    );
  }

  group(row) {
    const element = el("article", "row group");
    const calls = row.rows.filter((one) => one.kind === "call");
    const failures = calls.filter((one) => one.isFailure).length;
    const toggle = button(
      "fold", `${row.isOpen ? "\u25be" : "\u25b8"} Subagent ${beginning(row.subagent, 60)}`,
      () => this.list.toggleGroup(row),
    );
    toggle.setAttribute("aria-expanded", String(row.isOpen));
    const first = row.rows.find((one) => !Number.isNaN(one.item.time));
    return append(element, [
      el("span", "time", first ? clock(first.item.time) : ""),
      el("div", "body", toggle, el("span", "id", `${plural(row.rows.length, "entry", "entries")}, ${plural(calls.length, "call")}${failures ? `, ${failures} failed` : ""}`)),
    ]);
  }
}

// Returns the texts of a content, without images and other blocks.
const textsOf = (content) => {
  if (typeof content === "string") return [content];
  if (Array.isArray(content)) return content.flatMap(textsOf);
  if (content instanceof Map) {
    const text = content.get("text");
    return typeof text === "string" ? [text] : [];
  }
  return [];
};

const summaryOf = (content) => firstLine(textsOf(content).join(" ") || pretty(content).replace(/\s+/g, " "), 140);
