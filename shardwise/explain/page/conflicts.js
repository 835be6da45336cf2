// Where annotations met: who won and why, what it costs, and what was tried against it.

function conflictsView(report) {
  const detail = element("section", {class: "detail", "aria-label": "The selected conflict", "aria-live": "polite"});
  const columns = [
    {key: "bytes", title: "received", width: "6.2rem", align: "end", sort: (row) => row.received_bytes, cell: (row) => bytesText(row.received_bytes)},
    {key: "op", title: "at", width: "minmax(7rem, .8fr)", sort: (row) => row.op, cell: (row) => row.op},
    {key: "winner", title: "kept", width: "minmax(7rem, 1fr)", sort: (row) => row.winner.axes, cell: (row) => sideNode(report, row.winner)},
    {key: "loser", title: "lost", width: "minmax(7rem, 1fr)", sort: (row) => row.loser.axes, cell: (row) => sideNode(report, row.loser)},
    {key: "rule", title: "decided by", width: "minmax(6rem, .7fr)", sort: (row) => row.rule, cell: (row) => row.rule.replaceAll("_", " ")},
    {key: "source", title: "source", width: "minmax(8rem, 1fr)", mono: true, sort: (row) => row.source || row.place, cell: (row) => shortPlace(row.source || row.place)},
  ];
  const grid = new Grid({label: "Conflicts between annotations", columns, onSelect: (row) => replace(detail, conflictDetail(report, row)),
    sortedBy: {key: "bytes", isDescending: true}, empty: report.conflicts.length ? "No conflict matches." : "Annotations agree: there is no conflict."});
  const list = (query) => grid.show(report.conflicts.filter((conflict) => hasWords(conflict.text, query)), report.conflicts.length);
  list("");
  const node = element("div", {class: "flow"}, heading("Conflicts", "An op two of whose values ended up with different axes: one of them has to be moved."),
    report.suggestions.length > 0 && suggestionsPart(report),
    report.conflicts.length > 0 && element("div", {class: "controls"}, searchBox("Filter by op, tensor or source", (text) => list(text.toLowerCase().trim()))),
    element("div", {class: "split"}, grid.node, detail));
  return {node, open: (what) => {
    const row = report.conflicts[Number(what || 0)];
    if (row) grid.selectRow(row);
  }};
}

function sideNode(report, side) {
  return [axesNamed(side.axes).map((name) => [axisChip(report.mesh, name), " "]), "on dim ", side.dimension, " of ", element("span", {class: "mono"}, side.value)];
}

function changeText(change, format) {
  return change && [`${format(change.before)} → ${format(change.after)}`,
                    change.before > 0 && change.before !== change.after && ` (${change.after < change.before ? "−" : "+"}${percentText(Math.abs(1 - change.after / change.before))})`];
}

function suggestionNode(report, suggestion) {
  return element("li", {class: "suggestion"}, element("p", {class: "edit"}, suggestion.edit),
    element("p", {class: "muted"}, placeNode(report, suggestion.place, suggestion.source)),
    facts([
      ["received", changeText(suggestion.received_bytes, bytesText)],
      ["time", suggestion.seconds && changeText(suggestion.seconds, secondsText)],
      ["arguments", suggestion.argument_bytes && suggestion.argument_bytes.before !== suggestion.argument_bytes.after && changeText(suggestion.argument_bytes, bytesText)],
      ["matrix products", suggestion.flops && suggestion.flops.before !== suggestion.flops.after && changeText(suggestion.flops, flopsText)],
      ["conflict", suggestion.conflict >= 0 && element("a", {href: linkTo("conflicts", suggestion.conflict)}, `conflict ${suggestion.conflict + 1}`)],
    ]));
}

function suggestionsPart(report) {
  return part("Changes that help", element("p", {class: "hint"}, "Each was made to a copy of the program, which was compiled again as far as costs go."),
    element("ol", {class: "suggestions"}, report.suggestions.map((suggestion) => suggestionNode(report, suggestion))));
}

function conflictDetail(report, conflict) {
  const transfers = report.transfersBecauseOf(conflict);
  const side = (title, facts, tone) => element("div", {class: `side ${tone}`}, element("h4", {}, title), element("p", {}, sideNode(report, facts)),
    element("p", {class: "muted"}, "from ", originNode(report, facts.origin)));
  return [
    element("h3", {}, conflict.op, " ", placeNode(report, conflict.place, conflict.source)),
    element("p", {class: "because"}, conflict.problem),
    element("div", {class: "sides"}, side("Kept", conflict.winner, "kept"), side("Lost", conflict.loser, "lost")),
    facts([
      ["why", conflict.because],
      ["what to do", conflict.advice],
      ["it costs", conflict.received_bytes > 0 && `${bytesText(conflict.received_bytes)} received per device${conflict.per_iteration ? " and iteration" : ""}`],
      ["in the program", placeNode(report, conflict.place, "")],
    ]),
    transfers.length > 0 && [element("h4", {}, "Transfers because of it"), element("ul", {class: "alike"}, transfers.slice(0, 50).map((transfer) => element("li", {},
      element("a", {href: linkTo("transfers", transfer.index)}, bytesText(transfer.received_bytes)), " ", stepsNode(report, transfer.steps), " of ", movedNode(report, transfer))))],
  ];
}
