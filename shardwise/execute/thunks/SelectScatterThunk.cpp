// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// select_and_scatter, a row of windows at a time. The windows of a row are walked together, tap by
// tap: what a tap meets is compared with the best so far of all windows at once, and the places of
// the best are noted. Then the row of source elements is folded in there.
//
// Example: maxima of 2 x 2 of an image [y, x, channel]. A row has a window for each channel; its
// four taps are four rows of channels, which are compared as rows.
//
// StableHLO: every element of the result starts at the init value; where windows overlap, what
// selects an element is folded in in row-major order of the source. Within a row that is done lane
// by lane then, else by gathering what is there, folding, and scattering it.

#include "shardwise/execute/thunks/IndexLoop.h"
#include "shardwise/execute/thunks/RawElements.h"
#include "shardwise/execute/thunks/StridedCopy.h"
#include "shardwise/execute/thunks/WindowThunks.h"

#include <algorithm>
#include <utility>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

} // namespace

/// The windows of one row.
struct SelectScatterThunk::Row {
  int64_t lanes, bytes;
  Dims strides; ///< Of the operand.
  Dims places;  ///< Of the element that each selects so far; -1 if it has met none.
  std::vector<std::byte> best, candidates;
  std::vector<uint8_t> isPreferred;
  std::vector<void *> choice; ///< Of the region, if it is not one comparison.
  bool areAllSet = false;     ///< All windows have met an element.

  Row(int64_t lanes, int64_t bytes, Dims strides)
      : lanes(lanes), bytes(bytes), strides(std::move(strides)), places(static_cast<size_t>(lanes)),
        best(static_cast<size_t>(lanes * bytes)), candidates(best.size()),
        isPreferred(places.size()) {}

  void start() {
    std::fill(places.begin(), places.end(), -1);
    areAllSet = false;
  }
  std::byte *bestOf(int64_t lane) { return best.data() + lane * bytes; }
  std::byte *candidateOf(int64_t lane) { return candidates.data() + lane * bytes; }

  /// Consecutive elements, from place `first` on, meet all windows.
  void keepOrTake(const std::byte *elements, int64_t first) {
    withRaw(bytes, [&](auto raw) {
      auto *kept = reinterpret_cast<decltype(raw) *>(best.data());
      const auto *others = reinterpret_cast<const decltype(raw) *>(elements);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        kept[lane] = isPreferred[lane] ? kept[lane] : others[lane];
        places[lane] = isPreferred[lane] ? places[lane] : first + lane;
      }
    });
  }
};

Result<void> SelectScatterThunk::run(Frame &frame) const {
  fillElements(frame.at(result), frame.at(init), runtime::byteSize(scatter.accumulatorTypes[0]),
               elementCount(operandShape));
  if (elementCount(sourceShape) == 0)
    return {};
  Row row(lanes(), runtime::byteSize(operandType), rowMajorStrides(operandShape));
  if (!selectKernel)
    row.choice = selectRegion.code.bind(frame, frame.at(selectScratch), row.lanes);
  RowReducer reducer(scatter, frame, frame.at(scatterScratch), row.lanes);
  const std::byte *next = frame.at(source);
  Dims outerShape(sourceShape.begin(), sourceShape.end() - (sourceShape.empty() ? 0 : 1));
  forEachIndex(outerShape, [&](const Dims &outer) {
    row.start();
    forEachIndex(window.sizes, [&](const Dims &tap) { meetTap(frame, row, outer, tap); });
    scatterRow(frame, reducer, row, next);
    next += row.lanes * runtime::byteSize(sourceType);
  });
  return {};
}

