// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows are walked tap by tap: a tap is a position in the window, and meets a row of elements for
// a row of results. All results of the row are folded at once, so that a kernel has a row to run on
// even where windows are small.
//
// Example: windows of 3 with padding 1 over a row a b c d. The row of results is folded three
// times, with what tap 0, 1 and 2 meet: (init, a, b, c), then (a, b, c, d), then (b, c, d, init).
//
// Taps come in row-major order, which for every single result is the order of its window's
// elements: sums are rounded as a loop over each window would round them.

#include "shardwise/execute/thunks/WindowThunks.h"

#include "shardwise/execute/thunks/RankWorkers.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <algorithm>
#include <cstring>

namespace shardwise::execute {
namespace {

/// To tell how many threads are worth it.
constexpr double kNanosecondsPerFold = 0.3;

} // namespace

Result<void> ScanThunk::run(Frame &frame) const {
  for (int64_t line = 0; line < outer; ++line)
    for (int64_t lane = 0; lane < inner; ++lane) {
      // Backwards starts at the last element of the line and goes on by a negative stride.
      int64_t first = line * length * inner + lane + (isBackward ? (length - 1) * inner : 0);
      scan(frame.at(result) + first * elementBytes, frame.at(init),
           frame.at(input) + first * elementBytes, length, isBackward ? -inner : inner);
    }
  return {};
}

Result<void> WindowThunk::run(Frame &frame) const {
  if (lanes == 0)
    return {};
  RowTaps taps(window, inputShape, resultShape);
  int64_t numFolds = elementCount(resultShape) * elementCount(window.sizes);
  int64_t numPieces =
      piecesFor(static_cast<double>(numFolds) * kNanosecondsPerFold, taps.numRows());
  int64_t scratchBytes = reduction.scratchBytes(lanes);
  runPieces(numPieces, [&](int64_t piece, int64_t worker) {
    auto [begin, end] = pieceRange(taps.numRows(), piece, numPieces, 1);
    WorkerScratch memory(worker, frame.at(scratch), scratchBytes);
    foldRows(frame, taps, begin, end, memory.data());
  });
  return {};
}

void WindowThunk::foldRows(const Frame &frame, const RowTaps &taps, int64_t begin, int64_t end,
                           std::byte *memory) const {
  RowReducer reducer(reduction, frame, memory, lanes);
  std::vector<const std::byte *> firsts = starts(frame);
  std::vector<const std::byte *> rows(inputs.size());
  std::vector<int64_t> bases;
  int64_t alongRow = window.sizes.empty() ? 1 : window.sizes.back();
  for (int64_t row = begin; row < end; ++row) {
    reducer.start(firsts, lanes);
    taps.find(row, bases);
    for (int64_t base : bases)
      for (int64_t tap = 0; tap < alongRow; ++tap)
        foldTap(frame, reducer, base, tap, rows);
    store(frame, reducer, row * lanes, lanes);
  }
}

void WindowThunk::foldTap(const Frame &frame, RowReducer &reducer, int64_t base, int64_t tap,
                          std::vector<const std::byte *> &rows) const {
  // Outside in an outer dimension means outside for the whole row.
  if (base < 0)
    return isInitIdentity ? void() : foldInit(frame, reducer);
  size_t last = inputShape.size() - 1;
  // Neighbouring results meet neighbouring elements: then the row is read where it lies.
  bool isDense =
      inputShape.empty() || (window.strides[last] == 1 && window.baseDilations[last] == 1);
  if (isDense) {
    // Results [begin, end) meet the consecutive elements from `first` on.
    int64_t shift = inputShape.empty() ? 0 : tap * window.windowDilations[last] - window.low[last];
    int64_t size = inputShape.empty() ? 1 : inputShape[last];
    int64_t begin = std::max<int64_t>(0, -shift);
    int64_t end = std::min(lanes, size - shift);
    // A row that is partly in padding is put together in `fillRow`.
    if (begin == 0 && end == lanes) {
      for (size_t i = 0; i < inputs.size(); ++i)
        rows[i] = frame.at(inputs[i]) + (base + shift) * runtime::byteSize(reduction.inputTypes[i]);
      reducer.fold(rows, lanes);
      return;
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    fillRow(frame, i, base, tap, reducer.inputRow(i));
  reducer.foldInputRows(lanes);
}

void WindowThunk::foldInit(const Frame &frame, RowReducer &reducer) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    fillElements(reducer.inputRow(i), frame.at(inits[i]),
                 runtime::byteSize(reduction.inputTypes[i]), lanes);
  reducer.foldInputRows(lanes);
}

void WindowThunk::fillRow(const Frame &frame, size_t input, int64_t base, int64_t tap,
                          std::byte *row) const {
  auto bytes = static_cast<size_t>(runtime::byteSize(reduction.inputTypes[input]));
  const std::byte *source = frame.at(inputs[input]);
  const std::byte *init = frame.at(inits[input]);
  size_t last = inputShape.size() - 1;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t place = window.placeOf(last, lane, tap, inputShape[last]);
    const std::byte *element =
        place < 0 ? init : source + static_cast<size_t>(base + place) * bytes;
    std::memcpy(row + static_cast<size_t>(lane) * bytes, element, bytes);
  }
}

} // namespace shardwise::execute
