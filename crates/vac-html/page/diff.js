// Differences of two texts, by line, and edits in the input of tools.

// The most pairs of lines that are compared. Above it a change is shown as a whole.
const MAX_PAIRS = 1_000_000;

// Returns the runs of lines of a difference: [mark, lines] with the marks " ", "-" and "+".
const diffLines = (before, after) => {
  // A line end that both have at their end is not a line.
  const isEnded = before.endsWith("\n") && after.endsWith("\n");
  const a = (isEnded ? before.slice(0, -1) : before).split("\n");
  const b = (isEnded ? after.slice(0, -1) : after).split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const runs = [];
  const push = (mark, line) => {
    const last = runs.at(-1);
    if (last?.[0] === mark) last[1].push(line);
    else runs.push([mark, [line]]);
  };
  a.slice(0, start).forEach((line) => push(" ", line));
  const left = a.slice(start, endA);
  const right = b.slice(start, endB);
  if (left.length * right.length > MAX_PAIRS) {
    left.forEach((line) => push("-", line));
    right.forEach((line) => push("+", line));
  } else {
    const width = right.length + 1;
    // The lengths of the longest common subsequences of the ends of both.
    const common = new Uint32Array((left.length + 1) * width);
    for (let i = left.length - 1; i >= 0; i -= 1) {
      for (let j = right.length - 1; j >= 0; j -= 1) {
        common[i * width + j] =
          left[i] === right[j]
            ? common[(i + 1) * width + j + 1] + 1
            : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
      }
    }
    let i = 0;
    let j = 0;
    while (i < left.length || j < right.length) {
      if (i < left.length && j < right.length && left[i] === right[j]) {
        push(" ", left[i]);
        i += 1;
        j += 1;
      } else if (j >= right.length || (i < left.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
        push("-", left[i]);
        i += 1;
      } else {
        push("+", right[j]);
        j += 1;
      }
    }
  }
  a.slice(endA).forEach((line) => push(" ", line));
  return runs;
};

// Returns the runs of a patch: unified, or between *** Begin Patch and *** End Patch.
const patchLines = (text) => {
  const runs = [];
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const isHead = /^(\*\*\*|---|\+\+\+|@@|diff |index )/.test(line);
    const mark = isHead ? "@" : line[0] === "+" || line[0] === "-" ? line[0] : " ";
    const shown = mark === "+" || mark === "-" ? line.slice(1) : mark === " " ? line.replace(/^ /, "") : line;
    const last = runs.at(-1);
    if (last?.[0] === mark) last[1].push(shown);
    else runs.push([mark, [shown]]);
  }
  return runs;
};

const isPatch = (text) =>
  /^\*\*\* Begin Patch/m.test(beginning(text, 4000)) || /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m.test(beginning(text, 4000));

// Names of members of an input that contain a text before and after an edit.
const EDITS = [
  ["old_string", "new_string"], ["oldString", "newString"], ["old_str", "new_str"],
  ["old_text", "new_text"], ["oldText", "newText"],
];

// Returns the edit of a map, and the keys that it consists of.
const editOf = (map) => {
  for (const [before, after] of EDITS) {
    const [a, b] = [map.get(before), map.get(after)];
    if (typeof a === "string" && typeof b === "string") return { keys: [before, after], runs: diffLines(a, b) };
  }
  return undefined;
};

const countLines = (runs, mark) => runs.reduce((sum, [one, lines]) => sum + (one === mark ? lines.length : 0), 0);
