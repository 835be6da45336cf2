// What is moved between devices: a table with filters, and for one row the reason and what each
// device holds before and after.

function transfersView(report) {
  const state = {query: "", kind: "", axis: "", reason: "", steps: "", isFolded: true};
  const detail = element("section", {class: "detail", "aria-label": "The selected transfer", "aria-live": "polite"});
  const most = Math.max(1, ...report.transfers.map((transfer) => transfer.received_bytes));
  const columns = [
    {key: "bytes", title: "received", width: "4.9rem", align: "end", sort: (row) => row.received_bytes, cell: (row) => bytesText(row.received_bytes)},
    report.hasTimes && {key: "seconds", title: "time", width: "4.4rem", align: "end", sort: (row) => row.seconds, cell: (row) => secondsText(row.seconds)},
    {key: "share", title: "", width: "2.6rem", cell: (row) => bar(row.received_bytes / most)},
    {key: "steps", title: "collective", width: "minmax(8.5rem, 1.1fr)", sort: (row) => row.steps, cell: (row) => stepsNode(report, row.steps)},
    {key: "value", title: "tensor", width: "minmax(9rem, 1.2fr)", sort: (row) => row.value,
     cell: (row) => [row.inside && "inside ", element("span", {class: "mono"}, row.value), " ", element("span", {class: "muted"}, row.type),
                     row.members && row.members.length > 1 && element("span", {class: "tag"}, `${row.members.length} alike`)]},
    {key: "op", title: "for", width: "minmax(5rem, .7fr)", sort: (row) => row.op, cell: (row) => row.op},
    {key: "source", title: "source", width: "minmax(6rem, 1fr)", sort: (row) => row.source || row.place, mono: true, cell: (row) => shortPlace(row.source || row.place)},
  ].filter(Boolean);
  const grid = new Grid({label: "Transfers between devices", columns, onSelect: (row) => show(row),
    sortedBy: {key: report.hasTimes ? "seconds" : "bytes", isDescending: true}, empty: report.transfers.length ? "No transfer matches." : "Nothing is moved between devices."});
  let folded = null;

  const filtered = () => report.transfers.filter((transfer) =>
    (!state.kind || transfer.kinds.includes(state.kind)) && (!state.axis || transfer.axes.includes(state.axis)) &&
    (!state.reason || transfer.reason === state.reason) && (!state.steps || transfer.steps === state.steps) && hasWords(transfer.text, state.query));
  const list = () => {
    const rows = filtered();
    folded = state.isFolded ? foldAlike(rows) : rows;
    grid.show(folded, state.isFolded ? folded.length : report.transfers.length);
    const sum = rows.reduce((total, row) => total + row.received_bytes, 0);
    replace(total, `${bytesText(sum)} in ${plural(rows.length, "transfer")}`, state.steps && [", all ", stepsNode(report, state.steps), " ",
      element("button", {type: "button", class: "quiet", onclick: () => { state.steps = ""; list(); }}, "Show all")]);
  };
  const change = (key) => (value) => {
    state[key] = key === "query" ? value.toLowerCase().trim() : value;
    list();
  };
  const show = (row) => replace(detail, transferDetail(report, row));
  const total = element("p", {class: "total", role: "status"});
  const choices = (values, all) => [["", all], ...[...new Set(values)].sort().map((value) => [value, value])];
  const controls = element("div", {class: "controls"},
    searchBox("Filter by tensor, op, source or reason", change("query")),
    chooser("Collective", choices(report.transfers.flatMap((one) => one.kinds), "all"), change("kind")),
    chooser("Axis", choices(report.transfers.flatMap((one) => one.axes), "all"), change("axis")),
    chooser("Reason", choices(report.transfers.map((one) => one.reason), "all"), change("reason")),
    toggle("Fold alike", state.isFolded, change("isFolded")));
  const node = element("div", {class: "flow"}, heading("Transfers", "Bytes are what the slowest device receives, in all calls."), controls, total,
                       element("div", {class: "split"}, grid.node, detail));
  return {node, open: (what) => {
    state.steps = what.startsWith("steps=") ? what.slice(6) : "";
    list();
    const index = Number(what);
    const row = what && !state.steps ? folded.find((one) => (one.members || [one]).some((member) => member.index === index)) : folded.length ? grid.rows[0] : null;
    if (row) grid.selectRow(row);
    else replace(detail);
  }};
}

function transferDetail(report, row) {
  const members = row.members || [row];
  return [
    element("h3", {}, stepsNode(report, row.steps), " of ", movedNode(report, row)),
    element("p", {class: "because"}, "because ", row.because),
    facts([
      ["received", `${bytesText(row.received_bytes)}${row.calls > 1 ? ` in ${countText(row.calls)} calls` : ""}${row.per_iteration ? " per iteration" : ""}`],
      ["time", report.hasTimes && secondsText(row.seconds)],
      ["for", `${row.op}${row.in_branch ? ", in a branch" : ""}`],
      ["source", placeNode(report, row.place, row.source)],
      ["in the program", row.source && placeNode(report, row.place, "")],
      ["goes back to", row.origin && row.origin.what ? originNode(report, row.origin) : ""],
      ["conflict", row.conflict >= 0 && element("a", {href: linkTo("conflicts", row.conflict)}, `conflict ${row.conflict + 1}`)],
      ["from", row.from && shardingNode(report, row.from)],
      ["to", row.to && shardingNode(report, row.to)],
    ]),
    row.from && row.to && pictures(row.type, [["before", row.from], ["after", row.to]], report.mesh),
    members.length > 1 && element("details", {}, element("summary", {}, plural(members.length, "transfer") + " alike"),
      element("ul", {class: "alike"}, members.slice(0, 200).map((member) => element("li", {}, movedNode(report, member), " ",
        placeNode(report, member.place, member.source), ` ${bytesText(member.received_bytes)}`)))),
  ];
}
