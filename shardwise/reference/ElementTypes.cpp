// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element by element reading of constants, slow and plain.

#include "shardwise/reference/ElementTypes.h"

#include "shardwise/reference/Scalar.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/DialectResourceBlobManager.h>

namespace shardwise::reference {
namespace {

std::optional<DataType> floatTypeOf(mlir::Type element) {
  return llvm::TypeSwitch<mlir::Type, std::optional<DataType>>(element)
      .Case<mlir::Float64Type>([](auto) { return DataType::F64; })
      .Case<mlir::Float32Type>([](auto) { return DataType::F32; })
      .Case<mlir::Float16Type>([](auto) { return DataType::F16; })
      .Case<mlir::BFloat16Type>([](auto) { return DataType::BF16; })
      .Case<mlir::Float8E4M3Type>([](auto) { return DataType::F8E4M3; })
      .Case<mlir::Float8E4M3FNType>([](auto) { return DataType::F8E4M3FN; })
      .Case<mlir::Float8E4M3FNUZType>([](auto) { return DataType::F8E4M3FNUZ; })
      .Case<mlir::Float8E4M3B11FNUZType>([](auto) { return DataType::F8E4M3B11FNUZ; })
      .Case<mlir::Float8E5M2Type>([](auto) { return DataType::F8E5M2; })
      .Case<mlir::Float8E5M2FNUZType>([](auto) { return DataType::F8E5M2FNUZ; })
      .Case<mlir::Float8E3M4Type>([](auto) { return DataType::F8E3M4; })
      .Case<mlir::Float8E8M0FNUType>([](auto) { return DataType::F8E8M0FNU; })
      .Default([](mlir::Type) { return std::nullopt; });
}

double toDouble(llvm::APFloat value) {
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

} // namespace

std::optional<DataType> elementTypeOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  mlir::Type element = tensor.getElementType();
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    if (complex.getElementType().isF32())
      return DataType::C64;
    return complex.getElementType().isF64() ? std::optional(DataType::C128) : std::nullopt;
  }
  if (llvm::isa<mlir::FloatType>(element))
    return floatTypeOf(element);
  auto integer = llvm::dyn_cast<mlir::IntegerType>(element);
  if (!integer || integer.isSigned())
    return std::nullopt;
  switch (integer.getWidth()) {
  case 1:
    return integer.isSignless() ? std::optional(DataType::I1) : std::nullopt;
  case 2:
    return integer.isUnsigned() ? DataType::U2 : DataType::I2;
  case 4:
    return integer.isUnsigned() ? DataType::U4 : DataType::I4;
  case 8:
    return integer.isUnsigned() ? DataType::U8 : DataType::I8;
  case 16:
    return integer.isUnsigned() ? DataType::U16 : DataType::I16;
  case 32:
    return integer.isUnsigned() ? DataType::U32 : DataType::I32;
  case 64:
    return integer.isUnsigned() ? DataType::U64 : DataType::I64;
  default:
    return std::nullopt;
  }
}

HostTensor zerosOf(mlir::Type type) {
  auto tensor = llvm::cast<mlir::RankedTensorType>(type);
  return HostTensor::zeros(*elementTypeOf(type),
                           {tensor.getShape().begin(), tensor.getShape().end()});
}

std::optional<HostTensor> constantOf(mlir::ElementsAttr attr) {
  std::optional<DataType> type = elementTypeOf(attr.getType());
  if (!type)
    return std::nullopt;
  HostTensor tensor = zerosOf(attr.getType());
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attr)) {
    int64_t position = 0;
    if (classOf(*type) == NumberClass::Float) {
      for (const llvm::APFloat &value : dense.getValues<llvm::APFloat>()) {
        uint64_t bits = value.bitcastToAPInt().getZExtValue();
        std::memcpy(tensor.bytes.data() + position++ * runtime::byteSize(*type), &bits,
                    static_cast<size_t>(runtime::byteSize(*type)));
      }
    } else if (classOf(*type) == NumberClass::Complex) {
      for (const std::complex<llvm::APFloat> &value :
           dense.getValues<std::complex<llvm::APFloat>>())
        store(tensor, position++,
              Scalar::ofComplex(*type, {toDouble(value.real()), toDouble(value.imag())}));
    } else {
      for (const llvm::APInt &value : dense.getValues<llvm::APInt>())
        store(tensor, position++, Scalar::ofBits(*type, value.getZExtValue()));
    }
    return tensor;
  }
  if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attr)) {
    mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != tensor.bytes.size())
      return std::nullopt;
    if (!tensor.bytes.empty())
      std::memcpy(tensor.bytes.data(), blob->getData().data(), tensor.bytes.size());
    return tensor;
  }
  return std::nullopt;
}

} // namespace shardwise::reference
