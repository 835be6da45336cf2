// The report as the views use it: rows that know their number, texts to search in, and what belongs
// to a value or a source line.

class Report {
  constructor(data) {
    const report = unpack(data.report);
    this.json = report;
    this.sources = data.sources || [];
    this.mesh = parseMesh(report.mesh || "");
    this.hasTimes = Boolean(report.summary && report.summary.seconds !== undefined);
    this.transfers = (report.transfers || []).map((facts, index) => this.transfer(facts, index));
    this.conflicts = (report.conflicts || []).map((facts, index) => this.conflict(facts, index));
    this.suggestions = report.suggestions || [];
    this.values = (report.values || []).map((facts, index) => this.value(facts, index));
    this.receivedBytes = this.transfers.reduce((sum, transfer) => sum + transfer.received_bytes, 0);
    this.valueNamed = new Map(this.values.map((value) => [value.name, value]));
  }

  transfer(facts, index) {
    const text = [facts.steps, facts.value, facts.type, facts.op, facts.place, facts.source, facts.because, facts.reason].join(" ");
    return {...facts, index, axes: axesNamed(facts.steps), kinds: kindsOf(facts.steps), text: text.toLowerCase()};
  }

  conflict(facts, index) {
    const sides = [facts.winner, facts.loser].map((side) => `${side.value} ${side.origin.what} ${side.origin.label}`);
    return {...facts, index, text: [facts.op, facts.place, facts.source, facts.problem, ...sides].join(" ").toLowerCase()};
  }

  value(facts, index) {
    const text = [facts.name, facts.label, facts.op, facts.source, facts.type, facts.sharding, facts.place].join(" ");
    const type = parseType(facts.type);
    return {...facts, index, bytes: type ? bytesOfType(type) : 0, text: text.toLowerCase()};
  }

  transfersOf(value) {
    return this.transfers.filter((transfer) => transfer.value === value.name);
  }

  conflictsOf(value) {
    return this.conflicts.filter(({winner, loser}) => winner.value === value.name || loser.value === value.name);
  }

  transfersBecauseOf(conflict) {
    return this.transfers.filter((transfer) => transfer.conflict === conflict.index);
  }
}

/// `all_reduce {"model"} + all_gather {"data"}` as ["all_reduce", "all_gather"].
const kindsOf = (steps) => steps.split(" + ").map((step) => step.trim().split(" ")[0]).filter(Boolean);

/// Transfers that are alike in all but the values that they move, as in the layers of a model, as one:
/// [{...first, members}].
function foldAlike(transfers) {
  const groups = new Map();
  for (const transfer of transfers) {
    const key = [transfer.steps, transfer.type, transfer.from, transfer.to, transfer.op, transfer.reason,
                 transfer.source.replace(/\d+/g, "#")].join("\n");
    if (!groups.has(key)) groups.set(key, {...transfer, received_bytes: 0, seconds: 0, calls: 0, members: []});
    const group = groups.get(key);
    group.members.push(transfer);
    group.received_bytes += transfer.received_bytes;
    group.seconds += transfer.seconds || 0;
    group.calls += transfer.calls;
  }
  return [...groups.values()];
}

/// Collectives with their axes in colour.
function stepsNode(report, steps) {
  return element("span", {class: "steps"}, steps.split(" + ").map((step, i) => {
    const kind = step.trim().split(" ")[0];
    const axes = axesNamed(step);
    const rest = axes.length ? "" : step.trim().slice(kind.length);
    return [i > 0 && " + ", element("span", {class: "kind"}, kind), rest, axes.map((name) => [" ", axisChip(report.mesh, name)])];
  }));
}

/// A sharding as it is written, its axes in colour.
function shardingNode(report, text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(/"((?:[^"\\]|\\.)*)"/g)) {
    const mark = element("span", {class: "axis-text"}, match[0]);
    mark.style.setProperty("--axis", axisColour(report.mesh, match[1])[0]);
    parts.push(text.slice(from, match.index), mark);
    from = match.index + match[0].length;
  }
  return element("code", {class: "sharding"}, parts, text.slice(from));
}

/// What is in the source, else in the program: `model.py:14 (backward) in mlp`. A link to the line, if
/// its text is in the page.
function placeNode(report, place, source) {
  const whole = source || place;
  const at = parsePlace(whole);
  if (!whole) return "";
  const text = whole.replace(/^(?:[^ :]*\/)/, "");
  if (!at || !report.sources.some((one) => one.file === at.file)) return element("span", {class: "mono", title: whole}, text);
  return element("a", {class: "mono", href: linkTo("source", `${at.file}:${at.line}`), title: whole}, text);
}

/// A place without its folders and column, for tables.
const shortPlace = (text) => text.replace(/^(?:[^ :]*\/)/, "").replace(/^([^ :]*:\d+):\d+/, "$1");

const linkTo = (view, what) => `#${view}/${encodeURIComponent(what)}`;

/// A value by name: a link to its picture, if the report tells of it.
function valueNode(report, name, label) {
  const text = label || name;
  return report.valueNamed.has(name) ? element("a", {class: "mono", href: linkTo("tensors", name), title: name}, text)
                                     : element("span", {class: "mono"}, text);
}

/// What a transfer moves. An op that becomes several has values between them that have no names.
function movedNode(report, transfer) {
  const value = valueNode(report, transfer.value);
  return transfer.inside ? element("span", {}, "a value inside ", value) : value;
}

/// `from argument 2 params['w1'] [{}, {"model"}], model.mlir:3`.
function originNode(report, origin) {
  if (!origin || !origin.what) return "no annotation: it is what propagation starts from";
  return element("span", {}, `${origin.what} `, origin.label || origin.value ? [valueNode(report, origin.value, origin.label), " "] : "",
                 origin.sharding && [shardingNode(report, origin.sharding), " "], placeNode(report, origin.place, origin.source));
}

/// Number and thing of a tile.
function tile(label, value, remark, tone) {
  return element("div", {class: tone ? `tile ${tone}` : "tile"}, element("p", {class: "tile-label"}, label),
                 element("p", {class: "tile-value"}, value), remark && element("p", {class: "tile-remark"}, remark));
}

/// A bar of its share beside its number: for tables of bytes.
function bar(share, colour) {
  const node = element("span", {class: "bar", "aria-hidden": "true"}, element("span", {}));
  node.firstChild.style.width = `${Math.max(0.5, 100 * share)}%`;
  if (colour) node.firstChild.style.background = colour;
  return node;
}
