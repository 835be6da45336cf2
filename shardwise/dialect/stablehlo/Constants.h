// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants: making them, and seeing them.

#pragma once

#include "shardwise/core/ReductionKind.h"

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

/// Returns the splat of `type` that changes nothing it is combined with by `kind`. There are no
/// largest and smallest complex numbers: these have an identity of sums only.
/// Example: of the maximum, -inf for f32, -128 for i8, false for i1.
mlir::DenseElementsAttr identityOf(core::ReductionKind kind, mlir::RankedTensorType type);

/// Returns the value of a scalar that is a constant, perhaps reshaped or broadcast to a scalar;
/// null for others.
mlir::DenseElementsAttr scalarConstantOf(mlir::Value scalar);

} // namespace shardwise::stablehlo
