// The head of the page: what the record states about its session, and what vac computed.

const fact = (name, ...values) => {
  const shown = values.flat().filter((value) => value !== undefined && value !== "");
  return shown.length > 0 ? [el("dt", "", name), el("dd", "", shown)] : [];
};

// Shows a list whose rest is folded.
const folded = (summary, ...children) => {
  const details = el("details", "", el("summary", "", summary));
  return append(details, children);
};

const title = (rows, index) => {
  for (const row of rows) {
    if (row.kind !== "prompt" || member(row.item.notes, "local-command") === true || row.isInherited) continue;
    const text = textsOf(index.value(row.item).get("content")).join(" ").trim();
    if (text !== "") return firstLine(text, 140);
  }
  return "Agent session";
};

const renderHeader = (section, index, rows, computed) => {
  const { head } = index;
  const session = member(head, "session");
  const meta = member(session, "agent-meta");
  const environment = member(session, "environment");
  const facts = computed.facts ?? {};
  const models = member(meta, "models");
  const names = [textMember(meta, "model-id"), ...(Array.isArray(models) ? models : [])].filter((one) => typeof one === "string");
  const vcs = member(head, "vcs") ?? member(environment, "vcs");
  const time = (key) => {
    const stated = timeOf(member(session, key));
    return Number.isNaN(stated) ? undefined : `${new Date(stated).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  };
  const [start, end] = [timeOf(member(session, "session-start")), timeOf(member(session, "session-end"))];
  // The day of the end only matters if it is another one.
  const until = () => (time("session-end").slice(0, 10) === time("session-start").slice(0, 10) ? clock(end) : time("session-end"));
  const id = member(session, "session-id");
  const recorder = member(head, "recording-agent");
  const named = (map, ...keys) => keys.map((key) => textMember(map, key)).filter(Boolean).join(" ");
  const stated = member(recorder, "labels");
  const labels = stated instanceof Map ? [...stated].filter((one) => one.every((text) => typeof text === "string")) : [];
  section.replaceChildren(
    el("h1", "", title(rows, index)),
    el(
      "dl", "facts",
      fact("Session", el("code", "", typeof id === "string" ? id : pretty(id ?? null))),
      fact("Agent", named(meta, "cli-name", "cli-version") || facts.agent),
      fact("Models", [...new Set(names)].slice(0, 12).join(", "), textMember(meta, "model-provider") && el("span", "id", ` ${textMember(meta, "model-provider")}`)),
      fact("Project", textMember(environment, "working-dir") && el("code", "", textMember(environment, "working-dir")), vcs instanceof Map && el("span", "id", ` ${named(vcs, "type", "branch", "revision")}`)),
      fact("Time", time("session-start"), end > start && el("span", "id", ` ${durationText(end - start)}, until ${until()}`)),
      fact("Recorded by", named(recorder, "name", "version")),
      fact("Labels", labels.map(([key, value]) => `${key}=${value}`).join(", ")),
    ),
  );
  append(byId("cards"), [renderTokens(facts.tokens, facts.cost), renderTools(facts), renderSources(member(recorder, "sources"))]);
  document.title = `${visibleLine(title(rows, index))} - vac`;
};

const BUCKETS = [["input", "input"], ["cache-read", "cache read"], ["cache-write", "cache write"], ["output", "output"]];

const renderTokens = (tokens, cost) => {
  if (!tokens) return undefined;
  const total = Math.max(1, tokens.total ?? 0);
  const bar = svg("svg", { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" });
  let x = 0;
  const rows = BUCKETS.filter(([key]) => tokens[key] > 0).map(([key, words]) => {
    const width = (100 * tokens[key]) / total;
    bar.append(svg("rect", { class: key, x, y: 0, width, height: 6 }));
    x += width;
    return el("li", "", el("span", `dot ${key}`), `${words} `, el("b", "", grouped(tokens[key])), key === "output" && tokens.reasoning > 0 ? ` (reasoning ${grouped(tokens.reasoning)})` : "");
  });
  return el(
    "section", "card",
    el("h2", "", `${grouped(tokens.total ?? 0)} tokens `, computedMark()),
    bar, el("ul", "", rows),
    cost !== undefined && el("p", "id", `cost stated by the log: ${cost}`),
  );
};

const renderTools = (facts) => {
  const tools = facts.tools ?? [];
  if (tools.length === 0) return undefined;
  const row = (tool) =>
    el("li", "", el("span", `icon ${tool.category}`, ICONS.get(tool.category) ?? ""), `${beginning(tool.tool, 60)} `, el("b", "", grouped(tool.calls)),
      tool.errors > 0 && el("span", "bad", ` ${grouped(tool.errors)} failed`), tool.cancelled > 0 && el("span", "id", ` ${grouped(tool.cancelled)} cancelled`));
  const sorted = tools.toSorted((a, b) => b.calls - a.calls);
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  const failed = facts["tool-errors"] ?? 0;
  return el(
    "section", "card",
    el("h2", "", plural(calls, "call"), failed > 0 && el("span", "bad", `, ${grouped(failed)} failed`), " ", computedMark()),
    el("ul", "", sorted.slice(0, 6).map(row)),
    sorted.length > 6 && folded(`${sorted.length - 6} more`, el("ul", "", sorted.slice(6, 60).map(row))),
    el("p", "id", `ended: ${facts.ended}`),
  );
};

const renderSources = (sources) => {
  if (!Array.isArray(sources) || sources.length === 0) return undefined;
  const row = (source) =>
    el("li", "", el("code", "", textMember(source, "name") ?? "?"), ` ${sizeText(numberMember(source, "size") ?? 0)}`, el("code", "hash", textMember(source, "sha-256") ?? ""));
  return el(
    "section", "card",
    el("h2", "", plural(sources.length, "source")),
    el("ul", "sources", sources.slice(0, 2).map(row)),
    sources.length > 2 && folded(`${sources.length - 2} more`, el("ul", "sources", sources.slice(2, 60).map(row)), sources.length > 60 && el("p", "id", `and ${sources.length - 60} more, which are in the record`)),
  );
};
