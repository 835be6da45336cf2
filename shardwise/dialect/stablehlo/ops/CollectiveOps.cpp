// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated definitions of the ops in CollectiveOps.td. Checks are in the *Verify.cpp files.

#include "shardwise/dialect/stablehlo/ops/CollectiveOps.h"

#include "shardwise/dialect/stablehlo/format/AssemblyFormat.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/CollectiveOps.cpp.inc"

void shardwise::stablehlo::registerCollectiveOps(mlir::Dialect &dialect) {
  registerOps<
#define GET_OP_LIST
#include "shardwise/dialect/stablehlo/ops/CollectiveOps.cpp.inc"
      >(dialect);
}
