// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element by element reading of constants, slow and plain.

#include "shardwise/reference/ElementTypes.h"

#include "shardwise/reference/Scalar.h"

#include <mlir/IR/DialectResourceBlobManager.h>

namespace shardwise::reference {
namespace {

double toDouble(llvm::APFloat value) {
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

} // namespace

HostTensor zerosOf(mlir::Type type) {
  runtime::TensorType tensor = *builtin::tensorTypeOf(type);
  return HostTensor::zeros(tensor.type, std::move(tensor.shape));
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
        // The bits as they are, so that NaN keeps its payload.
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
