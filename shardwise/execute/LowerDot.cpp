// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_general as batched matrix products. An operand whose layout already is a matrix per batch is
// used in place; any other is packed to [batch, free, contracting] first.

#include "shardwise/execute/Conversion.h"
#include "shardwise/execute/Gemm.h"
#include "shardwise/execute/Lowering.h"
#include "shardwise/execute/StridedCopy.h"

#include <fmt/format.h>
#include <mlir/IR/Diagnostics.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// An operand as a batch of matrices.
struct GemmOperand {
  BufferId buffer = -1;
  /// Gathers the elements into packed order; none if they lie so that strides reach them.
  std::optional<StridedCopy> pack;
  Conversion convert;
  BufferId packed = -1;    ///< Target of `pack`, if any.
  BufferId converted = -1; ///< Target of `convert`, if that does something.
  int64_t count = 0;
  std::vector<int64_t> batchOffsets; // in elements
  int64_t rowStride = 1;
  int64_t columnStride = 1;

  const std::byte *prepare(const Frame &frame) const {
    const std::byte *data = frame.at(buffer);
    if (pack) {
      pack->run(data, frame.at(packed));
      data = frame.at(packed);
    }
    if (!convert.isIdentity()) {
      convert.run(data, frame.at(converted), count);
      data = frame.at(converted);
    }
    return data;
  }
};

class GemmThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    const std::byte *left = lhs.prepare(frame);
    const std::byte *right = rhs.prepare(frame);
    int64_t sumBytes = runtime::byteSize(sumType);
    int64_t resultBytes = runtime::byteSize(resultType);
    for (size_t batch = 0; batch < lhs.batchOffsets.size(); ++batch) {
      std::byte *target = frame.at(result) + static_cast<int64_t>(batch) * m * n * resultBytes;
      std::byte *sums = toResult.isIdentity() ? target : frame.at(scratch);
      multiplyMatrices(
          sumType, m, n, k,
          {left + lhs.batchOffsets[batch] * sumBytes, lhs.rowStride, lhs.columnStride},
          {right + rhs.batchOffsets[batch] * sumBytes, rhs.rowStride, rhs.columnStride}, sums);
      if (!toResult.isIdentity())
        toResult.run(sums, target, m * n);
    }
    return {};
  }
  std::string name() const override {
    return fmt::format("gemm {} x {}x{}x{} {}", lhs.batchOffsets.size(), m, n, k,
                       runtime::toString(sumType));
  }

  GemmOperand lhs, rhs;
  Conversion toResult;
  BufferId result = -1;
  BufferId scratch = -1;
  DataType sumType = DataType::F32;
  DataType resultType = DataType::F32;
  int64_t m = 1, n = 1, k = 1;
};

/// Returns the stride of `dims` read as one dimension; none if they do not lie so. Dimensions of
/// size 1 do not matter; 0 if nothing else is left.
std::optional<int64_t> mergedStride(const Dims &shape, const Dims &strides, const Dims &dims) {
  int64_t stride = 0;
  int64_t extent = 0;
  for (size_t i = dims.size(); i-- > 0;) {
    int64_t dim = dims[i];
    if (shape[dim] == 1)
      continue;
    if (stride != 0 && strides[dim] != extent)
      return std::nullopt;
    if (stride == 0)
      stride = strides[dim];
    extent = strides[dim] * shape[dim];
  }
  return stride;
}

int64_t sizeOf(const Dims &shape, const Dims &dims) {
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= shape[dim];
  return size;
}

