// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/files/Tiling.h"

#include <algorithm>

namespace shardwise::files {
namespace {

int64_t quotientUp(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

/// Fills dimensions from the last one on: whole ones while they fit, then a part of one, and 1 of
/// all outside. Example: 6x5x4 and at most 12 elements: 1x3x4. A tile is then one run of a whole
/// file, and of a file that cuts any one dimension, its part of the tile is one run, too, or one
/// for each row of the dimension that it cuts.
core::Shape rowMajorTile(const core::Shape &shape, int64_t maxElements) {
  core::Shape tile(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 0 && maxElements > 1;) {
    tile[dim] = std::min(shape[dim], maxElements);
    maxElements /= tile[dim];
    // Rows of which only a part is taken do not lie behind each other: no run goes on outside.
    if (tile[dim] < shape[dim])
      break;
  }
  return tile;
}

/// Doubles the shorter of the runs along the last and the first dimensions, while it fits. A run in
/// a row-major file is along the last dimension, one in a column-major file along the first, and
/// each goes on into the next dimension inwards when it has all of one:
///
///     1 x 16 elements of 16x16:  1 run of 16 in a row-major file, 16 of 1 in a column-major one
///     4 x 4:                     4 runs of 4 in either
core::Shape mixedTile(const core::Shape &shape, int64_t maxElements) {
  core::Shape tile(shape.size(), 1);
  auto isWhole = [&](size_t dim) { return tile[dim] == shape[dim]; };
  int64_t elements = 1;
  for (;;) {
    // The dimensions in which the runs end, and how long they are. With one dimension, or with all
    // but one whole, both end in the same one.
    size_t last = shape.size();
    size_t first = 0;
    int64_t rowRun = 1;
    int64_t columnRun = 1;
    while (last > 0 && isWhole(last - 1))
      rowRun *= shape[--last];
    if (last == 0)
      return tile;
    --last;
    while (isWhole(first))
      columnRun *= shape[first++];
    rowRun *= tile[last];
    columnRun *= tile[first];
    size_t dim = rowRun <= columnRun ? last : first;
    int64_t grown = std::min(tile[dim] * 2, shape[dim]);
    if (elements / tile[dim] * grown > maxElements)
      return tile;
    elements = elements / tile[dim] * grown;
    tile[dim] = grown;
  }
}

} // namespace

Tiling::Tiling(core::Shape sizes, int64_t elementBytes, int64_t tileBytes, FileOrder order)
    : shape(std::move(sizes)) {
  if (core::numElements(shape) == 0) {
    numTiles = 0;
    return;
  }
  int64_t maxElements = std::max<int64_t>(tileBytes / elementBytes, 1);
  tileShape = order == FileOrder::RowMajor ? rowMajorTile(shape, maxElements)
                                           : mixedTile(shape, maxElements);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t count = quotientUp(shape[dim], tileShape[dim]);
    // Tiles alike rather than a short last one: 1000 rows by 300 are 4 of 250, not 300, 300, 300,
    // 100. The number stays the same, and no tile becomes larger.
    tileShape[dim] = quotientUp(shape[dim], count);
    numTiles *= quotientUp(shape[dim], tileShape[dim]);
  }
}

core::Box Tiling::tile(int64_t number) const {
  core::Box box{core::Shape(shape.size(), 0), core::Shape(shape.size(), 0)};
  for (size_t dim = shape.size(); dim-- > 0;) {
    int64_t count = quotientUp(shape[dim], tileShape[dim]);
    box.start[dim] = number % count * tileShape[dim];
    box.size[dim] = std::min(tileShape[dim], shape[dim] - box.start[dim]);
    number /= count;
  }
  return box;
}

} // namespace shardwise::files
