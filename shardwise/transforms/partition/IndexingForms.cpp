// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gather and scatter. Where the indexed dimension is cut, and the indices are not by its axes
// (else: ExchangedIndexing.h), every device gets all indices and moves them by the offset of its
// shard, so that they count from its start. What then lies outside of the shard belongs to another
// device: a scatter drops it, and a gather gives additive identities for it, so that the reduction
// that follows, a sum, has each element once. Example, 8 elements on x=2, index 5:
//   x=0: 5 - 0 = 5, not in 0..3: -0.0
//   x=1: 5 - 4 = 1: element 1 of its shard, which is element 5
// A window of several elements along a cut dimension can lie on two devices: it becomes as many
// windows of one element, with indices of their own. Cut dimensions that a window covers whole are
// covered on each device by its part.

#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/ExchangedIndexing.h"
#include "shardwise/transforms/partition/LocalForms.h"

#include <limits>

namespace shardwise::partition {

namespace {

/// A cut dimension that the indices address.
struct IndexedDim {
  int64_t dim = 0;
  int64_t component = 0; ///< Position in the index vector.
  int64_t globalSize = 0;
  int64_t localSize = 0;
  core::AxisList axes;
  int64_t windowSize = 1;
};

/// Builds the index arithmetic of one gather or scatter.
class IndexArithmetic {
public:
  IndexArithmetic(mlir::Operation *op, mlir::Value indices, int64_t indexVectorDim,
                  int64_t numComponents, llvm::SmallVector<IndexedDim> dims, LocalProgram &program)
      : builder(op), location(op->getLoc()), device(program.coordinatesAt(op)), indices(indices),
        indexVectorDim(indexVectorDim), numComponents(numComponents), dims(std::move(dims)) {}

  /// Brings indices into a signed type that holds every index and offset: an unsigned one would
  /// wrap around where the offset is larger than the index.
  void widen() {
    auto type = mlir::cast<mlir::RankedTensorType>(indices.getType());
    auto element = mlir::cast<mlir::IntegerType>(type.getElementType());
    bool isSigned = !element.isUnsigned();
    if (isSigned && element.getWidth() >= 32)
      return;
    mlir::Type wide = builder.getI64Type();
    indices = createValue<stablehlo::ConvertOp>(builder, location, type.clone(wide), indices);
  }

  /// Clamps the indices of cut dimensions as the global gather would: an index behind the end means
  /// the last window. Not clamped, it would lie outside of every shard and give nothing.
  void clampToGlobal() {
    mlir::Value low = perComponent([](const IndexedDim &) { return 0; }, lowest());
    mlir::Value high = perComponent(
        [](const IndexedDim &dim) { return dim.globalSize - dim.windowSize; }, highest());
    indices = createValue<stablehlo::MaxOp>(builder, location, indices.getType(), {indices, low});
    indices = createValue<stablehlo::MinOp>(builder, location, indices.getType(), {indices, high});
  }

  /// Gives every element of the windows along `dim` an index vector of its own, in a new dimension
  /// that is number `position` of the dimensions that are not the index vector. Returns where that
  /// is among all dimensions.
  int64_t spreadWindow(const IndexedDim &dim, int64_t position) {
    auto type = mlir::cast<mlir::RankedTensorType>(indices.getType());
    bool isBefore = position <= indexVectorDim;
    int64_t place = isBefore ? position : position + 1;
    llvm::SmallVector<int64_t> shape(type.getShape()), dimsOfIndices;
    shape.insert(shape.begin() + place, dim.windowSize);
    for (int64_t d = 0; d < type.getRank(); ++d)
      dimsOfIndices.push_back(d < place ? d : d + 1);
    indexVectorDim += isBefore ? 1 : 0;
    auto spreadType = type.clone(shape);
    indices = stablehlo::createBroadcast(builder, location, indices, spreadType, dimsOfIndices);
    mlir::Value numbers = stablehlo::createIota(builder, location, spreadType, place);
    mlir::Value isOfDim = perComponent(
        [&](const IndexedDim &other) { return other.component == dim.component ? 1 : 0; }, 0);
    mlir::Value steps =
        createValue<stablehlo::MulOp>(builder, location, spreadType, {numbers, isOfDim});
    indices = createValue<stablehlo::AddOp>(builder, location, spreadType, {indices, steps});
    return place;
  }