/// Describes an operand with `rows` x `columns` matrices over `batch`, and adds the buffers it
/// needs to `uses`.
GemmOperand describeOperand(FunctionLowering &lowering, mlir::Value value, const Dims &batch,
                            const Dims &rows, const Dims &columns, DataType resultType,
                            std::vector<BufferId> &reads, std::vector<BufferId> &scratches) {
  TensorType type = *tensorTypeOf(value.getType());
  GemmOperand operand;
  operand.buffer = lowering.bufferOf(value);
  reads.push_back(operand.buffer);
  operand.count = elementCount(type.shape);
  DataType sumType = sumTypeOf(resultType);
  operand.convert = Conversion(type.type, resultType, sumType);
  Dims strides = rowMajorStrides(type.shape);
  int64_t numRows = sizeOf(type.shape, rows);
  int64_t numColumns = sizeOf(type.shape, columns);
  std::optional<int64_t> rowStride = mergedStride(type.shape, strides, rows);
  std::optional<int64_t> columnStride = mergedStride(type.shape, strides, columns);
  bool isMatrix = rowStride && columnStride && (*rowStride <= 1 || *columnStride <= 1);
  if (isMatrix) {
    // A side of length 1 may have any stride; one of both has to be 1.
    operand.columnStride = *columnStride != 0 ? *columnStride : 1;
    operand.rowStride = *rowStride != 0 ? *rowStride : (operand.columnStride == 1 ? numColumns : 1);
    if (operand.rowStride == 1 && operand.columnStride == 1 && numRows > 1)
      operand.columnStride = numRows; // One column, read as transposed.
    Dims batchShape;
    Dims batchStrides;
    for (int64_t dim : batch) {
      batchShape.push_back(type.shape[dim]);
      batchStrides.push_back(strides[dim]);
    }
    Dims index(batch.size(), 0);
    for (int64_t number = 0, count = elementCount(batchShape); number < count; ++number) {
      operand.batchOffsets.push_back(
          std::inner_product(index.begin(), index.end(), batchStrides.begin(), int64_t(0)));
      for (size_t dim = index.size(); dim-- > 0 && ++index[dim] == batchShape[dim];)
        index[dim] = 0;
    }
  } else {
    Dims order = batch;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), columns.begin(), columns.end());
    Dims sizes;
    Dims sourceStrides;
    for (int64_t dim : order) {
      sizes.push_back(type.shape[dim]);
      sourceStrides.push_back(strides[dim]);
    }
    operand.pack =
        StridedCopy(runtime::byteSize(type.type), sizes, sourceStrides, rowMajorStrides(sizes));
    operand.packed = lowering.scratch(type.bytes());
    scratches.push_back(operand.packed);
    operand.rowStride = numColumns;
    operand.columnStride = 1;
    for (int64_t number = 0, count = sizeOf(type.shape, batch); number < count; ++number)
      operand.batchOffsets.push_back(number * numRows * numColumns);
  }
  if (!operand.convert.isIdentity()) {
    operand.converted = lowering.scratch(operand.count * runtime::byteSize(sumType));
    scratches.push_back(operand.converted);
  }
  return operand;
}

/// Dimensions of 0..rank-1 in neither list.
Dims freeDims(int64_t rank, llvm::ArrayRef<int64_t> batch, llvm::ArrayRef<int64_t> contracting) {
  Dims dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contracting, dim))
      dims.push_back(dim);
  return dims;
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::DotGeneralOp op) {
  TensorType lhsType = *tensorTypeOf(op.getLhs().getType());
  TensorType rhsType = *tensorTypeOf(op.getRhs().getType());
  TensorType resultType = *tensorTypeOf(op.getType());
  auto numbers = op.getDotDimensionNumbers();
  auto lhsContracting = numbers.getLhsContractingDimensions();
  auto rhsContracting = numbers.getRhsContractingDimensions();
  // The sum may run in any order of dimensions: that in which the left side lies.
  std::vector<size_t> order(lhsContracting.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return lhsContracting[a] < lhsContracting[b]; });
  Dims lhsTerms;
  Dims rhsTerms;
  for (size_t place : order) {
    lhsTerms.push_back(lhsContracting[place]);
    rhsTerms.push_back(rhsContracting[place]);
  }
  Dims lhsBatch(numbers.getLhsBatchingDimensions());
  Dims rhsBatch(numbers.getRhsBatchingDimensions());
  Dims lhsFree = freeDims(static_cast<int64_t>(lhsType.shape.size()), lhsBatch, lhsContracting);
  Dims rhsFree = freeDims(static_cast<int64_t>(rhsType.shape.size()), rhsBatch, rhsContracting);

  auto thunk = std::make_unique<GemmThunk>();
  thunk->m = sizeOf(lhsType.shape, lhsFree);
  thunk->n = sizeOf(rhsType.shape, rhsFree);
  thunk->k = sizeOf(lhsType.shape, lhsTerms);
  thunk->resultType = resultType.type;
  thunk->sumType = sumTypeOf(resultType.type);
  thunk->toResult = Conversion(thunk->sumType, resultType.type);
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
  thunk->lhs = describeOperand(lowering, op.getLhs(), lhsBatch, lhsFree, lhsTerms, resultType.type,
                               reads, writes);
  thunk->rhs = describeOperand(lowering, op.getRhs(), rhsBatch, rhsTerms, rhsFree, resultType.type,
                               reads, writes);
  if (!thunk->toResult.isIdentity()) {
    thunk->scratch = lowering.scratch(thunk->m * thunk->n * runtime::byteSize(thunk->sumType));
    writes.push_back(thunk->scratch);
  }
  thunk->result = lowering.define(op.getResult());
  writes.push_back(thunk->result);
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

} // namespace shardwise::execute
