// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatch of matrix products by type.

#include "shardwise/execute/Gemm.h"

#include <cassert>

namespace shardwise::execute {

DataType sumTypeOf(DataType type) {
  switch (type) {
  case DataType::F16:
  case DataType::BF16:
    return DataType::F32;
  case DataType::U8:
    return DataType::I8;
  case DataType::U16:
    return DataType::I16;
  case DataType::U32:
    return DataType::I32;
  case DataType::U64:
    return DataType::I64;
  case DataType::I1:
    return DataType::I32;
  default:
    return type;
  }
}

void multiplyMatrices(DataType sumType, int64_t m, int64_t n, int64_t k, MatrixBytes a,
                      MatrixBytes b, void *c) {
  auto view = [](MatrixBytes matrix, auto *typed) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(typed)>>;
    return MatrixView<T>{static_cast<const T *>(matrix.data), matrix.rowStride,
                         matrix.columnStride};
  };
  auto plain = [&](auto *result) {
    multiplyPlain(m, n, k, view(a, result), view(b, result), result);
  };
  switch (sumType) {
  case DataType::F32: {
    auto *result = static_cast<float *>(c);
    return multiply(m, n, k, view(a, result), view(b, result), result);
  }
  case DataType::F64: {
    auto *result = static_cast<double *>(c);
    return multiply(m, n, k, view(a, result), view(b, result), result);
  }
  case DataType::I8:
    return plain(static_cast<int8_t *>(c));
  case DataType::I16:
    return plain(static_cast<int16_t *>(c));
  case DataType::I32:
    return plain(static_cast<int32_t *>(c));
  case DataType::I64:
    return plain(static_cast<int64_t *>(c));
  default:
    assert(false && "not a type sums are made in");
  }
}

} // namespace shardwise::execute
