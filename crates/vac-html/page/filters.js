// Which rows are shown.

class Filters {
  constructor(rows, list, panel, count) {
    this.rows = rows;
    this.list = list;
    this.panel = panel;
    this.count = count;
    this.reset();
  }

  reset() {
    this.kinds = new Set(KINDS.keys());
    this.categories = new Set(CATEGORIES);
    this.failuresOnly = false;
    this.subagent = "all";
    this.events = false;
    this.superseded = false;
    this.duplicates = false;
    this.inherited = false;
  }

  accepts(row) {
    if (row.superseded !== undefined && !this.superseded) return false;
    if (row.isDuplicate && !this.duplicates) return false;
    if (row.isInherited && !this.inherited) return false;
    if (!this.kinds.has(row.kind) || (!row.isNotable && !this.events)) return false;
    if (row.kind === "call" && !this.categories.has(row.category)) return false;
    if (this.failuresOnly && !row.isFailure) return false;
    if (this.subagent === "main") return row.subagent === undefined;
    return this.subagent === "all" || row.subagent === this.subagent.slice(3);
  }

  apply() {
    const { selected } = this.list;
    this.list.filter((row) => this.accepts(row), this.subagent.startsWith("id:"));
    this.render();
    if (selected && this.list.visible[selected.at] === selected) this.list.show(selected);
  }

  // Changes the filters so that a row is shown.
  reveal(row) {
    if (!this.accepts(row)) {
      const { superseded, duplicates, inherited } = this;
      this.reset();
      this.superseded = superseded || row.superseded !== undefined;
      this.duplicates = duplicates || row.isDuplicate;
      this.inherited = inherited || row.isInherited;
      this.events = !row.isNotable;
      this.apply();
    }
    this.list.reveal(row);
  }

  render() {
    const total = this.rows.length;
    const shown = this.rows.filter((row) => this.accepts(row)).length;
    this.count.textContent = shown === total ? plural(total, "entry", "entries") : `${grouped(shown)} of ${plural(total, "entry", "entries")}`;
    const focused = [...this.panel.querySelectorAll("button, select")].indexOf(document.activeElement);
    this.panel.replaceChildren(
      this.set("Show", KINDS, this.kinds, (row) => row.kind, (row) => row.kind),
      this.set("Calls", new Map(CATEGORIES.map((name) => [name, name])), this.categories, (row) => row.category, undefined),
      el(
        "div", "chips",
        el("span", "label", "Only"),
        this.toggle("failures", "failuresOnly", (row) => row.isFailure),
        this.subagents(),
      ),
      el(
        "div", "chips",
        el("span", "label", "Also"),
        this.toggle("superseded", "superseded", (row) => row.superseded !== undefined),
        this.toggle("repeated", "duplicates", (row) => row.isDuplicate),
        this.toggle("from another session", "inherited", (row) => row.isInherited),
        this.toggle("all events", "events", (row) => !row.isNotable),
        button("plain", "Reset", () => {
          this.reset();
          this.apply();
        }),
      ),
    );
    if (focused >= 0) this.panel.querySelectorAll("button, select")[focused]?.focus({ preventScroll: true });
  }

  // Chips for a set of names of which some are selected.
  set(title, names, selected, nameOf) {
    const counts = new Map();
    for (const row of this.rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
    const chips = Array.from(names).filter(([name]) => counts.get(name) > 0);
    if (chips.length === 0) return el("div", "");
    return el(
      "div", "chips",
      el("span", "label", title),
      chips.map(([name, words]) =>
        this.chip(words, counts.get(name), selected.has(name), (event) => {
          // With a modifier key, only this one.
          if (event.ctrlKey || event.metaKey || event.shiftKey) {
            const isOnly = selected.size === 1 && selected.has(name);
            selected.clear();
            (isOnly ? Array.from(names.keys()) : [name]).forEach((one) => selected.add(one));
          } else if (selected.has(name)) selected.delete(name);
          else selected.add(name);
          this.apply();
        }),
      ),
    );
  }

  chip(words, count, isPressed, onClick) {
    const chip = button("chip", words, onClick);
    chip.setAttribute("aria-pressed", String(isPressed));
    chip.append(el("span", "count", grouped(count)));
    return chip;
  }

  toggle(words, name, isOne) {
    const count = this.rows.filter(isOne).length;
    return this.chip(words, count, this[name], () => {
      this[name] = !this[name];
      this.apply();
    });
  }

  subagents() {
    const ids = new Map();
    for (const row of this.rows) if (row.subagent !== undefined) ids.set(row.subagent, (ids.get(row.subagent) ?? 0) + 1);
    if (ids.size === 0) return undefined;
    const select = labelled(el("select", ""), "Subagent");
    const option = (value, words) => {
      const one = el("option", "", words);
      one.value = value;
      one.selected = value === this.subagent;
      select.append(one);
    };
    option("all", "main agent and subagents");
    option("main", "main agent");
    for (const [id, count] of Array.from(ids).slice(0, 200)) option(`id:${id}`, `subagent ${beginning(id, 40)} (${count})`);
    select.addEventListener("change", () => {
      this.subagent = select.value;
      this.apply();
    });
    return select;
  }
}
