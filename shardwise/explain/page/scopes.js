// What parts of the model cost, by the name paths that the program records, and collectives that a
// known way of sharding would have beside those that are there.

function scopesView(report) {
  const rows = report.json.scopes.map((row, index) => ({...row, index, text: `${row.path} ${row.direction}`.toLowerCase()}));
  const hasTimes = rows.some((row) => row.transfer_seconds || row.work_seconds);
  const most = Math.max(1, ...rows.map((row) => row.received_bytes));
  const detail = element("section", {class: "detail", "aria-label": "The selected scope", "aria-live": "polite"});
  const columns = [
    {key: "path", title: "scope", width: "minmax(12rem, 2fr)", sort: (row) => row.path,
     cell: (row) => [element("span", {class: "mono"}, row.path || "(no scope)"), row.layers > 1 && element("span", {class: "tag"}, `${row.layers} layers`)]},
    {key: "direction", title: "pass", width: "6.5rem", sort: (row) => row.direction, cell: (row) => row.direction},
    {key: "flops", title: "work", width: "6rem", align: "end", sort: (row) => row.flops, cell: (row) => flopsText(row.flops)},
    {key: "received", title: "received", width: "6rem", align: "end", sort: (row) => row.received_bytes, cell: (row) => bytesText(row.received_bytes)},
    {key: "share", title: "", width: "3.2rem", cell: (row) => bar(row.received_bytes / most)},
    hasTimes && {key: "transfer", title: "transfers", width: "5.4rem", align: "end", sort: (row) => row.transfer_seconds, cell: (row) => secondsText(row.transfer_seconds)},
    hasTimes && {key: "time", title: "work time", width: "5.4rem", align: "end", sort: (row) => row.work_seconds, cell: (row) => secondsText(row.work_seconds)},
    {key: "activations", title: "activations", width: "6rem", align: "end", sort: (row) => row.activation_bytes || 0, cell: (row) => bytesText(row.activation_bytes || 0)},
  ].filter(Boolean);
  const grid = new Grid({label: "Scopes", columns, sortedBy: {key: "received", isDescending: true}, empty: "No scope matches.",
                         onSelect: (row) => replace(detail, scopeDetail(report, row))});
  const state = {query: "", pass: ""};
  const list = () => grid.show(rows.filter((row) => (!state.pass || row.direction === state.pass) && hasWords(row.text, state.query)), rows.length);
  list();
  const node = element("div", {class: "flow"}, heading("Scopes", "Parts of the model by their names; equal layers are one row, their sums."),
    element("div", {class: "controls"}, searchBox("Search by name", (text) => { state.query = text.toLowerCase().trim(); list(); }),
      chooser("Pass", [["", "all"], ...[...new Set(rows.map((row) => row.direction))].map((pass) => [pass, pass])], (pass) => { state.pass = pass; list(); })),
    element("div", {class: "split wide"}, grid.node, detail));
  return {node};
}

/// The transfers whose source names the scope; numbers of layers are any.
function scopeDetail(report, row) {
  const pattern = row.path.split("/").pop();
  const transfers = report.transfers.filter((transfer) => pattern && transfer.source.includes(pattern)).slice(0, 40);
  return [
    element("h3", {class: "mono"}, row.path || "(no scope)"),
    facts([
      ["pass", row.direction],
      ["layers", row.layers > 1 && row.layers],
      ["work of a device", flopsText(row.flops)],
      ["received", bytesText(row.received_bytes)],
      ["transfers take", row.transfer_seconds > 0 && secondsText(row.transfer_seconds)],
      ["work takes", row.work_seconds > 0 && secondsText(row.work_seconds)],
      ["activations kept", row.activation_bytes > 0 && bytesText(row.activation_bytes)],
    ]),
    transfers.length > 0 && [element("h4", {}, "Transfers"), element("ul", {class: "alike"}, transfers.map((transfer) => element("li", {},
      element("a", {href: linkTo("transfers", transfer.index)}, bytesText(transfer.received_bytes)), " ", stepsNode(report, transfer.steps), " ", placeNode(report, transfer.place, transfer.source))))],
  ];
}

/// Ways of sharding that people know by name.
function patternsPart(report) {
  return part("Known ways of sharding", element("ul", {class: "notes"}, report.json.patterns.map((pattern) => element("li", {},
    element("span", {class: "strong"}, pattern.name), " over ", axesNamed(pattern.axes).map((name) => [axisChip(report.mesh, name), " "]), ": ", pattern.text,
    facts([["expected", pattern.expected], ["there are", pattern.actual]])))));
}

/// Conflicts whose consequences cost most, with the place where one edit cures them.
function rootCausesPart(report) {
  return part("Where it begins", element("ol", {class: "heaviest"}, report.json.root_causes.slice(0, 8).map((cause) => element("li", {},
    element("span", {class: "strong"}, bytesText(cause.received_bytes)), cause.seconds > 0 && ` · ${secondsText(cause.seconds)}`, " ", cause.text, " ",
    placeNode(report, cause.place, cause.source),
    cause.cure && element("p", {class: "because"}, "to cure it: ", cause.cure, " ", placeNode(report, cause.cure_place, "")),
    cause.transfers && cause.transfers.length > 0 && element("p", {class: "muted"}, `${plural(cause.transfers.length, "transfer")}: `,
      cause.transfers.slice(0, 6).map((index) => [element("a", {href: linkTo("transfers", index)}, String(index + 1)), " "]))))));
}
