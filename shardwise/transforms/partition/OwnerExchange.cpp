// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows are sorted by owner, so that those for one device are one slice:
//   1. how many there are for each device, and where they begin, is told to it: an all_to_all;
//   2. the slices go to their owners, each sender's to n places of its own: a ragged_all_to_all;
//   3. answers come back the same way, into the order of (1), and from there to their rows.
// Example, g = 2, n = 3; "0.1" is row 1 of device 0, "-" a place that nobody sends to:
//   device   owners    order     place     counts   starts   gets, 3 places for each sender
//   0        1, 0, 1   1, 0, 2   1, 0, 2   1, 2     0, 1     0.1, -, -   | 1.2, -, -
//   1        1, 1, 0   2, 0, 1   1, 2, 0   1, 2     0, 1     0.0, 0.2, - | 1.0, 1.1, -
// `place` is the inverse of `order`: row i is at place[i] of the sorted rows.
//
// Every sender has n places at every receiver, of which it rarely needs all. So shapes are known
// when the program is compiled, and no sender has to know how many rows the others send. Only rows
// that there are travel.

#include "shardwise/transforms/partition/OwnerExchange.h"

#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/RaggedAllToAll.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

#include "llvm/ADT/Sequence.h"

namespace shardwise::partition {

namespace {

mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

llvm::SmallVector<int64_t> range(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq(begin, end));
}

} // namespace

OwnerExchange::OwnerExchange(mlir::Operation *op, const core::AxisList &axes, mlir::Value owners,
                             LocalProgram &program)
    : op(op), program(program), builder(op), location(op->getLoc()), axes(axes),
      groupSize(core::shardedSize(axes)), numRows(typeOf(owners).getDimSize(0)) {
  sortByOwner(owners);
  countRows(owners);
  tellCounts();
}

mlir::RankedTensorType OwnerExchange::list(int64_t size) {
  return mlir::RankedTensorType::get({size}, builder.getI32Type());
}

mlir::Value OwnerExchange::constant(mlir::RankedTensorType type, int64_t value) {
  return stablehlo::createConstant(
      builder, location,
      mlir::SplatElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value)));
}

mlir::Value OwnerExchange::iota(int64_t size) {
  return stablehlo::createIota(builder, location, list(size), 0);
}

/// Sorts pairs (owner, row number) by the owner alone; the numbers are then the order. Stable: rows
/// for one device stay in their order, so that sums over them do not depend on how a sort is done.
void OwnerExchange::sortByOwner(mlir::Value owners) {
  auto sort = stablehlo::SortOp::create(
      builder, location, mlir::TypeRange{owners.getType(), owners.getType()},
      mlir::ValueRange{owners, iota(numRows)},
      {builder.getNamedAttr("dimension", builder.getI64IntegerAttr(0)),
       builder.getNamedAttr("is_stable", builder.getBoolAttr(true))});
  auto scalar = mlir::RankedTensorType::get({}, builder.getI32Type());
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *body =
      builder.createBlock(&sort.getComparator(), {}, llvm::SmallVector<mlir::Type>(4, scalar),
                          llvm::SmallVector<mlir::Location>(4, location));
  mlir::Value isLess =
      stablehlo::createCompare(builder, location, body->getArgument(0), body->getArgument(1),
                               stablehlo::ComparisonDirection::LT);
  stablehlo::ReturnOp::create(builder, location, isLess);
  order = sort->getResult(1);
}

void OwnerExchange::countRows(mlir::Value owners) {
  place = put(constant(list(numRows), 0), order, iota(numRows), /*adds=*/false);
  // `place` by writing i at order[i]: the inverse of a permutation, so positions are unique. Of
  // `counts` rows for nobody have owner g, beyond the list: a scatter leaves out what is outside.
  // They are the last in the order, behind all slices, so they are not sent either.
  counts = put(constant(list(groupSize), 0), owners, constant(list(numRows), 1), /*adds=*/true);
  mlir::Value sums = prefixSums(counts);
  starts = createValue<stablehlo::SubtractOp>(builder, location, sums.getType(), {sums, counts});
}

