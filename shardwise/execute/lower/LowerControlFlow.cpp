// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// while, case and if: sequences inside of a thunk. Their values live in the same frame.
//
// A loop of state (%a, %b):
//
//     move     state <- operands            made in place of operands that die here
//     while    condition: ... predicate
//              body: ...; move state <- returned     left out where the body can write the state
//
// The states are buffers of their own for the whole loop: the condition reads them again after the
// body. The results of the loop are the states.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/ControlFlowThunks.h"

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

/// Emits the hand-over of a loop body's results to the loop's state. `begin` is the position at
/// which the body began.
void emitStateMoves(FunctionLowering &lowering, const std::vector<BufferId> &sources,
                    const std::vector<BufferId> &states, mlir::ValueRange values, int64_t begin) {
  BufferPlan &plan = lowering.bufferPlan();
  std::vector<MoveThunk::Move> moves;
  std::set<BufferId> stateSet(states.begin(), states.end());
  int64_t saved = 0;
  for (size_t i = 0; i < states.size(); ++i) {
    if (sources[i] == states[i])
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
  lowering.flushAll();
  thunk->index = lowering.bufferOf(op.getOperand(0));
  BufferPlan &plan = lowering.bufferPlan();
  std::vector<BufferId> results;
  for (mlir::Value value : op.getResults())
    results.push_back(plan.addTemporary(bytesOf(value)));
  for (mlir::Region &region : op.getRegions()) {
    int64_t begin = plan.currentPosition();
    auto finish = [&](const std::vector<BufferId> &sources) {
      std::vector<MoveThunk::Move> moves;
      int64_t at = plan.currentPosition();
      for (size_t i = 0; i < results.size(); ++i) {
        moves.push_back({sources[i], results[i], bytesOf(op.getResult(i))});
        // No old value: nobody reads a result before a branch has written it.
        plan.mayMerge(sources[i], results[i], begin, at, /*targetLast=*/-1);
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
  lowering.flushAll();
  BufferPlan &plan = lowering.bufferPlan();
  std::vector<BufferId> inits = lowering.buffersOf(op->getOperands());
  std::vector<BufferId> states;
  std::vector<MoveThunk::Move> moves;
  for (auto [value, init] : llvm::zip(op->getOperands(), inits)) {
    states.push_back(plan.addTemporary(bytesOf(value)));
    moves.push_back({init, states.back(), bytesOf(value)});
  }
  int64_t at = lowering.emit(std::make_unique<MoveThunk>(std::move(moves), -1), inits, states);
  // Of several states with one start value, none may take its place.
  std::multiset<BufferId> initSet(inits.begin(), inits.end());
  for (auto [state, init] : llvm::zip(states, inits))
    if (initSet.count(init) == 1)
      plan.mayReplace(state, init, at);

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

LogicalResult lower(FunctionLowering &lowering, stablehlo::CaseOp op) {
  return lowerBranches(lowering, *op, std::make_unique<CaseThunk>());
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::IfOp op) {
  auto thunk = std::make_unique<CaseThunk>();
  thunk->isPredicate = true;
  return lowerBranches(lowering, *op, std::move(thunk));
}

} // namespace shardwise::execute
