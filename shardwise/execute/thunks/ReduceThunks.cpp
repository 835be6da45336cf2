// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two reductions. *Runs*: one input and a known function, where whole runs of the innermost
// dimension go to a kernel. *Lanes*: any region, run on a row of results at a time, element by
// reduced element.
//
// In both the dimensions above are counted like an odometer whose offsets move along: a reduced
// dimension has the result stride 0, so going along it comes back to the same sums. Example:
// tensor<2x3x4> reduced along dimension 1 has the merged dimensions {2, 12, 4, kept}, {3, 4, 0,
// reduced}, {4, 1, 1, kept}: six runs of 4 elements, of which three in a row are added to the same
// 4 sums.

#include "shardwise/execute/thunks/ReduceThunks.h"

#include "shardwise/execute/thunks/RawElements.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <algorithm>
#include <span>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// Positions of the outer dimensions, one after the other.
class Odometer {
public:
  explicit Odometer(std::span<const MergedDim> dims) : dims(dims), index(dims.size(), 0) {}

  int64_t inputOffset = 0;
  int64_t resultOffset = 0;

  /// Moves on to the next position. Returns false, back at the first, after the last.
  bool next() {
    for (size_t dim = dims.size(); dim-- > 0;) {
      inputOffset += dims[dim].inputStride;
      resultOffset += dims[dim].resultStride;
      if (++index[dim] < dims[dim].size)
        return true;
      // This dimension is done: back to its begin, and one on in the next outer one.
      inputOffset -= dims[dim].inputStride * dims[dim].size;
      resultOffset -= dims[dim].resultStride * dims[dim].size;
      index[dim] = 0;
    }
    return false;
  }

private:
  std::span<const MergedDim> dims;
  Dims index;
};

/// Copies the elements at `offsets`, each `shift` elements on, to a row.
void gather(const std::byte *source, std::byte *target, const Dims &offsets, int64_t size,
            int64_t shift, int64_t bytes) {
  withRaw(bytes, [&](auto raw) {
    using Raw = decltype(raw);
    const auto *from = reinterpret_cast<const Raw *>(source) + shift;
    auto *to = reinterpret_cast<Raw *>(target);
    for (int64_t lane = 0; lane < size; ++lane)
      to[lane] = from[offsets[lane]];
  });
}

} // namespace

Result<void> RunReduceThunk::run(Frame &frame) const {
  std::byte *sums = isDirect ? frame.at(result) : frame.at(scratchSums);
  int64_t sumBytes = runtime::byteSize(sumType);
  std::byte *pieces = convert.isIdentity() ? nullptr : frame.at(scratchPiece);
  alignas(16) std::byte start[16];
  // Every sum starts at the init value, once: StableHLO leaves open how often it is folded in.
  toSum.run(frame.at(init), start, 1);
  fillElements(sums, start, sumBytes, resultCount);
  if (inputCount > 0) {
    // A tensor of one element has no dimension left after merging: it is a run of one.
    const MergedDim inner = dims.empty() ? MergedDim{1, 1, 1, false} : dims.back();
    std::span<const MergedDim> outerDims(dims);
    Odometer outer(outerDims.first(dims.empty() ? 0 : dims.size() - 1));
    do {
      foldRun(frame.at(input) + outer.inputOffset * inputBytes, inner,
              sums + outer.resultOffset * sumBytes, sumBytes, pieces);
    } while (outer.next());
  }
  if (!isDirect)
    fromSum.run(sums, frame.at(result), resultCount);
  return {};
}

void RunReduceThunk::foldRun(const std::byte *source, const MergedDim &inner, std::byte *target,
                             int64_t sumBytes, std::byte *pieces) const {
  // Without a conversion the kernel takes the whole run; with one it goes in blocks, which stay in
  // cache between the conversion and the fold.
  int64_t step = pieces ? kBlockLength : inner.size;
  for (int64_t begin = 0; begin < inner.size; begin += step) {
    int64_t size = std::min(step, inner.size - begin);
    const std::byte *elements = source + begin * inputBytes;
    if (pieces) {
      convert.run(elements, pieces, size);
      elements = pieces;
    }
    // A reduced run becomes one number; a kept run is added to a row of sums, element by element.
    if (inner.isReduced) {
      foldKernel(target, elements, size);
    } else {
      std::byte *row = target + begin * sumBytes;
      const void *operands[] = {row, elements};
      rowKernel(row, operands, size, {});
    }
  }
}

Result<void> LaneReduceThunk::run(Frame &frame) const {
  size_t count = inputs.size();
  RowReducer reducer = this->reducer(frame);
  std::vector<const std::byte *> firsts = starts(frame);
  Dims offsets(static_cast<size_t>(lanes));
  Odometer keptPlace(kept);
  for (int64_t begin = 0; begin < resultCount; begin += lanes) {
    int64_t size = std::min(lanes, resultCount - begin);
    // Where the slice of each lane begins. `keptPlace` goes on from block to block.
    for (int64_t lane = 0; lane < size; ++lane) {
      offsets[lane] = keptPlace.inputOffset;
      keptPlace.next();
    }
    reducer.start(firsts, size);
    if (reducedCount > 0) {
      Odometer place(reduced);
      do {
        for (size_t i = 0; i < count; ++i)
          gather(frame.at(inputs[i]), reducer.inputRow(i), offsets, size, place.inputOffset,
                 runtime::byteSize(reduction.inputTypes[i]));
        reducer.foldInputRows(size);
      } while (place.next());
    }
    store(frame, reducer, begin, size);
  }
  return {};
}

} // namespace shardwise::execute
