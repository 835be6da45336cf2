// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect `stablehlo`. Register it with `registry.insert<StablehloDialect>()`.

#pragma once

#include "mlir/IR/Dialect.h"

#include "shardwise/dialect/stablehlo/StablehloDialect.h.inc"

namespace shardwise::stablehlo {

// One function per op family adds its ops to the dialect; each is defined beside the
// generated definitions, which keeps translation units small.
void registerElementwiseUnaryOps(mlir::Dialect &dialect);
void registerTranscendentalOps(mlir::Dialect &dialect);
void registerElementwiseBinaryOps(mlir::Dialect &dialect);
void registerElementwiseMixedOps(mlir::Dialect &dialect);
void registerShapeOps(mlir::Dialect &dialect);
void registerContractionOps(mlir::Dialect &dialect);
void registerIndexingOps(mlir::Dialect &dialect);
void registerReductionOps(mlir::Dialect &dialect);
void registerControlFlowOps(mlir::Dialect &dialect);
void registerCollectiveOps(mlir::Dialect &dialect);
void registerNumericOps(mlir::Dialect &dialect);
void registerCallOps(mlir::Dialect &dialect);
void registerLegacyOps(mlir::Dialect &dialect);
void registerDynamicShapeOps(mlir::Dialect &dialect);

/// Adds `Ops` to `dialect`.
template <class... Ops> void registerOps(mlir::Dialect &dialect) {
  (mlir::RegisteredOperationName::insert<Ops>(dialect), ...);
}

} // namespace shardwise::stablehlo
