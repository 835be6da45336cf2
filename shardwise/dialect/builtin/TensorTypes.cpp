// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From MLIR's builtin types to the types of tensors in host memory.

#include "shardwise/dialect/builtin/TensorTypes.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/BuiltinTypes.h>

namespace shardwise::builtin {

using runtime::DataType;

namespace {

// Asked of every value, many times: a look at the class of a type is faster than one at its
// interfaces, of which `mlir::FloatType` is one.
std::optional<DataType> floatTypeOf(mlir::Type type) {
  return llvm::TypeSwitch<mlir::Type, std::optional<DataType>>(type)
      .Case([](mlir::Float32Type) { return DataType::F32; })
      .Case([](mlir::BFloat16Type) { return DataType::BF16; })
      .Case([](mlir::Float64Type) { return DataType::F64; })
      .Case([](mlir::Float16Type) { return DataType::F16; })
      .Case([](mlir::Float8E4M3Type) { return DataType::F8E4M3; })
      .Case([](mlir::Float8E4M3FNType) { return DataType::F8E4M3FN; })
      .Case([](mlir::Float8E4M3FNUZType) { return DataType::F8E4M3FNUZ; })
      .Case([](mlir::Float8E4M3B11FNUZType) { return DataType::F8E4M3B11FNUZ; })
      .Case([](mlir::Float8E5M2Type) { return DataType::F8E5M2; })
      .Case([](mlir::Float8E5M2FNUZType) { return DataType::F8E5M2FNUZ; })
      .Case([](mlir::Float8E3M4Type) { return DataType::F8E3M4; })
      .Case([](mlir::Float8E8M0FNUType) { return DataType::F8E8M0FNU; })
      .Default([](mlir::Type) { return std::nullopt; });
}

/// Signless integers of more than one bit are the signed ones of the runtime.
std::optional<DataType> integerTypeOf(mlir::IntegerType type) {
  if (type.isSigned())
    return std::nullopt;
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return isUnsigned ? std::nullopt : std::optional(DataType::I1);
  case 2:
    return isUnsigned ? DataType::U2 : DataType::I2;
  case 4:
    return isUnsigned ? DataType::U4 : DataType::I4;
  case 8:
    return isUnsigned ? DataType::U8 : DataType::I8;
  case 16:
    return isUnsigned ? DataType::U16 : DataType::I16;
  case 32:
    return isUnsigned ? DataType::U32 : DataType::I32;
  case 64:
    return isUnsigned ? DataType::U64 : DataType::I64;
  default:
    return std::nullopt;
  }
}

std::optional<DataType> complexTypeOf(mlir::ComplexType type) {
  if (type.getElementType().isF32())
    return DataType::C64;
  if (type.getElementType().isF64())
    return DataType::C128;
  return std::nullopt;
}

} // namespace

std::optional<DataType> dataTypeOf(mlir::Type scalarType) {
  return llvm::TypeSwitch<mlir::Type, std::optional<DataType>>(scalarType)
      .Case(integerTypeOf)
      .Case(complexTypeOf)
      .Default(floatTypeOf);
}

std::optional<DataType> elementTypeOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  return dataTypeOf(tensor.getElementType());
}

std::optional<runtime::TensorType> tensorTypeOf(mlir::Type type) {
  std::optional<DataType> element = elementTypeOf(type);
  if (!element)
    return std::nullopt;
  return runtime::TensorType{*element, llvm::cast<mlir::RankedTensorType>(type).getShape().vec()};
}

} // namespace shardwise::builtin
