// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated definitions of the ops in IndexingOps.td. Checks are in the *Verify.cpp files.

#include "shardwise/dialect/stablehlo/ops/IndexingOps.h"

#include "shardwise/dialect/stablehlo/format/AssemblyFormat.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/IndexingOps.cpp.inc"

void shardwise::stablehlo::registerIndexingOps(mlir::Dialect &dialect) {
  registerOps<
#define GET_OP_LIST
#include "shardwise/dialect/stablehlo/ops/IndexingOps.cpp.inc"
      >(dialect);
}
