// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An exchange as permutes, for StableHLO, which has no op for it.

#pragma once

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/planner/model/ExchangeRounds.h"
#include "shardwise/transforms/partition/LocalProgram.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <tuple>

namespace shardwise::partition {

/// Rounds of permutes, and the pairs of devices of each.
struct PermuteRounds {
  planner::ExchangeRounds plan;
  llvm::SmallVector<mlir::DenseIntElementsAttr> pairs;
};

/// Carries out the exchanges of a program by rounds of collective_permute
/// (planner/model/ExchangeRounds.h). In each a device sends a window of its shard and puts what it
/// gets at its place; where windows begin is looked up in tables by the device's coordinate.
///
/// Example: `[{"x"}, {}]` to `[{}, {"x"}]` of 7x6 with x=3: the own 3x2 is put into zeros with room
/// for it, then two that are received from the device behind and the next one.
class ExchangeLowering {
public:
  explicit ExchangeLowering(LocalProgram &program) : program(program) {}

  /// Returns the result of `op`, a local one that has elements.
  mlir::Value byPermutes(sdy::ExchangeOp op);

private:
  const PermuteRounds &roundsOf(sdy::ExchangeOp op);

  LocalProgram &program;
  /// By attributes and types of the op: the layers of a model exchange the same, and rounds cost
  /// the number of devices.
  llvm::DenseMap<std::tuple<mlir::Attribute, mlir::Type, mlir::Type>,
                 std::unique_ptr<PermuteRounds>>
      known;
};

} // namespace shardwise::partition
