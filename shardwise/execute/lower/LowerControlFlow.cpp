// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// while, scan, case and if: sequences inside of a thunk. Their values live in the same frame.
//
// A loop of state (%a, %b):
//
//     move     state <- operands            made in place of operands that die here
//     while    condition: ... predicate
//              body: ...; move state <- returned     left out where the body can write the state
//
// The states are buffers of their own for the whole loop: the condition reads them again after the
// body. The results of the loop are the states.
//
// The steps of a scan are a loop whose states are the carries. The body begins with copies of the
// slices of the inputs, and before the moves are copies of its slices into the outputs.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/ControlFlowThunks.h"
#include "shardwise/execute/thunks/DataMovementThunks.h"

#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

#include <set>

namespace shardwise::execute {
namespace {

/// Returns "file:line:column" where there is one, else the location as MLIR writes it.
std::string placeOf(mlir::Location location) {
  if (auto file = location->findInstanceOf<mlir::FileLineColLoc>())
    return fmt::format("{}:{}:{}", file.getFilename().getValue().str(), file.getLine(),
                       file.getColumn());
  std::string text;
  llvm::raw_string_ostream(text) << location;
  return text;
}

int64_t bytesOf(mlir::Value value) {
  return typeOf(value).bytes();
}

/// Emits copies of `inits` into new buffers, the state of a loop, and returns these. `others` are
/// buffers that the loop fills bit by bit, which have to be there before it.
std::vector<BufferId> emitStates(FunctionLowering &lowering, mlir::ValueRange inits,
                                 llvm::ArrayRef<BufferId> others = {}) {
  BufferPlan &plan = lowering.bufferPlan();
  std::vector<BufferId> sources = lowering.buffersOf(inits);
  std::vector<BufferId> states;
  std::vector<MoveThunk::Move> moves;
  for (auto [value, source] : llvm::zip(inits, sources)) {
    states.push_back(plan.addTemporary(bytesOf(value)));
    moves.push_back({source, states.back(), bytesOf(value)});
  }
  std::vector<BufferId> writes = states;
  writes.insert(writes.end(), others.begin(), others.end());
  int64_t at = lowering.emit(std::make_unique<MoveThunk>(std::move(moves), -1), sources, writes);
  // Of several states with one start value, none may take its place.
  std::multiset<BufferId> sourceSet(sources.begin(), sources.end());
  for (auto [state, source] : llvm::zip(states, sources))
    if (sourceSet.count(source) == 1)
      plan.mayReplace(state, source, at);
  return states;
}

/// Emits the hand-over of a loop body's results to the loop's state. `begin` is the position at
/// which the body began.
void emitStateMoves(FunctionLowering &lowering, const std::vector<BufferId> &sources,
                    const std::vector<BufferId> &states, mlir::ValueRange values, int64_t begin) {
  BufferPlan &plan = lowering.bufferPlan();
  std::vector<MoveThunk::Move> moves;
  std::set<BufferId> stateSet(states.begin(), states.end());
  int64_t saved = 0;
  for (size_t i = 0; i < states.size(); ++i) {
    // Without elements there is nothing to move, nor anywhere to save it.
    if (sources[i] == states[i] || bytesOf(values[i]) == 0)
      continue;
    MoveThunk::Move move = {sources[i], states[i], bytesOf(values[i])};
    // A state that goes into another one may be overwritten before it is read: (%a, %b) to (%b, %a)
    // is a swap.
    if (stateSet.count(sources[i]) != 0) {
      move.savedAt = saved;
      saved += move.bytes;
    }
    moves.push_back(move);
  }
  if (moves.empty())
    return;
  int64_t at = plan.currentPosition();
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
  for (const MoveThunk::Move &move : moves) {
    // Recorded before the merges are offered: a state that is the source of another move is read
    // until here. The writes come with `emit`, so that they do not count as readers of an old
    // state.
    plan.use(move.source, at);
    reads.push_back(move.source);
    writes.push_back(move.target);
  }
  // Only now is known how long the body reads each old state.
  for (const MoveThunk::Move &move : moves)
    plan.mayMerge(move.source, move.target, begin, at, plan.lastUse(move.target));
  BufferId scratch = -1;
  if (saved > 0) {
    scratch = lowering.scratch(saved);
    writes.push_back(scratch);
  }
  lowering.emit(std::make_unique<MoveThunk>(std::move(moves), scratch), reads, writes);
}

LogicalResult lowerBranches(FunctionLowering &lowering, mlir::Operation &op,
                            std::unique_ptr<CaseThunk> thunk) {
  lowering.finishAll();
  thunk->index = lowering.bufferOf(op.getOperand(0));
  BufferPlan &plan = lowering.bufferPlan();
  std::vector<BufferId> results;
  for (mlir::Value value : op.getResults())
    results.push_back(plan.addTemporary(bytesOf(value)));
  int64_t first = plan.currentPosition();
  for (mlir::Region &region : op.getRegions()) {
    int64_t begin = plan.currentPosition();
    auto finish = [&](const std::vector<BufferId> &sources) {
      std::vector<MoveThunk::Move> moves;
      int64_t at = plan.currentPosition();
      for (size_t i = 0; i < results.size(); ++i) {
        moves.push_back({sources[i], results[i], bytesOf(op.getResult(i))});
        plan.handOn(sources[i], results[i], first, begin, at);
      }
      if (!moves.empty())
        lowering.emit(std::make_unique<MoveThunk>(std::move(moves), -1), sources, results);
    };
    thunk->branches.emplace_back();
    if (mlir::failed(lowering.lowerBlock(region.front(), thunk->branches.back(), finish)))
      return mlir::failure();
  }
  BufferId index = thunk->index;
  lowering.emit(std::move(thunk), index, results);
  for (auto [value, buffer] : llvm::zip(op.getResults(), results))
    lowering.bind(value, buffer);
  return mlir::success();
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::WhileOp op) {
  lowering.finishAll();
  BufferPlan &plan = lowering.bufferPlan();
  std::vector<BufferId> states = emitStates(lowering, op->getOperands());
  auto thunk = std::make_unique<WhileThunk>();
  thunk->place = placeOf(op.getLoc());
  plan.beginLoop();
  auto bindArguments = [&](mlir::Block &block) {
    for (auto [argument, state] : llvm::zip(block.getArguments(), states))
      lowering.bind(argument, state);
  };
  auto useAll = [&] {
    int64_t here = plan.nextPosition();
    for (BufferId state : states)
      plan.use(state, here);
  };
  bindArguments(op.getCond().front());
  auto finishCondition = [&](const std::vector<BufferId> &returned) {
    thunk->predicate = returned[0];
    plan.use(returned[0], plan.nextPosition());
  };
  if (mlir::failed(lowering.lowerBlock(op.getCond().front(), thunk->condition, finishCondition)))
    return mlir::failure();
  // Whatever the regions read, the state is alive from here to the end of the loop.
  useAll();
  int64_t begin = plan.currentPosition();
  bindArguments(op.getBody().front());
  auto finishBody = [&](const std::vector<BufferId> &returned) {
    emitStateMoves(lowering, returned, states, op->getOperands(), begin);
  };
  if (mlir::failed(lowering.lowerBlock(op.getBody().front(), thunk->body, finishBody)))
    return mlir::failure();
  plan.endLoop();
  lowering.emit(std::move(thunk), {}, states);
  for (auto [value, state] : llvm::zip(op->getResults(), states))
    lowering.bind(value, state);
  return mlir::success();
}

namespace {

/// Emits the copies between the tensors of a scan and the slices at the index that is in a buffer.
class ScanSlices {
public:
  ScanSlices(FunctionLowering &lowering, chlo::ScanOp op, BufferId index)
      : lowering(lowering), index(index), dim(static_cast<int64_t>(op.getDimension())),
        numSteps(op.getNumSteps()) {}

