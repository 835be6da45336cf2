// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sdy.exchange, the one collective of sdy that runs as it is.

#pragma once

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/execute/lower/Lowering.h"

namespace shardwise::execute {

/// Emits the thunk of `op`. Fails with a diagnostic if it is not on shards.
LogicalResult lowerExchange(FunctionLowering &lowering, sdy::ExchangeOp op);

} // namespace shardwise::execute
