// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_window and select_and_scatter. Rows of results along the last dimension are the lanes of a
// row reducer; running sums along a dimension are recognised and cost one pass.

#include "shardwise/execute/lower/ElementOps.h"
#include "shardwise/execute/lower/LowerRegion.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/lower/WindowSpec.h"
#include "shardwise/execute/thunks/IndexLoop.h"
#include "shardwise/execute/thunks/ReductionThunk.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <mlir/IR/Diagnostics.h>

#include <algorithm>
#include <cstring>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// result[i] = result[i-1] op element[i] along one dimension, forwards or backwards.
class ScanThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    for (int64_t line = 0; line < outer; ++line)
      for (int64_t lane = 0; lane < inner; ++lane) {
        int64_t first = line * length * inner + lane + (isBackward ? (length - 1) * inner : 0);
        scan(frame.at(result) + first * elementBytes, frame.at(init),
             frame.at(input) + first * elementBytes, length, isBackward ? -inner : inner);
      }
    return {};
  }
  std::string name() const override { return "scan"; }

  BufferId input = -1, init = -1, result = -1;
  ScanKernel scan = nullptr;
  int64_t outer = 1, length = 1, inner = 1, elementBytes = 4;
  bool isBackward = false;
};

/// The lanes are a row of results.
class WindowThunk final : public ReductionThunk {
public:
  Result<void> run(Frame &frame) const override {
    if (lanes == 0)
      return {};
    RowReducer reducer = this->reducer(frame);
    std::vector<const std::byte *> firsts = starts(frame);
    // The last dimension is the row; rank 0 is one row of one element.
    Dims outerShape(resultShape.begin(), resultShape.end() - (resultShape.empty() ? 0 : 1));
    int64_t row = 0;
    forEachIndex(outerShape, [&](const Dims &outer) {
      reducer.start(firsts, lanes);
      forEachIndex(window.sizes, [&](const Dims &tap) { foldTap(frame, reducer, outer, tap); });
      store(frame, reducer, row * lanes, lanes);
      ++row;
    });
    return {};
  }
  std::string name() const override { return "reduce_window"; }

  WindowSpec window;
  Dims inputShape, resultShape;
  bool isInitIdentity = false;

private:
  /// Folds the elements that window element `tap` meets along a row of results. Padding and holes
  /// are the init value, which is left out if it is an identity.
  void foldTap(const Frame &frame, RowReducer &reducer, const Dims &outer, const Dims &tap) const {
    Dims strides = rowMajorStrides(inputShape);
    int64_t base = 0;
    for (size_t dim = 0; dim < outer.size(); ++dim) {
      int64_t place = window.placeOf(dim, outer[dim], tap[dim], inputShape[dim]);
      if (place < 0)
        return isInitIdentity ? void() : foldInit(frame, reducer);
      base += place * strides[dim];
    }
    size_t last = inputShape.size() - 1;
    bool isDense =
        inputShape.empty() || (window.strides[last] == 1 && window.baseDilations[last] == 1);
    if (isDense) {
      // Results [begin, end) meet the consecutive elements from `first` on.
      int64_t shift =
          inputShape.empty() ? 0 : tap[last] * window.windowDilations[last] - window.low[last];
      int64_t size = inputShape.empty() ? 1 : inputShape[last];
      int64_t begin = std::max<int64_t>(0, -shift);
      int64_t end = std::min(lanes, size - shift);
      if (begin == 0 && end == lanes) {
        std::vector<const std::byte *> rows;
        for (size_t i = 0; i < inputs.size(); ++i)
          rows.push_back(frame.at(inputs[i]) +
                         (base + shift) * runtime::byteSize(reduction.inputTypes[i]));
        reducer.fold(rows, lanes);
        return;
      }
    }
    for (size_t i = 0; i < inputs.size(); ++i)
      fillRow(frame, i, base, tap.empty() ? 0 : tap[last], reducer.inputRow(i));
    reducer.foldInputRows(lanes);
  }

  void foldInit(const Frame &frame, RowReducer &reducer) const {
    for (size_t i = 0; i < inputs.size(); ++i)
      fillElements(reducer.inputRow(i), frame.at(inits[i]),
                   runtime::byteSize(reduction.inputTypes[i]), lanes);
    reducer.foldInputRows(lanes);
  }

  void fillRow(const Frame &frame, size_t input, int64_t base, int64_t tap, std::byte *row) const {
    auto bytes = static_cast<size_t>(runtime::byteSize(reduction.inputTypes[input]));
    const std::byte *source = frame.at(inputs[input]);
    const std::byte *init = frame.at(inits[input]);
    size_t last = inputShape.size() - 1;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t place = window.placeOf(last, lane, tap, inputShape[last]);
      const std::byte *element =
          place < 0 ? init : source + static_cast<size_t>(base + place) * bytes;
      std::memcpy(row + static_cast<size_t>(lane) * bytes, element, bytes);
    }
  }
};

