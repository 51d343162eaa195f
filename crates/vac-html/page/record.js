// A record: its head, and an index of its entries. An entry is decoded only when it is shown or
// searched.

// One entry, or a child of one. Its content stays in the bytes of the record.
class Item {
  constructor(number, parent, index, start) {
    this.number = number;
    this.parent = parent;
    this.index = index;
    this.start = start;
    this.end = start;
    this.type = "";
    this.time = NaN;
    this.children = [];
    // Results of a call, shown below it.
    this.results = [];
    this.resultOf = undefined;
    this.hasContent = false;
    this.notes = undefined;
  }

  // The indexes that lead to it, such as 3/0.
  get path() {
    return this.parent ? `${this.parent.path}/${this.index}` : String(this.index);
  }

  // Its JSON pointer.
  get pointer() {
    const around = this.parent ? `${this.parent.pointer}/children` : "/session/entries";
    return `${around}/${this.index}`;
  }

  // The value of an annotation, of this entry or of one around it.
  note(key) {
    const own = this.notes?.get(key);
    return own !== undefined ? own : this.parent?.note(key);
  }
}

// Blocks of a message that are entries of their own: calls, results, reasoning.
const isEntryBlock = (map) => {
  const type = map.get("type");
  if (typeof type === "string") {
    return (
      ["thinking", "redacted_thinking", "reasoning", "tool-call", "tool-result"].includes(type) ||
      type.endsWith("tool_use") || type.endsWith("tool_result")
    );
  }
  return map.get("functionCall") instanceof Map || map.get("functionResponse") instanceof Map || map.get("thought") === true;
};

class RecordIndex {
  constructor(bytes) {
    this.bytes = bytes;
    this.reader = " \n\r\t{".includes(String.fromCharCode(bytes[0])) ? json : cbor;
    // What the reader reads, and what positions are positions in: text, or bytes.
    this.document = this.reader.open(bytes);
    this.items = [];
    this.roots = [];
    this.entries = [0, 0];
    this.read();
    this.head = this.readHead();
    this.joinResults();
  }

  read() {
    const { document, reader } = this;
    let start = reader === json ? json.blank(document, 0) : 0;
    // A record may have the tag that the draft requests.
    while (reader === cbor && document[start] >> 5 === 6) start = cbor.head(document, start)[2];
    if (!reader.isMap(document, start)) throw new SyntaxProblem("the record is not a map");
    reader.members(document, start, (key, at) => {
      if (key !== "session" || !reader.isMap(document, at)) return undefined;
      return reader.members(document, at, (inner, from) => {
        if (inner !== "entries" || !reader.isArray(document, from)) return undefined;
        const end = reader.elements(document, from, (element) => this.entry(element, undefined, this.roots));
        this.entries = [from, end];
        return end;
      });
    });
  }

  // Adds the entry that begins at a position. Returns the position after it.
  entry(at, parent, siblings) {
    const { document, reader } = this;
    const item = new Item(this.items.length, parent, siblings.length, at);
    this.items.push(item);
    siblings.push(item);
    if (!reader.isMap(document, at)) {
      item.end = reader.skip(document, at);
      return item.end;
    }
    let content;
    item.end = reader.members(document, at, (key, from) => {
      switch (key) {
        case "type":
        case "id":
        case "name":
        case "status":
        case "subject":
        case "call-id":
        case "model-id":
        case "event-type":
          if (reader.isText(document, from)) {
            const end = reader.skip(document, from);
            item[key] = reader.text(document, from, end);
            return end;
          }
          return undefined;
        case "timestamp":
        case "is-error":
        case "vac": {
          const end = reader.skip(document, from);
          const value = reader.isText(document, from) ? reader.text(document, from, end) : reader.parse(document, from, end);
          if (key === "timestamp") {
            item.timestamp = value;
            item.time = timeOf(value);
          } else if (key === "vac") item.notes = value instanceof Map ? value : undefined;
          else item.isError = value === true;
          return end;
        }
        case "content":
          content = from;
          return undefined;
        case "children":
          if (!reader.isArray(document, from)) return undefined;
          return reader.elements(document, from, (element) => this.entry(element, item, item.children));
        default:
          return undefined;
      }
    });
    item.hasContent = content !== undefined && this.isContent(content, item);
    return item.end;
  }

