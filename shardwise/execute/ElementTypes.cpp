// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and constants; data is taken over in bulk.

#include "shardwise/execute/ElementTypes.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/DialectResourceBlobManager.h>

#include <span>

namespace shardwise::execute {

using runtime::DataType;

namespace {

std::optional<DataType> smallFloatOf(mlir::Type type) {
  return llvm::TypeSwitch<mlir::Type, std::optional<DataType>>(type)
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

} // namespace

std::optional<DataType> dataTypeOf(mlir::Type elementType) {
  if (elementType.isF64())
    return DataType::F64;
  if (elementType.isF32())
    return DataType::F32;
  if (elementType.isF16())
    return DataType::F16;
  if (elementType.isBF16())
    return DataType::BF16;
  struct Row {
    unsigned width;
    DataType isSigned, isUnsigned;
  };
  static constexpr Row kRows[] = {
      {2, DataType::I2, DataType::U2},    {4, DataType::I4, DataType::U4},
      {8, DataType::I8, DataType::U8},    {16, DataType::I16, DataType::U16},
      {32, DataType::I32, DataType::U32}, {64, DataType::I64, DataType::U64}};
  if (elementType.isSignlessInteger(1))
    return DataType::I1;
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(elementType)) {
    if (complex.getElementType().isF32())
      return DataType::C64;
    if (complex.getElementType().isF64())
      return DataType::C128;
    return std::nullopt;
  }
  if (std::optional<DataType> small = smallFloatOf(elementType))
    return small;
  for (const Row &row : kRows) {
    if (elementType.isSignlessInteger(row.width))
      return row.isSigned;
    if (elementType.isUnsignedInteger(row.width))
      return row.isUnsigned;
  }
  return std::nullopt;
}

std::optional<TensorType> tensorTypeOf(mlir::Type type) {
  if (llvm::isa<stablehlo::TokenType>(type))
    return TensorType{DataType::I1, {0}};
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding())
    return std::nullopt;
  std::optional<DataType> element = dataTypeOf(tensor.getElementType());
  if (!element)
    return std::nullopt;
  return TensorType{*element, {tensor.getShape().begin(), tensor.getShape().end()}};
}

std::optional<ConstantData> constantDataOf(mlir::ElementsAttr attr) {
  std::optional<TensorType> type = tensorTypeOf(attr.getType());
  if (!type)
    return std::nullopt;
  ConstantData data;
  if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attr)) {
    mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || static_cast<int64_t>(blob->getData().size()) != type->bytes())
      return std::nullopt;
    auto bytes = std::as_bytes(std::span(blob->getData().data(), blob->getData().size()));
    data.bytes.assign(bytes.begin(), bytes.end());
    return data;
  }
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attr);
  if (!dense)
    return std::nullopt;
  data.isSplat = dense.isSplat();
  if (type->type == DataType::I1) {
    // How the attribute packs i1 is its own affair.
    if (data.isSplat)
      data.bytes.push_back(std::byte(dense.getSplatValue<bool>()));
    else
      for (bool value : dense.getValues<bool>())
        data.bytes.push_back(std::byte(value));
    return data;
  }
  if (runtime::isSmallInteger(type->type)) {
    // A byte each, extended by the sign of the type.
    bool isSigned = runtime::isSignedInteger(type->type);
    auto extended = [&](const llvm::APInt &value) {
      return static_cast<std::byte>(isSigned ? value.getSExtValue() : value.getZExtValue());
    };
    if (data.isSplat)
      data.bytes.push_back(extended(dense.getSplatValue<llvm::APInt>()));
    else
      for (const llvm::APInt &value : dense.getValues<llvm::APInt>())
        data.bytes.push_back(extended(value));
    return data;
  }
  llvm::ArrayRef<char> raw = dense.getRawData();
  auto bytes = std::as_bytes(std::span(raw.data(), raw.size()));
  data.bytes.assign(bytes.begin(), bytes.end());
  return data;
}

} // namespace shardwise::execute
