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

/// Whether there is a value of `elementType` that changes none by being added to it.
bool hasAdditiveIdentity(mlir::Type elementType);
/// Creates a constant of that value: -0.0, as adding +0.0 to -0.0 gives +0.0; 0 and `false` where
/// there is but one zero. Requires `hasAdditiveIdentity`.
mlir::Value createAdditiveIdentity(mlir::OpBuilder &builder, mlir::Location location,
                                   mlir::RankedTensorType type);

/// Whether `kind` has a value of `elementType` that changes none by being combined with it. There
/// are no largest and smallest complex numbers.
bool hasIdentity(core::ReductionKind kind, mlir::Type elementType);
/// Returns the splat of `type` that changes nothing it is combined with by `kind`. Of sums it is
/// +0.0, which changes the sign of a sum of nothing but negative zeros: where that counts, there is
/// `createAdditiveIdentity`. Requires `hasIdentity`.
/// Example: of the maximum, -inf for f32, the lowest number where there is no infinity, -128 for
/// i8, false for i1.
mlir::DenseElementsAttr identityOf(core::ReductionKind kind, mlir::RankedTensorType type);

/// Returns the value of a scalar that is a constant, perhaps reshaped or broadcast to a scalar;
/// null for others.
mlir::DenseElementsAttr scalarConstantOf(mlir::Value scalar);

} // namespace shardwise::stablehlo
