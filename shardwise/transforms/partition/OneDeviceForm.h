// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an op that runs on one device becomes in the program that all devices run.

#pragma once

#include "shardwise/transforms/partition/LocalProgram.h"

#include "mlir/IR/Operation.h"

namespace shardwise::partition {

/// Puts `op`, which runs on device `device` alone (reshard/OneDevice.h), into a branch that only
/// this device takes; its results are zeros everywhere else:
/// ```mlir
/// %1 = stablehlo.custom_call @f(%0)   // <@device, []>
/// ```
/// becomes
/// ```mlir
/// %is = stablehlo.compare EQ, partition_id, 0
/// %1 = "stablehlo.if"(%is) ({ return custom_call @f(%0) }, { return zeros })
/// ```
/// Ops in its regions have their local forms already.
void runOnDevice(mlir::Operation *op, core::DeviceId device, LocalProgram &program);

} // namespace shardwise::partition
