// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warnings about ops that no sharding rule is known for.

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSet.h"

namespace shardwise::propagate {

/// Warns at ops through which shardings do not pass, once for each kind: name of an op, target of a
/// custom call.
class UnknownOps {
public:
  /// Warns at `op` if nothing is known about it (`rules::isUnknownToShardingRules`) and it is the
  /// first of its kind. An op without operands or without results has nothing to pass on, nor has
  /// one that is written per device.
  void warnIfUnknown(mlir::Operation *op);

private:
  llvm::StringSet<> warnedAbout;
};

} // namespace shardwise::propagate
