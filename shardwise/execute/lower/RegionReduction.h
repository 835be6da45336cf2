// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowering that reduce, reduce_window and select_and_scatter share: from a region to a reduction,
// and the buffers of its thunk.

#pragma once

#include "shardwise/execute/thunks/ReductionThunk.h"

#include <mlir/IR/Region.h>
#include <mlir/IR/ValueRange.h>
#include <mlir/Support/LLVM.h>

#include <memory>

namespace shardwise::execute {

class FunctionLowering;

/// Describes the reduction of `inputTypes` by `region`. Fails with a diagnostic if the region has
/// ops the kernels do not know.
mlir::FailureOr<Reduction> describeReduction(FunctionLowering &lowering, mlir::Region &region,
                                             llvm::ArrayRef<DataType> inputTypes);

/// Gives `thunk`, whose lanes are set, its buffers and emits it. Inputs are read in the types that
/// `reduction` describes, init values in those of the accumulators; what has another type is
/// converted before.
void emitReduction(FunctionLowering &lowering, std::unique_ptr<ReductionThunk> thunk,
                   Reduction reduction, mlir::ValueRange inputs, mlir::ValueRange inits,
                   mlir::ValueRange results);

} // namespace shardwise::execute
