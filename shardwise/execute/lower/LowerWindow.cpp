// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_window and select_and_scatter. Rows of results along the last dimension are the lanes of a
// row reducer; running sums along a dimension are recognised and cost one pass.

#include "shardwise/execute/lower/ElementOps.h"
#include "shardwise/execute/lower/LowerRegion.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/lower/RegionReduction.h"
#include "shardwise/execute/thunks/PoolGradientThunk.h"
#include "shardwise/execute/thunks/StridedCopy.h"
#include "shardwise/execute/thunks/WindowThunks.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/Diagnostics.h>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;
using OptionalDims = std::optional<llvm::ArrayRef<int64_t>>;

/// Window attributes with the defaults filled in: one entry per dimension.
WindowSpec windowOf(size_t rank, OptionalDims sizes, OptionalDims strides,
                    OptionalDims baseDilations, OptionalDims windowDilations,
                    std::optional<mlir::DenseIntElementsAttr> padding) {
  auto orOnes = [&](OptionalDims values) {
    return values && !values->empty() ? Dims(values->begin(), values->end()) : Dims(rank, 1);
  };
  WindowSpec window = {orOnes(sizes), orOnes(strides), orOnes(baseDilations),
                       orOnes(windowDilations), Dims(rank, 0)};
  if (padding && *padding)
    for (size_t dim = 0; dim < rank; ++dim)
      window.low[dim] = padding->getValues<int64_t>()[2 * dim];
  return window;
}

/// Returns the dimension along which the window is a running fold, if it is one. Such a window
/// costs length^2 folds as a window and `length` as a scan. Example: tensor<5xf32>, window 5,
/// padding (4, 0): result i folds elements 0 to i.
std::optional<size_t> scannedDim(const WindowSpec &window, const Dims &input, const Dims &result) {
  std::optional<size_t> scanned;
  for (size_t dim = 0; dim < input.size(); ++dim) {
    // (1) A result for every element, and windows without steps or holes.
    if (window.strides[dim] != 1 || window.baseDilations[dim] != 1 ||
        window.windowDilations[dim] != 1 || input[dim] != result[dim])
      return std::nullopt;
    // (2) In all dimensions but one a window is a single element.
    if (window.sizes[dim] == 1 && window.low[dim] == 0)
      continue;
    // (3) In that one it is as long as the dimension, and ends at the result's element (low = size
    // - 1: the fold of all up to it) or begins there (low = 0: the fold of all from it on).
    bool isScan = window.sizes[dim] == input[dim] &&
                  (window.low[dim] == 0 || window.low[dim] == input[dim] - 1);
    if (!isScan || scanned)
      return std::nullopt;
    scanned = dim;
  }
  return scanned;
}

void emitScan(FunctionLowering &lowering, stablehlo::ReduceWindowOp op, const WindowSpec &window,
              const Reduction &reduction, size_t dim) {
  TensorType type = typeOf(op.getResult(0));
  auto thunk = std::make_unique<ScanThunk>();
  thunk->input = lowering.bufferAs(op.getInputs()[0], type.type);
  thunk->init = lowering.bufferAs(op.getInitValues()[0], type.type);
  thunk->result = lowering.define(op.getResult(0));
  thunk->scan = findScanKernel(*reduction.kind, type.type);
  thunk->elementBytes = runtime::byteSize(type.type);
  thunk->length = type.shape[dim];
  thunk->inner = rowMajorStrides(type.shape)[dim];
  int64_t lines = elementCount(type.shape);
  thunk->outer = lines == 0 ? 0 : lines / (thunk->length * thunk->inner);
  thunk->isBackward = window.low[dim] == 0;
  BufferId reads[] = {thunk->input, thunk->init};
  BufferId result = thunk->result;
  lowering.emit(std::move(thunk), reads, result);
}

/// The comparison that a region consists of, of its arguments in order; none if it does more.
std::optional<ElementInstruction> soleComparisonOf(mlir::Region &region) {
  mlir::Block &block = region.front();
  auto compare = llvm::dyn_cast<stablehlo::CompareOp>(block.front());
  if (!compare || !llvm::hasNItems(block, 2) ||
      compare->getOperands() != mlir::ValueRange(block.getArguments()))
    return std::nullopt;
  return elementInstructionOf(*compare);
}

