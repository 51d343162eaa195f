// Text from a record, made harmless: characters that are invisible, that reorder the text around
// them or that a terminal would act on are replaced by visible ones.

// The first and last code point of each range of such characters. The same set as
// `vac_value::is_harmless`, which a test compares, and lone surrogates.
const HIDDEN = [
  [0x00, 0x1f], [0x7f, 0x9f], [0xad, 0xad], [0x34f, 0x34f], [0x61c, 0x61c], [0x115f, 0x1160],
  [0x17b4, 0x17b5], [0x180b, 0x180f], [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f],
  [0x3164, 0x3164], [0xd800, 0xdfff], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3], [0x1d173, 0x1d17a], [0xe0000, 0xe0fff],
];

const hiddenClass = (ranges) =>
  new RegExp(
    "[" + ranges.map(([a, b]) => `\\u{${a.toString(16)}}-\\u{${b.toString(16)}}`).join("") + "]",
    "gu",
  );
// In blocks of text, tabs and line feeds are shown as such.
const HIDDEN_IN_BLOCKS = hiddenClass([[0x00, 0x08], [0x0b, 0x1f], ...HIDDEN.slice(1)]);
const HIDDEN_IN_LINES = hiddenClass(HIDDEN);

const showCharacter = (character) => {
  const code = character.codePointAt(0);
  // The pictures of control characters.
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `\\u{${code.toString(16)}}`;
};

// Returns text of several lines with every hidden character shown.
const visibleBlock = (text) => text.replace(HIDDEN_IN_BLOCKS, showCharacter);

// Returns text for one line with every hidden character shown, line feeds included.
const visibleLine = (text) => text.replace(HIDDEN_IN_LINES, showCharacter);

// Returns the beginning of a text, without half a surrogate pair.
const beginning = (text, length) => {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
};

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u2009");
const plural = (count, word, words) => `${grouped(count)} ${count === 1 ? word : words ?? word + "s"}`;

const sizeText = (bytes) => {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB"];
  let size = bytes;
  let unit = -1;
  while (size >= 1000 && unit < 2) {
    size /= 1000;
    unit += 1;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
};

const shortNumber = (number) => {
  if (number < 1000) return String(number);
  if (number < 1e6) return `${(number / 1e3).toFixed(number < 1e4 ? 1 : 0)}k`;
  return `${(number / 1e6).toFixed(number < 1e7 ? 2 : 1)}M`;
};

const durationText = (ms) => {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
};

// Decodes a part of an address. Addresses can contain what is not an encoding of anything.
const decoded = (part) => {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
};

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const base64 = (bytes) => {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
};

const base64url = (bytes) =>
  base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const fromBase64 = (text) => {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
};
