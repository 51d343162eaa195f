// Starts the page: unpacks its parts, indexes the record and shows it.

const unpack = async (id) => {
  const template = byId(id);
  if (!template) return undefined;
  const packed = fromBase64(template.content.textContent.trim());
  template.remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

// Returns the rows of all entries, in the order in which things happened: reasoning comes before
// the words of its message, calls after them.
const rowsOf = (index, computed) => {
  const rows = [];
  const add = (item) => {
    const isMessage = item.type === "user" || item.type === "assistant";
    const early = isMessage ? item.children.filter((child) => child.type === "reasoning") : [];
    early.forEach(add);
    const isAdded = new Set(early);
    const isContainer = isMessage && item.children.length > 0 && !item.hasContent;
    if (!isContainer && item.resultOf === undefined) {
      const row = new Row(item, computed);
      item.row = row;
      rows.push(row);
    }
    for (const child of item.children) if (!isAdded.has(child)) add(child);
  };
  index.roots.forEach(add);
  return rows;
};

// Returns the row that shows an entry.
const rowOf = (item) => {
  if (!item) return undefined;
  return item.row ?? item.resultOf?.row ?? item.children.map(rowOf).find(Boolean);
};

const main = async () => {
  const status = byId("status");
  const [documentBytes, apart, computedBytes] = await Promise.all(["vac-document", "vac-record", "vac-computed"].map(unpack));
  const computed = JSON.parse(new TextDecoder().decode(computedBytes));
  const keyText = byId("vac-key")?.content.textContent;
  let record = documentBytes;
  const proof = new Proof(byId("proof"), byId("state"), { document: documentBytes, record: apart, keyText, computed });
  if (isEnvelope(documentBytes)) {
    const isAttached = proof.envelope?.payload && proof.envelope.header.get(258) === undefined;
    record = isAttached ? proof.envelope.payload : apart;
    proof.record = record;
    if (!record) throw new SyntaxProblem("the page contains no record");
  }
  const index = new RecordIndex(record);
  const entries = new Map(computed.entries.map((entry) => [entry.at.join("/"), entry]));
  const rows = rowsOf(index, entries);
  const list = new List(byId("list"), index, rows);
  const filters = new Filters(rows, list, byId("filters"), byId("count"));
  renderHeader(byId("summary"), index, rows, computed);
  const go = (row) => {
    filters.reveal(row);
    list.show(row);
  };
  renderTimeline(byId("timeline"), rows, index, go);
  status.remove();
  filters.apply();
  const search = new Search(index, list, filters, rows);
  startKeyboard(list, search);

  const follow = () => {
    const hash = decoded(location.hash.slice(1));
    if (!/^\/session\/entries\/\d+(\/children\/\d+)*$/.test(hash)) return;
    const row = rowOf(index.find(hash.replace("/session/entries/", "").replaceAll("/children/", "/")));
    if (row) go(row);
  };
  addEventListener("hashchange", follow);
  follow();

  document.documentElement.dataset.state = "ready";
  performance.mark("vac-ready");
  // The list can be read while the signature is checked.
  if (globalThis.crypto?.subtle) proof.hash = hex(await sha256(record));
  await proof.checkOwnKeys();
  document.documentElement.dataset.state = "checked";
};

const startKeyboard = (list, search) => {
  const panel = byId("filters");
  const toggle = byId("filter-toggle");
  const help = byId("help");
  const toggleFilters = () => {
    panel.hidden = !panel.hidden;
    toggle.setAttribute("aria-expanded", String(!panel.hidden));
    if (!panel.hidden) panel.querySelector("button")?.focus();
  };
  toggle.addEventListener("click", toggleFilters);
  byId("help-toggle").addEventListener("click", () => help.showModal());
  byId("help-close").addEventListener("click", () => help.close());
  const open = () => list.elements.get(list.selected)?.querySelector(".fold, .more")?.click();
  const keys = new Map([
    ["j", () => list.move(1)], ["ArrowDown", () => list.move(1)],
    ["k", () => list.move(-1)], ["ArrowUp", () => list.move(-1)],
    ["g", () => list.move(-Infinity)], ["G", () => list.move(Infinity)],
    ["o", open], ["Enter", open],
    ["r", () => list.selected && list.toggleRaw(list.selected)],
    ["/", () => search.input.focus()],
    ["n", () => search.next(1)], ["N", () => search.next(-1)],
    ["f", toggleFilters], ["?", () => help.showModal()],
  ]);
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, select, textarea, dialog");
    const isPressing = event.target.closest?.("button, a, summary") && event.key === "Enter";
    if (isTyping || isPressing || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys.get(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  });
};

main().catch((error) => {
  document.documentElement.dataset.state = "failed";
  const status = byId("status") ?? byId("summary");
  status.textContent = `This page cannot be shown: ${visibleLine(error.message)}. The record can still be read: vac verify, vac events.`;
  status.className = "problem";
});
