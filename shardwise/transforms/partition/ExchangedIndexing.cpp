// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices are sent to the owners of the rows that they mean, as numbers in the owner's shard:
//   gather    the owner looks up what it is asked for, and the rows go back;
//   scatter   updates are sent beside the indices, and the owner does all of the updates.
// The owner has g*n places, n for the indices of each of g devices. What it looks up at places that
// are not needed, its first row, nobody asks for; updates there are beyond the end of the shard,
// where a scatter skips them. As many rows as the sum of partial lookups has, which holds one for
// each index of all devices, too.
// Example, x=2, a table of 4 rows `[{"x"}, {}]`, indices [3, 0 | 2, 3] `[{"x"}]`: the owners of
// rows are index div 2, the numbers of rows index rem 2.
//   device   indices   owners   numbers   asked for   gives      result
//   0        3, 0      1, 0     1, 0      0, . | ., .  a, . | .   d, a
//   1        2, 3      1, 1     0, 1      1, . | 0, 1  d, . | c, d   c, d

#include "shardwise/transforms/partition/ExchangedIndexing.h"

#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/transforms/partition/LocalForms.h"
#include "shardwise/transforms/partition/OwnerExchange.h"

namespace shardwise::partition {

namespace {

using Dims = llvm::SmallVector<int64_t>;

mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// The index vectors of one op, n rows, and where they are sent.
class SentIndices {
public:
  SentIndices(mlir::Operation *op, mlir::Value indices, int64_t indexVectorDim,
              const ExchangedDim &dim, LocalProgram &program)
      : op(op), builder(op), location(op->getLoc()), dim(dim), program(program) {
    vectors = asRows(widened(indices), indexVectorDim);
  }

  /// Brings every index into the bounds of the dimension: one behind the end means the last row.
  void clamp() {
    mlir::Value index = column();
    index = binary<stablehlo::MaxOp>(index, 0);
    setColumn(binary<stablehlo::MinOp>(index, dim.globalSize - 1));
  }

  /// Makes the indices those of owners' shards. Requires indices that are not negative, but where
  /// they go nowhere.
  OwnerExchange send() {
    mlir::Value index = column();
    mlir::Value owner = binary<stablehlo::DivOp>(index, dim.localSize);
    // Those out of bounds go nowhere.
    mlir::Value nobody = constant(owner, core::shardedSize(dim.axes));
    for (auto [bound, direction] :
         {std::pair<int64_t, stablehlo::ComparisonDirection>(0, stablehlo::ComparisonDirection::LT),
          std::pair<int64_t, stablehlo::ComparisonDirection>(dim.globalSize,
                                                             stablehlo::ComparisonDirection::GE)}) {
      mlir::Value isOutside =
          stablehlo::createCompare(builder, location, index, constant(index, bound), direction);
      owner = createValue<stablehlo::SelectOp>(builder, location, owner.getType(),
                                               {isOutside, nobody, owner});
    }
    setColumn(binary<stablehlo::RemOp>(index, dim.localSize));
    auto i32 = typeOf(owner).clone(builder.getI32Type());
    if (i32 != owner.getType())
      owner = createValue<stablehlo::ConvertOp>(builder, location, i32, owner);
    return {op, dim.axes, owner, program};
  }

  /// Index vectors, one a row.
  mlir::Value rows() const { return vectors; }

  /// The index vector of places that nobody needs: row `number` of the shard.
  mlir::Value filling(int64_t number) {
    llvm::SmallVector<mlir::Attribute> values(numComponents(),
                                              builder.getIntegerAttr(elementType(), 0));
    values[dim.component] = builder.getIntegerAttr(elementType(), number);
    auto type = mlir::RankedTensorType::get({numComponents()}, elementType());
    return stablehlo::createConstant(builder, location, mlir::DenseElementsAttr::get(type, values));
  }

private:
  mlir::Type elementType() const { return typeOf(vectors).getElementType(); }
  int64_t numComponents() const { return typeOf(vectors).getDimSize(1); }