  int64_t vectorDim() const { return indexVectorDim; }

  /// Makes the indices count from the start of the device's shard.
  void subtractOffsets() {
    llvm::SmallVector<mlir::Value> offsets(numComponents);
    for (const IndexedDim &dim : dims)
      offsets[dim.component] = device.offset(dim.axes, dim.localSize);
    auto scalar = mlir::RankedTensorType::get({}, elementType());
    auto single = mlir::RankedTensorType::get({1}, elementType());
    llvm::SmallVector<mlir::Value> parts;
    for (mlir::Value offset : offsets) {
      if (!offset)
        offset = device.constant(0);
      if (offset.getType() != scalar)
        offset = createValue<stablehlo::ConvertOp>(builder, location, scalar, offset);
      parts.push_back(createValue<stablehlo::ReshapeOp>(builder, location, single, offset));
    }
    mlir::Value all = parts.front();
    if (parts.size() > 1)
      all = stablehlo::createConcatenate(builder, location, parts, 0);
    indices = createValue<stablehlo::SubtractOp>(builder, location, indices.getType(),
                                                 {indices, spread(all)});
  }

  /// Returns which index vectors lie in the device's shard, without the index dimension.
  mlir::Value isInShard() {
    mlir::Value low = perComponent([](const IndexedDim &) { return 0; }, lowest());
    mlir::Value high =
        perComponent([](const IndexedDim &dim) { return dim.localSize - 1; }, highest());
    mlir::Value above = compare(indices, low, stablehlo::ComparisonDirection::GE);
    mlir::Value below = compare(indices, high, stablehlo::ComparisonDirection::LE);
    mlir::Value inside =
        createValue<stablehlo::AndOp>(builder, location, above.getType(), {above, below});
    return withoutIndexDim(inside);
  }

  mlir::Value result() const { return indices; }
  mlir::OpBuilder &ops() { return builder; }

private:
  mlir::Type elementType() const {
    return mlir::cast<mlir::RankedTensorType>(indices.getType()).getElementType();
  }
  int64_t lowest() const {
    return elementType().isInteger(64) ? std::numeric_limits<int64_t>::min()
                                       : std::numeric_limits<int32_t>::min();
  }
  int64_t highest() const {
    return elementType().isInteger(64) ? std::numeric_limits<int64_t>::max()
                                       : std::numeric_limits<int32_t>::max();
  }

  /// Returns a tensor like the indices that has `valueOf(dim)` for the components of cut dimensions
  /// and `otherwise`, a bound that no index exceeds, for the others.
  mlir::Value perComponent(llvm::function_ref<int64_t(const IndexedDim &)> valueOf,
                           int64_t otherwise) {
    llvm::SmallVector<mlir::Attribute> values(numComponents,
                                              builder.getIntegerAttr(elementType(), otherwise));
    for (const IndexedDim &dim : dims)
      values[dim.component] = builder.getIntegerAttr(elementType(), valueOf(dim));
    auto type = mlir::RankedTensorType::get({numComponents}, elementType());
    return spread(
        stablehlo::createConstant(builder, location, mlir::DenseElementsAttr::get(type, values)));
  }

