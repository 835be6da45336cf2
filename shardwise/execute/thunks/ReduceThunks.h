// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thunks of reduce: over runs of memory by kernels, or lane by lane by a region.

#pragma once

#include "shardwise/execute/thunks/ReductionThunk.h"

namespace shardwise::execute {

/// A dimension of the input after merging neighbours that are both kept or both reduced; strides in
/// elements. Example: a 2x3x4 input reduced along dimension 0 has {2, 12, 0, true} and
/// {12, 1, 1, false}.
struct MergedDim {
  int64_t size, inputStride, resultStride;
  bool isReduced;
};

/// One input, one known reduction. Sums of f16 and bf16 are kept in f32 until the end.
class RunReduceThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "reduce"; }

  BufferId input = -1, init = -1, result = -1;
  BufferId scratchSums = -1;         ///< One sum per result, unless `isDirect`.
  BufferId scratchPiece = -1;        ///< A block of converted input, if `convert` does something.
  Conversion convert;                ///< From input type to sum type, through the region's type.
  Conversion toSum, fromSum;         ///< Of the init value and of the results.
  ElementKernel rowKernel = nullptr; ///< Folds a row into a row of sums.
  FoldKernel foldKernel = nullptr;   ///< Folds a row into one sum.
  DataType sumType = DataType::F32;
  int64_t inputBytes = 4; ///< Of an element.
  int64_t inputCount = 0, resultCount = 0;
  bool isDirect = true;        ///< The sums are made in the result itself.
  std::vector<MergedDim> dims; ///< The innermost last.

private:
  /// Folds one run of the innermost dimension.
  void foldRun(const std::byte *source, const MergedDim &inner, std::byte *target, int64_t sumBytes,
               std::byte *pieces) const;
};

/// Lanes of a region reduction: result elements, and where the slice of each starts.
class LaneReduceThunk final : public ReductionThunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "reduce by region"; }

  std::vector<MergedDim> kept, reduced;
  int64_t resultCount = 0, reducedCount = 0; ///< Results, and elements that each is made of.
};

} // namespace shardwise::execute
