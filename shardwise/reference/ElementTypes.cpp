// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element by element reading of constants, slow and plain.

#include "shardwise/reference/ElementTypes.h"

#include "shardwise/reference/Scalar.h"

#include <mlir/IR/DialectResourceBlobManager.h>

namespace shardwise::reference {

std::optional<DataType> elementTypeOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  mlir::Type element = tensor.getElementType();
  if (element.isF64())
    return DataType::F64;
  if (element.isF32())
    return DataType::F32;
  if (element.isF16())
    return DataType::F16;
  if (element.isBF16())
    return DataType::BF16;
  auto integer = llvm::dyn_cast<mlir::IntegerType>(element);
  if (!integer || integer.isSigned())
    return std::nullopt;
  switch (integer.getWidth()) {
  case 1:
    return integer.isSignless() ? std::optional(DataType::I1) : std::nullopt;
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
