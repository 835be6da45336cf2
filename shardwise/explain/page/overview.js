// The first view: what it costs, where that goes, and what to look at next.

function overviewView(report) {
  const {json} = report;
  const hasRows = (list) => list && list.length > 0;
  const node = element("div", {class: "flow"}, element("h2", {class: "unseen"}, "Overview"), tiles(report));
  if (json.summary) node.append(timePart(json.summary));
  if (hasRows(json.root_causes)) node.append(rootCausesPart(report));
  if (json.notes && json.notes.length) node.append(notesPart(report));
  const left = [report.transfers.length > 0 && collectivesPart(report), hasRows(json.by_axes) && axesPart(report),
                json.topology && machinePart(json.topology)].filter(Boolean);
  const right = [report.transfers.length > 0 && heaviestPart(report), hasRows(json.forced_gathers) && forcedPart(report)].filter(Boolean);
  if (json.work && hasRows(json.work.by_axes) && json.work.repeated > 1.01) right.push(repeatedPart(report));
  if (json.memory && json.memory.by_kind) right.push(part("Memory at the peak", kindTable(json.memory), element("p", {}, element("a", {href: "#memory"}, "What lives then"))));
  if (hasRows(json.patterns)) right.push(patternsPart(report));
  node.append(element("div", {class: left.length && right.length ? "two" : "one"}, [left, right].map((column) => column.length > 0 && element("div", {class: "flow"}, column))));
  return {node};
}

function tiles(report) {
  const {json} = report;
  const becauseOfConflicts = report.transfers.filter((transfer) => transfer.conflict >= 0)
    .reduce((sum, transfer) => sum + transfer.received_bytes, 0);
  const list = [];
  if (json.memory) list.push(memoryTile(json.memory));
  if (json.summary)
    list.push(tile("Modelled step", secondsText(json.summary.scheduled_seconds),
      `${secondsText(json.summary.exposed_seconds)} waiting for transfers; ${secondsText(json.summary.seconds)} if nothing overlaps, ${secondsText(json.summary.overlapped_seconds)} if all does`));
  if (json.work)
    list.push(tile("Work per device", flopsText(json.work.flops), (json.work.text || "").split(",")[0] || `of ${flopsText(json.work.program_flops)} in the program`, json.work.repeated > 1.01 ? "warn" : ""));
  list.push(tile("Received per device", bytesText(report.receivedBytes),
    report.transfers.length ? `in ${plural(report.transfers.length, "transfer")}` : "nothing is moved between devices"));
  list.push(tile("Conflicts", countText(report.conflicts.length),
    report.conflicts.length ? `${bytesText(becauseOfConflicts)} because of them` : "annotations agree", report.conflicts.length ? "warn" : "fine"));
  list.push(tile("Changes that help", countText(report.suggestions.length),
    json.edits_tried ? `of ${json.edits_tried} tried` : "none was tried", report.suggestions.length ? "hint" : ""));
  list.push(tile("Devices", countText(json.devices || report.mesh.numDevices), report.mesh.axes.map((axis) => `${axis.name} ${axis.size}`).join(" × ") || "no mesh"));
  return element("section", {class: "tiles", "aria-label": "Summary"}, list);
}

function part(title, ...children) {
  const id = freshId("part");
  return element("section", {class: "card", "aria-labelledby": id}, element("h3", {id}, title), children);
}

function notesPart(report) {
  const most = 8;
  const items = report.json.notes.map((note) => element("li", {}, element("span", {class: "tag"}, note.code), " ", note.text, " ",
                                                        placeNode(report, note.place, "")));
  const rest = items.slice(most);
  return part("To know about this report", element("ul", {class: "notes"}, items.slice(0, most)),
    rest.length > 0 && element("details", {}, element("summary", {}, `${plural(rest.length, "more note")}`), element("ul", {class: "notes"}, rest)));
}

/// Bytes by collective and axes.
function collectivesPart(report) {
  const rows = new Map();
  for (const transfer of report.transfers) {
    const row = rows.get(transfer.steps) || {steps: transfer.steps, count: 0, bytes: 0, seconds: 0};
    row.count += transfer.calls;
    row.bytes += transfer.received_bytes;
    row.seconds += transfer.seconds || 0;
    rows.set(transfer.steps, row);
  }
  const weigh = (row) => (report.hasTimes ? row.seconds : row.bytes);
  const sorted = [...rows.values()].sort((a, b) => weigh(b) - weigh(a));
  const all = sorted.reduce((sum, row) => sum + weigh(row), 0) || 1;
  return part("What is moved, by collective", element("table", {class: "plain"},
    element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "collective"), element("th", {scope: "col", class: "end"}, "calls"),
      element("th", {scope: "col", class: "end"}, "received"), report.hasTimes && element("th", {scope: "col", class: "end"}, "time"),
      element("th", {scope: "col", class: "bars"}, report.hasTimes ? "share of time" : "share of bytes"))),
    element("tbody", {}, sorted.slice(0, 12).map((row) => element("tr", {},
      element("th", {scope: "row"}, element("a", {href: linkTo("transfers", `steps=${row.steps}`)}, stepsNode(report, row.steps))),
      element("td", {class: "end"}, countText(row.count)), element("td", {class: "end"}, bytesText(row.bytes)),
      report.hasTimes && element("td", {class: "end"}, secondsText(row.seconds)),
      element("td", {class: "bars"}, bar(weigh(row) / all), element("span", {class: "share"}, percentText(weigh(row) / all))))))));
}

