// Pictures of shardings: the blocks of a tensor to scale, the axes that cut them, and the devices
// that hold them. Of tensors with more than two dimensions a slice is shown; which, can be chosen.

const kLongestEdge = 420;
const kLongestEdgeOfPair = 190;
const kShortestEdge = 64;
const kBand = 18;
const kLetter = 6.6;
/// A dimension of more blocks shows the first ones and the last.
const kMostBlocks = 24;

/// Colours that people tell apart who do not see all of them (Okabe and Ito), by axis of the mesh;
/// the second is of text on it.
const kAxisColours = [["#0072B2", "#fff"], ["#E69F00", "#000"], ["#009E73", "#000"], ["#CC79A7", "#000"],
                      ["#56B4E9", "#000"], ["#D55E00", "#000"], ["#8F8F8F", "#000"]];

function axisColour(mesh, name) {
  const index = mesh.axes.findIndex((axis) => axis.name === name);
  return kAxisColours[index < 0 ? kAxisColours.length - 1 : index % (kAxisColours.length - 1)];
}

/// An axis by name, with its colour: `data` or `data 4`.
function axisChip(mesh, name, extra) {
  const chip = element("span", {class: "axis"}, element("span", {class: "swatch", "aria-hidden": "true"}), name,
                       extra !== undefined && element("span", {class: "axis-size"}, extra));
  chip.style.setProperty("--axis", axisColour(mesh, name)[0]);
  return chip;
}

/// `d0, d4, d8 and 13 more`.
function devicesText(mesh, positions, most = 3) {
  const shown = positions.slice(0, positions.length > most + 1 ? most : most + 1).map((position) => `d${deviceAt(mesh, position)}`);
  const more = positions.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` +${more}` : "");
}

const rangeText = (cut) => (cut.hi > cut.lo ? `${cut.lo}–${cut.hi - 1}` : "no elements");

/// What a device has on each axis: `data 2, model 1`.
function coordinatesText(mesh, position) {
  return [...coordinatesAt(mesh, position)].map(([name, digit]) => `${name} ${digit}`).join(", ");
}

/// Which blocks of a dimension are drawn, -1 for those between that are not; each has the same
/// length, as far as it is not padding.
function shownBlocks(count) {
  const blocks = Array.from({length: count}, (_, i) => i);
  if (count > kMostBlocks) blocks.splice(kMostBlocks - 2, count - (kMostBlocks - 1), -1);
  return blocks;
}

/// What the axis at `level` of a dimension says for each shown block: runs [{from, to, digit}], in
/// blocks.
function runsOf(axes, level, blocks) {
  const minor = axes.slice(level + 1).reduce((product, axis) => product * axis.size, 1);
  const runs = [];
  blocks.forEach((block, i) => {
    const digit = block < 0 ? -1 : Math.floor(block / minor) % axes[level].size;
    const major = block < 0 ? -1 : Math.floor(block / minor);
    const last = runs[runs.length - 1];
    if (last && last.major === major) last.to = i + 1;
    else runs.push({from: i, to: i + 1, digit, major});
  });
  return runs;
}

/// The device that pictures point out, shared by those that stand together.
class DeviceChoice {
  constructor(mesh) {
    this.mesh = mesh;
    this.position = 0;
    this.followers = [];
  }
  follow(follower) {
    this.followers.push(follower);
    follower(this.position);
  }
  choose(position) {
    this.position = Math.max(0, Math.min(this.mesh.numDevices - 1, position));
    for (const follower of this.followers) follower(this.position);
  }

  /// A slider over the devices, and what the chosen one is.
  control() {
    const id = freshId("device");
    const text = element("output", {class: "device-text", for: id});
    const slider = element("input", {id, type: "range", min: 0, max: this.mesh.numDevices - 1, step: 1, value: 0,
      oninput: () => this.choose(Number(slider.value))});
    this.follow((position) => {
      slider.value = position;
      const where = coordinatesText(this.mesh, position);
      slider.setAttribute("aria-valuetext", `device ${deviceAt(this.mesh, position)}, ${where}`);
      replace(text, element("strong", {}, `device ${deviceAt(this.mesh, position)}`), where && ` ${where}`);
    });
    return element("div", {class: "device-choice"}, element("label", {for: id}, "Show what one device holds"), slider, text);
  }
}

