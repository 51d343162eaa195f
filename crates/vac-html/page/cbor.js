// A reader of CBOR bytes, with the same functions as that of JSON.

const cbor = {
  name: "CBOR",
  open: (bytes) => bytes,

  // Returns the major type, the argument (undefined if the length is indefinite) and the position
  // after the head of an item. Arguments above 2^53 are BigInt.
  head(bytes, at) {
    const first = bytes[at];
    if (first === undefined) throw new SyntaxProblem("an item does not end");
    const major = first >> 5;
    const info = first & 31;
    if (info < 24) return [major, info, at + 1, info];
    if (info === 31) return [major, undefined, at + 1, info];
    const length = 1 << (info - 24);
    if (info > 27 || at + 1 + length > bytes.length) throw new SyntaxProblem("a head does not end");
    const view = new DataView(bytes.buffer, bytes.byteOffset + at + 1, length);
    let argument;
    if (length === 1) argument = view.getUint8(0);
    else if (length === 2) argument = view.getUint16(0);
    else if (length === 4) argument = view.getUint32(0);
    else {
      argument = view.getBigUint64(0);
      if (argument <= BigInt(Number.MAX_SAFE_INTEGER)) argument = Number(argument);
    }
    return [major, argument, at + 1 + length, info];
  },

  // Returns the position after an item, without recursion.
  skip(bytes, at) {
    // The number of items that are left at each level; Infinity until a break.
    const left = [];
    for (;;) {
      if (bytes[at] === 0xff && left.at(-1) === Infinity) {
        left.pop();
        at += 1;
      } else {
        const [major, argument, next] = cbor.head(bytes, at);
        at = next;
        if (major === 2 || major === 3) {
          if (argument === undefined) {
            left.push(Infinity);
            continue;
          }
          at += Number(argument);
          if (at > bytes.length) throw new SyntaxProblem("a string does not end");
        } else if (major === 4 || major === 5) {
          const items = argument === undefined ? Infinity : Number(argument) * (major - 3);
          if (items > 0) {
            left.push(items);
            continue;
          }
        } else if (major === 6) {
          left.push(1);
          continue;
        }
      }
      while (left.length > 0 && left.at(-1) !== Infinity) {
        const rest = left.pop() - 1;
        if (rest > 0) {
          left.push(rest);
          break;
        }
      }
      if (left.length === 0) return at;
      if (left.length > 2 * MAX_DEPTH) throw new SyntaxProblem("too deep");
    }
  },

  isMap: (bytes, at) => bytes[at] >> 5 === 5,
  isArray: (bytes, at) => bytes[at] >> 5 === 4,
  isText: (bytes, at) => bytes[at] >> 5 === 3,

  members(bytes, at, visit) {
    const [, count, first] = cbor.head(bytes, at);
    at = first;
    for (let left = count ?? Infinity; left > 0; left -= 1) {
      if (bytes[at] === 0xff && count === undefined) return at + 1;
      const end = cbor.skip(bytes, at);
      const key = cbor.isText(bytes, at) ? cbor.text(bytes, at, end) : undefined;
      at = (key === undefined ? undefined : visit(key, end)) ?? cbor.skip(bytes, end);
    }
    return at;
  },

  elements(bytes, at, visit) {
    const [, count, first] = cbor.head(bytes, at);
    at = first;
    for (let left = count ?? Infinity; left > 0; left -= 1) {
      if (bytes[at] === 0xff && count === undefined) return at + 1;
      at = visit(at) ?? cbor.skip(bytes, at);
    }
    return at;
  },

  text: (bytes, from, to) => cbor.parse(bytes, from, to),

  // Returns an entry in words: JSON as far as it goes, bytes as h'...'.
  source: (bytes, from, to) => pretty(cbor.parse(bytes, from, to)),

  // Decodes the item that begins at a position.
  parse(bytes, from) {
    let at = from;
    const string = (major, argument) => {
      if (argument === undefined) {
        const parts = [];
        while (bytes[at] !== 0xff) {
          const [kind, length, next] = cbor.head(bytes, at);
          if (kind !== major || length === undefined) throw new SyntaxProblem("a wrong chunk");
          at = next + Number(length);
          if (at > bytes.length) throw new SyntaxProblem("a string does not end");
          parts.push(bytes.subarray(next, at));
        }
        at += 1;
        return parts;
      }
      const start = at;
      at += Number(argument);
      if (at > bytes.length) throw new SyntaxProblem("a string does not end");
      return [bytes.subarray(start, at)];
    };
    const value = (depth) => {
      if (depth > MAX_DEPTH) throw new SyntaxProblem("too deep");
      const [major, argument, next, info] = cbor.head(bytes, at);
      const start = at;
      at = next;
      switch (major) {
        case 0:
          return new Num(String(argument));
        case 1:
          return new Num(String(-1n - BigInt(argument)));
        case 2: {
          const parts = string(2, argument);
          return new Bytes(parts.length === 1 ? parts[0] : joinBytes(parts));
        }
        case 3:
          return string(3, argument).map((part) => UTF8.decode(part)).join("");
        case 4: {
          const array = [];
          while (argument === undefined ? bytes[at] !== 0xff : array.length < argument) {
            array.push(value(depth + 1));
          }
          if (argument === undefined) at += 1;
          return array;
        }
        case 5: {
          const map = new Map();
          let count = 0;
          while (argument === undefined ? bytes[at] !== 0xff : count < argument) {
            const key = value(depth + 1);
            // Labels of headers are integers: they are numbers here. Other keys are in words.
            const name =
              typeof key === "string" ? key : key instanceof Num ? Number(key.text) : pretty(key);
            if (map.has(name)) throw new SyntaxProblem("a key occurs twice");
            map.set(name, value(depth + 1));
            count += 1;
          }
          if (argument === undefined) at += 1;
          return map;
        }
        case 6:
          return new Tagged(String(argument), value(depth + 1));
        default:
          return cbor.simple(bytes, start, argument, info);
      }
    };
    return value(0);
  },

  // Decodes a float or a simple value.
  simple(bytes, at, argument, info) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at + 1);
    if (info === 20 || info === 21) return info === 21;
    if (info === 22) return null;
    if (info === 23) return new Tagged("undefined");
    if (info === 25) return new Num(floatText(halfFloat(argument)));
    if (info === 26) return new Num(floatText(view.getFloat32(0)));
    if (info === 27) return new Num(floatText(view.getFloat64(0)));
    if (info < 25) return new Tagged(`simple(${argument})`);
    throw new SyntaxProblem("a break outside of a string, array or map");
  },
};

// A float keeps its point, so that it is not mistaken for an integer.
const floatText = (number) => (Number.isInteger(number) && Math.abs(number) < 1e21 ? `${number}.0` : String(number));

const halfFloat = (bits) => {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits >> 15 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
};

const joinBytes = (parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

// Returns the head of a CBOR byte string or text, in its shortest form.
const cborHead = (major, length) => {
  if (length < 24) return Uint8Array.of((major << 5) | length);
  if (length < 0x100) return Uint8Array.of((major << 5) | 24, length);
  if (length < 0x10000) return Uint8Array.of((major << 5) | 25, length >> 8, length & 255);
  return Uint8Array.of(
    (major << 5) | 26, (length >>> 24) & 255, (length >>> 16) & 255, (length >>> 8) & 255, length & 255,
  );
};