function heaviestPart(report) {
  const folded = foldAlike(report.transfers).sort((a, b) => (report.hasTimes ? b.seconds - a.seconds : b.received_bytes - a.received_bytes));
  return part("Look here first", element("ol", {class: "heaviest"}, folded.slice(0, 5).map((transfer) => element("li", {},
    element("a", {class: "strong", href: linkTo("transfers", transfer.members[0].index)}, bytesText(transfer.received_bytes)),
    report.hasTimes && ` · ${secondsText(transfer.seconds)}`, " ", stepsNode(report, transfer.steps), " of ",
    movedNode(report, transfer), transfer.members.length > 1 && ` and ${transfer.members.length - 1} alike`,
    element("p", {class: "because"}, "because ", transfer.because)))));
}

/// How a step divides into computing, memory and transfers that nothing hides.
function timePart(time) {
  const pieces = [["computing", time.compute_seconds, "#0072B2"], ["memory", time.memory_seconds, "#56B4E9"], ["waiting for transfers", time.exposed_seconds, "#D55E00"]]
    .filter(([, seconds]) => seconds > 0);
  const whole = pieces.reduce((sum, [, seconds]) => sum + seconds, 0) || 1;
  const strip = element("div", {class: "strip", role: "img", "aria-label": pieces.map(([name, seconds]) => `${name} ${secondsText(seconds)}`).join(", ")},
    pieces.map(([, seconds, colour]) => element("span", {style: {width: `${(100 * seconds) / whole}%`, background: colour}})));
  return part("Where the step goes", strip, element("p", {class: "legend"}, pieces.map(([name, seconds, colour]) => {
    const chip = element("span", {class: "axis"}, element("span", {class: "swatch", "aria-hidden": "true"}), `${name} ${secondsText(seconds)}, ${percentText(seconds / whole)}`);
    chip.style.setProperty("--axis", colour);
    return chip;
  })));
}

/// Work that several devices do, because it is not cut over some axes.
function repeatedPart(report) {
  return part("Work that is repeated", element("p", {class: "because"}, report.json.work.text), element("table", {class: "plain"},
    element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "not cut over"), element("th", {scope: "col", class: "end"}, "times"), element("th", {scope: "col", class: "end"}, "work"),
      element("th", {scope: "col", class: "bars"}, "share"))),
    element("tbody", {}, report.json.work.by_axes.map((row) => element("tr", {}, element("th", {scope: "row"}, axesNamed(row.axes).map((name) => [axisChip(report.mesh, name), " "])),
      element("td", {class: "end"}, countText(row.times)), element("td", {class: "end"}, flopsText(row.flops)),
      element("td", {class: "bars"}, bar(row.share), element("span", {class: "share"}, percentText(row.share))))))));
}

function axesPart(report) {
  const all = report.json.by_axes.reduce((sum, row) => sum + row.seconds, 0) || 1;
  return part("Time by axes", element("table", {class: "plain"},
    element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "axes"), element("th", {scope: "col", class: "end"}, "received"),
      element("th", {scope: "col", class: "end"}, "time"), element("th", {scope: "col", class: "bars"}, "share of transfers"))),
    element("tbody", {}, report.json.by_axes.map((row) => {
      const names = axesNamed(row.axes);
      return element("tr", {}, element("th", {scope: "row"}, names.length ? names.map((name) => [axisChip(report.mesh, name), " "]) : row.axes),
        element("td", {class: "end"}, bytesText(row.received_bytes)), element("td", {class: "end"}, secondsText(row.seconds)),
        element("td", {class: "bars"}, bar(row.seconds / all, names.length === 1 ? axisColour(report.mesh, names[0])[0] : null),
                element("span", {class: "share"}, percentText(row.seconds / all))));
    }))));
}

function forcedPart(report) {
  return part("Gathers of a whole dimension that an op forces", element("ul", {class: "notes"}, report.json.forced_gathers.map((gather) =>
    element("li", {}, element("a", {href: linkTo("transfers", gather.transfer), class: "strong"}, bytesText(gather.received_bytes)), " ",
            gather.because, " ", placeNode(report, gather.place, gather.source)))));
}

function machinePart(topology) {
  const device = topology.device || {};
  const rates = Object.entries(device.flops_per_s || {}).map(([type, rate]) => `${type} ${flopsText(rate)}/s`).join(", ");
  return part(`Modelled machine: ${topology.name}`, facts([
    ["matrix products", rates],
    ["memory", device.memory_bytes && `${bytesText(device.memory_bytes)} at ${bytesText(device.memory_bytes_per_s)}/s`],
    ["link", topology.link && `${bytesText(topology.link.bytes_per_s)}/s, ${secondsText(topology.link.latency_s)} latency`],
    ["between hosts", topology.host_link && `${bytesText(topology.host_link.bytes_per_s)}/s, ${plural(topology.devices_per_host, "device")} a host`],
  ]));
}
