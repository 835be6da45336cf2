// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the dimensions of a product to batches of matrices, which dot_general and ragged_dot share.

#pragma once

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/execute/thunks/GemmThunks.h"

#include <llvm/ADT/ArrayRef.h>
#include <mlir/IR/Value.h>
#include <mlir/Support/LLVM.h>

#include <vector>

namespace shardwise::execute {

class FunctionLowering;

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
