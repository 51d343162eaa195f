// Records that the tests need and that no fixture has: one with hostile content, and large ones.

const record = (entries, session = {}, more = {}) => ({
  version: "3.0.0-draft",
  id: "browser-test",
  session: {
    "session-id": "browser-test",
    "session-start": "2026-02-03T10:00:00Z",
    "session-end": "2026-02-03T11:00:00Z",
    "agent-meta": { "model-id": "model-1", "model-provider": "provider", "cli-name": "kiln", "cli-version": "1.0" },
    environment: { "working-dir": "/home/ada/kiln" },
    entries,
    ...session,
  },
  ...more,
});

// Texts that would do something if a page treated them as anything but text. Each of them sets
// `window.harmed` or opens a connection.
export const HOSTILE = [
  "</template></script><script>window.harmed = 1</script>",
  "<img src=x onerror=\"window.harmed = 2\">",
  "<svg onload=\"window.harmed = 3\"><script>window.harmed = 4</script></svg>",
  "javascript:window.harmed=5",
  "<iframe srcdoc=\"<script>parent.harmed = 6</script>\"></iframe>",
  "<base href=\"https://attacker.example/\"><form action=https://attacker.example/><input autofocus onfocus=\"window.harmed = 7\"></form>",
  "<!--<script>window.harmed = 8</script>-->",
  "]]><style>@import 'https://attacker.example/a.css';</style>",
  "<meta http-equiv=refresh content=\"0;url=https://attacker.example/\">",
  "{{constructor.constructor('window.harmed = 9')()}} ${window.harmed = 10}",
  "<a href=\"javascript:window.harmed=11\" id=list name=query>click</a>",
  "<object data=\"data:text/html,<script>parent.harmed = 12</script>\"></object>",
];
// Right-to-left override, isolates, zero width, escape sequences, separators, a tag character.
export const BIDI = "abc\u202egpj.exe\u2066x\u2069\u200b\u200f\u061c\u001b[31mred\u0007\u0000\u009b\u2028\u2029\ufeff\u{e0041}end";

export const hostileRecord = () => {
  const entries = [];
  HOSTILE.forEach((text, number) => {
    const time = `2026-02-03T10:${String(number).padStart(2, "0")}:00Z`;
    entries.push({ type: "user", content: text, id: text, timestamp: time, "model-id": text });
    entries.push({ type: "assistant", content: [{ type: "text", text }, { type: text, text, [text]: text }, { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: btoa("<svg xmlns='http://www.w3.org/2000/svg' onload='window.harmed=20'/>") } }], timestamp: time, "model-id": text });
    entries.push({ type: "reasoning", content: text, subject: text });
    entries.push({ type: "tool-call", name: text, "call-id": text, input: { [text]: text, command: text, old_string: text, new_string: `${text}\n${text}`, url: `javascript:window.harmed=21`, image: "data:image/svg+xml;base64,PHN2Zy8+", picture: `data:image/png;base64,"onerror="window.harmed=22` } });
    entries.push({ type: "tool-result", "call-id": text, output: text, status: text, vac: { outcome: "error" } });
    entries.push({ type: "system-event", "event-type": text, data: { [text]: text, error: text } });
    entries.push({ type: "user", content: text, vac: { author: "hook", subagent: { id: text, "call-id": text } } });
  });
  // Keys that are names of JavaScript objects, as text: JSON.stringify would leave one out.
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then", "length", "innerHTML"];
  const map = `{${names.map((name) => `"${name}": {"polluted": "yes", "get": 1}`).join(", ")}}`;
  const last = [
    `{"type": "tool-call", "name": "__proto__", "call-id": "__proto__", "input": ${map}, "__proto__": {"type": "user"}, "constructor": 1}`,
    `{"type": "tool-result", "call-id": "__proto__", "output": ${map}}`,
    `{"type": "user", "content": ${map}, "vac": {"author": "constructor"}}`,
    `{"type": "assistant", "content": ${JSON.stringify(BIDI)}, "id": ${JSON.stringify(BIDI)}}`,
    `{"type": "assistant", "content": "half \\ud83d pair", "timestamp": 18446744073709551615}`,
    `{"type": "tool-call", "name": ${JSON.stringify(BIDI)}, "input": {"deep": ${"[".repeat(200)}1e400${"]".repeat(200)}, "big": 123456789012345678901234567890, "exact": 1.0}}`,
    // A bomb for whoever renders every element.
    `{"type": "tool-result", "output": [${Array.from({ length: 5000 }, (_, n) => `{"a${n}": ["x\\ny", {"b": [${n}]}]}`).join(",")}]}`,
  ];
  const text = JSON.stringify(
    record([...entries, "LAST"], { "session-id": HOSTILE[0], environment: { "working-dir": HOSTILE[1] } }, {
      id: HOSTILE[0],
      "recording-agent": { name: HOSTILE[2], version: BIDI, sources: [{ name: HOSTILE[1], size: 1, "sha-256": HOSTILE[0] }] },
    }),
  );
  return text.replace('"LAST"', last.join(","));
};