/// Scatters each source element to the place its window selects.
class SelectScatterThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    int64_t bytes = runtime::byteSize(operandType);
    int64_t resultBytes = runtime::byteSize(scatter.accumulatorTypes[0]);
    std::byte *target = frame.at(result);
    fillElements(target, frame.at(init), resultBytes, elementCount(operandShape));
    std::vector<void *> choice;
    if (!selectKernel)
      choice = selectRegion.code.bind(frame, frame.at(selectScratch), 1);
    RowReducer reducer(scatter, frame, frame.at(scatterScratch), 1);
    Dims strides = rowMajorStrides(operandShape);
    const std::byte *values = frame.at(operand);
    const std::byte *next = frame.at(source);
    forEachIndex(sourceShape, [&](const Dims &index) {
      int64_t best = -1;
      forEachIndex(window.sizes, [&](const Dims &tap) {
        int64_t place = 0;
        for (size_t dim = 0; dim < tap.size(); ++dim) {
          int64_t along = window.placeOf(dim, index[dim], tap[dim], operandShape[dim]);
          if (along < 0)
            return;
          place += along * strides[dim];
        }
        if (best < 0 || !prefers(choice, values + best * bytes, values + place * bytes))
          best = place;
      });
      if (best >= 0) {
        const std::byte *current[] = {target + best * resultBytes};
        const std::byte *update[] = {next};
        reducer.start(current, 1);
        reducer.fold(update, 1);
        copyBytes(target + best * resultBytes, reducer.accumulator(0), resultBytes);
      }
      next += runtime::byteSize(sourceType);
    });
    return {};
  }
  std::string name() const override { return "select_and_scatter"; }

  BufferId operand = -1, source = -1, init = -1, result = -1;
  BufferId selectScratch = -1, scatterScratch = -1;
  DataType operandType = DataType::F32; ///< As the elements are compared.
  DataType sourceType = DataType::F32;
  Dims operandShape, sourceShape;
  WindowSpec window;
  ElementKernel selectKernel = nullptr; ///< If the region is one comparison of its arguments.
  RegionCode selectRegion;
  Reduction scatter;

private:
  bool prefers(std::vector<void *> &choice, const std::byte *best,
               const std::byte *candidate) const {
    uint8_t truth = 0;
    if (selectKernel) {
      const void *operands[] = {best, candidate};
      selectKernel(&truth, operands, 1, {});
      return truth != 0;
    }
    choice[selectRegion.arguments[0]] = const_cast<std::byte *>(best);
    choice[selectRegion.arguments[1]] = const_cast<std::byte *>(candidate);
    choice[selectRegion.results[0]] = &truth;
    selectRegion.code.program.run(choice, 1);
    return truth != 0;
  }
};

/// Returns the dimension along which the window is a running fold, if it is one.
std::optional<size_t> scannedDim(const WindowSpec &window, const Dims &input, const Dims &result) {
  std::optional<size_t> scanned;
  for (size_t dim = 0; dim < input.size(); ++dim) {
    if (window.strides[dim] != 1 || window.baseDilations[dim] != 1 ||
        window.windowDilations[dim] != 1 || input[dim] != result[dim])
      return std::nullopt;
    if (window.sizes[dim] == 1 && window.low[dim] == 0)
      continue;
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
  thunk->scan = findScanKernel(elementOpOf(*reduction.kind), type.type);
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
  WindowSpec window(inputShape.size(), op.getWindowDimensions(), op.getWindowStrides(),
                    op.getBaseDilations(), op.getWindowDilations(), op.getPadding());
  mlir::Value initValue = op.getInitValues()[0];
  auto init = lowering.splatOf(initValue);
  bool isInitIdentity =
      reduction->kind && init && isIdentity(*reduction->kind, typeOf(initValue).type, *init);
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
  // Elements are compared as the one region takes them and folded as the other does.
  TensorType type = typeOf(op.getOperand());
  type.type = select->argumentType(0);
  auto thunk = std::make_unique<SelectScatterThunk>();
  thunk->operandType = type.type;
  thunk->sourceType = sourceType;
  thunk->operandShape = type.shape;
  thunk->sourceShape = typeOf(op.getSource()).shape;
  thunk->window = WindowSpec(type.shape.size(), op.getWindowDimensions(), op.getWindowStrides(),
                             std::nullopt, std::nullopt, op.getPadding());
  mlir::Block &selectBlock = op.getSelect().front();
  if (auto compare = llvm::dyn_cast<stablehlo::CompareOp>(selectBlock.front());
      compare && llvm::hasNItems(selectBlock, 2) &&
      compare->getOperands() == mlir::ValueRange(selectBlock.getArguments())) {
    ElementInstruction instruction = *elementInstructionOf(*compare);
    thunk->selectKernel = findElementKernel(instruction.op, instruction.from, instruction.to);
  }
  thunk->operand = lowering.bufferAs(op.getOperand(), type.type);
  thunk->source = lowering.bufferOf(op.getSource());
  thunk->init = lowering.bufferAs(op.getInitValue(), scatter->accumulatorTypes[0]);
  thunk->selectScratch = lowering.scratch(select->code.scratchBytes(1));
  thunk->scatterScratch = lowering.scratch(scatter->scratchBytes(1));
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
