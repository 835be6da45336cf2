// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and constants; data is taken over in bulk.

#include "shardwise/execute/lower/ElementTypes.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include <mlir/IR/DialectResourceBlobManager.h>

#include <span>

namespace shardwise::execute {

using runtime::DataType;

std::optional<TensorType> tensorTypeOf(mlir::Type type) {
  if (llvm::isa<stablehlo::TokenType>(type))
    return TensorType{DataType::I1, {0}};
  // An encoding would say that elements lie otherwise than densely.
  if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type); tensor && tensor.getEncoding())
    return std::nullopt;
  return builtin::tensorTypeOf(type);
}

TensorType typeOf(mlir::Value value) {
  return *tensorTypeOf(value.getType());
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
