// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather and scatter: both walk the index vectors in row-major order, and each vector is the start
// of a window in the operand. They differ in what happens to a window that does not fit:
// - gather clamps the start so that the whole window lies inside (StableHLO, "gather": clamp);
// - scatter leaves the window where it is and skips its elements outside, one by one (StableHLO,
//   "scatter": an update whose index is out of bounds is left out).
//
// Example: windows of 2 in an operand of 5 elements, start 4. gather reads elements 3 and 4;
// scatter folds its first update into element 4 and drops the second.
//
// The specification leaves the order of a scatter's updates open; here it is the row-major order of
// the updates, so that results do not depend on how windows are walked and equal those of the
// reference evaluator bit by bit.

#include "shardwise/execute/thunks/GatherScatterThunks.h"

#include "shardwise/execute/kernels/ComplexNumber.h"
#include "shardwise/execute/thunks/IndexLoop.h"
#include "shardwise/execute/thunks/IndexReader.h"
#include "shardwise/execute/thunks/RankWorkers.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <cstring>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// What `count` windows of `bytes` take one thread, about.
double nanosecondsOf(int64_t count, int64_t bytes) {
  constexpr double kWindow = 20;
  constexpr double kByte = 0.1;
  return static_cast<double>(count) * (kWindow + kByte * static_cast<double>(bytes));
}

} // namespace

void IndexWalk::startAt(const std::byte *indices, const Dims &index, const Dims &operandShape,
                        Dims &start) const {
  // Operand dimensions that no entry names start at 0.
  std::fill(start.begin(), start.end(), 0);
  int64_t position = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    position += index[dim] * strides[dim];
  for (size_t entry = 0; entry < indexedDims.size(); ++entry) {
    int64_t dim = indexedDims[entry];
    int64_t at = position + static_cast<int64_t>(entry) * vectorStride;
    start[dim] = std::clamp(readIndex(indices, type, at), -operandShape[dim], operandShape[dim]);
  }
  // A batching dimension is no index: the window lies at the place of the index vector itself.
  for (auto [operandDim, place] : batching)
    start[operandDim] += index[place];
}

Result<void> GatherThunk::run(Frame &frame) const {
  int64_t count = elementCount(walk.shape);
  int64_t numPieces = piecesFor(nanosecondsOf(count, window.numElements() * elementBytes), count);
  runPieces(numPieces, [&](int64_t piece, int64_t) {
    auto [begin, end] = pieceRange(count, piece, numPieces, 1);
    Dims start(operandShape.size());
    forEachIndexIn(walk.shape, begin, end, [&](const Dims &index) {
      walk.startAt(frame.at(indices), index, operandShape, start);
      int64_t from = 0;
      // The upper end is not negative: the verifier has no slice size above the operand's.
      for (size_t dim = 0; dim < start.size(); ++dim)
        from += std::clamp<int64_t>(start[dim], 0, operandShape[dim] - sliceSizes[dim]) *
                operandStrides[dim];
      int64_t to = 0;
      for (size_t dim = 0; dim < index.size(); ++dim)
        to += index[dim] * batchStrides[dim];
      window.run(frame.at(operand) + from * elementBytes, frame.at(result) + to * elementBytes);
    });
  });
  return {};
}

Result<void> ScatterThunk::run(Frame &frame) const {
  // The results are folded in place. Where the plan gave a result the buffer of its input, the copy
  // is saved.
  for (size_t i = 0; i < inputs.size(); ++i)
    if (frame.at(inputs[i]) != frame.at(results[i]))
      copyBytes(frame.at(results[i]), frame.at(inputs[i]),
                elementCount(operandShape) * elementBytes[i]);
  // Window by window is the row-major order of the updates seen from one target element, unless it
  // is met by different places of different windows. See `isInterleaved`.
  if (isInterleaved) {
    foldElementByElement(frame);
    return {};
  }
  int64_t columns = windowSizes.empty() ? 1 : windowSizes.back();
  double nanoseconds =
      nanosecondsOf(elementCount(walk.shape), elementCount(windowSizes) * updateBytes[0]);
  constexpr int64_t kLeastColumns = 64;
  int64_t numPieces = canCutColumns() ? piecesFor(nanoseconds, columns / kLeastColumns) : 1;
  runPieces(numPieces, [&](int64_t piece, int64_t) {
    auto [begin, end] = pieceRange(columns, piece, numPieces, kLeastColumns);
    foldColumns(frame, {begin, end});
  });
  return {};
}

/// Whether a column of the windows, which is a place along their last dimension, always meets the
/// same column of the operand: then threads can have columns of their own, and each element gets
/// its updates in their order.
bool ScatterThunk::canCutColumns() const {
  return (rowKernel || isOverwrite) && !windowDims.empty() &&
         !llvm::is_contained(walk.indexedDims, windowDims.back());
}

void ScatterThunk::foldColumns(const Frame &frame, Columns columns) const {
  std::vector<void *> pointers = boundRegion(frame);
  Dims start(operandShape.size());
  Dims place(windowSizes.size());
  forEachIndex(walk.shape, [&](const Dims &index) {
    walk.startAt(frame.at(indices), index, operandShape, start);
    int64_t from = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      from += index[dim] * batchStrides[dim];
    foldWindow(frame, pointers, start, from, columns, place);
  });
}