// A valid record that is large in every direction in which a page could be slow: children of one
// entry, results of one call, subagents, lines of an edit and of a patch, words of a name.
export const wideRecord = (count) => {
  const times = (one) => Array.from({ length: count }, (_, number) => one(number));
  const lines = (word) => times((number) => `${word} ${number}`).join("\n");
  return JSON.stringify(record([
    { type: "user", content: `${"wide ".repeat(count)}`, vac: { author: "user" } },
    { type: "assistant", content: "many thoughts", children: times((number) => ({ type: "reasoning", content: `thought ${number}` })) },
    { type: "tool-call", name: "many".repeat(count), "call-id": "c1", input: Object.fromEntries(times((number) => [`key ${number}`, number])) },
    ...times((number) => ({ type: "tool-result", "call-id": "c1", output: `result ${number}` })),
    { type: "tool-call", name: "Edit", "call-id": "c2", input: { old_string: lines("old"), new_string: lines("new") } },
    { type: "tool-call", name: "Patch", "call-id": "c3", input: `*** Begin Patch\n${times((number) => `${number % 2 ? "+" : "-"}line`).join("\n")}` },
    ...times((number) => ({ type: "assistant", content: `helper ${number}`, vac: { subagent: { id: `helper-${number}` } } })),
  ], { "agent-meta": { "model-id": "m", "model-provider": "p", models: times((number) => `model ${number}`) } },
  { "recording-agent": { name: "vac", sources: times((number) => ({ name: `source ${number}`, size: number, "sha-256": "00".repeat(32) })) } }));
};

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

