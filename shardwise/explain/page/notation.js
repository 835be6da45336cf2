// Meshes, shardings and types, read from the notation of the report, and who holds which part of a
// tensor.

/// `<["data"=4, "model"=2], device_ids=[...]>` as {axes: [{name, size}], ids, numDevices}.
function parseMesh(text) {
  const axes = [...text.matchAll(/"((?:[^"\\]|\\.)*)"\s*=\s*(\d+)/g)].map((match) => ({name: match[1], size: Number(match[2])}));
  const ids = /device_ids\s*=\s*\[([\d,\s]*)\]/.exec(text);
  return {
    axes,
    ids: ids && ids[1].trim() ? ids[1].split(",").map(Number) : null,
    numDevices: axes.reduce((product, axis) => product * axis.size, 1),
  };
}

/// `16x8xf32` as {sizes: [16, 8], element: "f32"}; null of what is no tensor of known shape.
function parseType(text) {
  const match = /^((?:\d+x)*)([a-z][^?]*)$/i.exec(text || "");
  if (!match) return null;
  return {sizes: match[1].split("x").filter(Boolean).map(Number), element: match[2]};
}

const bitsOfElement = (name) => {
  const complex = /^complex<(\w+)>$/.exec(name);
  if (complex) return 2 * bitsOfElement(complex[1]);
  return name === "i1" ? 8 : Math.max(8, Number((/\d+/.exec(name) || ["8"])[0]));
};
const bytesOfType = (type) => type.sizes.reduce((product, size) => product * size, 1) * bitsOfElement(type.element) / 8;

/// `"x"` or `"x":(2)4` as {name, before, size}: `before` is the product of the parts of the axis
/// that are more major.
function parseAxes(text, mesh) {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"(?::\((\d+)\)(\d+))?/g)].map((match) => {
    const axis = mesh.axes.find((one) => one.name === match[1]);
    return {name: match[1], before: match[2] ? Number(match[2]) : 1,
            size: match[3] ? Number(match[3]) : axis ? axis.size : 1};
  });
}

/// `[{"data", ?}, {}], replicated={"x"}, unreduced={"model"}` as {dims: [axes], sums: axes, mesh};
/// null of text that is no sharding. Behind ` on ` may stand another mesh.
function parseSharding(text, mesh) {
  const onMesh = / on (?:mesh )?(<.*>)$/.exec(text || "");
  if (onMesh) {
    mesh = parseMesh(onMesh[1]);
    text = text.slice(0, onMesh.index);
  }
  const match = /^\s*\[((?:[^\]"]|"(?:[^"\\]|\\.)*")*)\](.*)$/s.exec(text || "");
  if (!match) return null;
  const dims = [...match[1].matchAll(/\{((?:[^}"]|"(?:[^"\\]|\\.)*")*)\}/g)].map((dim) => parseAxes(dim[1], mesh));
  const sums = /unreduced=\{([^}]*)\}/.exec(match[2]);
  return {dims, sums: sums ? parseAxes(sums[1], mesh) : [], mesh};
}

/// All axes that a text names, in order: of steps such as `all_reduce {"model"}`.
const axesNamed = (text) => [...new Set([...(text || "").matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1]))];

/// Coordinates on the axes of the device at a position of the mesh, which is row-major.
function coordinatesAt(mesh, position) {
  const coordinates = new Map(mesh.axes.map((axis) => [axis.name, 0]));
  for (let i = mesh.axes.length - 1; i >= 0; --i) {
    coordinates.set(mesh.axes[i].name, position % mesh.axes[i].size);
    position = Math.floor(position / mesh.axes[i].size);
  }
  return coordinates;
}

const deviceAt = (mesh, position) => (mesh.ids ? mesh.ids[position] : position);

/// Number of the block of a dimension that a device holds, and its coordinates on each of the axes.
function blockOf(axes, coordinates, mesh) {
  let block = 0;
  const digitsOfBlock = axes.map((axis) => {
    const whole = mesh.axes.find((one) => one.name === axis.name);
    const minor = whole ? whole.size / (axis.before * axis.size) : 1;
    const digit = Math.floor((coordinates.get(axis.name) || 0) / minor) % axis.size;
    block = block * axis.size + digit;
    return digit;
  });
  return {block, digits: digitsOfBlock};
}

/// A dimension cut into `count` blocks: [{lo, hi, end}], `hi` behind the last element, `end` behind
/// the padding. Blocks have ceil(size / count) elements, the last ones fewer or none.
function cutDimension(size, count) {
  const length = Math.ceil(size / count);
  return Array.from({length: count}, (_, i) =>
    ({lo: Math.min(i * length, size), hi: Math.min((i + 1) * length, size), end: (i + 1) * length}));
}

/// Where the parts of a tensor are: {type, sharding, cuts: by dimension its blocks, positions: by
/// blocks "0,1" the mesh positions that hold it}. Null if text or type cannot be read.
function shardsOf(typeText, shardingText, mesh) {
  const type = parseType(typeText);
  const sharding = parseSharding(shardingText, mesh);
  if (!type || !sharding || sharding.dims.length !== type.sizes.length) return null;
  const cuts = type.sizes.map((size, d) => cutDimension(size, sharding.dims[d].reduce((product, axis) => product * axis.size, 1)));
  const positions = new Map();
  const blocksAt = [];
  for (let position = 0; position < sharding.mesh.numDevices; ++position) {
    const coordinates = coordinatesAt(sharding.mesh, position);
    const blocks = sharding.dims.map((axes) => blockOf(axes, coordinates, sharding.mesh).block);
    blocksAt.push(blocks);
    const key = blocks.join();
    if (!positions.has(key)) positions.set(key, []);
    positions.get(key).push(position);
  }
  return {type, sharding, cuts, positions, blocksAt};
}

/// `model.mlir:12:5` or `model.py:31 (backward) in mlp` as {file, line}; null of neither.
function parsePlace(text) {
  const match = /^(.*?):(\d+)(?::\d+)?(?: .*)?$/.exec(text || "");
  return match ? {file: match[1], line: Number(match[2])} : null;
}