  // Whether a content has something besides blocks that are entries of their own.
  isContent(at, item) {
    const { document, reader } = this;
    const length = reader.skip(document, at) - at;
    // An empty text, array or map.
    if (length <= (reader === json ? 2 : 1)) return false;
    if (item.children.length === 0 || !reader.isArray(document, at)) return true;
    let found = false;
    reader.elements(document, at, (element) => {
      if (found) return undefined;
      if (!reader.isMap(document, element)) {
        found = true;
        return undefined;
      }
      const block = new Map();
      const end = reader.members(document, element, (key, from) => {
        if (key === "type" || key === "thought") block.set(key, reader.parse(document, from));
        else if (reader.isMap(document, from)) block.set(key, new Map());
        return undefined;
      });
      found = !isEntryBlock(block);
      return end;
    });
    return found;
  }

  // Decodes the record without its entries.
  readHead() {
    const { document, reader } = this;
    const [from, to] = this.entries;
    let head = document;
    if (to > 0 && reader === json) head = `${document.slice(0, from)}[]${document.slice(to)}`;
    else if (to > 0) head = joinBytes([document.subarray(0, from), Uint8Array.of(0x80), document.subarray(to)]);
    let value = reader.parse(head, 0, head.length);
    while (value instanceof Tagged) value = value.value;
    return value;
  }

  // Puts results below their calls.
  joinResults() {
    const calls = new Map();
    for (const item of this.items) {
      const id = item["call-id"];
      if (id === undefined) continue;
      if (item.type === "tool-call") calls.set(id, item);
      else if (item.type === "tool-result") {
        const call = calls.get(id);
        const isLike = (key) => (call.note(key) === undefined) === (item.note(key) === undefined);
        if (call && ["superseded", "duplicate-of", "inherited", "subagent"].every(isLike)) {
          call.results.push(item);
          item.resultOf = call;
        }
      }
    }
  }

  // Decodes an entry.
  value(item) {
    const value = this.reader.parse(this.document, item.start, item.end);
    return value instanceof Map ? value : new Map();
  }

  // Returns the source text of an entry.
  source(item) {
    return this.reader.source(this.document, item.start, item.end);
  }

  // Returns the bytes of the record at which an entry begins and ends.
  range(item) {
    const { document } = this;
    if (this.reader === cbor || document.length === this.bytes.length) return [item.start, item.end];
    const length = (from, to) => new TextEncoder().encode(document.slice(from, to)).length;
    const start = length(0, item.start);
    return [start, start + length(item.start, item.end)];
  }

  // Returns the entry that indexes such as 3/0 lead to.
  find(path) {
    let list = this.roots;
    let item;
    for (const index of path.split("/")) {
      item = list[Number(index)];
      if (!item) return undefined;
      list = item.children;
    }
    return item;
  }
}

// Returns a timestamp in milliseconds since 1970.
const timeOf = (value) => {
  if (typeof value === "string") return Date.parse(value);
  if (!(value instanceof Num)) return NaN;
  const number = Number(value.text);
  // The draft states both seconds and milliseconds.
  const time = number < 1e11 ? number * 1000 : number;
  return Number.isNaN(new Date(time).getTime()) ? NaN : time;
};

// Returns a member of nested maps.
const member = (value, ...keys) => {
  for (const key of keys) {
    if (!(value instanceof Map)) return undefined;
    value = value.get(key);
  }
  return value;
};

const textMember = (value, ...keys) => {
  const found = member(value, ...keys);
  return typeof found === "string" ? found : undefined;
};

const numberMember = (value, ...keys) => {
  const found = member(value, ...keys);
  return found instanceof Num ? Number(found.text) : undefined;
};
