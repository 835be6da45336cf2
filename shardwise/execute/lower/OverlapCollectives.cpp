// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives that run while other thunks do. A collective starts where its op is lowered, and its
// results are *in flight*: whoever asks for the buffer of one of them first has the wait emitted
// before. What is asked for at once is no more than a call: nothing is split.
//
//     %s = all_reduce %x      all_reduce start    reads %x, writes %s
//     %y = dot %a, %b         gemm
//     %z = add %s, %y         all_reduce wait     reads %x, writes %s
//                             fused
//
// In the plan of buffers both use all buffers of the collective, so that these live from start to
// wait: operands longer than without the split.
//
// Loops, branches and calls wait for all before they begin, and within them for all that they
// start. So the ranks that run a sequence start and wait in one order, and no thunk is in flight
// twice.
//
// *Memory.* The entry function is lowered without overlaps first. Other forms, those that overlap
// most first, take its place if they need no more memory: neither for a device by itself, which is
// what users are told, nor where ranks share work. So a program never needs more than it did, and
// the figure that is told stays that of the form without overlaps.

#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/execute/ThunkNotes.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/lower/OpOrder.h"
#include "shardwise/execute/thunks/CollectivesInFlight.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/SaveAndRestore.h>

namespace shardwise::execute {

void FunctionLowering::emitCollective(std::unique_ptr<CollectiveThunk> thunk,
                                      llvm::ArrayRef<BufferId> reads,
                                      llvm::ArrayRef<BufferId> writes,
                                      llvm::ArrayRef<std::pair<BufferId, BufferId>> inPlace) {
  // Several meetings, one after the other, have no one start.
  bool isStarted = overlap.isAllowed && thunk->numMeetings() == 1;
  // A rank that waits for others in the middle of a shared run may need a meeting of its own.
  constexpr auto kMostStarted = static_cast<size_t>(runtime::kMostInFlight) - 1;
  if (isStarted && inFlight.size() == kMostStarted) {
    InFlight oldest = std::move(inFlight.front());
    inFlight.erase(inFlight.begin());
    settle(std::move(oldest));
  }
  InFlight one{thunk.get(), current,     sequence->size(), emitted.size(),
               0,           reads.vec(), writes.vec(),     inPlace.vec()};
  one.at = emit(std::move(thunk), reads, writes);
  if (isStarted) {
    inFlight.push_back(std::move(one));
    return;
  }
  for (auto [result, operand] : inPlace)
    plan.mayReplace(result, operand, one.at);
}

void FunctionLowering::settle(BufferId buffer) {
  for (size_t i = 0; i < inFlight.size(); ++i)
    if (llvm::is_contained(inFlight[i].writes, buffer)) {
      InFlight one = std::move(inFlight[i]);
      inFlight.erase(inFlight.begin() + static_cast<int64_t>(i));
      return settle(std::move(one));
    }
}

void FunctionLowering::settle(InFlight one) {
  if (plan.currentPosition() == one.at + 1) {
    for (auto [result, operand] : one.inPlace)
      plan.mayReplace(result, operand, one.at);
    return;
  }
  std::unique_ptr<Thunk> &place = (*sequence)[one.inSequence];
  assert(place.get() == one.thunk && "waits are in the sequence of their start");
  static_cast<void>(place.release());
  auto start = std::make_unique<StartThunk>(std::unique_ptr<CollectiveThunk>(one.thunk));
  const StartThunk &started = *start;
  place = std::move(start);
  emitted[one.inEmitted].thunk = &started;
  llvm::SaveAndRestore scope(current, one.op);
  // It may be asked for by ops that are being fused.
  ThunkNotes *notes = ThunkNotes::ofThread();
  std::vector<mlir::Operation *> fused =
      notes ? notes->takeFused() : std::vector<mlir::Operation *>();
  noteThunk(started, one.reads, one.writes);
  // Operands that something else reads meanwhile stay as they are.
  std::vector<std::pair<BufferId, BufferId>> inPlace;
  for (auto [result, operand] : one.inPlace)
    if (plan.lastUse(operand) == one.at)
      inPlace.emplace_back(result, operand);
  int64_t at = emit(std::make_unique<WaitThunk>(started), one.reads, one.writes);
  for (auto [result, operand] : inPlace)
    plan.mayReplace(result, operand, one.at, at);
  for (mlir::Operation *op : fused)
    notes->addFused(*op);
}

void FunctionLowering::finishAll() {
  flushAll();
  while (!inFlight.empty()) {
    InFlight oldest = std::move(inFlight.front());
    inFlight.erase(inFlight.begin());
    settle(std::move(oldest));
  }
}

mlir::FailureOr<std::unique_ptr<CompiledFunction>>
ModuleLowering::lowered(mlir::func::FuncOp function, const Sharing &sharing,
                        const Overlap &overlap) {
  auto target = std::make_unique<CompiledFunction>();
  if (mlir::failed(FunctionLowering(*this, *target, overlap).lower(function, sharing, work)))
    return mlir::failure();
  return target;
}

mlir::LogicalResult ModuleLowering::overlap(mlir::func::FuncOp entry, const Sharing &sharing,
                                            std::unique_ptr<CompiledFunction> &target) {
  bool hasCollectives = entry
                            .walk([](mlir::Operation *op) {
                              return isOverlappable(*op) ? mlir::WalkResult::interrupt()
                                                         : mlir::WalkResult::advance();
                            })
                            .wasInterrupted();
  // A profile is of the form whose memory is told.
  if (!hasCollectives || profile || overlapping == Overlapping::None)
    return mlir::success();
  constexpr int64_t kWindows[] = {100, 16, 0};
  WorkPlan plainWork = std::move(work);
  int64_t plainTables = tableBytes;
  for (int64_t window : kWindows) {
    mlir::FailureOr<std::unique_ptr<CompiledFunction>> other =
        lowered(entry, sharing, {true, window});
    if (mlir::failed(other))
      return mlir::failure();
    // Both forms have the same tables, of which one is kept.
    tableBytes = plainTables;
    bool fits =
        (*other)->deviceBytes <= target->deviceBytes && (*other)->arenaBytes <= target->arenaBytes;
    if (!fits && overlapping != Overlapping::Always)
      continue;
    (*other)->deviceBytes = target->deviceBytes;
    target = std::move(*other);
    return mlir::success();
  }
  work = std::move(plainWork);
  return mlir::success();
}

} // namespace shardwise::execute
