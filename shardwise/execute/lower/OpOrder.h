// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which the ops of a block run, so that work is done while collectives are under way.

#pragma once

#include <mlir/IR/Block.h>
#include <mlir/IR/Operation.h>

#include <cstdint>
#include <vector>

namespace shardwise::execute {

/// Whether `op` is started and waited for: a collective, or an exchange of shards.
bool isOverlappable(mlir::Operation &op);

/// Returns the ops of `block` but its terminator, in an order that keeps their data flow: what
/// leads to a collective as early, and what needs its results as late as `window` ops allow. Ops
/// move at most over so many others. The same for the same program.
///
/// Example, of a backward pass: the sum is under way while the other product is computed.
///
///     %dw = dot %x, %dy                    %dx = dot %dy, %w
///     %dx = dot %dy, %w                    %s = all_reduce %dx
///     %s = all_reduce %dx                  %dw = dot %x, %dy
///     %t = tanh %s                         %t = tanh %s
std::vector<mlir::Operation *> overlappedOrder(mlir::Block &block, int64_t window);

} // namespace shardwise::execute
