// Search in the texts of entries.

// Milliseconds of work before the page can react to something else.
const SLICE = 24;

class Search {
  constructor(index, list, filters, rows) {
    Object.assign(this, { index, list, filters, rows });
    this.input = byId("query");
    this.status = byId("hits");
    this.hits = [];
    this.at = -1;
    this.query = "";
    this.run = 0;
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.start(this.input.value), 150);
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        if (this.input.value === this.query) this.next(event.shiftKey ? -1 : 1);
        else this.start(this.input.value);
      } else if (event.key === "Escape") {
        this.input.value = "";
        this.start("");
        this.input.blur();
      }
    });
    byId("previous").addEventListener("click", () => this.next(-1));
    byId("next").addEventListener("click", () => this.next(1));
    list.onRendered = () => this.highlight();
  }

  // Searches all rows that the filters accept, in slices of time.
  async start(query) {
    const run = (this.run += 1);
    this.query = query;
    this.hits = [];
    this.at = -1;
    this.highlight();
    if (query === "") {
      this.status.textContent = "";
      return;
    }
    const needle = query.toLowerCase();
    // As it is written in the source of an entry.
    const inSource = this.index.reader === json ? JSON.stringify(query).slice(1, -1).toLowerCase() : needle;
    let until = performance.now() + SLICE;
    for (let at = 0; at < this.rows.length; at += 1) {
      const row = this.rows[at];
      if (this.filters.accepts(row) && this.matches(row, needle, inSource)) {
        this.hits.push(row);
        if (this.hits.length === 1) this.next(1);
      }
      if (performance.now() > until) {
        this.status.textContent = `searching, ${Math.round((100 * at) / this.rows.length)} %`;
        await new Promise((resolve) => setTimeout(resolve));
        if (run !== this.run) return;
        until = performance.now() + SLICE;
      }
    }
    this.report();
    this.status.dataset.query = query;
  }

  matches(row, needle, inSource) {
    return [row.item, ...row.item.results].some((item) => {
      const isJson = this.index.reader === json;
      const part = this.index.document.slice(item.start, item.end);
      const source = (isJson ? part : new TextDecoder().decode(part)).toLowerCase();
      // Escapes can hide a match in the source, and chunks in CBOR.
      const canHide = isJson ? source.includes("\\u") || source.includes("\\/") : part.includes(0x7f);
      if (!canHide && !source.includes(inSource)) return false;
      return this.texts(item).some((text) => text.toLowerCase().includes(needle));
    });
  }

  // Returns the texts of an entry that its row shows.
  texts(item) {
    const value = this.index.value(item);
    const texts = [item.name, item.subject, item["event-type"]].filter((text) => text !== undefined);
    const collect = (one) => {
      if (typeof one === "string") texts.push(one);
      else if (one instanceof Num) texts.push(one.text);
      else if (Array.isArray(one)) one.forEach(collect);
      else if (one instanceof Map) one.forEach(collect);
    };
    const content = value.get("content");
    if (Array.isArray(content) && item.children.length > 0) {
      content.filter((block) => !(block instanceof Map && isEntryBlock(block))).forEach(collect);
    } else collect(content);
    ["input", "output", "data"].forEach((key) => collect(value.get(key)));
    return texts;
  }

  // Shows the next hit, or the one before.
  next(by) {
    if (this.hits.length === 0) return this.report();
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    const row = this.hits[this.at];
    this.filters.reveal(row);
    // Typing goes on in the field.
    this.list.show(row, { takesFocus: document.activeElement !== this.input });
    this.unfold(row);
    this.highlight();
    this.report();
    return undefined;
  }

  // Unfolds what hides a hit.
  unfold(row) {
    for (let round = 0; round < 12; round += 1) {
      const element = this.list.elements.get(row);
      if (!element || element.textContent.toLowerCase().includes(this.query.toLowerCase())) return;
      const closed = element.querySelector(".fold[aria-expanded=false], .more");
      if (!closed) return;
      closed.click();
    }
  }

  report() {
    this.status.textContent = this.hits.length === 0 ? "no hits" : `${grouped(this.at + 1)} of ${grouped(this.hits.length)}`;
  }

  // Marks the hits in the document, without changing it.
  highlight() {
    if (!CSS.highlights) return;
    CSS.highlights.delete("hit");
    if (this.query === "") return;
    const needle = this.query.toLowerCase();
    const ranges = [];
    const walker = document.createTreeWalker(this.list.container, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && ranges.length < 500) {
      const text = walker.currentNode.data.toLowerCase();
      let at = text.indexOf(needle);
      // Lower case can change the length of a text: then the ranges would be wrong.
      if (text.length !== walker.currentNode.data.length) continue;
      while (at >= 0 && ranges.length < 500) {
        const range = document.createRange();
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + needle.length);
        ranges.push(range);
        at = text.indexOf(needle, at + needle.length);
      }
    }
    CSS.highlights.set("hit", new Highlight(...ranges));
  }
}
