// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lookups and updates of rows by exchange (core/IndexExchange.h) in a program whose reshards are
// explicit. The partitioner writes them, explain lists them: both ask here.

#pragma once

#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace shardwise::reshard {

/// What an op exchanges.
struct ExchangedIndices {
  /// The dimension of the first operand that the indices address, and what cuts it.
  int64_t dim = 0;
  core::AxisList axes;
  /// What a device receives if all owners are asked for as much.
  int64_t receivedBytes = 0;
};

/// Returns what `op` exchanges; none if its tensors share no axes. Requires global types, and
/// operands and results that are cut as the op's sheet allows.
std::optional<ExchangedIndices> exchangedBy(mlir::Operation *op, ShardedProgram &program);

} // namespace shardwise::reshard
