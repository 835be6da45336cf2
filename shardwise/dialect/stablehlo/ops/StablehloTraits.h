// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traits of the dialect's ops.

#pragma once

#include "shardwise/dialect/stablehlo/ElementTypes.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace shardwise::stablehlo {

/// Fails with a diagnostic unless operands and result have one shape and one element type.
llvm::LogicalResult verifyCompatibleOperandsAndResult(mlir::Operation *op);
/// Appends the type of the first operand, or that of the first one with a static shape.
llvm::LogicalResult inferCompatibleType(mlir::ValueRange operands,
                                        llvm::SmallVectorImpl<mlir::Type> &types);

/// The op applies one scalar function at every index; rank-0 operands of `select` and `clamp`
/// are broadcast. Ask with `op->hasTrait<stablehlo::Elementwise>()`, or see `isElementwise`.
template <class ConcreteOp>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteOp, Elementwise> {};

/// Operands and result have one type, up to dynamic sizes.
template <class ConcreteOp>
class CompatibleOperandsAndResultType
    : public mlir::OpTrait::TraitBase<ConcreteOp, CompatibleOperandsAndResultType> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyCompatibleOperandsAndResult(op);
  }
  static llvm::LogicalResult inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location>,
                                              mlir::ValueRange operands, mlir::DictionaryAttr,
                                              mlir::OpaqueProperties, mlir::RegionRange,
                                              llvm::SmallVectorImpl<mlir::Type> &types) {
    return inferCompatibleType(operands, types);
  }
};

/// The op computes its result types (`inferReturnTypes`).
template <class ConcreteOp>
class InfersTypes : public mlir::OpTrait::TraitBase<ConcreteOp, InfersTypes> {};

} // namespace shardwise::stablehlo