// A record with one entry of everything that a page treats specially.
export const variedRecord = () => {
  const lines = (count, word) => Array.from({ length: count }, (_, number) => `${word} ${number}`).join("\n");
  const at = (minute) => `2026-02-03T10:${String(minute).padStart(2, "0")}:00Z`;
  const entries = [
    { type: "user", content: "Please fire the kiln to cone 6.", timestamp: at(0), vac: { author: "user" } },
    { type: "user", content: "A reminder by the program.", timestamp: at(0), vac: { author: "program" } },
    { type: "assistant", timestamp: at(1), content: [{ type: "thinking", thinking: "secret thought" }, { type: "text", text: "I will look.\n```sh\nls kiln\n```\nThen fire." }, { type: "tool_use", name: "Bash", input: {} }], vac: { usage: { input: 120, output: 40, "cache-read": 900 } }, children: [
      { type: "reasoning", content: "secret thought about glaze", timestamp: at(1) },
      { type: "tool-call", name: "Bash", "call-id": "c1", input: { command: "kiln --status" }, timestamp: at(1), vac: { action: { tool: "shell_exec", category: "Execute" } } }] },
    { type: "user", timestamp: at(2), content: [{ type: "tool_result", content: "cold" }], children: [
      { type: "tool-result", "call-id": "c1", output: `cold\n${lines(300, "sensor")}`, timestamp: at(2), vac: { outcome: "error", "exit-code": 3 } }] },
    { type: "tool-call", name: "Edit", "call-id": "c2", input: { file_path: "kiln.toml", old_string: "cone = 5\nrate = 1\n", new_string: "cone = 6\nrate = 1\n" }, timestamp: at(3), vac: { action: { tool: "file_edit", category: "Edit" }, outcome: "success" } },
    { type: "tool-call", name: "apply_patch", "call-id": "c3", input: "*** Begin Patch\n*** Update File: a.rs\n@@\n-old line\n+new line\n*** End Patch", timestamp: at(4), vac: { action: { tool: "file_edit", category: "Edit" } } },
    { type: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }, { type: "text", text: "Look at this." }], timestamp: at(5), vac: { author: "user" } },
    { type: "system-event", "event-type": "system/compact_boundary", data: { trigger: "auto" }, timestamp: at(6) },
    { type: "system-event", "event-type": "heartbeat", data: { beat: 1 }, timestamp: at(6) },
    { type: "assistant", content: "A superseded answer.", timestamp: at(7), vac: { superseded: { how: "rewound" } } },
    { type: "assistant", content: "A repeated answer.", timestamp: at(7), vac: { "duplicate-of": "x" } },
    ...[1, 2, 3].map((number) => ({ type: "assistant", content: `Subagent says ${number}.`, timestamp: at(8), vac: { subagent: { id: "helper-1" } } })),
    { type: "tool-call", name: "Grep", "call-id": "c4", input: { pattern: "glaze" }, timestamp: at(8), vac: { subagent: { id: "helper-1" }, action: { tool: "file_search", category: "Search" }, outcome: "error" } },
    { type: "assistant", content: "The kiln is hot: caf\u00e9 \"quoted\" needle-in-haystack.", timestamp: at(9) },
    { type: "assistant", content: `${lines(200, "log")}\nneedle-at-the-end`, timestamp: at(10), vac: { usage: { input: 10, output: 400 } } },
  ];
  return JSON.stringify(record(entries, {}, { "recording-agent": { name: "vac", version: "0.1.0", sources: [{ name: "session.jsonl", size: 1234, "sha-256": "00".repeat(32) }] } }));
};

// A record of about this many bytes and entries, as sessions are: most of it is output of tools.
export const largeRecord = (size, count) => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  const words = Array.from({ length: 4000 }, () => Array.from({ length: 2 + Math.floor(random() * 9) }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join(""));
  // Output of tools repeats itself: whole lines, with other numbers.
  const lines = Array.from({ length: 200 }, () => Array.from({ length: 4 + Math.floor(random() * 12) }, () => words[Math.floor(random() ** 3 * words.length)]).join(" "));
  const text = (length) => {
    let all = "";
    while (all.length < length) all += `${lines[Math.floor(random() ** 2 * lines.length)]} ${Math.floor(random() * 1000)}\n`;
    return all;
  };
  const each = Math.floor(size / count);
  const parts = [];
  for (let number = 0; number < count; number += 1) {
    const time = new Date(Date.UTC(2026, 1, 3) + number * 7000).toISOString();
    const kind = number % 4;
    if (number % 100 === 0) parts.push({ type: "user", content: text(200), timestamp: time, vac: { author: "user" } });
    else if (kind === 1) parts.push({ type: "assistant", content: text(300), timestamp: time, vac: { usage: { input: 1000, output: 100, "cache-read": 50000 } } });
    else if (kind === 2) parts.push({ type: "tool-call", name: "Bash", "call-id": `c${number}`, input: { command: text(80) }, timestamp: time, vac: { action: { tool: "shell_exec", category: "Execute" } } });
    else if (kind === 3) parts.push({ type: "tool-result", "call-id": `c${number - 1}`, output: text(each * 3), timestamp: time, vac: { outcome: random() < 0.1 ? "error" : "success" } });
    else parts.push({ type: "reasoning", content: text(each / 4), timestamp: time });
  }
  return JSON.stringify(record(parts));
};
