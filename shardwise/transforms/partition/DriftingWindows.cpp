// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of windows begins at a position P that is s w c - l on the device at place c: with
// dilation D, at one of several places between two elements. The op has one padding for all
// devices, so it cannot begin there on each of them.
//
// Windows of stride s lie to elements as before after D / g windows, where g = gcd(s, D): a period
// of them, s / g elements long. The op begins at a position F in front of P, so that
//   1. the first of its elements is behind F by `edge.low` positions on all devices;
//   2. P is behind F by some windows, t < D / g of them;
// and gives D / g - 1 results more than the block has, of which the device's own are those from
// number t on.
//
// With e = ceil(P / D), the first element that the block reads, R = (P + D - 1) mod D, what the
// division leaves, and the op beginning with element e - d:
//   F = D (e - d) - low and P = F + s t, so s t = P - D e + low + D d.
// D e - P is D - 1 - R, which is at most low = D - 1 - (R mod g), and R mod g is the same for all
// blocks, as they are a multiple of g apart. That leaves, with j = (R - R mod g) / g,
//   (s / g) t = j + (D / g) d
// of which t = j / (s / g) modulo D / g is the only solution with d from 0 to s / g - 1. The d
// elements in front may be any: no window from t on meets them.
//
// Example: windows of 2 with stride 2 on elements 3 positions apart, without padding, in blocks of
// two. Blocks begin at 0, 4, 8, .., that of c=2 between elements 2 (at 6) and 3: e = 3, R = 1,
// low = 2, j = 1. 2 t = 1 + 3 d has t = 2, d = 1: the op begins with element 2 at position 4, and
// its windows 2 and 3, at 8 and 10, are the block's.

#include "shardwise/transforms/partition/DriftingWindows.h"

#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/transforms/partition/IntervalFetch.h"
#include "shardwise/transforms/partition/LocalForms.h"

#include <algorithm>
#include <numeric>

