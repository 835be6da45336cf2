// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect `chlo`. Register it with `registry.insert<ChloDialect>()`.

#pragma once

#include "mlir/IR/Dialect.h"

#include "shardwise/dialect/chlo/ChloDialect.h.inc"

namespace shardwise::chlo {

// One function per op family adds its ops to the dialect.
void registerTrigonometricOps(mlir::Dialect &dialect);
void registerSpecialOps(mlir::Dialect &dialect);
void registerStructuredOps(mlir::Dialect &dialect);

} // namespace shardwise::chlo
