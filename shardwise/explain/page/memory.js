// Memory of a device over its program: what lives when, the moment of the peak, and the tensors that
// are there then. The curve is a picture; the tables say the same in words.

/// Colours of kinds, those that stay first; the same palette as axes, in an order of its own.
const kMemoryKinds = [
  ["parameters", "#0072B2"], ["optimizer_state", "#56B4E9"], ["inputs", "#009E73"], ["constants", "#8F8F8F"],
  ["gradients", "#D55E00"], ["activations", "#E69F00"], ["results", "#CC79A7"], ["collectives", "#B8A900"],
  ["temporaries", "#7A68B8"], ["gaps", "#BDBDBD"],
];
const kCurveWidth = 960;
const kCurveHeight = 260;
/// More steps than pixels are drawn as the highest of those that share one.
const kMostCurveSteps = 1200;

const kindText = (kind) => kind.replaceAll("_", " ");
const kindColour = (kind) => (kMemoryKinds.find(([name]) => name === kind) || [kind, "#8F8F8F"])[1];

function kindChip(kind) {
  const chip = element("span", {class: "axis"}, element("span", {class: "swatch", "aria-hidden": "true"}), kindText(kind));
  chip.style.setProperty("--axis", kindColour(kind));
  return chip;
}

function memoryTile(memory) {
  const fits = memory.fits;
  return tile("Memory per device", bytesText(memory.peak_bytes),
    fits === false ? `does not fit into ${bytesText(memory.limit_bytes)}` : fits === true ? `fits into ${bytesText(memory.limit_bytes)}` : `at ${memory.peak_op || "its peak"}`,
    fits === false ? "bad" : fits === true ? "fine" : "");
}

function memoryView(report) {
  const {memory} = report.json;
  const detail = element("section", {class: "detail", "aria-label": "The selected tensor", "aria-live": "polite"});
  const live = (memory.peak_live || []).map((row, index) => ({...row, index,
    text: [row.kind, row.value, row.label, row.op, row.source, row.type].join(" ").toLowerCase()}));
  const most = Math.max(1, ...live.map((row) => row.bytes));
  const columns = [
    {key: "bytes", title: "bytes", width: "5.2rem", align: "end", sort: (row) => row.bytes, cell: (row) => bytesText(row.bytes)},
    {key: "share", title: "", width: "3.2rem", cell: (row) => bar(row.bytes / most, kindColour(row.kind))},
    {key: "kind", title: "kind", width: "minmax(7rem, .8fr)", sort: (row) => row.kind, cell: (row) => kindChip(row.kind)},
    {key: "value", title: "tensor", width: "minmax(9rem, 1.3fr)", sort: (row) => row.label || row.value,
     cell: (row) => [element("span", {class: "mono"}, row.label || row.value), " ", element("span", {class: "muted"}, row.type)]},
    {key: "op", title: "made by", width: "minmax(6rem, .8fr)", sort: (row) => row.op, cell: (row) => row.op || "argument"},
    {key: "steps", title: "lives in steps", width: "8rem", align: "end", sort: (row) => row.first, cell: (row) => `${row.first}–${row.last}`},
  ];
  const grid = new Grid({label: "What lives at the peak", columns, sortedBy: {key: "bytes", isDescending: true},
    onSelect: (row) => replace(detail, liveDetail(report, row)), empty: "Nothing lives at the peak that matches."});
  const state = {query: "", kind: ""};
  const list = () => grid.show(live.filter((row) => (!state.kind || row.kind === state.kind) && hasWords(row.text, state.query)), live.length);
  list();
  const node = element("div", {class: "flow"}, heading("Memory", `${bytesText(memory.peak_bytes)} per device at the peak, step ${countText(memory.peak_step)} of ${countText(memory.num_steps)}.`),
    part("Over the program", memoryCurve(memory), peakFacts(report, memory)),
    part("At the peak, by kind", kindTable(memory)),
    heading("What lives at the peak"),
    element("div", {class: "controls"}, searchBox("Search by name, op or kind", (text) => { state.query = text.toLowerCase().trim(); list(); }),
      chooser("Kind", [["", "all"], ...[...new Set(live.map((row) => row.kind))].map((kind) => [kind, kindText(kind)])], (kind) => { state.kind = kind; list(); })),
    element("div", {class: "split"}, grid.node, detail));
  return {node};
}

function peakFacts(report, memory) {
  return facts([
    ["at the peak runs", memory.peak_op && [memory.peak_op, " ", placeNode(report, memory.peak_place, memory.peak_source)]],
    ["the device has", memory.limit_bytes > 0 && `${bytesText(memory.limit_bytes)}${memory.fits === false ? ": the program does not fit" : ""}`],
  ]);
}

function kindTable(memory) {
  const whole = memory.peak_bytes || 1;
  return element("table", {class: "plain"}, element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "kind"), element("th", {scope: "col", class: "end"}, "bytes"),
    element("th", {scope: "col", class: "bars"}, "share"))),
    element("tbody", {}, memory.by_kind.map((row) => element("tr", {}, element("th", {scope: "row"}, kindChip(row.kind)), element("td", {class: "end"}, bytesText(row.bytes)),
      element("td", {class: "bars"}, bar(row.bytes / whole, kindColour(row.kind)), element("span", {class: "share"}, percentText(row.bytes / whole)))))));
}