  /// Defines `slice` as that of `whole`, which is in `source`.
  void take(mlir::Value whole, BufferId source, mlir::Value slice) const {
    TensorType type = typeOf(slice);
    int64_t elementBytes = runtime::byteSize(type.type);
    StridedCopy copy(elementBytes, type.shape, stridesIn(whole), rowMajorStrides(type.shape));
    BufferId target = lowering.define(slice);
    BufferId reads[] = {source, index};
    lowering.emit(std::make_unique<DynamicSliceThunk>(source, target, startIn(whole),
                                                      std::move(copy), elementBytes),
                  reads, target);
  }

  /// Writes `slice` into `whole`, which is in `target`.
  void put(mlir::Value whole, BufferId target, BufferId slice) const {
    std::vector<int64_t> shape = typeOf(whole).shape;
    shape.erase(shape.begin() + dim);
    int64_t elementBytes = runtime::byteSize(typeOf(whole).type);
    StridedCopy copy(elementBytes, shape, rowMajorStrides(shape), stridesIn(whole));
    BufferId reads[] = {target, slice, index};
    lowering.emit(std::make_unique<DynamicUpdateThunk>(target, slice, target, startIn(whole),
                                                       std::move(copy), elementBytes,
                                                       bytesOf(whole)),
                  reads, target);
  }

private:
  DynamicStart startIn(mlir::Value whole) const {
    return {{index}, DataType::I64, {rowMajorStrides(typeOf(whole).shape)[dim]}, {numSteps - 1}};
  }
  std::vector<int64_t> stridesIn(mlir::Value whole) const {
    std::vector<int64_t> strides = rowMajorStrides(typeOf(whole).shape);
    strides.erase(strides.begin() + dim);
    return strides;
  }