namespace shardwise::partition {

namespace {

mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// The number that times `a` leaves 1 when it is divided by `modulus`, which has no divisor with
/// `a` in common. Both are small, as strides and dilations are.
int64_t inverse(int64_t a, int64_t modulus) {
  int64_t number = 1;
  while (number * a % modulus != 1 % modulus)
    ++number;
  return number;
}

} // namespace

DriftingWindows::Grid DriftingWindows::gridOf(const core::BlockInterval &interval, int64_t stride) {
  int64_t dilation = interval.divisor;
  Grid grid;
  grid.common = std::gcd(stride, dilation);
  grid.period = dilation / grid.common;
  grid.elementsPerPeriod = stride / grid.common;
  int64_t rest = interval.start % grid.common;
  grid.edge.low = dilation - 1 - (rest < 0 ? rest + grid.common : rest);
  // What the windows of a block reach over, and those that are more.
  int64_t positions =
      (interval.extent - 1) * dilation + 1 + interval.highRest + stride * (grid.period - 1);
  grid.numElements = (positions - grid.edge.low - 1) / dilation + 1;
  grid.edge.high = positions - grid.edge.low - 1 - (grid.numElements - 1) * dilation;
  return grid;
}

EdgePositions DriftingWindows::add(const reshard::IntervalFetch &fetch, int64_t stride,
                                   int64_t resultDim) {
  const core::BlockInterval &interval = fetch.problem.interval;
  if (interval.divisor == 1)
    return {interval.lowRest, interval.highRest};
  dims.push_back({fetch, resultDim, gridOf(interval, stride)});
  return dims.back().grid.edge;
}

DriftingWindows::Place DriftingWindows::placeOf(const Dim &dim, mlir::OpBuilder &builder) {
  using namespace stablehlo;
  mlir::Location location = op->getLoc();
  DeviceCoordinates &device = program.coordinatesAt(op);
  const Grid &grid = dim.grid;
  // j, t and d of the head of this file.
  mlir::Value rest =
      restOfInterval(builder, location, device, dim.fetch.axes, dim.fetch.problem.interval);
  if (grid.common != 1)
    rest = createWithNumber<DivOp>(builder, location, device, rest, grid.common);
  if (grid.elementsPerPeriod == 1)
    return {device.constant(0), rest};
  mlir::Value multiple = createWithNumber<MulOp>(builder, location, device, rest,
                                                 inverse(grid.elementsPerPeriod, grid.period));
  mlir::Value first = createWithNumber<RemOp>(builder, location, device, multiple, grid.period);
  mlir::Value stepped =
      createWithNumber<MulOp>(builder, location, device, first, grid.elementsPerPeriod);
  mlir::Value left = createValue<SubtractOp>(builder, location, first.getType(), {stepped, rest});
  return {createWithNumber<DivOp>(builder, location, device, left, grid.period), first};
}

/// Lets `operand` begin as many elements in front of those that are fetched as the op does, and end
/// where the op does.
void DriftingWindows::shiftOperand(int64_t operand) {
  mlir::Value value = op->getOperand(operand);
  mlir::RankedTensorType type = typeOf(value);
  int64_t rank = type.getRank();
  mlir::OpBuilder builder(op);
  mlir::Location location = op->getLoc();
  DeviceCoordinates &device = program.coordinatesAt(op);
  llvm::SmallVector<int64_t> sizes(type.getShape()), low(rank, 0), high(rank, 0);
  llvm::SmallVector<mlir::Value> starts(rank, device.constant(0));
  bool isShifted = false;
  for (const Dim &dim : dims) {
    const Grid &grid = dim.grid;
    int64_t extent = dim.fetch.problem.interval.extent;
    if (dim.fetch.operand != operand || (grid.elementsPerPeriod == 1 && grid.numElements == extent))
      continue;
    isShifted = true;
    int64_t number = dim.fetch.dim;
    sizes[number] = grid.numElements;
    low[number] = grid.elementsPerPeriod - 1;
    high[number] = std::max<int64_t>(0, grid.numElements - extent);
    starts[number] = createValue<stablehlo::SubtractOp>(
        builder, location, starts[number].getType(),
        {device.constant(low[number]), placeOf(dim, builder).elementsInFront});
  }
  if (!isShifted)
    return;
  mlir::Value zero =
      stablehlo::createZeros(builder, location, type.clone(llvm::ArrayRef<int64_t>{}));
  mlir::Value longer = stablehlo::createPad(builder, location, value, zero, low, high);
  op->setOperand(static_cast<unsigned>(operand),
                 stablehlo::createDynamicSlice(builder, location, longer, starts, sizes));
}

void DriftingWindows::takeOwnResults() {
  if (dims.empty())
    return;
  llvm::SmallVector<int64_t> operands;
  for (const Dim &dim : dims)
    if (!llvm::is_contained(operands, dim.fetch.operand))
      operands.push_back(dim.fetch.operand);
  for (int64_t operand : operands)
    shiftOperand(operand);
  // The op itself stays as it is until all forms are built: they ask for the types of its results.
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  mlir::Operation *ofAllPlaces = builder.clone(*op);
  DeviceCoordinates &device = program.coordinatesAt(op);
  for (auto [result, wider] : llvm::zip_equal(op->getResults(), ofAllPlaces->getResults())) {
    mlir::RankedTensorType type = typeOf(result);
    llvm::SmallVector<int64_t> shape(type.getShape());
    llvm::SmallVector<mlir::Value> starts(type.getRank(), device.constant(0));
    for (const Dim &dim : dims) {
      // Inputs of one reduction are read alike.
      if (dim.fetch.operand != 0)
        continue;
      shape[dim.resultDim] += dim.grid.period - 1;
      starts[dim.resultDim] = placeOf(dim, builder).firstResult;
    }
    wider.setType(type.clone(shape));
    program.replaceInTheEnd(result, stablehlo::createDynamicSlice(builder, op->getLoc(), wider,
                                                                  starts, type.getShape()));
  }
  program.eraseInTheEnd(op);
}

} // namespace shardwise::partition