function liveDetail(report, row) {
  const value = report.valueNamed.get(row.value);
  return [
    element("h3", {}, valueNode(report, row.value, row.label), " ", element("span", {class: "muted"}, row.type)),
    facts([
      ["kind", kindChip(row.kind)],
      ["on each device", bytesText(row.bytes)],
      ["made by", row.op || "argument"],
      ["source", placeNode(report, row.place, row.source)],
      ["lives", `from step ${countText(row.first)} to step ${countText(row.last)}`],
      ["sharding", value && value.sharding && shardingNode(report, value.sharding)],
    ]),
    value && value.sharding && pictures(value.type, [["", value.sharding]], report.mesh),
  ];
}

/// The steps at which bands change, at most one a pixel: of those that share a pixel the highest.
function curveSteps(curve, numSteps) {
  const steps = curve.step.map((step, i) => ({step, i, end: i + 1 < curve.step.length ? curve.step[i + 1] : numSteps}));
  if (steps.length <= kMostCurveSteps) return steps;
  const merged = [];
  for (const one of steps) {
    const pixel = Math.floor((one.step / numSteps) * kMostCurveSteps);
    const last = merged[merged.length - 1];
    if (last && last.pixel === pixel) {
      last.end = one.end;
      if (curve.bytes[one.i] > curve.bytes[last.i]) last.i = one.i;
    } else merged.push({...one, pixel});
  }
  return merged;
}

function memoryCurve(memory) {
  const {curve} = memory;
  if (!curve || !curve.step || curve.step.length === 0) return null;
  const numSteps = Math.max(1, memory.num_steps, curve.step[curve.step.length - 1] + 1);
  const top = Math.max(memory.peak_bytes, 1) * 1.06;
  const showsLimit = memory.limit_bytes > 0 && memory.limit_bytes < 4 * top;
  const highest = showsLimit ? Math.max(top, memory.limit_bytes * 1.04) : top;
  const left = 76;
  const across = (step) => left + (step / numSteps) * (kCurveWidth - left - 8);
  const up = (bytes) => 8 + kCurveHeight * (1 - bytes / highest);
  const picture = svg("svg", {viewBox: `0 0 ${kCurveWidth} ${kCurveHeight + 44}`, class: "curve", role: "img",
    "aria-label": `Memory over ${numSteps} steps: ${bytesText(memory.peak_bytes)} at step ${memory.peak_step}; the table below has it by kind`});
  const steps = curveSteps(curve, numSteps);
  const kinds = kMemoryKinds.map(([kind]) => kind).filter((kind) => curve[kind] && curve[kind].some((bytes) => bytes > 0));
  const floor = steps.map(() => 0);
  for (const kind of kinds) {
    const low = steps.map((one, s) => floor[s]);
    steps.forEach((one, s) => (floor[s] += curve[kind][one.i] || 0));
    const points = steps.flatMap((one, s) => [[across(one.step), up(floor[s])], [across(one.end), up(floor[s])]]);
    const back = steps.flatMap((one, s) => [[across(one.step), up(low[s])], [across(one.end), up(low[s])]]).reverse();
    picture.append(svg("polygon", {points: [...points, ...back].map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "), fill: kindColour(kind)},
                       svg("title", {}, kindText(kind))));
  }
  // Powers of two are round numbers of bytes.
  const step = 2 ** Math.ceil(Math.log2(highest / 6));
  for (let bytes = 0; bytes <= highest; bytes += step) {
    picture.append(svg("line", {x1: left, x2: kCurveWidth - 8, y1: up(bytes), y2: up(bytes), class: "rule"}),
                   svg("text", {x: left - 8, y: up(bytes) + 4, "text-anchor": "end", class: "range"}, bytesText(bytes)));
  }
  if (showsLimit)
    picture.append(svg("line", {x1: left, x2: kCurveWidth - 8, y1: up(memory.limit_bytes), y2: up(memory.limit_bytes), class: "limit"}),
                   svg("text", {x: kCurveWidth - 12, y: up(memory.limit_bytes) - 6, "text-anchor": "end", class: "limit-text"}, `the device has ${bytesText(memory.limit_bytes)}`));
  const peak = across(memory.peak_step + 0.5);
  picture.append(svg("line", {x1: peak, x2: peak, y1: 8, y2: kCurveHeight + 8, class: "peak"}),
                 svg("text", {x: peak > kCurveWidth / 2 ? peak - 6 : peak + 6, y: kCurveHeight + 26, "text-anchor": peak > kCurveWidth / 2 ? "end" : "start", class: "peak-text"}, `peak: step ${countText(memory.peak_step)}`),
                 svg("text", {x: left, y: kCurveHeight + 26, class: "range"}, "step 0"),
                 svg("text", {x: kCurveWidth - 8, y: kCurveHeight + 40, "text-anchor": "end", class: "range"}, `step ${countText(numSteps)}`));
  return element("figure", {class: "curve-frame"}, picture, element("figcaption", {class: "legend"}, kinds.map((kind) => kindChip(kind))));
}
