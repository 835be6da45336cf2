// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of tensors that begin where the program says when it runs.

#pragma once

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/DataMovementThunks.h"

namespace shardwise::execute {

/// Describes where a box of sizes `box` begins in a tensor of shape `shape`.
DynamicStart startOf(FunctionLowering &lowering, mlir::ValueRange starts,
                     llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> box);

/// Returns the slice that is all that a program uses of random bits, if the bits can wait for it:
/// nobody needs their new state before. Then only the slice is made, at its place.
stablehlo::DynamicSliceOp onlySliceOf(stablehlo::RngBitGeneratorOp op);
/// Makes random bits, or of them `slice`, if that is not null.
LogicalResult lowerRandomBits(FunctionLowering &lowering, stablehlo::RngBitGeneratorOp op,
                              stablehlo::DynamicSliceOp slice);

} // namespace shardwise::execute