/// What `foldRow` needs of the region.
std::vector<void *> ScatterThunk::boundRegion(const Frame &frame) const {
  if (rowKernel || isOverwrite)
    return {};
  return region.code.bind(frame, frame.at(scratch), 1);
}

void ScatterThunk::foldElementByElement(const Frame &frame) const {
  std::vector<void *> pointers = boundRegion(frame);
  Dims start(operandShape.size());
  Dims index(walk.shape.size());
  int64_t from = 0;
  forEachIndex(updateShape, [&](const Dims &at) {
    for (size_t i = 0; i < index.size(); ++i)
      index[i] = at[walkDims[i]];
    walk.startAt(frame.at(indices), index, operandShape, start);
    // From the start of the window to this element of it.
    for (size_t i = 0; i < windowDims.size(); ++i)
      start[windowDims[i]] += at[updateWindowDims[i]];
    bool isInside = true;
    int64_t target = 0;
    for (size_t dim = 0; dim < start.size(); ++dim) {
      isInside &= start[dim] >= 0 && start[dim] < operandShape[dim];
      target += start[dim] * operandStrides[dim];
    }
    if (isInside)
      foldRow(frame, pointers, target, 1, from, 1, 1);
    ++from;
  });
}

void ScatterThunk::foldWindow(const Frame &frame, std::vector<void *> &pointers, const Dims &start,
                              int64_t from, Columns columns, Dims &place) const {
  int64_t base = 0;
  for (size_t dim = 0; dim < start.size(); ++dim) {
    // In a dimension that the window has no extent in, being outside concerns all of it.
    bool isWindow = llvm::is_contained(windowDims, static_cast<int64_t>(dim));
    if (!isWindow && (start[dim] < 0 || start[dim] >= operandShape[dim]))
      return;
    base += start[dim] * operandStrides[dim];
  }
  if (windowDims.empty())
    return foldRow(frame, pointers, base, 1, from, 1, 1);
  size_t last = windowDims.size() - 1;
  int64_t lastDim = windowDims[last];
  // Along the last dimension [begin, end) of the window is inside: one range for all rows, so that
  // no element of a row needs a test of its own. The other dimensions are tested once per row.
  int64_t begin = std::max(columns.begin, -start[lastDim]);
  int64_t end = std::min(columns.end, operandShape[lastDim] - start[lastDim]);
  if (begin >= end || elementCount(windowSizes) == 0)
    return;
  std::fill(place.begin(), place.end(), 0);
  while (true) {
    int64_t target = base + begin * operandStrides[lastDim];
    int64_t source = from + begin * windowStrides[last];
    bool isInside = true;
    for (size_t i = 0; i < last; ++i) {
      int64_t along = start[windowDims[i]] + place[i];
      isInside &= along >= 0 && along < operandShape[windowDims[i]];
      target += place[i] * operandStrides[windowDims[i]];
      source += place[i] * windowStrides[i];
    }
    if (isInside)
      foldRow(frame, pointers, target, operandStrides[lastDim], source, windowStrides[last],
              end - begin);
    size_t i = last;
    for (; i > 0 && ++place[i - 1] == windowSizes[i - 1]; --i)
      place[i - 1] = 0;
    if (i == 0)
      return;
  }
}

void ScatterThunk::foldRow(const Frame &frame, std::vector<void *> &pointers, int64_t target,
                           int64_t targetStride, int64_t source, int64_t sourceStride,
                           int64_t count) const {
  bool isDense = targetStride == 1 && sourceStride == 1;
  // Rows of known functions go through the kernel at once, all others element by element.
  int64_t step = isDense && (rowKernel || isOverwrite) ? count : 1;
  for (int64_t i = 0; i < count; i += step) {
    int64_t to = target + i * targetStride;
    int64_t from = source + i * sourceStride;
    std::byte *row = frame.at(results[0]) + to * elementBytes[0];
    const std::byte *update = frame.at(updates[0]) + from * updateBytes[0];
    if (rowKernel) {
      // In place: element-wise kernels read each element before they write it. No element of a row
      // occurs twice.
      const void *operands[] = {row, update};
      rowKernel(row, operands, step, {});
    } else if (isOverwrite) {
      std::memcpy(row, update, static_cast<size_t>(step * elementBytes[0]));
    } else {
      foldElement(frame, pointers, to, from);
    }
  }
}

void ScatterThunk::foldElement(const Frame &frame, std::vector<void *> &pointers, int64_t to,
                               int64_t from) const {
  size_t count = inputs.size();
  // Results go beside their targets first: with several inputs, the region must see all old values
  // before one is replaced.
  std::vector<Complex<double>> values(count); // Room for any element.
  for (size_t i = 0; i < count; ++i) {
    pointers[region.arguments[i]] = frame.at(results[i]) + to * elementBytes[i];
    pointers[region.arguments[count + i]] = frame.at(updates[i]) + from * updateBytes[i];
    pointers[region.results[i]] = &values[i];
  }
  region.code.program.run(pointers, 1);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(frame.at(results[i]) + to * elementBytes[i], &values[i],
                static_cast<size_t>(elementBytes[i]));
}

} // namespace shardwise::execute
