// Values of a record as elements: texts, images, differences, and members of maps.

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const MAX_IMAGE = 30_000_000;
// The number of characters that "show all" adds at once.
const STEP = 400_000;
// The number of characters of one text that are printed.
const MAX_PRINTED_CHARACTERS = 20_000;
// The number of elements that one entry may have.
const MAX_ELEMENTS = 90;

// What is shown of one entry, kept while it is not in the document.
class Shown {
  constructor(row, change) {
    this.row = row;
    this.change = change;
    this.budget = MAX_ELEMENTS;
    this.slot = 0;
  }

  // Returns a key for the next part that can be folded. Parts are rendered in one order.
  next() {
    this.slot += 1;
    return this.slot;
  }

  state(slot) {
    return this.row.open.get(slot);
  }

  set(slot, value) {
    this.row.open.set(slot, value);
    this.change();
  }
}

// Returns where a text is cut.
const cutAt = (text, lines, characters) => {
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0 || at > characters) break;
  }
  const end = at < 0 ? text.length : at;
  // A few characters more are less than the button that would replace them.
  return Math.min(end, text.length <= characters * 1.2 ? text.length : characters);
};

// Shows a text that is cut after some lines, with a button for the rest.
const renderText = (shown, text, { tag = "div", name = "text", lines = 40, characters = 5000 } = {}) => {
  const slot = shown.next();
  const cut = cutAt(text, lines, characters);
  const { isPrinted } = shown.row;
  const length = Math.max(cut, shown.state(slot) ?? 0, isPrinted ? MAX_PRINTED_CHARACTERS : 0);
  shown.budget -= 1;
  if (length >= text.length) return blockOf(tag, name, text);
  const rest = text.length - length;
  const words = isPrinted ? `Not printed: ${sizeText(rest)} more.` : rest > STEP ? `show ${sizeText(STEP)} more of ${sizeText(rest)}` : `show all (${sizeText(rest)} more)`;
  shown.budget -= 2;
  return el(
    "div", "cut",
    blockOf(tag, name, beginning(text, length)),
    button("more", words, () => shown.set(slot, length + STEP)),
  );
};