/// Which two dimensions are drawn, and where the others are cut; shared by pictures of one tensor.
class SliceChoice {
  constructor(states) {
    this.sizes = states[0].type.sizes;
    this.counts = this.sizes.map((_, d) => Math.max(...states.map((shards) => shards.cuts[d].length)));
    this.cuts = this.sizes.map((_, d) => states.find((shards) => shards.cuts[d].length === this.counts[d]).cuts[d]);
    const dims = this.sizes.map((_, d) => d);
    const shown = [...dims.filter((d) => this.counts[d] > 1), ...dims.filter((d) => this.counts[d] === 1).reverse()].slice(0, 2).sort((a, b) => a - b);
    this.columnDim = dims.length === 0 ? -1 : shown[shown.length - 1];
    this.rowDim = dims.length < 2 ? -1 : shown[0];
    this.at = this.sizes.map(() => 0);
    this.followers = [];
  }

  /// Number of the block of a dimension in a picture that cuts it into `count`.
  blockOf(d, count) {
    return Math.floor((this.at[d] * count) / this.counts[d]);
  }

  tell() {
    for (const follower of this.followers) follower();
  }

  /// Nothing for tensors of two dimensions.
  controls() {
    const node = element("div", {class: "slices"});
    if (this.sizes.length < 3) return node;
    const dims = this.sizes.map((size, d) => [String(d), `dim ${d} of ${size}`]);
    const swap = (which, other) => (value) => {
      if (Number(value) === this[other]) this[other] = this[which];
      this[which] = Number(value);
      draw();
      this.tell();
    };
    const draw = () => replace(node, chooser("Down", dims, swap("rowDim", "columnDim"), String(this.rowDim)),
      chooser("Across", dims, swap("columnDim", "rowDim"), String(this.columnDim)),
      dims.map((_, d) => d !== this.rowDim && d !== this.columnDim && this.stepper(d)));
    draw();
    return node;
  }

  stepper(d) {
    if (this.counts[d] === 1) return element("span", {class: "field muted"}, `dim ${d}: all ${this.sizes[d]}`);
    const id = freshId("slice");
    const text = element("output", {for: id});
    const tell = () => replace(text, `block ${this.at[d]}, ${rangeText(this.cuts[d][this.at[d]])}`);
    tell();
    return element("span", {class: "field"}, element("label", {for: id}, `dim ${d}`),
      element("input", {id, type: "range", min: 0, max: this.counts[d] - 1, value: this.at[d], oninput: (event) => {
        this.at[d] = Number(event.target.value);
        tell();
        this.tell();
      }}), text);
  }
}

/// One tensor on its mesh: the drawing, and the same as a table for those who do not see it.
class TensorPicture {
  constructor(shards, choice, slice, caption, longest) {
    Object.assign(this, {shards, choice, slice, caption, longest});
    this.drawing = element("div", {class: "drawing"});
    this.node = element("figure", {class: "picture"}, caption && element("figcaption", {}, caption), this.drawing, this.table());
    this.draw();
    slice.followers.push(() => this.draw());
    choice.follow((position) => this.mark(position));
  }

  blocksOfDim(d) {
    return d < 0 ? [0] : shownBlocks(this.shards.cuts[d].length);
  }

  /// Pixels of the two edges: to scale with each other as long as neither gets too short to read.
  edges(rows, columns) {
    const {type} = this.shards;
    const width = this.slice.columnDim < 0 ? 1 : Math.max(1, type.sizes[this.slice.columnDim]);
    const height = this.slice.rowDim < 0 ? 1 : Math.max(1, type.sizes[this.slice.rowDim]);
    const ratio = this.slice.rowDim < 0 ? 8 : Math.min(4, Math.max(0.5, width / height));
    const across = ratio >= 1 ? this.longest : this.longest * ratio;
    return {across: Math.max(across, 26 * columns.length, 120), down: Math.max(across / ratio, 17 * rows.length, this.slice.rowDim < 0 ? 44 : kShortestEdge),
            isToScale: this.slice.rowDim < 0 || Math.abs(ratio - width / height) < 1e-9};
  }

