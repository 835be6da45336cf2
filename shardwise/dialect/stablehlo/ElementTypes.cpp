// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predicates on types.

#include "shardwise/dialect/stablehlo/ElementTypes.h"

#include "shardwise/dialect/stablehlo/StablehloAttrs.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

namespace shardwise::stablehlo {

bool isBool(Type type) {
  return type.isSignlessInteger(1);
}

static bool isIntegerWidth(unsigned width) {
  return width == 2 || width == 4 || width == 8 || width == 16 || width == 32 || width == 64;
}

static bool isSignedInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() && isIntegerWidth(integer.getWidth());
}

bool isInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && !integer.isSigned() && isIntegerWidth(integer.getWidth());
}

bool isFloat(Type type) {
  return isa<Float32Type, BFloat16Type, Float16Type, Float64Type, Float8E4M3Type, Float8E4M3FNType,
             Float8E4M3FNUZType, Float8E4M3B11FNUZType, Float8E5M2Type, Float8E5M2FNUZType,
             Float8E3M4Type, Float8E8M0FNUType, Float6E2M3FNType, Float6E3M2FNType,
             Float4E2M1FNType>(type);
}

bool isFloat32Or64(Type type) {
  return isa<Float32Type, Float64Type>(type);
}

bool isComplex(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex && isFloat32Or64(complex.getElementType());
}

bool isQuantized(Type type) {
  return isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType>(type);
}

bool isBoolOrInteger(Type type) {
  return isBool(type) || isInteger(type);
}
bool isFloatOrQuantized(Type type) {
  return isFloat(type) || isQuantized(type);
}
bool isFloatOrComplex(Type type) {
  return isFloat(type) || isComplex(type);
}
bool isFloatComplexOrQuantized(Type type) {
  return isFloatOrComplex(type) || isQuantized(type);
}
bool isIntegerFloatComplexOrQuantized(Type type) {
  return isInteger(type) || isFloatComplexOrQuantized(type);
}
bool isSignedFloatComplexOrQuantized(Type type) {
  return isSignedInteger(type) || isFloatComplexOrQuantized(type);
}
bool isAnyElement(Type type) {
  return isBool(type) || isIntegerFloatComplexOrQuantized(type);
}
bool isInt32(Type type) {
  return type.isSignlessInteger(32);
}
bool isUInt32(Type type) {
  return type.isUnsignedInteger(32);
}
bool isDimensionSize(Type type) {
  return type.isIndex() || isInteger(type);
}

Type realElementType(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

bool isToken(Type type) {
  return isa<TokenType>(type);
}
bool isTensorOrToken(Type type) {
  return isToken(type) || isTensorOf(type, isAnyElement);
}
bool isTensorTokenOrBuffer(Type type) {
  return isTensorOrToken(type) || isa<MemRefType>(type);
}

bool isCallValue(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isCallValue);
  if (auto tensor = dyn_cast<UnrankedTensorType>(type))
    return isAnyElement(tensor.getElementType());
  return isTensorTokenOrBuffer(type) || isa<FutureType>(type);
}

/// True if the types are equal, or one is quantised and the other its storage type (the
/// elements of a quantised constant).
static bool elementsMatch(Type first, Type second) {
  auto stores = [](Type quantized, Type storage) {
    auto type = dyn_cast<quant::QuantizedType>(quantized);
    return type && type.getStorageType() == storage;
  };
  return first == second || stores(first, second) || stores(second, first);
}

bool areCompatible(Type first, Type second) {
  if (first == second)
    return true;
  auto firstTensor = dyn_cast<RankedTensorType>(first);
  auto secondTensor = dyn_cast<RankedTensorType>(second);
  if (!firstTensor || !secondTensor ||
      !elementsMatch(firstTensor.getElementType(), secondTensor.getElementType()))
    return false;
  return succeeded(verifyCompatibleShape(firstTensor.getShape(), secondTensor.getShape()));
}

bool areCompatible(TypeRange first, TypeRange second) {
  return first.size() == second.size() &&
         llvm::all_of_zip(first, second, [](Type a, Type b) { return areCompatible(a, b); });
}

} // namespace shardwise::stablehlo
