// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two broadcast ops as one.

#pragma once

#include <llvm/ADT/SmallVector.h>
#include <mlir/IR/Operation.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwise::execute {

/// Repeats `operand`, whose dimension i is dimension `dimensions[i]` of the result.
struct BroadcastForm {
  mlir::Value operand;
  llvm::SmallVector<int64_t> dimensions;

  /// For each dimension of a result of `rank`: the distance in the operand of what lies next to
  /// each other along it; 0 where elements are repeated.
  std::vector<int64_t> strides(size_t rank) const;
};

/// Returns the form of `op` if it is broadcast_in_dim or broadcast; `op` may be null.
std::optional<BroadcastForm> broadcastFormOf(mlir::Operation *op);

} // namespace shardwise::execute