  /// Repeats one value per component to the shape of the indices.
  mlir::Value spread(mlir::Value components) {
    auto type = mlir::cast<mlir::RankedTensorType>(indices.getType());
    llvm::SmallVector<int64_t> dimsOfComponents;
    if (indexVectorDim < type.getRank())
      dimsOfComponents.push_back(indexVectorDim);
    else // Index vectors of one component have no dimension of their own.
      components = createValue<stablehlo::ReshapeOp>(
          builder, location, mlir::RankedTensorType::get({}, elementType()), components);
    return stablehlo::createBroadcast(builder, location, components, type, dimsOfComponents);
  }

  mlir::Value compare(mlir::Value lhs, mlir::Value rhs, stablehlo::ComparisonDirection direction) {
    return stablehlo::createCompare(builder, location, lhs, rhs, direction);
  }

  mlir::Value withoutIndexDim(mlir::Value flags) {
    auto type = mlir::cast<mlir::RankedTensorType>(flags.getType());
    if (indexVectorDim >= type.getRank())
      return flags;
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + indexVectorDim);
    auto reduced = type.clone(shape);
    if (numComponents == 1)
      return createValue<stablehlo::ReshapeOp>(builder, location, reduced, flags);
    auto scalar = mlir::RankedTensorType::get({}, builder.getI1Type());
    mlir::Value yes =
        stablehlo::createConstant(builder, location, mlir::DenseElementsAttr::get(scalar, true));
    auto reduce = stablehlo::ReduceOp::create(
        builder, location, mlir::TypeRange(reduced), mlir::ValueRange{flags, yes},
        builder.getNamedAttr("dimensions", builder.getDenseI64ArrayAttr({indexVectorDim})));
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *body =
        builder.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {location, location});
    mlir::Value both = createValue<stablehlo::AndOp>(builder, location, scalar,
                                                     {body->getArgument(0), body->getArgument(1)});
    stablehlo::ReturnOp::create(builder, location, both);
    return reduce->getResult(0);
  }

  mlir::OpBuilder builder;
  mlir::Location location;
  DeviceCoordinates &device;
  mlir::Value indices;
  int64_t indexVectorDim;
  int64_t numComponents;
  llvm::SmallVector<IndexedDim> dims;
};

/// Returns the dimensions of `tensor` among `indexMap` that are cut, unless windows of `sizes`
/// cover them.
llvm::SmallVector<IndexedDim> cutIndexedDims(mlir::Value tensor, llvm::ArrayRef<int64_t> indexMap,
                                             llvm::ArrayRef<int64_t> sizes, LocalProgram &program) {
  llvm::SmallVector<IndexedDim> dims;
  for (auto [component, dim] : llvm::enumerate(indexMap)) {
    core::AxisList axes = program.axesOf(tensor, dim);
    int64_t globalSize = program.globalType(tensor).getDimSize(dim);
    if (axes.empty() || sizes[dim] == globalSize)
      continue;
    int64_t localSize = mlir::cast<mlir::RankedTensorType>(tensor.getType()).getDimSize(dim);
    dims.push_back({dim, static_cast<int64_t>(component), globalSize, localSize, axes, sizes[dim]});
  }
  return dims;
}

bool hasWindow(const IndexedDim &dim) {
  return dim.windowSize != 1;
}

/// The dimension along which rows are exchanged: indices are cut by its axes.
std::optional<ExchangedDim> exchangedDim(llvm::ArrayRef<IndexedDim> dims, mlir::Value indices,
                                         LocalProgram &program) {
  if (dims.size() != 1 || !sharesAxes(dims.front().axes, indices, program))
    return std::nullopt;
  const IndexedDim &dim = dims.front();
  return ExchangedDim{dim.component, dim.globalSize, dim.localSize, dim.axes};
}

/// The dimension numbers that change where windows become single elements. The names are those of
/// gather; those of scatter are in brackets.
struct WindowNumbers {
  llvm::SmallVector<int64_t> offsetDims;    ///< (update_window_dims)
  llvm::SmallVector<int64_t> collapsedDims; ///< (inserted_window_dims)
  llvm::SmallVector<int64_t> indicesBatchingDims;
  /// Dimensions of the operand that offset dimensions are for, in order.
  llvm::SmallVector<int64_t> windowedDims;

