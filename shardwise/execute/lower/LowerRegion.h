// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From regions on scalars to block code.

#pragma once

#include "shardwise/execute/thunks/BlockCode.h"

#include <mlir/IR/Region.h>
#include <mlir/Support/LLVM.h>

namespace shardwise::execute {

class FunctionLowering;

/// Translates a region of element-wise ops on rank-0 tensors. Results that are arguments or
/// constants get an own copy. Fails with a diagnostic at the first op that is not element-wise.
mlir::FailureOr<RegionCode> lowerRegion(FunctionLowering &lowering, mlir::Region &region);

} // namespace shardwise::execute
