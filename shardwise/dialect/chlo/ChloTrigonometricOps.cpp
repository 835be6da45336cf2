// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated definitions of the ops in ChloTrigonometricOps.td.

#include "shardwise/dialect/chlo/ChloOps.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/chlo/ChloTrigonometricOps.cpp.inc"

void shardwise::chlo::registerTrigonometricOps(mlir::Dialect &dialect) {
  stablehlo::registerOps<
#define GET_OP_LIST
#include "shardwise/dialect/chlo/ChloTrigonometricOps.cpp.inc"
      >(dialect);
}
