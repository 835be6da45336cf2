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
// takes those of its block. Example, 2 taps on elements that are 2 positions apart, 6 results of
// x=2: the blocks begin at positions 0 and 3, at an element and in front of one.
//   convolution %a, lhs_dilation = [2]  : 4 -> 6
// becomes
//   convolution %i, pad = [[1, 1]], lhs_dilation = [2]  : 2 -> 4    %i: elements 0, 1 or 2, 3
//   dynamic_slice of 3 of these from 1 - x on

#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/WindowDims.h"
#include "shardwise/transforms/partition/IntervalFetch.h"
#include "shardwise/transforms/partition/LocalForms.h"
#include "shardwise/transforms/partition/SelectAndScatterForm.h"

namespace shardwise::partition {

namespace {

/// Fetches all operands, then calls `adjust` for every dimension that was fetched.
void fetchAll(mlir::Operation *op, LocalProgram &program,
              llvm::function_ref<void(int64_t dim, const core::BlockInterval &interval)> adjust) {
  llvm::ArrayRef<reshard::IntervalFetch> fetches = program.fetchesOf(op);
  llvm::SmallVector<int64_t> operands;
  for (const reshard::IntervalFetch &fetch : fetches)
    if (!llvm::is_contained(operands, fetch.operand))
      operands.push_back(fetch.operand);
  for (int64_t operand : operands)
    op->setOperand(operand, fetchOperand(op, operand, program));
  for (const reshard::IntervalFetch &fetch : fetches)
    adjust(fetch.dim, fetch.problem.interval);
}

/// Lets `op`, which is in local form but for its results, give what blocks want that begin at any
/// place between dilated elements, and takes the device's own from it. `resultDimOf` says which
/// dimension of the results a dimension of operand 0 is.
void takeOwnResults(mlir::Operation *op, LocalProgram &program,
                    llvm::function_ref<int64_t(int64_t dim)> resultDimOf) {
  llvm::SmallVector<const reshard::IntervalFetch *> drifting;
  for (const reshard::IntervalFetch &fetch : program.fetchesOf(op))
    if (fetch.operand == 0 && fetch.problem.interval.divisor != 1)
      drifting.push_back(&fetch);
  if (drifting.empty())
    return;
  // The op itself stays as it is until all forms are built: they ask for the types of its results.
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  mlir::Operation *ofAllPlaces = builder.clone(*op);
  DeviceCoordinates &device = program.coordinatesAt(op);
  for (auto [result, wider] : llvm::zip_equal(op->getResults(), ofAllPlaces->getResults())) {
    auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    llvm::SmallVector<mlir::Value> starts(type.getRank(), device.constant(0));
    for (const reshard::IntervalFetch *fetch : drifting) {
      const core::BlockInterval &interval = fetch->problem.interval;
      int64_t dim = resultDimOf(fetch->dim);
      shape[dim] += interval.divisor - 1;
      starts[dim] = restOfInterval(builder, op->getLoc(), device, fetch->axes, interval);
    }
    wider.setType(type.clone(shape));
    program.replaceInTheEnd(result, stablehlo::createDynamicSlice(builder, op->getLoc(), wider,
                                                                  starts, type.getShape()));
  }
  program.eraseInTheEnd(op);
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
  fetchAll(op, program, [&](int64_t dim, const core::BlockInterval &interval) {
    int64_t spatial = llvm::find(spatialDims, dim) - spatialDims.begin();
    conv.setPaddingAttr(stablehlo::withPadding(conv.getPaddingAttr(), numSpatial, spatial,
                                               interval.lowRest, interval.highRest,
                                               op->getContext()));
  });
  adjustGroups(conv);
  llvm::ArrayRef<int64_t> resultDims = conv.getDimensionNumbers().getOutputSpatialDimensions();
  takeOwnResults(op, program, [&](int64_t dim) {
    return resultDims[llvm::find(spatialDims, dim) - spatialDims.begin()];
  });
  return llvm::success();
}

llvm::LogicalResult reduceWindow(mlir::Operation *op, LocalProgram &program) {
  auto reduce = mlir::cast<stablehlo::ReduceWindowOp>(op);
  auto numDims = static_cast<int64_t>(reduce.getWindowDimensions().size());
  fetchAll(op, program, [&](int64_t dim, const core::BlockInterval &interval) {
    reduce.setPaddingAttr(stablehlo::withPadding(reduce.getPaddingAttr(), numDims, dim,
                                                 interval.lowRest, interval.highRest,
                                                 op->getContext()));
  });
  takeOwnResults(op, program, [](int64_t dim) { return dim; });
  return llvm::success();
}

/// Only interior padding is left.
llvm::LogicalResult pad(mlir::Operation *op, LocalProgram &program) {
  auto padOp = mlir::cast<stablehlo::PadOp>(op);
  llvm::SmallVector<int64_t> low(padOp.getEdgePaddingLow()), high(padOp.getEdgePaddingHigh());
  fetchAll(op, program, [&](int64_t dim, const core::BlockInterval &interval) {
    low[dim] = interval.lowRest;
    high[dim] = interval.highRest;
  });
  padOp.setEdgePaddingLow(low);
  padOp.setEdgePaddingHigh(high);
  takeOwnResults(op, program, [](int64_t dim) { return dim; });
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
  fetchAll(op, program, [&](int64_t dim, const core::BlockInterval &interval) {
    starts[dim] = 0;
    limits[dim] = interval.extent;
  });
  sliceOp.setStartIndices(starts);
  sliceOp.setLimitIndices(limits);
  return llvm::success();
}

llvm::LogicalResult reverse(mlir::Operation *op, LocalProgram &program) {
  fetchAll(op, program, [](int64_t, const core::BlockInterval &) {});
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
