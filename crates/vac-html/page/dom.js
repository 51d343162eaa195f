// Building elements. Text from a record gets into the document only as text nodes and as values
// of the few attributes below, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

const append = (parent, children) => {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(visibleLine(String(child))));
  }
  return parent;
};

// Creates an element of a class with children. Strings become text on one line.
const el = (tag, name, ...children) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  return append(element, children);
};

const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return append(element, children);
};

// Creates an element that contains text of several lines.
const blockOf = (tag, name, text) => {
  const element = el(tag, name);
  element.append(document.createTextNode(visibleBlock(text)));
  return element;
};

const button = (name, text, onClick) => {
  const element = el("button", name, text);
  element.type = "button";
  element.addEventListener("click", onClick);
  return element;
};

const titled = (element, title) => {
  element.title = visibleLine(title);
  return element;
};

const labelled = (element, text) => {
  element.setAttribute("aria-label", visibleLine(text));
  return element;
};

// Marks what vac computed and nothing has signed.
const computedMark = () =>
  titled(el("span", "computed", "computed by vac"), "Computed by vac when it made this page. Not signed.");

const byId = (id) => document.getElementById(id);
