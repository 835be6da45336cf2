// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From ops to thunks, one function at a time. Not seen outside of this folder.

#pragma once

#include "shardwise/execute/MemoryProfile.h"
#include "shardwise/execute/Program.h"
#include "shardwise/execute/lower/BufferPlan.h"
#include "shardwise/execute/lower/ElementTypes.h"
#include "shardwise/execute/lower/ElementwiseGroup.h"
#include "shardwise/execute/sharing/PlanWork.h"
#include "shardwise/execute/thunks/Thunk.h"

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/SymbolTable.h>

#include <map>
#include <utility>

namespace shardwise::execute {

class CollectiveThunk;

/// How collectives overlap with other work.
struct Overlap {
  /// Whether they are started and waited for, at the earliest use of their results.
  bool isAllowed = false;
  /// Over how many ops may be moved (OpOrder.h); 0: the order is that of the program.
  int64_t window = 0;
};

/// The functions of a module, each compiled at most once.
class ModuleLowering {
public:
  /// With `profile`, it gets the memory of the entry function, and ops that nothing is known of are
  /// no failure.
  explicit ModuleLowering(mlir::ModuleOp module, MemoryProfile *profile = nullptr);

  /// Returns what a device needs for `entry`, which became `compiled`.
  MemoryUse memoryOf(mlir::func::FuncOp entry, const CompiledFunction &compiled) const;
  /// Returns the compiled form of `function`. Fails on recursion.
  mlir::FailureOr<const CompiledFunction *>
  compiledFunction(mlir::func::FuncOp function, mlir::Operation &user, const Sharing &sharing = {});
  /// Whether a call of `function` is better expanded in place: it has one call site or is short.
  bool shouldInline(mlir::func::FuncOp function) const;
  bool hasOneCallSite(mlir::func::FuncOp function) const { return callSites.lookup(function) == 1; }

  mlir::ModuleOp module;
  mlir::SymbolTableCollection symbols;
  std::vector<std::unique_ptr<CompiledFunction>> functions;
  MemoryProfile *profile = nullptr;
  int64_t tableBytes = 0; ///< What thunks compute at their first run, beside their buffers.
  WorkPlan work;          ///< Of the function that was compiled with the classes of its arguments.
  Overlapping overlapping = Overlapping::Allowed; ///< Of the entry function.

private:
  /// Lowers `function` into a new compiled function, which is not kept.
  mlir::FailureOr<std::unique_ptr<CompiledFunction>>
  lowered(mlir::func::FuncOp function, const Sharing &sharing, const Overlap &overlap);
  /// Replaces what the entry became without overlaps by what overlaps and takes no more memory, if
  /// there is such.
  mlir::LogicalResult overlap(mlir::func::FuncOp entry, const Sharing &sharing,
                              std::unique_ptr<CompiledFunction> &target);

  llvm::DenseMap<mlir::Operation *, int64_t> callSites;
  llvm::DenseMap<mlir::Operation *, CompiledFunction *> compiled;
  llvm::DenseSet<mlir::Operation *> inProgress;
};

/// Translates one function. Ops ask it for the buffers of their operands and results and emit
/// thunks; element-wise ops are held back in groups until someone needs their values.
class FunctionLowering {
public:
  FunctionLowering(ModuleLowering &module, CompiledFunction &result, const Overlap &overlap = {})
      : module(module), result(result), overlap(overlap) {}

  /// With `sharing`, plans what ranks share in `work`.
  mlir::LogicalResult lower(mlir::func::FuncOp function, const Sharing &sharing, WorkPlan &work);

  // For the ops.

