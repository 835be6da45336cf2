// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From collectives on shards that are said by axes and placements to those of StableHLO, which
// devices run: the second half of the conversion to a per-device program.

#pragma once

#include "shardwise/transforms/partition/ExchangeLowering.h"
#include "shardwise/transforms/partition/LocalProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/LogicalResult.h"

namespace shardwise::partition {

/// Replaces `op`, a local collective or reshard (dialect/sdy/LocalCollectives.h), in the end. Fails
/// with a diagnostic at what StableHLO cannot say.
///
/// Example: `sdy.all_gather [{"x"}] %0` of 4 elements to 8 is `stablehlo.all_gather` over the
/// groups of axes {"x"}.
llvm::LogicalResult lowerCollective(mlir::Operation *op, LocalProgram &program,
                                    ExchangeLowering &exchanges);

/// Replaces all local collectives and fetches of `module`; exchanges stay if `keepsExchanges`.
llvm::LogicalResult lowerLocalCollectives(mlir::ModuleOp module, LocalProgram &program,
                                          bool keepsExchanges);

} // namespace shardwise::partition