  /// Signed, and wide enough for every index.
  mlir::Value widened(mlir::Value indices) {
    auto element = mlir::cast<mlir::IntegerType>(typeOf(indices).getElementType());
    if (!element.isUnsigned() && element.getWidth() >= 32)
      return indices;
    return createValue<stablehlo::ConvertOp>(builder, location,
                                             typeOf(indices).clone(builder.getI64Type()), indices);
  }

  mlir::Value asRows(mlir::Value indices, int64_t indexVectorDim) {
    mlir::RankedTensorType type = typeOf(indices);
    int64_t length = indexVectorDim < type.getRank() ? type.getDimSize(indexVectorDim) : 1;
    if (indexVectorDim + 1 < type.getRank()) {
      Dims order, shape;
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (d != indexVectorDim)
          order.push_back(d);
      order.push_back(indexVectorDim);
      for (int64_t d : order)
        shape.push_back(type.getDimSize(d));
      indices = createValue<stablehlo::TransposeOp>(
          builder, location, type.clone(shape), indices,
          builder.getNamedAttr("permutation", builder.getDenseI64ArrayAttr(order)));
    }
    int64_t count = length == 0 ? 0 : type.getNumElements() / length;
    return createValue<stablehlo::ReshapeOp>(
        builder, location, type.clone(llvm::ArrayRef<int64_t>{count, length}), indices);
  }

  mlir::Value constant(mlir::Value like, int64_t value) {
    mlir::RankedTensorType type = typeOf(like);
    return stablehlo::createConstant(
        builder, location,
        mlir::SplatElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value)));
  }
  template <class Op> mlir::Value binary(mlir::Value lhs, int64_t rhs) {
    return createValue<Op>(builder, location, lhs.getType(), {lhs, constant(lhs, rhs)});
  }

  /// The component of the exchanged dimension, as a list.
  mlir::Value column() {
    mlir::RankedTensorType type = typeOf(vectors);
    return createValue<stablehlo::ReshapeOp>(
        builder, location, type.clone(type.getShape().take_front(1)),
        stablehlo::createSlice(builder, location, vectors, 1, dim.component, 1));
  }
  void setColumn(mlir::Value index) {
    mlir::RankedTensorType type = typeOf(vectors);
    llvm::SmallVector<mlir::Value> columns;
    for (int64_t component = 0; component < numComponents(); ++component)
      columns.push_back(component == dim.component
                            ? createValue<stablehlo::ReshapeOp>(
                                  builder, location,
                                  type.clone(llvm::ArrayRef<int64_t>{type.getDimSize(0), 1}), index)
                            : stablehlo::createSlice(builder, location, vectors, 1, component, 1));
    vectors = columns.size() == 1 ? columns.front()
                                  : stablehlo::createConcatenate(builder, location, columns, 1);
  }

  mlir::Operation *op;
  mlir::OpBuilder builder;
  mlir::Location location;
  ExchangedDim dim;
  LocalProgram &program;
  mlir::Value vectors;
};

/// The dimensions of slices in the order batches, offsets.
Dims batchesFirst(int64_t rank, llvm::ArrayRef<int64_t> offsetDims) {
  Dims order;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(offsetDims, d))
      order.push_back(d);
  order.append(offsetDims.begin(), offsetDims.end());
  return order;
}

mlir::Value transposed(mlir::OpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return value;
  Dims shape;
  for (int64_t d : order)
    shape.push_back(typeOf(value).getDimSize(d));
  return createValue<stablehlo::TransposeOp>(
      builder, value.getLoc(), typeOf(value).clone(shape), value,
      builder.getNamedAttr("permutation", builder.getDenseI64ArrayAttr(order)));
}

/// 1, 2, .. : the offset dimensions of slices that are one row for each index vector.
Dims offsetsOfRows(size_t count) {
  Dims dims;
  for (size_t d = 0; d < count; ++d)
    dims.push_back(static_cast<int64_t>(d) + 1);
  return dims;
}

} // namespace

bool sharesAxes(const core::AxisList &axes, mlir::Value indices, LocalProgram &program) {
  for (int64_t dim = 0; dim < typeOf(indices).getRank(); ++dim)
    if (core::overlaps(axes, program.axesOf(indices, dim)))
      return true;
  return false;
}