// Shows the text of a message: fenced code in blocks of its own.
const renderProse = (shown, text) => {
  if (!text.includes("```")) return renderText(shown, text);
  const parts = text.split(/^[ \t]*```[^\n]*$/m);
  if (parts.length < 3 || parts.length > 40) return renderText(shown, text);
  return el(
    "div", "prose",
    parts.map((part, number) => {
      const inside = part.replace(/^\n/, "").replace(/\n$/, "");
      if (inside === "") return undefined;
      return number % 2 === 1 ? renderText(shown, inside, { tag: "pre", name: "code", lines: 30 }) : renderText(shown, inside);
    }),
  );
};

const renderRuns = (shown, runs) => {
  const slot = shown.next();
  const isAll = shown.row.isPrinted || shown.state(slot) === true;
  let left = isAll ? 5000 : 40;
  let spans = isAll ? 400 : 40;
  let hidden = 0;
  const names = { " ": "same", "-": "removed", "+": "added", "@": "place" };
  const pre = el("pre", "diff");
  for (const [mark, lines] of runs) {
    // Of a long unchanged part only the ends matter.
    const part = spans > 0 ? lines.slice(0, Math.max(0, left)) : [];
    hidden += lines.length - part.length;
    left -= part.length;
    spans -= 1;
    if (part.length === 0) continue;
    const text = part.map((line) => (mark === "@" ? line : `${mark} ${line}`)).join("\n");
    pre.append(blockOf("span", names[mark], `${beginning(text, isAll ? 2_000_000 : 8000)}\n`));
    shown.budget -= 1;
  }
  if (hidden === 0 || isAll) return pre;
  return el("div", "cut", pre, button("more", `show all (${plural(hidden, "line")} more)`, () => shown.set(slot, true)));
};

const renderImage = (type, data) => {
  const image = el("img", "picture");
  image.alt = `${type}, ${sizeText(Math.floor((data.length * 3) / 4))}`;
  image.decoding = "async";
  image.src = `data:${type};base64,${data}`;
  return image;
};

// Returns the type and the data of an image that a value contains.
const imageOf = (value) => {
  let type;
  let data;
  if (typeof value === "string") {
    if (!value.startsWith("data:image/")) return undefined;
    const comma = value.indexOf(",");
    if (comma < 0 || comma > 60 || !value.slice(0, comma).endsWith(";base64")) return undefined;
    type = value.slice(5, comma - 7);
    data = value.slice(comma + 1);
  } else {
    type = ["media_type", "mimeType", "mime_type", "mime", "mediaType"].map((key) => value.get(key)).find((one) => typeof one === "string");
    data = ["data", "base64"].map((key) => value.get(key)).find((one) => typeof one === "string" || one instanceof Bytes);
    if (data instanceof Bytes) data = base64(data.bytes);
  }
  if (!IMAGE_TYPES.includes(type) || typeof data !== "string" || data.length > MAX_IMAGE) return undefined;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? { type, data } : undefined;
};

// Returns the image that a block contains: its own data, or that of the member which names it.
const imageOfBlock = (block) => {
  const nested = ["source", "image_url", "inlineData", "inline_data", "image"].map((key) => block.get(key)).find((one) => typeof one === "string" || one instanceof Map);
  const url = nested instanceof Map ? nested.get("url") : undefined;
  return [block, nested, url].map((one) => (typeof one === "string" || one instanceof Map ? imageOf(one) : undefined)).find(Boolean);
};

const isScalar = (value) => typeof value !== "object" || value === null || value instanceof Num;
const isShort = (value) => isScalar(value) && (typeof value !== "string" || (value.length < 100 && !value.includes("\n")));

// Shows any value. `prose` is for the words of people and models, otherwise text is output.
const renderValue = (shown, value, { prose = false, depth = 0 } = {}) => {
  shown.budget -= 1;
  const deeper = { prose, depth: depth + 1 };
  if (shown.budget < 0 || depth > 5) {
    return renderText(shown, pretty(value), { tag: "pre", name: "code", lines: 12, characters: 2000 });
  }
  if (typeof value === "string") {
    const image = imageOf(value);
    if (image) return renderImage(image.type, image.data);
    if (!prose && isPatch(value)) return renderRuns(shown, patchLines(value));
    return prose ? renderProse(shown, value) : renderText(shown, value, { tag: "pre", name: "printed", lines: 16, characters: 2400 });
  }
  if (value instanceof Bytes) return el("code", "value", `${sizeText(value.bytes.length)}: h'${hex(value.bytes.subarray(0, 32))}'`);
  if (value instanceof Tagged || isScalar(value)) return el("code", "value", pretty(value));
  if (Array.isArray(value)) {
    if (value.length === 0) return el("code", "value", "[]");
    if (value.every(isShort) && value.length < 30) return blockOf("code", "value", value.map((one) => (typeof one === "string" ? one : pretty(one))).join(", "));
    const values = el("div", "values");
    for (const [at, one] of value.entries()) {
      if (shown.budget < 4) {
        values.append(renderText(shown, pretty(value.slice(at)), { tag: "pre", name: "code", lines: 12 }));
        break;
      }
      values.append(renderValue(shown, one, deeper));
    }
    return values;
  }
  const image = value.size <= 4 ? imageOfBlock(value) : imageOf(value);
  if (image) return renderImage(image.type, image.data);
  if (typeof value.get("text") === "string" && value.size <= 3) return renderValue(shown, value.get("text"), deeper);
  return renderMembers(shown, value, deeper);
};

// Shows the members of a map.
const renderMembers = (shown, map, options, without = []) => {
  const edit = options.prose ? undefined : editOf(map);
  const left = Array.from(map).filter(([key]) => !without.includes(key) && !edit?.keys.includes(key));
  const list = el("dl", "members");
  for (const [key, value] of left) {
    if (shown.budget < 4) {
      const rest = new Map(left.slice(left.findIndex(([one]) => one === key)));
      list.append(el("dt", "", `${rest.size} more`), el("dd", "", renderText(shown, pretty(rest), { tag: "pre", name: "code", lines: 8 })));
      break;
    }
    shown.budget -= 2;
    list.append(el("dt", "", String(key)));
    const isLine = isShort(value) && !(typeof value === "string" && imageOf(value));
    list.append(el("dd", isLine ? "short" : "", isLine ? (typeof value === "string" ? value : pretty(value)) : renderValue(shown, value, options)));
  }
  return el("div", "map", edit && renderRuns(shown, edit.runs), left.length > 0 && list);
};

// Shows the content of a message: its texts and images. Blocks that are entries of their own are
// shown as such.
const renderContent = (shown, content, item) => {
  if (!Array.isArray(content)) return renderValue(shown, content, { prose: true });
  const parts = [];
  let pieces = "";
  const flush = () => {
    if (pieces) parts.push(renderProse(shown, pieces));
    pieces = "";
  };
  for (const block of content) {
    if (block instanceof Map && isEntryBlock(block) && item.children.length > 0) continue;
    const text = block instanceof Map && typeof block.get("text") === "string" ? block.get("text") : undefined;
    // Blocks without a type are pieces of one text.
    if (text !== undefined && block.get("type") === undefined && block.size === 1) {
      pieces += text;
      continue;
    }
    flush();
    parts.push(text !== undefined ? renderProse(shown, text) : renderValue(shown, block, { prose: true }));
  }
  flush();
  return el("div", "prose", parts);
};
