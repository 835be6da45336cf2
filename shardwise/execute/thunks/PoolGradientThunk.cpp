// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The windows of a row are walked together, by a kernel that sees the rows of elements that they
// meet. Example: maxima of 2 x 2 of an image [y, x, channel]: a row has a window for each channel,
// its four taps are four rows of channels.
//
// Every element of the result starts at the init value. Where windows overlap it is filled in first
// and what rows select is added, in row-major order of the source. Where windows make up the whole
// operand, each element belongs to one: then it is written once.

#include "shardwise/execute/thunks/PoolGradientThunk.h"

#include "shardwise/execute/thunks/RankWorkers.h"
#include "shardwise/execute/thunks/RowTaps.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <algorithm>

namespace shardwise::execute {
namespace {

/// What a byte of the operand takes, about, to tell how many threads are worth it.
constexpr double kNanosecondsPerByte = 0.1;

} // namespace

bool PoolGradientThunk::hasRowsOfWindows(const WindowSpec &window,
                                         const std::vector<int64_t> &operandShape,
                                         const std::vector<int64_t> &sourceShape) {
  return !operandShape.empty() && window.sizes.back() == 1 && window.strides.back() == 1 &&
         window.low.back() == 0 && operandShape.back() == sourceShape.back();
}

/// Whether each element is in exactly one window.
bool PoolGradientThunk::doWindowsTile() const {
  for (size_t dim = 0; dim < operandShape.size(); ++dim)
    if (window.sizes[dim] != window.strides[dim] || window.low[dim] != 0 ||
        operandShape[dim] != sourceShape[dim] * window.strides[dim])
      return false;
  return true;
}

/// The rows of windows that one thread has to take together, as they may select the same elements:
/// those that differ in their places along dimensions from the first on where windows overlap.
int64_t PoolGradientThunk::numRowsTogether() const {
  size_t last = operandShape.size() - 1;
  size_t dim = 0;
  while (dim < last && window.sizes[dim] <= window.strides[dim])
    ++dim;
  int64_t rows = 1;
  for (; dim < last; ++dim)
    rows *= sourceShape[dim];
  return rows;
}

Result<void> PoolGradientThunk::run(Frame &frame) const {
  int64_t count = elementCount(operandShape);
  bool isWrittenOnce = doWindowsTile();
  if (!isWrittenOnce)
    fillElements(frame.at(result), frame.at(init), elementBytes, count);
  if (count == 0 || elementCount(sourceShape) == 0)
    return {};
  RowTaps taps(window, operandShape, sourceShape);
  int64_t unit = numRowsTogether();
  int64_t numPieces = piecesFor(static_cast<double>(count * elementBytes) * kNanosecondsPerByte,
                                taps.numRows() / unit);
  runPieces(numPieces, [&](int64_t piece, int64_t) {
    auto [begin, end] = pieceRange(taps.numRows(), piece, numPieces, unit);
    std::vector<int64_t> offsets;
    std::vector<const void *> elements;
    std::vector<void *> results;
    SelectedRows rows;
    rows.numLanes = sourceShape.back();
    rows.init = isWrittenOnce ? frame.at(init) : nullptr;
    for (int64_t row = begin; row < end; ++row) {
      taps.find(row, offsets);
      elements.clear();
      results.clear();
      // Padding is never selected.
      for (int64_t offset : offsets)
        if (offset >= 0) {
          elements.push_back(frame.at(operand) + offset * elementBytes);
          results.push_back(frame.at(result) + offset * elementBytes);
        }
      // A window of nothing but padding selects nothing.
      if (elements.empty())
        continue;
      rows.numTaps = std::ssize(elements);
      rows.elements = elements.data();
      rows.results = results.data();
      rows.updates = frame.at(source) + row * rows.numLanes * elementBytes;
      kernel(rows);
    }
  });
  return {};
}

} // namespace shardwise::execute
