// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that read an interval of an operand for their part of the result: the interval is fetched
// (IntervalFetch.h), and the op runs on it as if that were all. What its padding gave at the ends
// is part of the interval then. Example, 3 taps and a padding of one on 8 elements of x=4:
//   convolution %a, pad = [[1, 1]]  : 8 -> 8
// becomes
//   convolution %i, pad = [[0, 0]]  : 4 -> 2      %i: the two elements, and one on both sides
//
// With a dilated operand, blocks may begin at an element or between two, and no padding is that of
// all of them. Then the op gives as many results more as there are such places, and each device
// takes those of its block (DriftingWindows.h). Example, 2 taps on elements that are 2 positions
// apart, 6 results of x=2: blocks begin at positions 0 and 3, at an element and in front of one.
//   convolution %a, lhs_dilation = [2]  : 4 -> 6
// becomes
//   convolution %i, pad = [[1, 1]], lhs_dilation = [2]  : 2 -> 4    %i: elements 0, 1 or 2, 3
//   dynamic_slice of 3 of these from 1 - x on

#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/WindowDims.h"
#include "shardwise/transforms/partition/DriftingWindows.h"
#include "shardwise/transforms/partition/IntervalFetch.h"
#include "shardwise/transforms/partition/LocalForms.h"
#include "shardwise/transforms/partition/SelectAndScatterForm.h"

