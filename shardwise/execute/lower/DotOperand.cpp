// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strides of merged dimensions, and packing where there are none.
//
// A list of dimensions reads as one if each begins where the next inner one ends: in a row-major
// 2x3x4 (strides 12, 4, 1), [0, 1] has stride 4, [1, 2] has stride 1, and [0, 2] has none. If rows
// and columns both have a stride, and one of them is 1, the product reads the operand where it
// lies, transposed or not. Else it is copied first.

#include "shardwise/execute/lower/DotOperand.h"

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/Gemm.h"

#include <algorithm>
#include <numeric>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// Returns the stride of `dims` read as one dimension; none if they do not lie so. Dimensions of
/// size 1 do not matter; 0 if nothing else is left.
std::optional<int64_t> mergedStride(const Dims &shape, const Dims &strides, const Dims &dims) {
  int64_t stride = 0;
  int64_t extent = 0;
  for (size_t i = dims.size(); i-- > 0;) {
    int64_t dim = dims[i];
    if (shape[dim] == 1)
      continue;
    // From the inside out: this dimension must begin where the ones below end.
    if (stride != 0 && strides[dim] != extent)
      return std::nullopt;
    if (stride == 0)
      stride = strides[dim];
    extent = strides[dim] * shape[dim];
  }
  return stride;
}

/// The dimensions of a tensor as those of a batch of matrices.
struct MatrixDims {
  const Dims &batch, &rows, &columns;
};

/// Offsets of the matrices of a tensor, in elements; all 0 in one without elements, which need not
/// have memory.
Dims batchOffsetsOf(const Dims &shape, const Dims &strides, const Dims &batch) {
  Dims sizes, batchStrides, offsets;
  for (int64_t dim : batch) {
    sizes.push_back(shape[dim]);
    batchStrides.push_back(elementCount(shape) == 0 ? 0 : strides[dim]);
  }
  Dims index(batch.size(), 0);
  for (int64_t number = 0, count = elementCount(sizes); number < count; ++number) {
    offsets.push_back(
        std::inner_product(index.begin(), index.end(), batchStrides.begin(), int64_t(0)));
    for (size_t dim = index.size(); dim-- > 0 && ++index[dim] == sizes[dim];)
      index[dim] = 0;
  }
  return offsets;
}

/// Sets strides and offsets of `operand` if its elements lie as matrices, as they are or
/// transposed. Returns whether they do.
bool tryReadInPlace(GemmOperand &operand, const Dims &shape, const MatrixDims &dims) {
  Dims strides = rowMajorStrides(shape);
  std::optional<int64_t> rowStride = mergedStride(shape, strides, dims.rows);
  std::optional<int64_t> columnStride = mergedStride(shape, strides, dims.columns);
  if (!rowStride || !columnStride || (*rowStride > 1 && *columnStride > 1))
    return false;
  // A side of length 1 may have any stride; one of both has to be 1.
  int64_t numRows = sizeOf(shape, dims.rows);
  int64_t numColumns = sizeOf(shape, dims.columns);
  operand.columnStride = *columnStride != 0 ? *columnStride : 1;
  operand.rowStride = *rowStride != 0 ? *rowStride : (operand.columnStride == 1 ? numColumns : 1);
  if (operand.rowStride == 1 && operand.columnStride == 1 && numRows > 1)
    operand.columnStride = numRows; // One column, read as transposed.
  operand.batchOffsets = batchOffsetsOf(shape, strides, dims.batch);
  return true;
}

/// Lets `operand` gather its elements into dense matrices, one behind the other.
void pack(GemmOperand &operand, const TensorType &type, const MatrixDims &dims) {
  Dims strides = rowMajorStrides(type.shape);
  Dims sizes, sourceStrides;
  for (const Dims *part : {&dims.batch, &dims.rows, &dims.columns})
    for (int64_t dim : *part) {
      sizes.push_back(type.shape[dim]);
      sourceStrides.push_back(strides[dim]);
    }
  operand.pack =
      StridedCopy(runtime::byteSize(type.type), sizes, sourceStrides, rowMajorStrides(sizes));
  operand.rowStride = sizeOf(type.shape, dims.columns);
  operand.columnStride = 1;
  int64_t matrixSize = sizeOf(type.shape, dims.rows) * operand.rowStride;
  for (int64_t number = 0, count = sizeOf(type.shape, dims.batch); number < count; ++number)
    operand.batchOffsets.push_back(number * matrixSize);
}

} // namespace

int64_t sizeOf(const Dims &shape, const Dims &dims) {
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= shape[dim];
  return size;
}

Dims freeDims(int64_t rank, llvm::ArrayRef<int64_t> batch, llvm::ArrayRef<int64_t> contracting) {
  Dims dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contracting, dim))
      dims.push_back(dim);
  return dims;
}

GemmOperand describeOperand(FunctionLowering &lowering, mlir::Value value, const Dims &batch,
                            const Dims &rows, const Dims &columns, DataType resultType,
                            std::vector<BufferId> &reads, std::vector<BufferId> &scratches) {
  TensorType type = typeOf(value);
  MatrixDims dims{batch, rows, columns};
  GemmOperand operand;
  operand.buffer = lowering.bufferOf(value);
  reads.push_back(operand.buffer);
  operand.count = elementCount(type.shape);
  DataType sumType = sumTypeOf(resultType);
  operand.convert = Conversion(type.type, resultType, sumType);
  if (!tryReadInPlace(operand, type.shape, dims)) {
    pack(operand, type, dims);
    operand.packed = lowering.scratch(type.bytes());
    scratches.push_back(operand.packed);
  }
  if (!operand.convert.isIdentity()) {
    operand.converted = lowering.scratch(operand.count * runtime::byteSize(sumType));
    scratches.push_back(operand.converted);
  }
  return operand;
}

} // namespace shardwise::execute
