// Two reports side by side: this one, and the one that `--diff` put into the page, or one that is
// opened from a file, a page or an object of `explain --json`. Nothing is sent anywhere.

/// The report of `--diff`: {name, report}; null if the page has none.
function otherReport() {
  const block = document.getElementById("other");
  return block && {name: block.dataset.name, report: new Report(JSON.parse(block.textContent))};
}

function compareView(report) {
  const result = element("div", {class: "flow"});
  const id = freshId("other");
  const problem = element("p", {class: "problem", role: "alert"});
  const open = async (file) => {
    replace(problem);
    replace(result);
    if (!file) return;
    try {
      replace(result, comparison(report, readReport(await file.text()), file.name));
    } catch (error) {
      replace(problem, `${file.name} is no report: ${error.message}. Expected a page of explain --html, or an object of explain --json.`);
    }
  };
  const input = element("input", {id, type: "file", accept: ".html,.json,application/json,text/html", onchange: () => open(input.files[0])});
  const node = element("div", {class: "flow"}, heading("Compare", "Open the report of a program before or after a change: what is moved, and which shardings differ. The file stays on this machine."),
    element("div", {class: "controls"}, element("span", {class: "field"}, element("label", {for: id}, "Other report (.html or .json)"), input)), problem, result);
  const given = otherReport();
  if (given) replace(result, comparison(report, given.report, given.name));
  return {node};
}

/// In two parts, as it would end the script that it stands in.
const kScriptEnd = "</" + "script>";