  /// Returns the buffer of `value`, emitting what is needed to have it.
  BufferId bufferOf(mlir::Value value);
  std::vector<BufferId> buffersOf(mlir::ValueRange values);
  /// Gives `value` a new buffer.
  BufferId define(mlir::Value value);
  std::vector<BufferId> define(mlir::ValueRange values);
  /// Returns a buffer with the elements of `value` converted to `type`: its own if that is its
  /// type.
  BufferId bufferAs(mlir::Value value, DataType type);
  /// For ops that compute `value` in `type`: the buffer to compute it in. After the op's thunk,
  /// `finishAs` converts what it holds to the type of `value`.
  BufferId defineAs(mlir::Value value, DataType type);
  void finishAs(mlir::Value value, BufferId buffer, DataType type);
  /// Makes `value` another name of `source`: same bytes in the same order.
  void forward(mlir::Value value, mlir::Value source);
  void bind(mlir::Value value, BufferId buffer) {
    buffers[value] = buffer;
    if (module.profile)
      named.emplace_back(buffer, value);
  }
  /// Returns the element that `value` holds everywhere, if that is a constant.
  std::optional<std::vector<std::byte>> splatOf(mlir::Value value) const;
  /// A buffer used by the next thunk alone.
  BufferId scratch(int64_t bytes) { return plan.addTemporary(bytes); }

  /// Appends a thunk; returns its position. Both lists count as uses at that position.
  int64_t emit(std::unique_ptr<Thunk> thunk, llvm::ArrayRef<BufferId> reads,
               llvm::ArrayRef<BufferId> writes);

  /// Appends a collective. If it may overlap, this is its start: it is waited for where one of
  /// `writes` is first asked for. `inPlace`: results that may take the place of operands.
  void emitCollective(std::unique_ptr<CollectiveThunk> thunk, llvm::ArrayRef<BufferId> reads,
                      llvm::ArrayRef<BufferId> writes,
                      llvm::ArrayRef<std::pair<BufferId, BufferId>> inPlace = {});

  /// Lowers the ops of `block` into a sequence of its own. Calls `begin`, if there is one, before
  /// them, and `finish` behind them with the buffers that the terminator returns; what these emit
  /// goes into the same sequence.
  mlir::LogicalResult lowerBlock(mlir::Block &block, Sequence &sequence,
                                 llvm::function_ref<void(const std::vector<BufferId> &)> finish,
                                 llvm::function_ref<void()> begin = {});
  /// Emits all groups that are held back.
  void flushAll();
  /// The same, and waits for all collectives: before loops, branches and calls.
  void finishAll();

  BufferPlan &bufferPlan() { return plan; }
  ModuleLowering &moduleLowering() { return module; }

private:
  friend class GroupEmitter;

  /// A collective that has been emitted and not waited for.
  struct InFlight {
    CollectiveThunk *thunk = nullptr;
    mlir::Operation *op = nullptr;
    size_t inSequence = 0, inEmitted = 0; ///< Where it is.
    int64_t at = 0;
    std::vector<BufferId> reads, writes;
    std::vector<std::pair<BufferId, BufferId>> inPlace;
  };

  /// Tells what `thunk` is made of, for profiles.
  void noteThunk(const Thunk &thunk, llvm::ArrayRef<BufferId> reads,
                 llvm::ArrayRef<BufferId> writes) const;
  /// Waits for the collective that writes `buffer`, if it is in flight.
  void settle(BufferId buffer);
  void settle(InFlight one);
  mlir::LogicalResult lowerOps(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation &op);
  mlir::LogicalResult lowerKnownOp(mlir::Operation &op);
  mlir::LogicalResult lowerUnknownOp(mlir::Operation &op);
  void writeProfile();
  mlir::LogicalResult lowerTupleElement(stablehlo::GetTupleElementOp op);
  mlir::LogicalResult lowerCall(mlir::Operation &op, mlir::SymbolRefAttr callee);
  mlir::LogicalResult inlineCall(mlir::Operation &op, mlir::func::FuncOp callee);
  /// Lowers the block of an op that only groups others, in place.
  mlir::LogicalResult inlineRegion(mlir::Operation &op);
  bool tryForward(mlir::Operation &op);
  bool tryDefer(mlir::Operation &op);

