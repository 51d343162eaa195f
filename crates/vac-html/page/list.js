// A list of rows of which only those near the visible part of the window are in the document.

// Pixels above and below the window for which rows are rendered.
const MARGIN = 400;
// The greatest height of an element that all browsers support is a little more than this. A
// longer list is scrolled faster than the window.
const MAX_HEIGHT = 8_000_000;
// The number of rows that are printed, and of characters after which texts stay folded and cut.
const MAX_PRINTED = 1500;
const MAX_PRINTED_TEXT = 1_000_000;
const ESTIMATES = { prompt: 100, answer: 110, reasoning: 40, call: 130, note: 64, event: 40 };

class List {
  constructor(container, index, rows) {
    this.container = container;
    this.rows = rows;
    this.renderer = new RowRenderer(index, this);
    this.visible = [];
    this.offsets = new Float64Array(1);
    this.elements = new Map();
    this.selected = undefined;
    this.accepts = () => true;
    this.isFlat = false;
    this.onRendered = () => {};
    this.observer = new ResizeObserver(() => this.measure() && this.schedule());
    addEventListener("scroll", () => this.schedule(), { passive: true });
    addEventListener("resize", () => this.schedule());
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  // Shows the rows that a filter accepts.
  filter(accepts, isFlat) {
    this.accepts = accepts;
    this.isFlat = isFlat;
    this.rebuild();
  }

  rebuild() {
    this.visible = [];
    let group;
    for (const row of this.rows) {
      if (!this.accepts(row)) continue;
      if (row.subagent === undefined || this.isFlat) {
        group = undefined;
      } else {
        if (group?.subagent !== row.subagent) {
          row.group ??= new GroupRow(row.subagent);
          group = row.group;
          group.rows = [];
          this.visible.push(group);
        }
        group.rows.push(row);
        row.inGroup = group;
        if (!group.isOpen && !this.isPrinting) continue;
      }
      row.at = this.visible.length;
      this.visible.push(row);
    }
    this.visible.forEach((row, at) => {
      row.at = at;
    });
    this.clear();
    this.layout();
    this.place();
  }

  clear() {
    for (const element of this.elements.values()) {
      this.observer.unobserve(element);
      element.remove();
    }
    this.elements.clear();
  }

  // Computes the offset of every row.
  layout() {
    const { visible } = this;
    if (this.offsets.length !== visible.length + 1) this.offsets = new Float64Array(visible.length + 1);
    let offset = 0;
    for (let at = 0; at < visible.length; at += 1) {
      this.offsets[at] = offset;
      offset += visible[at].height ?? ESTIMATES[visible[at].kind] ?? 44;
    }
    this.offsets[visible.length] = offset;
    this.container.style.height = `${Math.min(offset, MAX_HEIGHT)}px`;
  }

  get total() {
    return this.offsets[this.visible.length];
  }

  // How many pixels of the list one pixel of the window scrolls.
  get scale() {
    const height = innerHeight;
    return this.total <= MAX_HEIGHT ? 1 : (this.total - height) / (MAX_HEIGHT - height);
  }

  // Returns the pixels of the container above the window, and the pixels of the list.
  position() {
    const local = -this.container.getBoundingClientRect().top;
    return [local, local > 0 ? local * this.scale : local];
  }

  // Returns the row at an offset.
  rowAt(offset) {
    let low = 0;
    let high = this.visible.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offsets[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  schedule() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => {
      this.isScheduled = false;
      this.place();
    });
  }

  // Puts the rows near the window into the document.
  place() {
    if (this.isPrinting || this.visible.length === 0) return;
    // Rows whose height was only estimated move those below them.
    for (let round = 0; round < 4; round += 1) {
      const [, top] = this.position();
      const first = this.rowAt(top - MARGIN);
      const last = this.rowAt(top + innerHeight + MARGIN);
      for (const [row, element] of this.elements) {
        if (row.at < first || row.at > last || this.visible[row.at] !== row) {
          this.observer.unobserve(element);
          element.remove();
          this.elements.delete(row);
        }
      }
      for (let at = first; at <= last; at += 1) this.insert(this.visible[at]);
      if (!this.measure()) break;
    }
    this.arrange();
    this.onRendered();
  }

  insert(row) {
    if (this.elements.has(row)) return;
    const element = this.renderer.render(row);
    element.setAttribute("aria-posinset", row.at + 1);
    element.setAttribute("aria-setsize", this.visible.length);
    element.tabIndex = -1;
    if (row === this.selected) this.mark(element);
    element.addEventListener("click", () => this.select(row));
    this.elements.set(row, element);
    const next = [...this.elements.keys()].filter((one) => one.at > row.at).sort((a, b) => a.at - b.at)[0];
    this.container.insertBefore(element, next ? this.elements.get(next) : null);
    this.observer.observe(element);
  }

  // Reads the heights of the rows in the document. Returns whether one has changed. The first row
  // in the window stays where it is.
  measure() {
    const [local, top] = this.position();
    const anchor = this.rowAt(Math.max(0, top));
    const before = this.offsets[anchor];
    let hasChanged = false;
    for (const [row, element] of this.elements) {
      const height = element.offsetHeight;
      if (height > 0 && row.height !== height) {
        row.height = height;
        hasChanged = true;
      }
    }
    if (!hasChanged) return false;
    this.layout();
    const moved = this.offsets[anchor] - before;
    if (moved !== 0 && local > 0) scrollBy({ top: moved / this.scale, behavior: "instant" });
    return true;
  }

  arrange() {
    const [local, top] = this.position();
    for (const [row, element] of this.elements) {
      element.style.transform = `translateY(${Math.round(local + this.offsets[row.at] - top)}px)`;
    }
  }

  // Renders a row again after something was folded or unfolded.
  change(row) {
    const element = this.elements.get(row);
    if (!element) return;
    const focused = [...element.querySelectorAll("button")].indexOf(document.activeElement);
    this.observer.unobserve(element);
    element.remove();
    this.elements.delete(row);
    this.insert(row);
    this.place();
    if (focused >= 0) this.elements.get(row)?.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
  }

  toggleRaw(row) {
    if (row.isGroup) return;
    row.open.set("raw", row.open.get("raw") !== true);
    this.change(row);
  }

  toggleGroup(group) {
    group.isOpen = !group.isOpen;
    this.rebuild();
  }

  mark(element) {
    element.classList.add("selected");
    element.setAttribute("aria-current", "true");
  }

  select(row) {
    const old = this.elements.get(this.selected);
    old?.classList.remove("selected");
    old?.removeAttribute("aria-current");
    this.selected = row;
    const element = this.elements.get(row);
    if (element) this.mark(element);
  }

  // Scrolls to a row, below what covers the top of the window.
  show(row, { takesFocus = true } = {}) {
    const covered = byId("bar").offsetHeight + 8;
    // Heights become known on the way.
    for (let round = 0; round < 5; round += 1) {
      const [local] = this.position();
      const start = scrollY + (-local);
      const offset = this.offsets[row.at] - covered;
      const target = start + (offset > 0 ? offset / this.scale : offset);
      if (Math.abs(target - scrollY) < 1 && round > 0) break;
      scrollTo({ top: target, behavior: "instant" });
      this.place();
    }
    this.select(row);
    if (takesFocus) this.elements.get(row)?.focus({ preventScroll: true });
  }

  // Moves the selection by some rows.
  move(by) {
    if (this.visible.length === 0) return;
    const [, top] = this.position();
    const isShown = this.selected && this.visible[this.selected.at] === this.selected;
    const from = isShown ? this.selected.at : this.rowAt(Math.max(0, top)) - Math.sign(by);
    this.show(this.visible[Math.min(this.visible.length - 1, Math.max(0, from + by))]);
  }

  // Opens the group of a row.
  reveal(row) {
    if (row.inGroup && !row.inGroup.isOpen && this.visible[row.at] !== row) {
      row.inGroup.isOpen = true;
      this.rebuild();
    }
  }

  // Puts all rows into the document, as far as paper can bear it, or takes them out again.
  print(isPrinting) {
    this.isPrinting = isPrinting;
    for (const row of this.elements.keys()) row.isPrinted = false;
    this.container.classList.toggle("printing", isPrinting);
    this.rebuild();
    if (!isPrinting) return;
    this.container.style.height = "auto";
    let left = MAX_PRINTED_TEXT;
    for (const row of this.visible.slice(0, MAX_PRINTED)) {
      row.isPrinted = left > 0;
      const element = this.renderer.render(row);
      left -= element.textContent.length;
      this.elements.set(row, element);
      this.container.append(element);
    }
    const rest = this.visible.length - MAX_PRINTED;
    if (rest > 0) {
      const note = new GroupRow("");
      this.elements.set(note, el("p", "note", `Not printed: ${plural(rest, "more entry", "more entries")}.`));
      this.container.append(this.elements.get(note));
    }
  }
}
