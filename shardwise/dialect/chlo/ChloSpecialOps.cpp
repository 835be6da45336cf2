// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated definitions of the ops in ChloSpecialOps.td.

#include "shardwise/dialect/chlo/ChloOps.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/chlo/ChloSpecialOps.cpp.inc"

void shardwise::chlo::registerSpecialOps(mlir::Dialect &dialect) {
  stablehlo::registerOps<
#define GET_OP_LIST
#include "shardwise/dialect/chlo/ChloSpecialOps.cpp.inc"
      >(dialect);
}
