// A reader of JSON. It finds where values begin and end without decoding them, so that an
// entry can be shown as its exact source text, and decodes single values.
//
// Both readers (this one and that of CBOR) decode to the same values: strings, booleans, null,
// arrays, Map (never an object: keys of a record are not names of the program), Num, Bytes and
// Tagged.

// A number with its exact text.
class Num {
  constructor(text) {
    this.text = text;
  }
}

// A byte string of CBOR.
class Bytes {
  constructor(bytes) {
    this.bytes = bytes;
  }
}

// A tag of CBOR, or a simple value, with its name.
class Tagged {
  constructor(name, value) {
    this.name = name;
    this.value = value;
  }
}

const MAX_DEPTH = 300;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

class SyntaxProblem extends Error {}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

// Whether a character is one of a number, true, false or null.
const isScalarCode = (code) =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a) ||
  code === 0x2d || code === 0x2e || code === 0x2b || code === 0x45;

const json = {
  name: "JSON",

  // Returns what the other functions read: the text. Browsers search and cut texts faster than
  // bytes.
  open: (bytes) => UTF8.decode(bytes),

  // Returns the position of the next character that is not white space.
  blank(text, at) {
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      at += 1;
      code = text.charCodeAt(at);
    }
    return at;
  },

  // Returns the position after the string that begins at a position.
  string(text, at) {
    for (let quote = at + 1; ; quote += 1) {
      quote = text.indexOf('"', quote);
      if (quote < 0) throw new SyntaxProblem("a string does not end");
      let before = quote - 1;
      while (text.charCodeAt(before) === BACKSLASH) before -= 1;
      // An even number of backslashes are escaped themselves.
      if ((quote - before) % 2 === 1) return quote + 1;
    }
  },

  // Returns the position after the value that begins at a position.
  skip(text, at) {
    let depth = 0;
    for (;;) {
      at = json.blank(text, at);
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        at = json.string(text, at);
      } else if (code === 0x7b || code === 0x5b) {
        depth += 1;
        at += 1;
        continue;
      } else if (code === 0x7d || code === 0x5d) {
        depth -= 1;
        at += 1;
      } else if (code === 0x2c || code === 0x3a) {
        at += 1;
        continue;
      } else {
        const from = at;
        while (isScalarCode(text.charCodeAt(at))) at += 1;
        if (at === from) throw new SyntaxProblem("unexpected character");
      }
      if (depth === 0) return at;
    }
  },

  isMap: (text, at) => text.charCodeAt(at) === 0x7b,
  isArray: (text, at) => text.charCodeAt(at) === 0x5b,
  isText: (text, at) => text.charCodeAt(at) === QUOTE,

  // Calls `visit` with the key and the position of each member's value. It returns the position
  // after the value if it knows it. Returns the position after the map.
  members(text, at, visit) {
    at = json.blank(text, at + 1);
    while (text.charCodeAt(at) !== 0x7d) {
      if (text.charCodeAt(at) !== QUOTE) throw new SyntaxProblem("expected a key");
      const end = json.string(text, at);
      const key = json.text(text, at, end);
      at = json.blank(text, json.blank(text, end) + 1);
      at = json.blank(text, visit(key, at) ?? json.skip(text, at));
      if (text.charCodeAt(at) === 0x2c) at = json.blank(text, at + 1);
    }
    return at + 1;
  },

  // Calls `visit` with the position of each element. Returns the position after the array.
  elements(text, at, visit) {
    at = json.blank(text, at + 1);
    while (text.charCodeAt(at) !== 0x5d) {
      at = json.blank(text, visit(at) ?? json.skip(text, at));
      if (text.charCodeAt(at) === 0x2c) at = json.blank(text, at + 1);
      else if (text.charCodeAt(at) !== 0x5d) throw new SyntaxProblem("an array does not end");
    }
    return at + 1;
  },

  // Decodes a string.
  text(text, from, to) {
    const inside = text.slice(from + 1, to - 1);
    return inside.includes("\\") ? JSON.parse(text.slice(from, to)) : inside;
  },

  // Returns the source text of a value.
  source: (text, from, to) => text.slice(from, to),

  // Decodes the value that begins at a position.
  parse: (text, from, to = json.skip(text, from)) => json.parseText(text.slice(from, to)),

  // Decodes a JSON text.
  parseText(text) {
    let at = 0;
    const blank = () => {
      while (" \n\r\t".includes(text[at]) && at < text.length) at += 1;
    };
    const string = () => {
      const from = at;
      at = json.string(text, at);
      return json.text(text, from, at);
    };
    const value = (depth) => {
      if (depth > MAX_DEPTH) throw new SyntaxProblem("too deep");
      blank();
      const first = text[at];
      if (first === '"') return string();
      if (first === "{") {
        const map = new Map();
        at += 1;
        blank();
        while (text[at] !== "}") {
          if (text[at] !== '"') throw new SyntaxProblem("expected a key");
          const key = string();
          blank();
          if (text[at] !== ":") throw new SyntaxProblem("expected a colon");
          at += 1;
          if (map.has(key)) throw new SyntaxProblem("a key occurs twice");
          map.set(key, value(depth + 1));
          blank();
          if (text[at] === ",") {
            at += 1;
            blank();
          } else if (text[at] !== "}") throw new SyntaxProblem("a map does not end");
        }
        at += 1;
        return map;
      }
      if (first === "[") {
        const array = [];
        at += 1;
        blank();
        while (text[at] !== "]") {
          array.push(value(depth + 1));
          blank();
          if (text[at] === ",") at += 1;
          else if (text[at] !== "]") throw new SyntaxProblem("an array does not end");
        }
        at += 1;
        return array;
      }
      const token = /[-+.0-9A-Za-z]*/y;
      token.lastIndex = at;
      const word = token.exec(text)[0];
      at += word.length;
      if (word === "true") return true;
      if (word === "false") return false;
      if (word === "null") return null;
      if (/^-?\d/.test(word)) return new Num(word);
      throw new SyntaxProblem("unexpected character");
    };
    const decoded = value(0);
    blank();
    if (at !== text.length) throw new SyntaxProblem("something follows the value");
    return decoded;
  },
};

// Returns a value as JSON text for people: with line ends, bytes and tags in words.
const pretty = (value, indent = "") => {
  const deeper = indent + "  ";
  if (value instanceof Map) {
    if (value.size === 0) return "{}";
    const key = (name) => (typeof name === "string" ? JSON.stringify(name) : String(name));
    const members = Array.from(value, ([name, one]) => `${deeper}${key(name)}: ${pretty(one, deeper)}`);
    return `{\n${members.join(",\n")}\n${indent}}`;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[\n${value.map((one) => deeper + pretty(one, deeper)).join(",\n")}\n${indent}]`;
  }
  if (value instanceof Num) return value.text;
  if (value instanceof Bytes) return `h'${hex(value.bytes)}'`;
  if (value instanceof Tagged) {
    return value.value === undefined ? value.name : `${value.name}(${pretty(value.value, indent)})`;
  }
  return JSON.stringify(value);
};
