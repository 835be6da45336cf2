// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated definitions of the ops in CallOps.td. Checks are in the *Verify.cpp files.

#include "shardwise/dialect/stablehlo/ops/CallOps.h"

#include "shardwise/dialect/stablehlo/format/AssemblyFormat.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/CallOps.cpp.inc"

void shardwise::stablehlo::registerCallOps(mlir::Dialect &dialect) {
  registerOps<
#define GET_OP_LIST
#include "shardwise/dialect/stablehlo/ops/CallOps.cpp.inc"
      >(dialect);
}
