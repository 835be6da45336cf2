// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that run on one device of a mesh with several: their sharding is on a mesh of a single
// device, as that of a host callback. The device needs whole operands and is the only one that has
// the results.

#pragma once

#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"

namespace shardwise::reshard {

/// Returns the mesh of the one device on which `op` runs; null if it runs on all. An op whose body
/// is control flow does only if that is said of all of its results. What is said of an op without
/// results is where it runs. Null for ops that move values or compute nothing: constants can be
/// had anywhere.
mlir::Attribute deviceOf(mlir::Operation *op, ShardedProgram &program);

/// Makes what is in the regions of `op` as whole as `op` itself: on the device there is nothing to
/// cut. Fails with a diagnostic if a body needs other devices.
llvm::LogicalResult putOnDevice(mlir::Operation *op, ShardedProgram &program);

/// Returns the uses inside the regions of `op` of values from outside.
llvm::SmallVector<mlir::OpOperand *> usesFromOutside(mlir::Operation *op);

} // namespace shardwise::reshard
