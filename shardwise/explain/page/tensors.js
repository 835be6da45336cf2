// Every tensor of the report: a list to search, and for one of them the picture of its sharding and
// where its axes come from.

function tensorsView(report) {
  const state = {query: "", which: "all"};
  const detail = element("section", {class: "detail", "aria-label": "The selected tensor", "aria-live": "polite"});
  const columns = [
    {key: "name", title: "tensor", width: "minmax(7rem, 1fr)", sort: (row) => row.label || row.name,
     cell: (row) => [element("span", {class: "mono"}, row.label || row.name), row.annotated && element("span", {class: "tag"}, "annotated")]},
    {key: "type", title: "type", width: "minmax(6rem, .8fr)", mono: true, sort: (row) => row.type, cell: (row) => row.type},
    {key: "bytes", title: "whole", width: "5.6rem", align: "end", sort: (row) => row.bytes, cell: (row) => bytesText(row.bytes)},
    {key: "sharding", title: "sharding", width: "minmax(9rem, 1.2fr)", sort: (row) => row.sharding, cell: (row) => shardingNode(report, row.sharding)},
    {key: "op", title: "made by", width: "minmax(7rem, 1fr)", sort: (row) => row.op, cell: (row) => row.op || "argument"},
  ];
  const grid = new Grid({label: "Tensors", columns, onSelect: (row) => replace(detail, tensorDetail(report, row)), empty: "No tensor matches."});
  const kinds = {
    all: (value) => value.sharding || value.annotated,
    annotated: (value) => value.annotated,
    replicated: (value) => value.sharding && !value.sharding.includes('"'),
    changed: (value) => value.annotated && !value.as_written,
  };
  const list = () => grid.show(report.values.filter((value) => kinds[state.which](value) && hasWords(value.text, state.query)), report.values.length);
  list();
  const node = element("div", {class: "flow"}, heading("Tensors", report.json.values_left_out
      ? `${countText(report.json.values_left_out)} more are left out to keep the page small; explain --json --all has them.` : "Pick one to see which device holds which part."),
    element("div", {class: "controls"}, searchBox("Search by name, op, source line or sharding", (text) => { state.query = text.toLowerCase().trim(); list(); }),
      chooser("Show", [["all", "all"], ["annotated", "annotated"], ["replicated", "whole on every device"], ["changed", "not as written"]], (value) => { state.which = value; list(); })),
    element("div", {class: "split"}, grid.node, detail));
  return {node, open: (what) => {
    const row = what ? report.valueNamed.get(what) : grid.rows[0];
    if (row && !grid.rows.includes(row)) {
      Object.assign(state, {query: "", which: "all"});
      list();
    }
    if (row) grid.selectRow(row);
  }};
}

function tensorDetail(report, value) {
  const transfers = report.transfersOf(value);
  const conflicts = report.conflictsOf(value);
  return [
    element("h3", {class: "mono"}, value.label || value.name, " ", element("span", {class: "muted"}, value.type)),
    value.absence && element("p", {class: "because"}, value.absence),
    facts([
      ["name", value.label && value.name],
      ["sharding", value.sharding && shardingNode(report, value.sharding)],
      ["each device holds", value.local_type && value.local_type !== value.type && element("span", {class: "mono"}, value.local_type)],
      ["made by", value.op || "argument"],
      ["place", placeNode(report, value.place, value.source)],
      ["annotation", value.annotated && (value.as_written ? "as written" : "propagation added axes to what is written")],
      ["calls", value.calls > 1 && `of its function: ${value.calls}`],
    ]),
    value.sharding && pictures(value.type, [["", value.sharding]], report.mesh),
    value.axes && value.axes.length > 0 && [element("h4", {}, "Where the axes come from"),
      element("ul", {class: "origins"}, value.axes.map((axis) => element("li", {}, axesNamed(axis.axis).map((name) => [axisChip(report.mesh, name), " "]),
        `on dim ${axis.dimension}: `, originNode(report, axis.origin), chainNode(report, axis))))],
    transfers.length > 0 && [element("h4", {}, "Transfers"), element("ul", {class: "alike"}, transfers.map((transfer) => element("li", {},
      element("a", {href: linkTo("transfers", transfer.index)}, bytesText(transfer.received_bytes)), " ", stepsNode(report, transfer.steps), ` for ${transfer.op}`)))],
    conflicts.length > 0 && [element("h4", {}, "Conflicts"), element("ul", {class: "alike"}, conflicts.map((conflict) => element("li", {},
      element("a", {href: linkTo("conflicts", conflict.index)}, conflict.op), " ", conflict.problem)))],
  ];
}

/// The ops through which an axis came, if the report has them.
function chainNode(report, axis) {
  if (!axis.links || axis.links.length === 0) return null;
  return element("details", {}, element("summary", {}, `through ${plural(axis.links.length, "step")}`),
    element("ol", {class: "alike"}, axis.links.map((link) => element("li", {}, valueNode(report, link.value), ` dim ${link.dimension} ← `,
      valueNode(report, link.from), ` dim ${link.from_dimension}`, link.op && [`: ${link.op} `, placeNode(report, link.place, link.source)]))));
}
