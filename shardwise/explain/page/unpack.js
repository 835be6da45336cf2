// The report, from the form that it has in the page (PackedJson.h): lists of objects with equal
// keys are stored by column. The result is the object that `explain --json` prints.

function unpack(packed) {
  if (Array.isArray(packed)) return packed.map(unpack);
  if (packed === null || typeof packed !== "object") return packed;
  if ("#" in packed) return unpackColumn(packed);
  // Keys that would be taken for marks stand in pairs.
  const entries = "" in packed ? packed[""] : Object.entries(packed);
  return Object.fromEntries(entries.map(([key, value]) => [key, unpack(value)]));
}

/// A list of "#" values. Its other keys say how it is stored.
function unpackColumn(column) {
  if (Array.isArray(column)) return column.map(unpack);
  const count = column["#"];
  if ("same" in column) return new Array(count).fill(unpack(column.same));
  if ("flags" in column) return Array.from(column.flags, (flag) => flag === "1");
  if ("pick" in column) {
    const choices = unpackColumn(column.of);
    return column.pick.map((i) => choices[i]);
  }
  if ("rest" in column) {
    let before = "";
    return column.rest.map((rest, i) => (before = before.slice(0, column.shared[i]) + rest));
  }
  if ("lengths" in column) {
    const items = unpackColumn(column.items);
    let next = 0;
    return column.lengths.map((length) => items.slice(next, (next += length)));
  }
  const keys = Object.keys(column.columns);
  const columns = keys.map((key) => unpackColumn(column.columns[key]));
  return Array.from({length: count}, (_, i) => {
    const row = {};
    for (let k = 0; k < keys.length; ++k) row[keys[k]] = columns[k][i];
    return row;
  });
}