namespace shardwise::partition {

namespace {

/// Fetches all operands, then calls `adjust` for every dimension that was fetched.
void fetchAll(mlir::Operation *op, LocalProgram &program,
              llvm::function_ref<void(const reshard::IntervalFetch &fetch)> adjust) {
  llvm::ArrayRef<reshard::IntervalFetch> fetches = program.fetchesOf(op);
  llvm::SmallVector<int64_t> operands;
  for (const reshard::IntervalFetch &fetch : fetches)
    if (!llvm::is_contained(operands, fetch.operand))
      operands.push_back(fetch.operand);
  for (int64_t operand : operands)
    op->setOperand(operand, fetchOperand(op, operand, program));
  for (const reshard::IntervalFetch &fetch : fetches)
    adjust(fetch);
}

/// Groups that are cut leave fewer groups on each device.
void adjustGroups(stablehlo::ConvolutionOp conv) {
  auto lhs = mlir::cast<mlir::RankedTensorType>(conv.getLhs().getType());
  auto kernel = mlir::cast<mlir::RankedTensorType>(conv.getRhs().getType());
  auto result = mlir::cast<mlir::RankedTensorType>(conv->getResult(0).getType());
  auto numbers = conv.getDimensionNumbers();
  if (conv.getFeatureGroupCount() > 1) {
    // Each group has as many input features as the kernel.
    int64_t features = lhs.getDimSize(numbers.getInputFeatureDimension());
    int64_t perGroup = kernel.getDimSize(numbers.getKernelInputFeatureDimension());
    conv.setFeatureGroupCount(perGroup == 0 ? 1 : features / perGroup);
  }
  if (conv.getBatchGroupCount() > 1) {
    int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
    int64_t perGroup = result.getDimSize(numbers.getOutputBatchDimension());
    conv.setBatchGroupCount(perGroup == 0 ? 1 : batch / perGroup);
  }
}

llvm::LogicalResult convolution(mlir::Operation *op, LocalProgram &program) {
  auto conv = mlir::cast<stablehlo::ConvolutionOp>(op);
  llvm::ArrayRef<int64_t> spatialDims = conv.getDimensionNumbers().getInputSpatialDimensions();
  auto numSpatial = static_cast<int64_t>(spatialDims.size());
  llvm::ArrayRef<int64_t> resultDims = conv.getDimensionNumbers().getOutputSpatialDimensions();
  DriftingWindows drifting(op, program);
  fetchAll(op, program, [&](const reshard::IntervalFetch &fetch) {
    int64_t spatial = llvm::find(spatialDims, fetch.dim) - spatialDims.begin();
    EdgePositions edge =
        drifting.add(fetch, stablehlo::windowDim(conv, spatial).stride, resultDims[spatial]);
    conv.setPaddingAttr(stablehlo::withPadding(conv.getPaddingAttr(), numSpatial, spatial, edge.low,
                                               edge.high, op->getContext()));
  });
  adjustGroups(conv);
  drifting.takeOwnResults();
  return llvm::success();
}

llvm::LogicalResult reduceWindow(mlir::Operation *op, LocalProgram &program) {
  auto reduce = mlir::cast<stablehlo::ReduceWindowOp>(op);
  auto numDims = static_cast<int64_t>(reduce.getWindowDimensions().size());
  DriftingWindows drifting(op, program);
  fetchAll(op, program, [&](const reshard::IntervalFetch &fetch) {
    int64_t dim = fetch.dim;
    EdgePositions edge = drifting.add(fetch, stablehlo::windowDim(reduce, dim).stride, dim);
    reduce.setPaddingAttr(stablehlo::withPadding(reduce.getPaddingAttr(), numDims, dim, edge.low,
                                                 edge.high, op->getContext()));
  });
  drifting.takeOwnResults();
  return llvm::success();
}

/// Only interior padding is left.
llvm::LogicalResult pad(mlir::Operation *op, LocalProgram &program) {
  auto padOp = mlir::cast<stablehlo::PadOp>(op);
  llvm::SmallVector<int64_t> low(padOp.getEdgePaddingLow()), high(padOp.getEdgePaddingHigh());
  DriftingWindows drifting(op, program);
  fetchAll(op, program, [&](const reshard::IntervalFetch &fetch) {
    EdgePositions edge = drifting.add(fetch, /*stride=*/1, fetch.dim);
    low[fetch.dim] = edge.low;
    high[fetch.dim] = edge.high;
  });
  padOp.setEdgePaddingLow(low);
  padOp.setEdgePaddingHigh(high);
  drifting.takeOwnResults();
  return llvm::success();
}

/// A cut dimension is taken whole: the interval begins and ends with an element that is wanted.
llvm::LogicalResult slice(mlir::Operation *op, LocalProgram &program) {
  auto sliceOp = mlir::cast<stablehlo::SliceOp>(op);
  llvm::SmallVector<int64_t> starts(sliceOp.getStartIndices()), limits(sliceOp.getLimitIndices());
  auto local = mlir::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  for (int64_t dim = 0; dim < local.getRank(); ++dim)
    if (!program.axesOf(op->getOperand(0), dim).empty())
      limits[dim] = local.getDimSize(dim);
  fetchAll(op, program, [&](const reshard::IntervalFetch &fetch) {
    starts[fetch.dim] = 0;
    limits[fetch.dim] = fetch.problem.interval.extent;
  });
  sliceOp.setStartIndices(starts);
  sliceOp.setLimitIndices(limits);
  return llvm::success();
}

llvm::LogicalResult reverse(mlir::Operation *op, LocalProgram &program) {
  fetchAll(op, program, [](const reshard::IntervalFetch &) {});
  return llvm::success();
}

/// Every operand is fetched as if it reached over the whole result; each element is taken from the
/// operand whose place it is in.
llvm::LogicalResult concatenate(mlir::Operation *op, LocalProgram &program) {
  auto dim = static_cast<int64_t>(mlir::cast<stablehlo::ConcatenateOp>(op).getDimension());
  if (program.fetchesOf(op).empty())
    return llvm::success();
  mlir::OpBuilder builder(op);
  mlir::Location location = op->getLoc();
  mlir::Value result = op->getResult(0);
  auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
  // Where the elements of the device's part are in the whole result.
  auto placesType = mlir::RankedTensorType::get({type.getDimSize(dim)}, builder.getI32Type());
  DeviceCoordinates &device = program.coordinatesAt(op);
  auto spread = [&](mlir::Value scalar) {
    return stablehlo::createBroadcast(builder, location, scalar, placesType);
  };
  mlir::Value places = stablehlo::createIota(builder, location, placesType, 0);
  mlir::Value start = device.offset(program.axesOf(result, dim), type.getDimSize(dim));
  places = createValue<stablehlo::AddOp>(builder, location, placesType, {places, spread(start)});
  mlir::Value joined;
  int64_t before = 0;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    int64_t size = program.globalType(operand).getDimSize(dim);
    mlir::Value part = fetchOperand(op, static_cast<int64_t>(number), program);
    if (joined) {
      mlir::Value isHere =
          stablehlo::createCompare(builder, location, places, spread(device.constant(before)),
                                   stablehlo::ComparisonDirection::GE);
      mlir::Value mask = stablehlo::createBroadcast(builder, location, isHere,
                                                    type.clone(builder.getI1Type()), {dim});
      part = createValue<stablehlo::SelectOp>(builder, location, type, {mask, part, joined});
    }
    joined = part;
    before += size;
  }
  program.replaceInTheEnd(result, joined);
  program.eraseInTheEnd(op);
  return llvm::success();
}

} // namespace

void addWindowForms(LocalFormRegistry &registry) {
  using namespace stablehlo;
  registry.add<ConcatenateOp>(concatenate);
  registry.add<ConvolutionOp>(convolution);
  registry.add<PadOp>(pad);
  registry.add<ReduceWindowOp>(reduceWindow);
  registry.add<ReverseOp>(reverse);
  registry.add<SelectAndScatterOp>(selectAndScatterForm);
  registry.add<SliceOp>(slice);
}

} // namespace shardwise::partition