void SelectScatterThunk::meetTap(const Frame &frame, Row &row, const Dims &outer,
                                 const Dims &tap) const {
  int64_t base = 0;
  for (size_t dim = 0; dim < outer.size(); ++dim) {
    int64_t along = window.placeOf(dim, outer[dim], tap[dim], operandShape[dim]);
    // Padding is never selected. A window of nothing but padding selects nothing.
    if (along < 0)
      return;
    base += along * row.strides[dim];
  }
  const std::byte *values = frame.at(operand);
  size_t last = outer.size();
  bool isScalar = operandShape.empty();
  int64_t first = isScalar ? 0 : tap[last] - window.low[last];
  if (isScalar ||
      (window.strides[last] == 1 && first >= 0 && first + row.lanes <= operandShape[last])) {
    // Neighbouring windows meet neighbouring elements.
    const std::byte *elements = values + (base + first) * row.bytes;
    prefer(row, elements);
    // Windows that have met nothing but padding so far take what they meet.
    for (int64_t lane = 0; lane < row.lanes && !row.areAllSet; ++lane)
      row.isPreferred[lane] &= static_cast<uint8_t>(row.places[lane] >= 0);
    row.keepOrTake(elements, base + first);
    row.areAllSet = true;
    return;
  }
  Dims met(static_cast<size_t>(row.lanes));
  for (int64_t lane = 0; lane < row.lanes; ++lane) {
    int64_t along = window.placeOf(last, lane, tap[last], operandShape[last]);
    met[lane] = along < 0 ? -1 : base + along;
    if (along >= 0)
      copyBytes(row.candidateOf(lane), values + met[lane] * row.bytes, row.bytes);
  }
  prefer(row, row.candidates.data());
  for (int64_t lane = 0; lane < row.lanes; ++lane)
    if (met[lane] >= 0 && (row.places[lane] < 0 || !row.isPreferred[lane])) {
      row.places[lane] = met[lane];
      copyBytes(row.bestOf(lane), row.candidateOf(lane), row.bytes);
    }
}

// The region says whether to keep the selected element; with `ge` the first of equal elements wins.
void SelectScatterThunk::prefer(Row &row, const std::byte *candidates) const {
  if (selectKernel) {
    const void *operands[] = {row.best.data(), candidates};
    selectKernel(row.isPreferred.data(), operands, row.lanes, {});
    return;
  }
  row.choice[selectRegion.arguments[0]] = row.best.data();
  row.choice[selectRegion.arguments[1]] = const_cast<std::byte *>(candidates);
  row.choice[selectRegion.results[0]] = row.isPreferred.data();
  selectRegion.code.program.run(row.choice, row.lanes);
}

bool SelectScatterThunk::doWindowsOverlap() const {
  return !window.sizes.empty() && window.strides.back() < window.sizes.back();
}

void SelectScatterThunk::scatterRow(Frame &frame, RowReducer &reducer, const Row &row,
                                    const std::byte *updates) const {
  int64_t bytes = runtime::byteSize(scatter.accumulatorTypes[0]);
  int64_t updateBytes = runtime::byteSize(sourceType);
  std::byte *target = frame.at(result);
  int64_t step = doWindowsOverlap() ? 1 : row.lanes;
  for (int64_t begin = 0; begin < row.lanes; begin += step) {
    const int64_t *places = row.places.data() + begin;
    withRaw(bytes, [&](auto raw) {
      auto *current = reinterpret_cast<decltype(raw) *>(reducer.accumulator(0));
      const auto *from = reinterpret_cast<const decltype(raw) *>(target);
      for (int64_t lane = 0; lane < step; ++lane)
        current[lane] = places[lane] >= 0 ? from[places[lane]] : decltype(raw)();
    });
    const std::byte *update[] = {updates + begin * updateBytes};
    reducer.fold(update, step);
    withRaw(bytes, [&](auto raw) {
      const auto *folded = reinterpret_cast<const decltype(raw) *>(reducer.accumulator(0));
      auto *to = reinterpret_cast<decltype(raw) *>(target);
      for (int64_t lane = 0; lane < step; ++lane)
        if (places[lane] >= 0)
          to[places[lane]] = folded[lane];
    });
  }
}

} // namespace shardwise::execute