/// Both numbers in one collective: row b of a tensor of gx2 goes to block b, and row b of what
/// comes is from there.
void OwnerExchange::tellCounts() {
  auto column = mlir::RankedTensorType::get({groupSize, 1}, builder.getI32Type());
  auto asColumn = [&](mlir::Value numbers) {
    return createValue<stablehlo::ReshapeOp>(builder, location, column, numbers);
  };
  mlir::Value both =
      stablehlo::createConcatenate(builder, location, {asColumn(counts), asColumn(starts)}, 1);
  auto number = [&](llvm::StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  mlir::Value told = createValue<stablehlo::AllToAllOp>(
      builder, location, both.getType(), both,
      {number("split_dimension", 0), number("concat_dimension", 0),
       number("split_count", groupSize),
       builder.getNamedAttr("replica_groups", program.groupsOver(axes, op)),
       builder.getNamedAttr("channel_handle", program.nextChannel())});
  auto columnAt = [&](int64_t position) {
    return createValue<stablehlo::ReshapeOp>(
        builder, location, list(groupSize),
        stablehlo::createSlice(builder, location, told, 1, position, 1));
  };
  countsOfOthers = columnAt(0);
  startsOfOthers = columnAt(1);
}

mlir::Value OwnerExchange::toOwners(mlir::Value rows, mlir::Value filling) {
  mlir::RankedTensorType type = typeOf(rows);
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[0] = numPlaces();
  mlir::Value initial =
      stablehlo::createBroadcast(builder, location, filling, type.clone(shape),
                                 range(type.getRank() - typeOf(filling).getRank(), type.getRank()));
  // At every receiver the rows of block b have the places from b * n on.
  mlir::Value own = program.coordinatesAt(op).offset(axes, numRows);
  mlir::Value ownPlaces = stablehlo::createBroadcast(builder, location, own, list(groupSize));
  return exchange(take(rows, order), initial, starts, counts, ownPlaces, countsOfOthers);
}

mlir::Value OwnerExchange::back(mlir::Value answers) {
  mlir::RankedTensorType type = typeOf(answers);
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[0] = numRows;
  // The way there with both ends exchanged: what came is sent from its places to where the rows
  // began in the sender's order, and the sender expects as many as it has sent.
  mlir::Value places = createValue<stablehlo::MulOp>(
      builder, location, list(groupSize), {iota(groupSize), constant(list(groupSize), numRows)});
  mlir::Value initial = stablehlo::createZeros(builder, location, type.clone(shape));
  mlir::Value sorted = exchange(answers, initial, places, countsOfOthers, startsOfOthers, counts);
  return take(sorted, place);
}

mlir::Value OwnerExchange::exchange(mlir::Value rows, mlir::Value initial, mlir::Value inputOffsets,
                                    mlir::Value sendSizes, mlir::Value outputOffsets,
                                    mlir::Value recvSizes) {
  return stablehlo::createRaggedAllToAll(
      builder, location, {rows, initial, inputOffsets, sendSizes, outputOffsets, recvSizes},
      program.groupsOver(axes, op), program.nextChannel().getHandle());
}

mlir::Value OwnerExchange::take(mlir::Value rows, mlir::Value positions) {
  mlir::RankedTensorType type = typeOf(rows);
  llvm::SmallVector<int64_t> sizes(type.getShape());
  sizes[0] = 1;
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      builder.getContext(), range(1, type.getRank()), {0}, {}, {}, {0}, /*indexVectorDim=*/1);
  return createValue<stablehlo::GatherOp>(
      builder, location, type, {rows, positions},
      {builder.getNamedAttr("dimension_numbers", numbers),
       builder.getNamedAttr("slice_sizes", builder.getDenseI64ArrayAttr(sizes)),
       builder.getNamedAttr("indices_are_sorted", builder.getBoolAttr(false))});
}

mlir::Value OwnerExchange::put(mlir::Value initial, mlir::Value positions, mlir::Value updates,
                               bool adds) {
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(builder.getContext(), {}, {0}, {}, {},
                                                             {0}, /*indexVectorDim=*/1);
  auto scatter = stablehlo::ScatterOp::create(
      builder, location, mlir::TypeRange(initial.getType()),
      mlir::ValueRange{initial, positions, updates},
      {builder.getNamedAttr("scatter_dimension_numbers", numbers),
       builder.getNamedAttr("indices_are_sorted", builder.getBoolAttr(false)),
       builder.getNamedAttr("unique_indices", builder.getBoolAttr(!adds))});
  auto scalar = mlir::RankedTensorType::get({}, builder.getI32Type());
  mlir::Region &region = scatter.getUpdateComputation();
  if (adds) {
    stablehlo::buildReducer(builder, location, region, core::ReductionKind::Sum, scalar);
    return scatter->getResult(0);
  }
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *body = builder.createBlock(&region, {}, {scalar, scalar}, {location, location});
  stablehlo::ReturnOp::create(builder, location, body->getArgument(1));
  return scatter->getResult(0);
}

/// A window of all elements that ends at each: entry i is the sum of entries 0 to i. StableHLO has
/// no other op for it; with one entry for each device it is short.
mlir::Value OwnerExchange::prefixSums(mlir::Value numbers) {
  int64_t size = typeOf(numbers).getDimSize(0);
  auto paddingType = mlir::RankedTensorType::get({1, 2}, builder.getI64Type());
  auto scalar = mlir::RankedTensorType::get({}, builder.getI32Type());
  auto sums = stablehlo::ReduceWindowOp::create(
      builder, location, mlir::TypeRange(numbers.getType()),
      mlir::ValueRange{numbers, constant(scalar, 0)},
      {builder.getNamedAttr("window_dimensions", builder.getDenseI64ArrayAttr({size})),
       builder.getNamedAttr("padding", mlir::DenseIntElementsAttr::get(
                                           paddingType, llvm::ArrayRef<int64_t>{size - 1, 0}))});
  stablehlo::buildReducer(builder, location, sums.getBody(), core::ReductionKind::Sum, scalar);
  return sums->getResult(0);
}

} // namespace shardwise::partition
