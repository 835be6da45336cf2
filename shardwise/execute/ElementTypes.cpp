// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and constants; data is taken over in bulk.

#include "shardwise/execute/ElementTypes.h"

#include <llvm/ADT/STLExtras.h>
#include <mlir/IR/DialectResourceBlobManager.h>

#include <span>

namespace shardwise::execute {

using runtime::DataType;

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
  static constexpr Row kRows[] = {{8, DataType::I8, DataType::U8},
                                  {16, DataType::I16, DataType::U16},
                                  {32, DataType::I32, DataType::U32},
                                  {64, DataType::I64, DataType::U64}};
  if (elementType.isSignlessInteger(1))
    return DataType::I1;
  for (const Row &row : kRows) {
    if (elementType.isSignlessInteger(row.width))
      return row.isSigned;
    if (elementType.isUnsignedInteger(row.width))
      return row.isUnsigned;
  }
  return std::nullopt;
}

std::optional<TensorType> tensorTypeOf(mlir::Type type) {
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
  llvm::ArrayRef<char> raw = dense.getRawData();
  auto bytes = std::as_bytes(std::span(raw.data(), raw.size()));
  data.bytes.assign(bytes.begin(), bytes.end());
  return data;
}

} // namespace shardwise::execute
