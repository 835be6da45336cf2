// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_window and select_and_scatter. Rows of results along the last dimension are the lanes of a
// row reducer; running sums along a dimension are recognised and cost one pass.

#include "shardwise/execute/IndexLoop.h"
#include "shardwise/execute/Lowering.h"
#include "shardwise/execute/RowReducer.h"
#include "shardwise/execute/StridedCopy.h"
#include "shardwise/execute/WindowSpec.h"

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

class WindowThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    if (rowLength == 0)
      return {};
    RowReducer reducer(reduction, frame, frame.at(scratch), rowLength);
    std::vector<const std::byte *> starts;
    for (BufferId init : inits)
      starts.push_back(frame.at(init));
    // The last dimension is the row; rank 0 is one row of one element.
    Dims outerShape(resultShape.begin(), resultShape.end() - (resultShape.empty() ? 0 : 1));
    int64_t row = 0;
    forEachIndex(outerShape, [&](const Dims &outer) {
      reducer.start(starts, rowLength);
      forEachIndex(window.sizes, [&](const Dims &tap) { foldTap(frame, reducer, outer, tap); });
      for (size_t i = 0; i < inputs.size(); ++i) {
        int64_t bytes = runtime::byteSize(reduction.accumulatorTypes[i]) * rowLength;
        std::memcpy(frame.at(results[i]) + row * bytes, reducer.accumulator(i),
                    static_cast<size_t>(bytes));
      }
      ++row;
    });
    return {};
  }
  std::string name() const override { return "reduce_window"; }

  Reduction reduction;
  WindowSpec window;
  Dims inputShape, resultShape;
  std::vector<BufferId> inputs, inits, results;
  BufferId scratch = -1;
  int64_t rowLength = 1;
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
      int64_t end = std::min(rowLength, size - shift);
      if (begin == 0 && end == rowLength) {
        std::vector<const std::byte *> rows;
        for (size_t i = 0; i < inputs.size(); ++i)
          rows.push_back(frame.at(inputs[i]) +
                         (base + shift) * runtime::byteSize(reduction.inputTypes[i]));
        reducer.fold(rows, rowLength);
        return;
      }
    }
    for (size_t i = 0; i < inputs.size(); ++i)
      fillRow(frame, i, base, tap.empty() ? 0 : tap[last], reducer.inputRow(i));
    reducer.foldInputRows(rowLength);
  }

  void foldInit(const Frame &frame, RowReducer &reducer) const {
    for (size_t i = 0; i < inputs.size(); ++i)
      fillElements(reducer.inputRow(i), frame.at(inits[i]),
                   runtime::byteSize(reduction.inputTypes[i]), rowLength);
    reducer.foldInputRows(rowLength);
  }

  void fillRow(const Frame &frame, size_t input, int64_t base, int64_t tap, std::byte *row) const {
    auto bytes = static_cast<size_t>(runtime::byteSize(reduction.inputTypes[input]));
    const std::byte *source = frame.at(inputs[input]);
    const std::byte *init = frame.at(inits[input]);
    size_t last = inputShape.size() - 1;
    for (int64_t lane = 0; lane < rowLength; ++lane) {
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
    std::byte *target = frame.at(result);
    fillElements(target, frame.at(init), bytes, elementCount(operandShape));
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
        const std::byte *current[] = {target + best * bytes};
        const std::byte *update[] = {next};
        reducer.start(current, 1);
        reducer.fold(update, 1);
        std::memcpy(target + best * bytes, reducer.accumulator(0), static_cast<size_t>(bytes));
      }
      next += bytes;
    });
    return {};
  }
  std::string name() const override { return "select_and_scatter"; }

  BufferId operand = -1, source = -1, init = -1, result = -1;
  BufferId selectScratch = -1, scatterScratch = -1;
  DataType operandType = DataType::F32;
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
  TensorType type = *tensorTypeOf(op.getInputs()[0].getType());
  auto thunk = std::make_unique<ScanThunk>();
  thunk->input = lowering.bufferOf(op.getInputs()[0]);
  thunk->init = lowering.bufferOf(op.getInitValues()[0]);
  thunk->result = lowering.define(op.getResult(0));
  thunk->scan = findScanKernel(*reduction.function, type.type);
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
  llvm::SmallVector<DataType, 2> types;
  for (mlir::Value input : op.getInputs())
    types.push_back(tensorTypeOf(input.getType())->type);
  mlir::FailureOr<Reduction> reduction = describeReduction(lowering, op.getBody(), types);
  if (mlir::failed(reduction))
    return mlir::failure();
  for (auto [i, value] : llvm::enumerate(op.getInitValues())) {
    // Padding makes init values elements of the input.
    DataType type = tensorTypeOf(value.getType())->type;
    if (type != types[i] || type != reduction->accumulatorTypes[i])
      return op.emitOpError() << "mixes elements of types " << op.getInputs()[i].getType() << ", "
                              << value.getType() << " and " << op.getResult(i).getType()
                              << "; convert the operands to one type";
  }
  Dims inputShape = tensorTypeOf(op.getInputs()[0].getType())->shape;
  Dims resultShape = tensorTypeOf(op.getResult(0).getType())->shape;
  WindowSpec window(inputShape.size(), op.getWindowDimensions(), op.getWindowStrides(),
                    op.getBaseDilations(), op.getWindowDilations(), op.getPadding());
  auto init = lowering.splatOf(op.getInitValues()[0]);
  bool isInitIdentity =
      reduction->function && init && isIdentity(*reduction->function, types[0], *init);
  if (std::optional<size_t> dim = scannedDim(window, inputShape, resultShape);
      dim && isInitIdentity) {
    emitScan(lowering, op, window, *reduction, *dim);
    return mlir::success();
  }
  auto thunk = std::make_unique<WindowThunk>();
  thunk->inputs = lowering.buffersOf(op.getInputs());
  thunk->inits = lowering.buffersOf(op.getInitValues());
  thunk->window = window;
  thunk->inputShape = inputShape;
  thunk->resultShape = resultShape;
  thunk->rowLength = resultShape.empty() ? 1 : resultShape.back();
  thunk->isInitIdentity = isInitIdentity;
  std::vector<BufferId> reads = thunk->inputs;
  reads.insert(reads.end(), thunk->inits.begin(), thunk->inits.end());
  reads.insert(reads.end(), reduction->region.captured.begin(), reduction->region.captured.end());
  thunk->reduction = std::move(*reduction);
  thunk->scratch = lowering.scratch(thunk->reduction.scratchBytes(thunk->rowLength));
  thunk->results = lowering.define(op.getResults());
  std::vector<BufferId> writes = thunk->results;
  writes.push_back(thunk->scratch);
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::SelectAndScatterOp op) {
  TensorType type = *tensorTypeOf(op.getOperand().getType());
  TensorType resultType = *tensorTypeOf(op.getType());
  if (resultType.type != type.type)
    return op.emitOpError() << "turns elements of " << op.getOperand().getType() << " into "
                            << op.getType() << "; different element types are not supported";
  mlir::FailureOr<Reduction> scatter = describeReduction(lowering, op.getScatter(), type.type);
  mlir::FailureOr<RegionCode> select = lowerRegion(lowering, op.getSelect());
  if (mlir::failed(scatter) || mlir::failed(select))
    return mlir::failure();
  auto thunk = std::make_unique<SelectScatterThunk>();
  thunk->operandType = type.type;
  thunk->operandShape = type.shape;
  thunk->sourceShape = tensorTypeOf(op.getSource().getType())->shape;
  thunk->window = WindowSpec(type.shape.size(), op.getWindowDimensions(), op.getWindowStrides(),
                             std::nullopt, std::nullopt, op.getPadding());
  mlir::Block &selectBlock = op.getSelect().front();
  if (auto compare = llvm::dyn_cast<stablehlo::CompareOp>(selectBlock.front());
      compare && llvm::hasNItems(selectBlock, 2) &&
      compare->getOperands() == mlir::ValueRange(selectBlock.getArguments())) {
    ElementInstruction instruction = *elementInstructionOf(*compare);
    thunk->selectKernel = findElementKernel(instruction.op, instruction.from, instruction.to);
  }
  thunk->operand = lowering.bufferOf(op.getOperand());
  thunk->source = lowering.bufferOf(op.getSource());
  thunk->init = lowering.bufferOf(op.getInitValue());
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
