// Two reports side by side: this one, and one that is opened from a file, a page or an object of
// `explain --json`. Nothing is sent anywhere.

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
  const totals = [
    ["received per device", mine.receivedBytes, other.receivedBytes, bytesText],
    mine.hasTimes && other.hasTimes && ["modelled step", mine.json.summary.seconds, other.json.summary.seconds, secondsText],
    ["transfers", mine.transfers.length, other.transfers.length, countText],
    ["conflicts", mine.conflicts.length, other.conflicts.length, countText],
    ["devices", mine.mesh.numDevices, other.mesh.numDevices, countText],
  ].filter(Boolean);
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
