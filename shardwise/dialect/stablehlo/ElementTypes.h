// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of element and value types (StableHLO specification, "Types"). The type
// constraints of the ops are these functions.

#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"

namespace shardwise::stablehlo {

/// i1. Not an integer: most arithmetic refuses it.
bool isBool(mlir::Type type);
/// i2 .. i64 (read as signed) or ui2 .. ui64.
bool isInteger(mlir::Type type);
/// Any float of 4 to 64 bits but tf32.
bool isFloat(mlir::Type type);
/// complex<f32> or complex<f64>.
bool isComplex(mlir::Type type);
/// `!quant.uniform` of either kind.
bool isQuantized(mlir::Type type);

/// Any of the above. The unions of them that follow are named in the order of this list.
bool isAnyElement(mlir::Type type);
bool isBoolOrInteger(mlir::Type type);
bool isFloatOrQuantized(mlir::Type type);
bool isFloatOrComplex(mlir::Type type);
bool isFloatComplexOrQuantized(mlir::Type type);
bool isIntegerFloatComplexOrQuantized(mlir::Type type);
/// Signless integers, floats, complex and quantized types.
bool isSignedFloatComplexOrQuantized(mlir::Type type);
/// Types that single ops ask for.
bool isFloat32Or64(mlir::Type type);
bool isInt32(mlir::Type type);
bool isUInt32(mlir::Type type);
/// Integer or index.
bool isDimensionSize(mlir::Type type);

/// Returns the float type of the parts of a complex type, and any other type as it is.
mlir::Type realElementType(mlir::Type type);

/// True for a ranked tensor whose element type satisfies `predicate`.
template <class Predicate> bool isTensorOf(mlir::Type type, Predicate predicate) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && predicate(tensor.getElementType());
}
/// The same with rank 0.
template <class Predicate> bool isScalarOf(mlir::Type type, Predicate predicate) {
  return isTensorOf(type, predicate) && mlir::cast<mlir::RankedTensorType>(type).getRank() == 0;
}
/// Types of values that are no tensors, and unions with those that are.
bool isToken(mlir::Type type);
bool isTensorOrToken(mlir::Type type);
bool isTensorTokenOrBuffer(mlir::Type type);
/// Tensor (unranked too), token, buffer, future, or a tuple of these.
bool isCallValue(mlir::Type type);

/// True if the types are equal, or ranked tensors of one element type (a quantised type and
/// its storage type count as one) whose sizes are pairwise equal or dynamic.
bool areCompatible(mlir::Type first, mlir::Type second);
/// The same pairwise.
bool areCompatible(mlir::TypeRange first, mlir::TypeRange second);

} // namespace shardwise::stablehlo
