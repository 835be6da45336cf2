// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What shardings do not pass through is named as other messages name it.

#include "shardwise/transforms/propagate/UnknownOps.h"

#include "shardwise/dialect/sdy/ManualAxes.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/ShardingRules.h"

#include "mlir/IR/Diagnostics.h"

namespace shardwise::propagate {

void UnknownOps::warnIfUnknown(mlir::Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() == 0 ||
      !rules::isUnknownToShardingRules(op) || sdy::isFullyManual(op))
    return;
  llvm::StringRef prefix, name = op->getName().getStringRef();
  if (auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op)) {
    prefix = "custom call target ";
    name = call.getCallTargetName();
  }
  if (!warnedAbout.insert((prefix + name).str()).second)
    return;
  mlir::InFlightDiagnostic warning =
      op->emitWarning() << "shardings do not pass through " << prefix << "'" << name
                        << "', which has no sharding rule; attach one as sdy.sharding_rule";
  if (!prefix.empty())
    warning << ", or call it in an sdy.manual_computation (jax.shard_map): else every device "
               "computes all of it";
}

} // namespace shardwise::propagate