  draw() {
    const {shards} = this;
    const {rowDim, columnDim} = this.slice;
    const rows = this.blocksOfDim(rowDim);
    const columns = this.blocksOfDim(columnDim);
    const edges = this.edges(rows, columns);
    const rowAxes = rowDim < 0 ? [] : shards.sharding.dims[rowDim];
    const columnAxes = columnDim < 0 ? [] : shards.sharding.dims[columnDim];
    const rowLabels = rows.map((block) => (rowDim < 0 ? "" : block < 0 ? "⋯" : rangeText(shards.cuts[rowDim][block])));
    const labelWidth = rowDim < 0 ? 8 : 12 + kLetter * Math.max(...rowLabels.map((label) => label.length));
    const left = labelWidth + rowAxes.length * (kBand + 3) + 3;
    const top = (rowDim < 0 ? 4 : 18) + columnAxes.length * (kBand + 3) + 3;
    const picture = svg("svg", {width: left + edges.across + 12, height: top + edges.down + 40, role: "img",
                                "aria-label": this.summary(), class: "shards"});
    const hatch = freshId("hatch");
    picture.append(svg("defs", {}, svg("pattern", {id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"},
      svg("rect", {width: 6, height: 6, class: "padding-ground"}), svg("line", {x1: 0, y1: 0, x2: 0, y2: 6, class: "padding-line"}))));
    const frame = {left, top, rows, columns, across: edges.across / columns.length, down: edges.down / rows.length, hatch};
    columnAxes.forEach((axis, level) => this.drawBands(picture, frame, axis, runsOf(columnAxes, level, columns), false,
                                                       top - 3 - (columnAxes.length - level) * (kBand + 3)));
    rowAxes.forEach((axis, level) => this.drawBands(picture, frame, axis, runsOf(rowAxes, level, rows), true,
                                                    left - 3 - (rowAxes.length - level) * (kBand + 3)));
    this.drawCells(picture, frame);
    this.drawRanges(picture, frame, rowLabels, labelWidth);
    replace(this.drawing, picture, this.remarks(edges));
    this.mark(this.choice.position);
  }

  drawBands(picture, frame, axis, runs, isVertical, at) {
    const [ground, ink] = axisColour(this.shards.sharding.mesh, axis.name);
    const step = isVertical ? frame.down : frame.across;
    const start = isVertical ? frame.top : frame.left;
    for (const run of runs) {
      const from = start + run.from * step;
      const length = (run.to - run.from) * step - 1.5;
      const digit = run.digit < 0 ? "⋯" : String(run.digit);
      const full = `${axis.name} ${digit}`;
      const text = run.digit >= 0 && length > kLetter * full.length + 8 ? full : length > kLetter * digit.length + 2 ? digit : "";
      const middle = from + length / 2;
      const x = isVertical ? at : from;
      const y = isVertical ? from : at;
      const label = isVertical
        ? {transform: `translate(${at + kBand / 2 + 4} ${middle}) rotate(-90)`, "text-anchor": "middle", class: "band-text", fill: ink}
        : {x: middle, y: at + kBand / 2 + 4, "text-anchor": "middle", class: "band-text", fill: ink};
      picture.append(
        svg("rect", {x, y, width: isVertical ? kBand : length, height: isVertical ? length : kBand, rx: 3, fill: ground,
                     opacity: run.digit < 0 ? 0.4 : 1}, svg("title", {}, full)),
        text && svg("text", label, text));
    }
  }

  /// Number of the blocks that a cell stands for, in all dimensions.
  keyAt(row, column) {
    const {rowDim, columnDim} = this.slice;
    return this.shards.cuts.map((cut, d) => (d === rowDim ? row : d === columnDim ? column : this.slice.blockOf(d, cut.length))).join();
  }

  drawCells(picture, frame) {
    const {cuts, positions, sharding} = this.shards;
    this.cells = new Map();
    /// How much of a block is elements; the rest is padding.
    const filled = (d, block) => (d < 0 ? 1 : (cuts[d][block].hi - cuts[d][block].lo) / Math.max(1, cuts[d][0].end));
    frame.rows.forEach((row, r) => frame.columns.forEach((column, c) => {
      const x = frame.left + c * frame.across;
      const y = frame.top + r * frame.down;
      if (row < 0 || column < 0) {
        picture.append(svg("text", {x: x + frame.across / 2, y: y + frame.down / 2 + 4, "text-anchor": "middle", class: "gap"}, "⋯"));
        return;
      }
      const key = this.keyAt(row, column);
      const held = positions.get(key) || [];
      const width = frame.across * filled(this.slice.columnDim, column);
      const height = frame.down * filled(this.slice.rowDim, row);
      const cell = svg("g", {class: "cell", onclick: () => this.chooseFrom(held)},
        svg("title", {}, this.cellText(key, held)),
        svg("rect", {x: x + 0.75, y: y + 0.75, width: frame.across - 1.5, height: frame.down - 1.5, fill: `url(#${frame.hatch})`, class: "outline"}),
        width > 0 && height > 0 && svg("rect", {x: x + 0.75, y: y + 0.75, width: Math.max(1, width - 1.5), height: Math.max(1, height - 1.5), class: "block"}));
      const text = this.fittingText(sharding.mesh, held, frame.across - 6);
      if (text && frame.down >= 14)
        cell.append(svg("text", {x: x + frame.across / 2, y: y + frame.down / 2 + 4, "text-anchor": "middle", class: "holders"}, text));
      this.cells.set(key, cell);
      picture.append(cell);
    }));
  }

  fittingText(mesh, held, width) {
    if (held.length === 0) return "";
    const all = held.length === mesh.numDevices && held.length > 3 ? [`all ${held.length} devices`] : [];
    const few = [4, 3, 2, 1].map((most) => devicesText(mesh, held, most));
    return [...all, ...few, `d${deviceAt(mesh, held[0])}`].find((text) => text.length * kLetter <= width) || "";
  }

  drawRanges(picture, frame, rowLabels, labelWidth) {
    const {type, cuts} = this.shards;
    const bottom = frame.top + frame.rows.length * frame.down;
    if (this.slice.rowDim >= 0) {
      const every = Math.ceil(13 / frame.down);
      rowLabels.forEach((label, i) => i % every === 0 && picture.append(
        svg("text", {x: labelWidth - 6, y: frame.top + (i + 0.5) * frame.down + 4, "text-anchor": "end", class: "range"}, label)));
      picture.append(svg("text", {x: 0, y: 11, class: "dim-name"}, `dim ${this.slice.rowDim} of ${type.sizes[this.slice.rowDim]}`));
    }
    if (this.slice.columnDim < 0) return;
    const labels = frame.columns.map((block) => (block < 0 ? "⋯" : rangeText(cuts[this.slice.columnDim][block])));
    const every = Math.ceil((Math.max(...labels.map((label) => label.length)) * kLetter + 6) / frame.across);
    labels.forEach((label, i) => i % every === 0 && picture.append(
      svg("text", every === 1 ? {x: frame.left + (i + 0.5) * frame.across, y: bottom + 15, "text-anchor": "middle", class: "range"}
                              : {x: frame.left + i * frame.across, y: bottom + 15, class: "range"}, label)));
    picture.append(svg("text", {x: frame.left, y: bottom + 32, class: "dim-name"}, `dim ${this.slice.columnDim} of ${type.sizes[this.slice.columnDim]}`));
  }

  remarks(edges) {
    const {cuts, sharding} = this.shards;
    const uneven = cuts.map((cut, d) => ({cut, d})).filter(({cut}) => cut[cut.length - 1].hi < cut[cut.length - 1].end);
    const lines = uneven.map(({cut, d}) => {
      const empty = cut.filter((block) => block.hi === block.lo).length;
      return `Dimension ${d} does not divide: the last shards end in padding (hatched)` + (empty ? `, ${plural(empty, "block")} of ${cut.length} hold no elements.` : ".");
    });
    if (sharding.sums.length) lines.push(["Each device holds a partial sum; to be added over ", sharding.sums.map((axis) => axisChip(sharding.mesh, axis.name)), "."]);
    if (!edges.isToScale) lines.push("Each dimension is to scale; the two are not to scale with each other.");
    return lines.map((line) => element("p", {class: "remark"}, line));
  }

  cellText(key, held) {
    const blocks = key === "" ? [] : key.split(",").map(Number);
    const ranges = blocks.map((block, d) => rangeText(this.shards.cuts[d][block])).join(", ");
    return `[${ranges}] on ${devicesText(this.shards.sharding.mesh, held, 12)}`;
  }

  /// A click goes from one device that holds the block to the next one.
  chooseFrom(held) {
    const at = held.indexOf(this.choice.position);
    if (held.length) this.choice.choose(held[(at + 1) % held.length]);
  }

  mark(position) {
    const key = this.shards.blocksAt[position] && this.shards.blocksAt[position].join();
    for (const [cellKey, cell] of this.cells) cell.classList.toggle("chosen", cellKey === key);
  }

  summary() {
    const {type, sharding, cuts} = this.shards;
    const parts = cuts.map((cut, d) => `dimension ${d} of ${type.sizes[d]} ` +
      (cut.length === 1 ? "whole" : `in ${cut.length} blocks over ${sharding.dims[d].map((axis) => axis.name).join(", ")}`));
    return `${this.caption ? `${this.caption}: ` : ""}${parts.join("; ") || "one number"}; each block on ${plural(sharding.mesh.numDevices / this.shards.positions.size, "device")}`;
  }

  table() {
    const most = 256;
    const {blocksAt, cuts, sharding, type} = this.shards;
    const body = element("div", {});
    const make = () => replace(body, element("table", {},
      element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "device"), type.sizes.map((_, d) => element("th", {scope: "col"}, `dim ${d}`)))),
      element("tbody", {}, blocksAt.slice(0, most).map((blocks, position) => element("tr", {},
        element("th", {scope: "row"}, `d${deviceAt(sharding.mesh, position)}`),
        blocks.map((block, d) => element("td", {}, rangeText(cuts[d][block]))))))),
      blocksAt.length > most && element("p", {class: "remark"}, `and ${countText(blocksAt.length - most)} more devices`));
    return element("details", {ontoggle: (event) => event.target.open && make()}, element("summary", {}, "Elements by device"), body);
  }
}

/// Pictures of one tensor under several shardings side by side, with one choice of the device; text
/// where there is nothing to draw.
function pictures(type, shardings, mesh) {
  const drawn = shardings.map(([caption, sharding]) => [caption, sharding, shardsOf(type, sharding, mesh)]);
  if (drawn.some(([, , shards]) => !shards))
    return element("p", {class: "remark"}, shardings.map(([caption, sharding]) => `${caption ? `${caption}: ` : ""}${sharding}`).join(" → "));
  const states = drawn.map(([, , shards]) => shards);
  const choice = new DeviceChoice(states[0].sharding.mesh);
  const slice = new SliceChoice(states);
  const canShare = states.every((shards) => shards.sharding.mesh.numDevices === choice.mesh.numDevices);
  return element("div", {class: "pictures"}, choice.mesh.numDevices > 1 && choice.control(), slice.controls(),
    element("div", {class: "picture-row"}, drawn.map(([caption, , shards]) =>
      new TensorPicture(shards, canShare ? choice : new DeviceChoice(shards.sharding.mesh), slice, caption,
                        drawn.length > 1 ? kLongestEdgeOfPair : kLongestEdge).node)));
}