  WindowNumbers(llvm::ArrayRef<int64_t> offset, llvm::ArrayRef<int64_t> collapsed,
                llvm::ArrayRef<int64_t> operandBatching, llvm::ArrayRef<int64_t> indicesBatching,
                int64_t operandRank)
      : offsetDims(offset), collapsedDims(collapsed), indicesBatchingDims(indicesBatching) {
    for (int64_t dim = 0; dim < operandRank; ++dim)
      if (!llvm::is_contained(collapsed, dim) && !llvm::is_contained(operandBatching, dim))
        windowedDims.push_back(dim);
  }

  /// Sizes of the windows, by dimension of the operand, where slices have `slicesShape`.
  llvm::SmallVector<int64_t> windowSizes(int64_t operandRank,
                                         llvm::ArrayRef<int64_t> slicesShape) const {
    llvm::SmallVector<int64_t> sizes(operandRank, 1);
    for (auto [dim, offsetDim] : llvm::zip_equal(windowedDims, offsetDims))
      sizes[dim] = slicesShape[offsetDim];
    return sizes;
  }

  /// Lets the dimension of the slices that is for `dim` run over index vectors, which then are
  /// neither sorted nor unique. A single element is on one device as it is.
  void spread(const IndexedDim &dim, IndexArithmetic &arithmetic) {
    if (dim.windowSize == 1)
      return;
    auto *windowed = llvm::find(windowedDims, dim.dim);
    auto *offset = offsetDims.begin() + (windowed - windowedDims.begin());
    int64_t slicesDim = *offset;
    // Offset dimensions are sorted, so as many as are in front of it are no batch dimensions.
    int64_t place = arithmetic.spreadWindow(dim, slicesDim - (offset - offsetDims.begin()));
    for (int64_t &batchingDim : indicesBatchingDims)
      batchingDim += batchingDim >= place ? 1 : 0;
    windowedDims.erase(windowed);
    offsetDims.erase(offset);
    collapsedDims.insert(llvm::lower_bound(collapsedDims, dim.dim), dim.dim);
  }
};

llvm::LogicalResult gather(mlir::Operation *op, LocalProgram &program) {
  auto gatherOp = mlir::cast<stablehlo::GatherOp>(op);
  mlir::Value operand = op->getOperand(0);
  auto numbers = gatherOp.getDimensionNumbers();
  llvm::SmallVector<int64_t> sizes(gatherOp.getSliceSizes());
  auto global = program.globalType(operand);
  auto local = mlir::cast<mlir::RankedTensorType>(operand.getType());
  llvm::SmallVector<IndexedDim> dims =
      cutIndexedDims(operand, numbers.getStartIndexMap(), sizes, program);
  // A window that covers a dimension covers what the device has of it.
  for (int64_t dim = 0; dim < global.getRank(); ++dim)
    if (sizes[dim] == global.getDimSize(dim))
      sizes[dim] = local.getDimSize(dim);
  if (dims.empty()) {
    gatherOp.setSliceSizes(sizes);
    return llvm::success();
  }
  if (auto exchanged = exchangedDim(dims, op->getOperand(1), program)) {
    exchangeGather(gatherOp, *exchanged, sizes, program);
    return llvm::success();
  }

  IndexArithmetic arithmetic(op, op->getOperand(1), numbers.getIndexVectorDim(),
                             numbers.getStartIndexMap().size(), dims, program);
  arithmetic.widen();
  arithmetic.clampToGlobal();
  WindowNumbers windows(numbers.getOffsetDims(), numbers.getCollapsedSliceDims(),
                        numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
                        global.getRank());
  for (const IndexedDim &dim : dims) {
    windows.spread(dim, arithmetic);
    sizes[dim.dim] = 1;
  }
  if (llvm::any_of(dims, hasWindow))
    gatherOp.setIndicesAreSorted(false);
  gatherOp.setSliceSizes(sizes);
  gatherOp.setDimensionNumbersAttr(stablehlo::GatherDimensionNumbersAttr::get(
      op->getContext(), windows.offsetDims, windows.collapsedDims, numbers.getOperandBatchingDims(),
      windows.indicesBatchingDims, numbers.getStartIndexMap(), arithmetic.vectorDim()));
  arithmetic.subtractOffsets();
  mlir::Value inShard = arithmetic.isInShard();
  op->setOperand(1, arithmetic.result());

  mlir::OpBuilder &builder = arithmetic.ops();
  builder.setInsertionPointAfter(op);
  mlir::Value result = op->getResult(0);
  auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
  llvm::SmallVector<int64_t> batchDims;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(windows.offsetDims, dim))
      batchDims.push_back(dim);
  mlir::Value mask = stablehlo::createBroadcast(builder, op->getLoc(), inShard,
                                                type.clone(builder.getI1Type()), batchDims);
  mlir::Value nothing = stablehlo::createAdditiveIdentity(builder, op->getLoc(), type);
  auto select = stablehlo::SelectOp::create(builder, op->getLoc(), mlir::TypeRange(type),
                                            mlir::ValueRange{mask, result, nothing},
                                            llvm::ArrayRef<mlir::NamedAttribute>());
  program.replaceInTheEnd(result, select->getResult(0), select);
  return llvm::success();
}