  mlir::Value resolve(mlir::Value value) const;
  mlir::LogicalResult addToGroup(mlir::Operation &op, const ElementInstruction &instruction);
  void flush(int64_t count);
  /// Emits the group that makes `value`, if it is held back.
  void flushMakerOf(mlir::Value value);
  /// Emits constant, iota or broadcast ops that were put off.
  BufferId materialise(mlir::Value value, mlir::Operation &op);

  ModuleLowering &module;
  CompiledFunction &result;
  Overlap overlap;
  BufferPlan plan;
  Sequence *sequence = nullptr;
  std::vector<EmittedThunk> emitted; ///< In the order of their positions.
  std::vector<InFlight> inFlight;    ///< The oldest first.
  llvm::DenseMap<mlir::Value, BufferId> buffers;
  llvm::DenseMap<mlir::Value, mlir::Value> forwarded;
  /// Cheap ops whose values are made where they are used.
  llvm::DenseMap<mlir::Value, mlir::Operation *> deferred;
  /// Values materialised in the block that is being lowered but defined outside of it.
  std::vector<mlir::Value> *scopeValues = nullptr;
  /// Held-back ops by number of elements, and the group of each of their results.
  std::map<int64_t, ElementwiseGroup> groups;
  llvm::DenseMap<mlir::Value, int64_t> groupOf;
  llvm::DenseSet<mlir::Operation *> expanding;
  /// For a profile: the op that is being lowered, that of each step, and which values buffers have.
  mlir::Operation *current = nullptr;
  std::vector<mlir::Operation *> steps;
  std::vector<std::pair<BufferId, mlir::Value>> named;
};

// The op families. Each emits the thunks of one op or fails with a diagnostic at it.
using mlir::LogicalResult;

LogicalResult lower(FunctionLowering &lowering, stablehlo::BitcastConvertOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::TransposeOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::ReverseOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::SliceOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::PadOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::ConcatenateOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::DynamicSliceOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::DynamicUpdateSliceOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::DotGeneralOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::DotOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::ConvolutionOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::GatherOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::ScatterOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::ReduceOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::ReduceWindowOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::SelectAndScatterOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::SortOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::MapOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::WhileOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::CaseOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::IfOp op);
LogicalResult lower(FunctionLowering &lowering, chlo::ScanOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::RngBitGeneratorOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::CholeskyOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::TriangularSolveOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::FftOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::BatchNormInferenceOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::BatchNormTrainingOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::BatchNormGradOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::AllReduceOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::AllGatherOp op);
/// Returns the slice that is all that is used of `result`, one of `op`, and keeps the first
/// elements of what is gathered: shards that do not divide end in padding. Null if there is none.
/// The collective makes the slice, then.
stablehlo::SliceOp onlyFrontOf(stablehlo::AllGatherOp op, mlir::Value result);
LogicalResult lower(FunctionLowering &lowering, stablehlo::ReduceScatterOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::AllToAllOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::CollectivePermuteOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::CollectiveBroadcastOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::PartitionIdOp op);
LogicalResult lower(FunctionLowering &lowering, stablehlo::ReplicaIdOp op);

/// top_k of `operand` into two results, also for the custom call of that name.
LogicalResult lowerTopK(FunctionLowering &lowering, mlir::Operation &op);
LogicalResult lowerRaggedDot(FunctionLowering &lowering, chlo::RaggedDotOp op);
/// A custom call of a LAPACK routine; none if it is not one of those that are known.
std::optional<LogicalResult> lowerLapack(FunctionLowering &lowering, stablehlo::CustomCallOp op);
/// A custom call @ragged_all_to_all; none if it is another one.
std::optional<LogicalResult> lowerRaggedAllToAll(FunctionLowering &lowering,
                                                 stablehlo::CustomCallOp op);

} // namespace shardwise::execute