void exchangeGather(stablehlo::GatherOp op, const ExchangedDim &dim,
                    llvm::ArrayRef<int64_t> sliceSizes, LocalProgram &program) {
  auto numbers = op.getDimensionNumbers();
  SentIndices indices(op, op->getOperand(1), numbers.getIndexVectorDim(), dim, program);
  indices.clamp();
  OwnerExchange exchange = indices.send();
  mlir::Value asked = exchange.toOwners(indices.rows(), indices.filling(0));

  mlir::OpBuilder builder(op);
  mlir::RankedTensorType type = typeOf(op->getResult(0));
  Dims order = batchesFirst(type.getRank(), numbers.getOffsetDims());
  Dims offsets = offsetsOfRows(numbers.getOffsetDims().size());
  Dims shape{exchange.numPlaces()};
  for (int64_t d : numbers.getOffsetDims())
    shape.push_back(type.getDimSize(d));
  mlir::Value rows = createValue<stablehlo::GatherOp>(
      builder, op.getLoc(), type.clone(shape), {op->getOperand(0), asked},
      {builder.getNamedAttr("dimension_numbers",
                            stablehlo::GatherDimensionNumbersAttr::get(
                                op.getContext(), offsets, numbers.getCollapsedSliceDims(), {}, {},
                                numbers.getStartIndexMap(), /*indexVectorDim=*/1)),
       builder.getNamedAttr("slice_sizes", builder.getDenseI64ArrayAttr(sliceSizes)),
       builder.getNamedAttr("indices_are_sorted", builder.getBoolAttr(false))});
  mlir::Value found = exchange.back(rows);

  Dims sorted, places(order.size());
  for (auto [position, d] : llvm::enumerate(order)) {
    sorted.push_back(type.getDimSize(d));
    places[d] = static_cast<int64_t>(position);
  }
  found = createValue<stablehlo::ReshapeOp>(builder, op.getLoc(), type.clone(sorted), found);
  program.replaceInTheEnd(op->getResult(0), transposed(builder, found, places));
  program.eraseInTheEnd(op);
}

void exchangeScatter(stablehlo::ScatterOp op, const ExchangedDim &dim, LocalProgram &program) {
  auto numbers = op.getScatterDimensionNumbers();
  unsigned numInputs = op.getInputs().size();
  SentIndices indices(op, op->getOperand(numInputs), numbers.getIndexVectorDim(), dim, program);
  OwnerExchange exchange = indices.send();
  op->setOperand(numInputs, exchange.toOwners(indices.rows(), indices.filling(dim.localSize)));

  mlir::OpBuilder builder(op);
  int64_t numRows = typeOf(indices.rows()).getDimSize(0);
  for (unsigned number = numInputs + 1; number < op->getNumOperands(); ++number) {
    mlir::Value updates = op->getOperand(number);
    mlir::RankedTensorType type = typeOf(updates);
    updates =
        transposed(builder, updates, batchesFirst(type.getRank(), numbers.getUpdateWindowDims()));
    Dims shape{numRows};
    for (int64_t d : numbers.getUpdateWindowDims())
      shape.push_back(type.getDimSize(d));
    updates = createValue<stablehlo::ReshapeOp>(builder, op.getLoc(), type.clone(shape), updates);
    mlir::Value zero =
        stablehlo::createZeros(builder, op.getLoc(), type.clone(llvm::ArrayRef<int64_t>()));
    op->setOperand(number, exchange.toOwners(updates, zero));
  }
  op.setScatterDimensionNumbersAttr(stablehlo::ScatterDimensionNumbersAttr::get(
      op.getContext(), offsetsOfRows(numbers.getUpdateWindowDims().size()),
      numbers.getInsertedWindowDims(), {}, {}, numbers.getScatterDimsToOperandDims(),
      /*indexVectorDim=*/1));
  op.setIndicesAreSorted(false);
  op.setUniqueIndices(false);
}

} // namespace shardwise::partition
