// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of the per-device program.

#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace shardwise::stablehlo {

/// Creates a `stablehlo.constant` of `value`.
mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location location,
                           mlir::ElementsAttr value);

/// Creates a constant of zeros.
mlir::Value createZeros(mlir::OpBuilder &builder, mlir::Location location,
                        mlir::RankedTensorType type);

} // namespace shardwise::stablehlo
