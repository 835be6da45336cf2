// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An exchange as permutes, for StableHLO, which has no op for it.

#pragma once

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/transforms/partition/LocalProgram.h"

namespace shardwise::partition {

/// Returns the result of `op`, a local one, by rounds of collective_permute
/// (planner/model/ExchangeRounds.h). In each a device sends a window of its shard and puts what it
/// gets at its place; where windows begin is looked up in tables by the device's coordinate.
///
/// Example: `[{"x"}, {}]` to `[{}, {"x"}]` of 7x6 with x=3: the own 3x2 is put into zeros with room
/// for it, then two that are received from the device behind and the next one.
mlir::Value exchangeByPermutes(sdy::ExchangeOp op, LocalProgram &program);

} // namespace shardwise::partition