/// A report from the text of a page or of a JSON object.
function readReport(text) {
  const start = /<script type="application\/json" id="data">/.exec(text);
  const data = start ? JSON.parse(text.slice(start.index + start[0].length, text.indexOf(kScriptEnd, start.index)))
                     : {report: JSON.parse(text)};
  const report = new Report(data);
  if (!/^shardwise\.explain\//.test(report.json.schema || "")) throw new Error("it has no schema shardwise.explain");
  return report;
}

/// What a transfer is known by in both programs: numbers of values and lines may change.
const transferKey = (transfer) => [transfer.steps, transfer.op, transfer.type, transfer.from, transfer.to, (transfer.source || "").replace(/:\d+/, "")].join("\n");

function comparison(mine, other, name) {
  const totals = comparedTotals(mine, other);
  const head = (...titles) => element("thead", {}, element("tr", {}, titles.map((title, i) => element("th", {scope: "col", class: i > 0 ? "end" : null}, title))));
  const difference = (a, b, format) => (a === b ? "same" : `${b > a ? "+" : "−"}${format(Math.abs(b - a))}`);
  const rows = transferChanges(mine, other);
  const values = shardingChanges(mine, other);
  if (rows.length === 0 && values.length === 0 && totals.every(([, a, b]) => a === b))
    return part("No difference", element("p", {}, `${name} has the same transfers and the same shardings.`));
  return [
    part(`This report and ${name}`, element("table", {class: "plain"}, head("", "this", "other", "difference"),
      element("tbody", {}, totals.map(([title, a, b, format]) => element("tr", {}, element("th", {scope: "row"}, title), element("td", {class: "end"}, format(a)),
        element("td", {class: "end"}, format(b)), element("td", {class: `end ${a === b ? "muted" : b < a ? "better" : "worse"}`}, difference(a, b, format))))))),
    mine.json.memory && other.json.memory && part("Memory over the program", comparedCurves(mine.json.memory, other.json.memory, name)),
    rows.length > 0 && part("Transfers that differ", element("table", {class: "plain"}, head("transfer", "this", "other", "difference"),
      element("tbody", {}, rows.slice(0, 200).map(({sample, a, b}) => element("tr", {},
        element("th", {scope: "row"}, stepsNode(mine, sample.steps), " of ", element("span", {class: "mono"}, sample.type), element("p", {class: "because"}, "because ", sample.because)),
        element("td", {class: "end"}, a ? bytesText(a) : "none"), element("td", {class: "end"}, b ? bytesText(b) : "none"),
        element("td", {class: `end ${b < a ? "better" : "worse"}`}, difference(a, b, bytesText)))))), rows.length > 200 && element("p", {class: "remark"}, `and ${rows.length - 200} more`)),
    values.length > 0 && part("Shardings that differ", element("table", {class: "plain"}, head("tensor", "this", "other"),
      element("tbody", {}, values.slice(0, 200).map(([value, with_]) => element("tr", {}, element("th", {scope: "row"}, valueNode(mine, value.name, value.label), " ", element("span", {class: "muted"}, value.type)),
        element("td", {class: "end"}, shardingNode(mine, value.sharding)), element("td", {class: "end"}, shardingNode(other, with_.sharding)))))),
      values.length > 200 && element("p", {class: "remark"}, `and ${values.length - 200} more`)),
  ];
}

/// What a device takes in both programs: [title, this, other, format]. What is nothing in both is left out.
function comparedTotals(mine, other) {
  const rows = [];
  const add = (title, of, format) => {
    const [a, b] = [of(mine), of(other)];
    if (a || b) rows.push([title, a || 0, b || 0, format]);
  };
  const sum = (list, has) => (list || []).filter(has).reduce((all, row) => all + row[1], 0);
  if (mine.json.memory && other.json.memory) {
    add("memory at the peak", ({json}) => json.memory.peak_bytes, bytesText);
    for (const [kind] of kMemoryKinds)
      add(`  of it ${kindText(kind)}`, ({json}) => sum(json.memory.by_kind.map((row) => [row.kind, row.bytes]), ([one]) => one === kind), bytesText);
  }
  if (mine.json.work && other.json.work) add("work", ({json}) => json.work.flops, flopsText);
  add("received per device", (report) => report.receivedBytes, bytesText);
  const traffic = (report) => (report.json.traffic || []).map((row) => [`  ${row.kind} ${row.axes}`, row.received_bytes]);
  for (const title of new Set([mine, other].flatMap((report) => traffic(report).map(([one]) => one))))
    add(title, (report) => sum(traffic(report), ([one]) => one === title), bytesText);
  if (mine.hasTimes && other.hasTimes) {
    add("modelled step", ({json}) => json.summary.scheduled_seconds, secondsText);
    add("  waiting for transfers", ({json}) => json.summary.exposed_seconds, secondsText);
    add("  if nothing overlaps", ({json}) => json.summary.seconds, secondsText);
    add("  if all does", ({json}) => json.summary.overlapped_seconds, secondsText);
  }
  add("transfers", (report) => report.transfers.length, countText);
  add("conflicts", (report) => report.conflicts.length, countText);
  add("devices", (report) => report.mesh.numDevices, countText);
  return rows;
}

/// The memory of both, each over its own steps from the first to the last.
function comparedCurves(mine, other, name) {
  const left = 76;
  const highest = 1.06 * Math.max(mine.peak_bytes, other.peak_bytes, 1);
  const up = (bytes) => 8 + kCurveHeight * (1 - bytes / highest);
  const picture = svg("svg", {viewBox: `0 0 ${kCurveWidth} ${kCurveHeight + 34}`, class: "curve", role: "img",
    "aria-label": `Memory of both programs over their steps: ${bytesText(mine.peak_bytes)} at the peak of this one, ${bytesText(other.peak_bytes)} of the other`});
  const rule = 2 ** Math.ceil(Math.log2(highest / 6));
  for (let bytes = 0; bytes <= highest; bytes += rule)
    picture.append(svg("line", {x1: left, x2: kCurveWidth - 8, y1: up(bytes), y2: up(bytes), class: "rule"}),
                   svg("text", {x: left - 8, y: up(bytes) + 4, "text-anchor": "end", class: "range"}, bytesText(bytes)));
  const line = (memory, which) => {
    const {curve} = memory;
    const numSteps = Math.max(1, memory.num_steps);
    const across = (step) => left + (step / numSteps) * (kCurveWidth - left - 8);
    const points = curveSteps(curve, numSteps).flatMap((one) => [[across(one.step), up(curve.bytes[one.i])], [across(one.end), up(curve.bytes[one.i])]]);
    picture.append(svg("polyline", {points: points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "), class: `compared ${which}`}));
  };
  if (mine.curve && other.curve) {
    line(mine, "this");
    line(other, "other");
  }
  picture.append(svg("text", {x: left, y: kCurveHeight + 26, class: "range"}, "first step"),
                 svg("text", {x: kCurveWidth - 8, y: kCurveHeight + 26, "text-anchor": "end", class: "range"}, "last step"));
  const key = (which, text) => element("span", {class: `compared-key ${which}`}, element("span", {"aria-hidden": "true"}), text);
  return element("figure", {class: "curve-frame"}, picture, element("figcaption", {class: "legend"}, key("this", "this report"), key("other", name)));
}

/// Transfers whose bytes differ, the largest difference first.
function transferChanges(mine, other) {
  const sums = new Map();
  const add = (report, side) => {
    for (const transfer of report.transfers) {
      const key = transferKey(transfer);
      if (!sums.has(key)) sums.set(key, {sample: transfer, a: 0, b: 0});
      sums.get(key)[side] += transfer.received_bytes;
    }
  };
  add(mine, "a");
  add(other, "b");
  return [...sums.values()].filter(({a, b}) => a !== b).sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a));
}

/// Values of the same name and type with different shardings.
function shardingChanges(mine, other) {
  const known = (value) => value.label || value.name;
  const theirs = new Map(other.values.map((value) => [known(value), value]));
  return mine.values.filter((value) => value.sharding).map((value) => [value, theirs.get(known(value))])
    .filter(([value, with_]) => with_ && with_.type === value.type && with_.sharding && with_.sharding !== value.sharding);
}
