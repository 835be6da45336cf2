// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operand of a product as a batch of matrices: used where it lies if it already is one per
// batch, else packed first.

#pragma once

#include "shardwise/execute/thunks/Conversion.h"
#include "shardwise/execute/thunks/StridedCopy.h"
#include "shardwise/execute/thunks/Thunk.h"

#include <llvm/ADT/ArrayRef.h>
#include <mlir/IR/Value.h>

#include <optional>

namespace shardwise::execute {

class FunctionLowering;

/// Rows, columns and batches are those of the product's operand; each may be several dimensions.
struct GemmOperand {
  BufferId buffer = -1;
  /// Gathers the elements into packed order; none if they lie so that strides reach them.
  std::optional<StridedCopy> pack;
  Conversion convert;
  BufferId packed = -1;    ///< Target of `pack`, if any.
  BufferId converted = -1; ///< Target of `convert`, if that does something.
  int64_t count = 0;
  std::vector<int64_t> batchOffsets; // in elements
  int64_t rowStride = 1;
  int64_t columnStride = 1;

  /// Packs and converts; returns the first element.
  const std::byte *prepare(const Frame &frame) const {
    const std::byte *data = frame.at(buffer);
    if (pack) {
      pack->run(data, frame.at(packed));
      data = frame.at(packed);
    }
    if (!convert.isIdentity()) {
      convert.run(data, frame.at(converted), count);
      data = frame.at(converted);
    }
    return data;
  }
};

/// Dimensions of 0..rank-1 in neither list.
std::vector<int64_t> freeDims(int64_t rank, llvm::ArrayRef<int64_t> batch,
                              llvm::ArrayRef<int64_t> contracting);

/// Product of the sizes of `dims`.
int64_t sizeOf(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims);

/// Describes `value` as `rows` x `columns` matrices over `batch`, each a list of dimensions with
/// the outermost first, with elements in the type that sums for `resultType` are made in. Adds the
/// buffers it needs to the lists.
GemmOperand describeOperand(FunctionLowering &lowering, mlir::Value value,
                            const std::vector<int64_t> &batch, const std::vector<int64_t> &rows,
                            const std::vector<int64_t> &columns, DataType resultType,
                            std::vector<BufferId> &reads, std::vector<BufferId> &scratches);

/// The dimensions of a product that are paired.
struct DotDims {
  llvm::ArrayRef<int64_t> lhsBatch, rhsBatch, lhsContracting, rhsContracting;
};

/// Emits the product of `lhs` and `rhs`, with the dimensions of `result` in the order of
/// dot_general: batch, free ones of lhs, free ones of rhs.
mlir::LogicalResult emitDot(FunctionLowering &lowering, mlir::Value lhs, mlir::Value rhs,
                            mlir::Value result, const DotDims &dims);

} // namespace shardwise::execute
