// Source files with what happens at their lines: bytes, conflicts, and shardings of what is made
// there.

function sourceView(report) {
  const notes = notesByLine(report);
  const listing = element("div", {class: "listing"});
  const files = report.sources.map((source) => source.file);
  let file = files[0];
  let lines = [];
  const columns = [
    {key: "number", title: "line", width: "4rem", align: "end", mono: true, cell: (line) => element("span", {class: "muted"}, line.number)},
    {key: "cost", title: "received", width: "6rem", align: "end", cell: (line) => (line.note && line.note.bytes ? element("span", {class: "heat"}, bytesText(line.note.bytes)) : "")},
    {key: "text", title: "text", width: "minmax(24rem, 3fr)", mono: true, cell: (line) => element("span", {class: line.note ? "code noted" : "code"}, line.text)},
    {key: "notes", title: "what happens here", width: "minmax(14rem, 1.6fr)", cell: (line) => (line.note ? inlineNote(report, line.note) : "")},
  ];
  const detail = element("section", {class: "detail", "aria-label": "The selected line", "aria-live": "polite"});
  const grid = new Grid({label: "Source", columns, rowHeight: 24, onSelect: (line) => replace(detail, lineDetail(report, file, line)), empty: "No line matches."});
  const state = {query: "", isNotedOnly: false};
  const list = () => grid.show(lines.filter((line) => (!state.isNotedOnly || line.note) && (!state.query || line.text.toLowerCase().includes(state.query))), lines.length);
  const openFile = (name) => {
    file = name;
    const source = report.sources.find((one) => one.file === name);
    const noted = notes.get(name) || new Map();
    lines = source.parts.flatMap((piece) => piece.text.split("\n").map((text, i) => ({number: piece.from + i, text, note: noted.get(piece.from + i)})));
    list();
  };
  const chooseFile = chooser("File", files.map((name) => [name, name]), openFile, file);
  const node = element("div", {class: "flow"}, heading("Source", "Lines with the bytes that are moved because of them."),
    element("div", {class: "controls"}, chooseFile, searchBox("Find in this file", (text) => { state.query = text.toLowerCase().trim(); list(); }),
      toggle("Only lines with notes", false, (isOn) => { state.isNotedOnly = isOn; list(); })),
    element("div", {class: "split wide"}, grid.node, detail), listing);
  grid.node.classList.add("code-grid");
  return {node, open: (what) => {
    const at = parsePlace(what);
    if (at && files.includes(at.file)) {
      chooseFile.querySelector("select").value = at.file;
      openFile(at.file);
      const row = grid.rows.find((line) => line.number === at.line);
      if (row) grid.selectRow(row);
    } else if (lines.length === 0) openFile(file);
  }};
}

/// By file and line: {bytes, transfers, conflicts, values}.
function notesByLine(report) {
  const notes = new Map();
  const add = (key, fact, bytes, ...places) => {
    const seen = new Set();
    for (const place of places) {
      const at = parsePlace(place);
      if (!at || seen.has(`${at.file}:${at.line}`)) continue;
      seen.add(`${at.file}:${at.line}`);
      if (!notes.has(at.file)) notes.set(at.file, new Map());
      const lines = notes.get(at.file);
      if (!lines.has(at.line)) lines.set(at.line, {bytes: 0, transfers: [], conflicts: [], values: []});
      lines.get(at.line)[key].push(fact);
      lines.get(at.line).bytes += bytes;
    }
  };
  for (const transfer of report.transfers) add("transfers", transfer, transfer.received_bytes, transfer.place, transfer.source);
  for (const conflict of report.conflicts) add("conflicts", conflict, 0, conflict.place, conflict.source);
  for (const value of report.values) if (value.sharding) add("values", value, 0, value.place, value.source);
  return notes;
}

function inlineNote(report, note) {
  const {transfers, conflicts, values} = note;
  if (conflicts.length) return element("span", {class: "tag warn"}, plural(conflicts.length, "conflict"));
  if (transfers.length) return [stepsNode(report, transfers[0].steps), transfers.length > 1 && ` and ${transfers.length - 1} more`];
  return values.length === 1 ? shardingNode(report, values[0].sharding) : element("span", {class: "muted"}, plural(values.length, "tensor"));
}

function lineDetail(report, file, line) {
  if (!line.note) return [element("h3", {class: "mono"}, `${file}:${line.number}`), element("p", {class: "remark"}, "The report says nothing of this line.")];
  const {transfers, conflicts, values} = line.note;
  const items = (title, list, make) => list.length > 0 && [element("h4", {}, title), element("ul", {class: "alike"}, list.slice(0, 40).map((one) => element("li", {}, make(one))),
    list.length > 40 && element("li", {class: "muted"}, `and ${list.length - 40} more`))];
  return [
    element("h3", {class: "mono"}, `${file}:${line.number}`),
    element("pre", {class: "excerpt"}, line.text.trim()),
    items("Transfers", transfers, (one) => [element("a", {href: linkTo("transfers", one.index)}, bytesText(one.received_bytes)), " ", stepsNode(report, one.steps), " of ", movedNode(report, one),
      element("p", {class: "because"}, "because ", one.because)]),
    items("Conflicts", conflicts, (one) => [element("a", {href: linkTo("conflicts", one.index)}, one.op), " ", one.problem]),
    items("Made here", values, (one) => [valueNode(report, one.name, one.label), " ", element("span", {class: "muted"}, one.type), " ", shardingNode(report, one.sharding)]),
  ];
}