/// Emits `op` as the gradient of max pooling, if it is one that there is a kernel for: a window for
/// each channel, sums, and one type for all.
bool tryEmitPoolGradient(FunctionLowering &lowering, stablehlo::SelectAndScatterOp op,
                         const WindowSpec &window, const ElementInstruction &keep,
                         const Reduction &scatter) {
  TensorType type = typeOf(op.getOperand());
  TensorType sourceType = typeOf(op.getSource());
  bool isOneType =
      llvm::all_equal({type.type, sourceType.type, typeOf(op.getInitValue()).type, keep.from,
                       scatter.elementTypes[0], scatter.accumulatorTypes[0]});
  if (!isOneType || scatter.kind != core::ReductionKind::Sum ||
      !PoolGradientThunk::hasRowsOfWindows(window, type.shape, sourceType.shape))
    return false;
  auto thunk = std::make_unique<PoolGradientThunk>();
  thunk->kernel = findSelectRowsKernel(keep.op, type.type);
  if (!thunk->kernel)
    return false;
  thunk->window = window;
  thunk->elementBytes = runtime::byteSize(type.type);
  thunk->operandShape = type.shape;
  thunk->sourceShape = sourceType.shape;
  thunk->operand = lowering.bufferOf(op.getOperand());
  thunk->source = lowering.bufferOf(op.getSource());
  thunk->init = lowering.bufferOf(op.getInitValue());
  thunk->result = lowering.define(op.getResult());
  BufferId reads[] = {thunk->operand, thunk->source, thunk->init};
  BufferId result = thunk->result;
  lowering.emit(std::move(thunk), reads, result);
  return true;
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::ReduceWindowOp op) {
  // Padding makes init values elements of the input, so both are read in the accumulators' types.
  mlir::Block &block = op.getBody().front();
  llvm::SmallVector<DataType, 2> types;
  for (size_t i = 0; i < op.getInputs().size() && i < block.getNumArguments(); ++i) {
    std::optional<TensorType> type = tensorTypeOf(block.getArgument(i).getType());
    types.push_back(type ? type->type : DataType::F32); // describeReduction refuses other types.
  }
  mlir::FailureOr<Reduction> reduction = describeReduction(lowering, op.getBody(), types);
  if (mlir::failed(reduction))
    return mlir::failure();
  Dims inputShape = typeOf(op.getInputs()[0]).shape;
  Dims resultShape = typeOf(op.getResult(0)).shape;
  WindowSpec window = windowOf(inputShape.size(), op.getWindowDimensions(), op.getWindowStrides(),
                               op.getBaseDilations(), op.getWindowDilations(), op.getPadding());
  mlir::Value initValue = op.getInitValues()[0];
  auto init = lowering.splatOf(initValue);
  bool isInitIdentity =
      reduction->kind && init && isIdentity(*reduction->kind, typeOf(initValue).type, *init);
  // The padding must not count, as a scan folds the init value in once only.
  if (std::optional<size_t> dim = scannedDim(window, inputShape, resultShape);
      dim && isInitIdentity) {
    emitScan(lowering, op, window, *reduction, *dim);
    return mlir::success();
  }
  auto thunk = std::make_unique<WindowThunk>();
  thunk->window = window;
  thunk->inputShape = inputShape;
  thunk->resultShape = resultShape;
  thunk->lanes = resultShape.empty() ? 1 : resultShape.back();
  thunk->isInitIdentity = isInitIdentity;
  emitReduction(lowering, std::move(thunk), std::move(*reduction), op.getInputs(),
                op.getInitValues(), op.getResults());
  return mlir::success();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::SelectAndScatterOp op) {
  DataType sourceType = typeOf(op.getSource()).type;
  mlir::FailureOr<Reduction> scatter = describeReduction(lowering, op.getScatter(), sourceType);
  mlir::FailureOr<RegionCode> select = lowerRegion(lowering, op.getSelect());
  if (mlir::failed(scatter) || mlir::failed(select))
    return mlir::failure();
  WindowSpec window = windowOf(typeOf(op.getOperand()).shape.size(), op.getWindowDimensions(),
                               op.getWindowStrides(), std::nullopt, std::nullopt, op.getPadding());
  std::optional<ElementInstruction> keep = soleComparisonOf(op.getSelect());
  if (keep && tryEmitPoolGradient(lowering, op, window, *keep, *scatter))
    return mlir::success();
  // Elements are compared as the one region takes them and folded as the other does.
  TensorType type = typeOf(op.getOperand());
  type.type = select->argumentType(0);
  auto thunk = std::make_unique<SelectScatterThunk>();
  thunk->operandType = type.type;
  thunk->sourceType = sourceType;
  thunk->operandShape = type.shape;
  thunk->sourceShape = typeOf(op.getSource()).shape;
  thunk->window = window;
  // A select region of one comparison is a call of its kernel instead of a run of code.
  if (keep)
    thunk->selectKernel = findElementKernel(keep->op, keep->from, keep->to);
  thunk->operand = lowering.bufferAs(op.getOperand(), type.type);
  thunk->source = lowering.bufferOf(op.getSource());
  thunk->init = lowering.bufferAs(op.getInitValue(), scatter->accumulatorTypes[0]);
  thunk->selectScratch = lowering.scratch(select->code.scratchBytes(thunk->lanes()));
  thunk->scatterScratch = lowering.scratch(scatter->scratchBytes(thunk->lanes()));
  std::vector<BufferId> reads = {thunk->operand, thunk->source, thunk->init};
  reads.insert(reads.end(), select->captured.begin(), select->captured.end());
  reads.insert(reads.end(), scatter->region.captured.begin(), scatter->region.captured.end());
  thunk->selectRegion = std::move(*select);
  thunk->scatter = std::move(*scatter);
  thunk->result = lowering.define(op.getResult());
  BufferId writes[] = {thunk->selectScratch, thunk->scatterScratch, thunk->result};
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

} // namespace shardwise::execute