llvm::LogicalResult scatter(mlir::Operation *op, LocalProgram &program) {
  auto scatterOp = mlir::cast<stablehlo::ScatterOp>(op);
  auto numbers = scatterOp.getScatterDimensionNumbers();
  mlir::Value input = scatterOp.getInputs().front();
  int64_t rank = program.globalType(input).getRank();
  WindowNumbers windows(numbers.getUpdateWindowDims(), numbers.getInsertedWindowDims(),
                        numbers.getInputBatchingDims(), numbers.getScatterIndicesBatchingDims(),
                        rank);
  llvm::SmallVector<IndexedDim> dims = cutIndexedDims(
      input, numbers.getScatterDimsToOperandDims(),
      windows.windowSizes(rank, program.globalType(scatterOp.getUpdates().front()).getShape()),
      program);
  if (dims.empty())
    return llvm::success();
  unsigned indicesNumber = scatterOp.getInputs().size();
  if (auto exchanged = exchangedDim(dims, op->getOperand(indicesNumber), program)) {
    exchangeScatter(scatterOp, *exchanged, program);
    return llvm::success();
  }
  IndexArithmetic arithmetic(op, op->getOperand(indicesNumber), numbers.getIndexVectorDim(),
                             numbers.getScatterDimsToOperandDims().size(), dims, program);
  // Not clamped, nor masked: a scatter skips elements out of bounds by itself, one by one.
  arithmetic.widen();
  if (llvm::any_of(dims, hasWindow)) {
    scatterOp.setIndicesAreSorted(false);
    scatterOp.setUniqueIndices(false);
  }
  for (const IndexedDim &dim : dims)
    windows.spread(dim, arithmetic);
  arithmetic.subtractOffsets();
  op->setOperand(indicesNumber, arithmetic.result());
  scatterOp.setScatterDimensionNumbersAttr(stablehlo::ScatterDimensionNumbersAttr::get(
      op->getContext(), windows.offsetDims, windows.collapsedDims, numbers.getInputBatchingDims(),
      windows.indicesBatchingDims, numbers.getScatterDimsToOperandDims(), arithmetic.vectorDim()));
  return llvm::success();
}

} // namespace

void addIndexingForms(LocalFormRegistry &registry) {
  registry.add<stablehlo::GatherOp>(gather);
  registry.add<stablehlo::ScatterOp>(scatter);
}

} // namespace shardwise::partition