  FunctionLowering &lowering;
  BufferId index;
  int64_t dim, numSteps;
};

} // namespace

LogicalResult lower(FunctionLowering &lowering, chlo::ScanOp op) {
  lowering.finishAll();
  BufferPlan &plan = lowering.bufferPlan();
  mlir::Block &block = op.getBody().front();
  auto thunk = std::make_unique<CountedLoopThunk>();
  thunk->count = op.getNumSteps();
  thunk->isReverse = op.getIsReverse();
  thunk->index = plan.addTemporary(sizeof(int64_t));
  ScanSlices slices(lowering, op, thunk->index);
  std::vector<BufferId> inputs = lowering.buffersOf(op.getInputs());
  std::vector<BufferId> outputs = lowering.define(op.getOutputs());
  std::vector<BufferId> filled = outputs;
  filled.push_back(thunk->index);
  std::vector<BufferId> states = emitStates(lowering, op.getInits(), filled);
  mlir::ValueRange carries = block.getArguments().drop_front(inputs.size());
  for (auto [carry, state] : llvm::zip(carries, states))
    lowering.bind(carry, state);

  plan.beginLoop();
  int64_t begin = plan.currentPosition();
  auto takeSlices = [&] {
    for (auto [argument, input, source] : llvm::zip(block.getArguments(), op.getInputs(), inputs))
      slices.take(input, source, argument);
  };
  auto finishStep = [&](const std::vector<BufferId> &returned) {
    for (auto [output, target, slice] : llvm::zip(op.getOutputs(), outputs, returned))
      slices.put(output, target, slice);
    std::vector<BufferId> next(returned.begin() + static_cast<int64_t>(outputs.size()),
                               returned.end());
    emitStateMoves(lowering, next, states, op.getInits(), begin);
  };
  if (mlir::failed(lowering.lowerBlock(block, thunk->body, finishStep, takeSlices)))
    return mlir::failure();
  // A state that no step reads is alive all the same.
  int64_t here = plan.nextPosition();
  for (BufferId state : states)
    plan.use(state, here);
  plan.endLoop();
  lowering.emit(std::move(thunk), {}, states);
  for (auto [value, state] : llvm::zip(op.getCarries(), states))
    lowering.bind(value, state);
  return mlir::success();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::CaseOp op) {
  return lowerBranches(lowering, *op, std::make_unique<CaseThunk>());
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::IfOp op) {
  auto thunk = std::make_unique<CaseThunk>();
  thunk->isPredicate = true;
  return lowerBranches(lowering, *op, std::move(thunk));
}

} // namespace shardwise::execute
