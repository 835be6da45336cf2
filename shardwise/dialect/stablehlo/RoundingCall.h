// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The custom call that stands behind an op whose rounding is disturbed. Evaluators know it,
// programs of users may not have it.

#pragma once

#include "shardwise/dialect/stablehlo/ops/CallOps.h"

#include "mlir/IR/Builders.h"

#include <cstdint>
#include <optional>

namespace shardwise::stablehlo {

/// Gives its operand back with each float moved by some units in the last place
/// (runtime/Disturbance.h says which and how).
struct RoundingCall {
  uint64_t seed = 0;
  int64_t steps = 1;
  int unusedBits = 0;
};

/// Writes the call `stablehlo.custom_call @shardwise.disturb` of `operand`.
CustomCallOp createRoundingCall(mlir::OpBuilder &builder, mlir::Value operand,
                                const RoundingCall &call);
/// Returns what `op` says, if it is such a call.
std::optional<RoundingCall> roundingCallOf(CustomCallOp op);

} // namespace shardwise::stablehlo
