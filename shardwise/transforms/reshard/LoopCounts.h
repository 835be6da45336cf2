// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often an op of a program runs, as far as the program's text says.

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>

namespace shardwise::reshard {

/// How often an op runs when its function runs once.
struct Frequency {
  /// Product of the known trip counts of the loops around the op.
  int64_t times = 1;
  /// It is in a loop whose trip count is not known, and `times` is per iteration of that.
  bool isPerIteration = false;
  /// It is in a branch, which may not be taken.
  bool isConditional = false;
};

/// Trip counts of loops, computed once per loop.
class LoopCounts {
public:
  Frequency frequencyOf(mlir::Operation *op);

private:
  llvm::DenseMap<mlir::Operation *, std::optional<int64_t>> tripCounts;
};

/// Returns how often the body of a `stablehlo.while` runs, if the loop counts: it compares a value
/// that begins as a constant, and grows by a constant, with a constant. Constants may be carried
/// through the loop. None otherwise.
std::optional<int64_t> tripCount(mlir::Operation *loop);

/// Returns how often the body of a `stablehlo.while` is taken to run where something has to be
/// decided: its trip count, or, if that is not known, often, since most loops do.
double assumedRuns(mlir::Operation *loop);

} // namespace shardwise::reshard
