// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thunks of batched matrix products: dot_general, and ragged_dot, whose sizes are known at run time
// only. Strides and offsets are in elements.

#pragma once

#include "shardwise/execute/thunks/Conversion.h"
#include "shardwise/execute/thunks/StridedCopy.h"
#include "shardwise/execute/thunks/Thunk.h"

#include <optional>

namespace shardwise::execute {

/// An operand of a product as a batch of matrices: used where it lies if it already is one per
/// batch, else packed first. Rows, columns and batches are those of the product's operand; each may
/// be several dimensions.
struct GemmOperand {
  BufferId buffer = -1;
  /// Gathers the elements into packed order; none if they lie so that strides reach them.
  std::optional<StridedCopy> pack;
  Conversion convert;
  BufferId packed = -1;              ///< Target of `pack`, if any.
  BufferId converted = -1;           ///< Target of `convert`, if that does something.
  int64_t count = 0;                 ///< Elements of all matrices.
  std::vector<int64_t> batchOffsets; ///< Where each matrix begins.
  int64_t rowStride = 1;
  int64_t columnStride = 1; ///< One of both strides is 1.

  /// Packs and converts; returns the first element.
  const std::byte *prepare(const Frame &frame) const;
};

/// One product of m x k by k x n per batch, summed in `sumType`, to dense m x n results one behind
/// the other.
class GemmThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override;

  GemmOperand lhs, rhs;
  Conversion toResult; ///< From the type of the sums.
  BufferId result = -1;
  BufferId scratch = -1; ///< m x n sums, if `toResult` does something.
  DataType sumType = DataType::F32;
  DataType resultType = DataType::F32;
  int64_t m = 1, n = 1, k = 1;
};

/// One matrix product per group, of as many rows or terms as the group has. Sizes below zero count
/// as zero; what is past the end is left out.
///
///     isContracting   lhs, per batch   rhs                    result
///     no              m x k            group, batch: k x n    batch: m x n, rows of the groups
///     yes             m x k            batch: k x n           group, batch: m x n
class RaggedDotThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "ragged gemm"; }

  GemmOperand lhs, rhs;
  Conversion toResult; ///< From the type of the sums.
  DataType sumType = DataType::F32, sizeType = DataType::I32;
  BufferId sizes = -1; ///< Of the groups; one list for all batches unless `hasSizesPerBatch`.
  BufferId result = -1;
  BufferId scratch = -1; ///< All sums, if `toResult` does something.
  int64_t m = 1, n = 1, k = 1, numBatches = 1, numGroups = 1;
  int64_t resultCount = 0; ///< Elements.
  int64_t raggedSize = 0;  ///< Size of the dimension that is cut into groups.
  int64_t perRagged = 1;   ///< Rows or terms per index of the ragged dimension.
  bool isContracting = false, hasSizesPerBatch = false;
};

} // namespace shardwise::execute
