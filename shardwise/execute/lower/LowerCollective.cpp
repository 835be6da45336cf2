// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives: groups, strategies and folds from attributes and regions. What depends on the number
// of ranks stays for the thunks; here is checked what the attributes alone can say.
//
// A reduction by one known op goes to the runtime's reducer, any other region becomes block code.
// Operands are read in the types of the results, which is where StableHLO lets a reduction promote
// its elements. Example: all_reduce of tensor<8xbf16> to tensor<8xf32> converts to f32 first, and
// then sums in f32.
//
// An output may take the place of an operand if nobody reads the operand once that is written to:
//   1. no later op; the buffer plan sees to that (`mayReplace`);
//   2. not this op by another name: in all_reduce(%a, %a) neither result may;
//   3. no other rank. Of an all_reduce one rank alone reads an element, or all are done when the
//      first writes; the others read operands until they end (runtime/Collectives.h). The initial
//      rows of a ragged_all_to_all are read by nobody else.

#include "shardwise/dialect/extensions/ProcessGroups.h"
#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/RaggedAllToAll.h"
#include "shardwise/execute/lower/ElementOps.h"
#include "shardwise/execute/lower/LowerRegion.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/CollectiveThunks.h"

#include <mlir/IR/Diagnostics.h>

namespace shardwise::execute {
namespace {

using core::GroupStrategy;

/// Returns how the region of `op` combines elements of `type`. Fails with a diagnostic if kernels
/// do not know its ops, or if it takes or gives another type.
mlir::FailureOr<CollectiveFold> foldOf(FunctionLowering &lowering, mlir::Operation &op,
                                       mlir::Region &region, DataType type) {
  if (std::optional<core::ReductionKind> kind = soleReductionOf(region)) {
    Result<runtime::Reducer> reducer = runtime::makeReducer(*kind, type);
    if (!reducer)
      return op.emitOpError() << reducer.error().message;
    return CollectiveFold(std::move(*reducer));
  }
  mlir::FailureOr<RegionCode> code = lowerRegion(lowering, region);
  if (mlir::failed(code))
    return mlir::failure();
  bool isOneType = code->arguments.size() == 2 && code->results.size() == 1 &&
                   code->argumentType(0) == type && code->argumentType(1) == type &&
                   code->resultType(0) == type;
  if (!isOneType)
    return op.emitOpError() << "has a reduction region that takes or gives other types than "
                            << runtime::toString(type).data()
                            << ", which is not supported; expected two scalars of that type to one";
  return CollectiveFold(std::move(*code));
}

template <class Op> int64_t channelOf(Op op) {
  auto channel = op.getChannelHandle();
  return channel ? channel->getHandle() : 0;
}

/// Fills in groups and parts, and emits the thunk, which defines `results`: those of the op, or
/// what stands for them. Operands are read in the types of these.
LogicalResult finish(FunctionLowering &lowering, mlir::Operation &op, mlir::ValueRange results,
                     mlir::Attribute groups, GroupStrategy strategy,
                     std::unique_ptr<GroupThunk> thunk, bool mayReuseOperand,
                     llvm::ArrayRef<BufferId> captured = {}) {
  mlir::FailureOr<core::ProcessGroups> processGroups =
      extensions::processGroupsOf(op, groups, strategy);
  if (mlir::failed(processGroups))
    return mlir::failure();
  thunk->groups = std::move(*processGroups);
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
  for (auto [operand, result] : llvm::zip(op.getOperands(), results)) {
    TensorType type = typeOf(operand);
    TensorType resultType = typeOf(result);
    reads.push_back(lowering.bufferAs(operand, resultType.type));
    type.type = resultType.type;
    thunk->parts.push_back({reads.back(), -1, type, resultType});
  }
  for (auto [part, result] : llvm::zip(thunk->parts, results)) {
    part.output = lowering.define(result);
    writes.push_back(part.output);
  }
  // Buffers that the region captures are read by the op as well.
  std::vector<BufferId> all = reads;
  all.insert(all.end(), captured.begin(), captured.end());
  std::vector<std::pair<BufferId, BufferId>> inPlace;
  if (mayReuseOperand)
    for (auto [read, write] : llvm::zip(reads, writes))
      if (llvm::count(all, read) == 1)
        inPlace.emplace_back(write, read);
  lowering.emitCollective(std::move(thunk), all, writes, inPlace);
  return mlir::success();
}

LogicalResult finish(FunctionLowering &lowering, mlir::Operation &op, mlir::Attribute groups,
                     GroupStrategy strategy, std::unique_ptr<GroupThunk> thunk,
                     bool mayReuseOperand, llvm::ArrayRef<BufferId> captured = {}) {
  return finish(lowering, op, op.getResults(), groups, strategy, std::move(thunk), mayReuseOperand,
                captured);
}

template <class Op>
GroupStrategy strategyOf(FunctionLowering &lowering, Op op, bool isReducing, bool useGlobalIds) {
  return extensions::groupStrategy(lowering.moduleLowering().module, channelOf(op), isReducing,
                                   useGlobalIds);
}

template <class Op> LogicalResult lowerId(FunctionLowering &lowering, Op op, bool isPartition) {
  auto thunk = std::make_unique<IdThunk>();
  thunk->grid = extensions::processGridOf(lowering.moduleLowering().module);
  thunk->isPartition = isPartition;
  BufferId output = thunk->output = lowering.define(op.getResult());
  lowering.emit(std::move(thunk), {}, output);
  return mlir::success();
}

} // namespace

// Example: 10 elements in shards of 3 on 4 devices are gathered to 12, of which a slice [0:10] is
// all that is used. Gathered to its place, the slice costs no copy and no buffer of 12. In another
// block, as in a branch, it may not run at all, so it stays an op there.
stablehlo::SliceOp onlyFrontOf(stablehlo::AllGatherOp op, mlir::Value result) {
  if (!result.hasOneUse())
    return {};
  auto slice = llvm::dyn_cast<stablehlo::SliceOp>(*result.user_begin());
  if (!slice || slice->getBlock() != op->getBlock())
    return {};
  auto dim = static_cast<size_t>(op.getAllGatherDim());
  std::vector<int64_t> shape = typeOf(result).shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    bool isAll = slice.getLimitIndices()[i] == shape[i] || i == dim;
    if (slice.getStartIndices()[i] != 0 || slice.getStrides()[i] != 1 || !isAll)
      return {};
  }
  return slice;
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::AllGatherOp op) {
  auto thunk = std::make_unique<AllGatherThunk>();
  thunk->dim = static_cast<int64_t>(op.getAllGatherDim());
  llvm::SmallVector<mlir::Value> kept;
  for (mlir::Value result : op->getResults()) {
    thunk->gathered.push_back(typeOf(result).shape[thunk->dim]);
    // Where there is one, `result` gets no buffer; LowerShape.cpp then passes the slice over.
    stablehlo::SliceOp front = onlyFrontOf(op, result);
    kept.push_back(front ? front->getResult(0) : result);
  }
  return finish(lowering, *op, kept, op.getReplicaGroups(),
                strategyOf(lowering, op, true, op.getUseGlobalDeviceIds()), std::move(thunk),
                false);
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::AllReduceOp op) {
  // One region serves all operands, so the results have one element type.
  auto type = typeOf(op->getResult(0)).type;
  mlir::FailureOr<CollectiveFold> fold = foldOf(lowering, *op, op.getComputation(), type);
  if (mlir::failed(fold))
    return mlir::failure();
  for (mlir::Value result : op->getResults())
    if (typeOf(result).type != type)
      return op.emitOpError() << "has results of different element types; expected one, as one "
                                 "region makes them";
  auto thunk = std::make_unique<AllReduceThunk>();
  std::vector<BufferId> captured = fold->captured();
  thunk->fold = std::move(*fold);
  return finish(lowering, *op, op.getReplicaGroups(),
                strategyOf(lowering, op, true, op.getUseGlobalDeviceIds()), std::move(thunk), true,
                captured);
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::ReduceScatterOp op) {
  auto type = typeOf(op->getResult(0)).type;
  mlir::FailureOr<CollectiveFold> fold = foldOf(lowering, *op, op.getComputation(), type);
  if (mlir::failed(fold))
    return mlir::failure();
  auto thunk = std::make_unique<ReduceScatterThunk>();
  std::vector<BufferId> captured = fold->captured();
  thunk->fold = std::move(*fold);
  thunk->dim = static_cast<int64_t>(op.getScatterDimension());
  return finish(lowering, *op, op.getReplicaGroups(),
                strategyOf(lowering, op, true, op.getUseGlobalDeviceIds()), std::move(thunk), false,
                captured);
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::AllToAllOp op) {
  auto thunk = std::make_unique<AllToAllThunk>();
  thunk->splitDim = static_cast<int64_t>(op.getSplitDimension());
  thunk->concatDim = static_cast<int64_t>(op.getConcatDimension());
  thunk->splitCount = static_cast<int64_t>(op.getSplitCount());
  return finish(lowering, *op, op.getReplicaGroups(), strategyOf(lowering, op, false, false),
                std::move(thunk), false);
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::CollectiveBroadcastOp op) {
  if (op.getHasDynamicRoot())
    return op.emitOpError() << "has its root as an operand, which is not supported; expected the "
                               "first process of each group as root";
  return finish(lowering, *op, op.getReplicaGroups(), strategyOf(lowering, op, false, false),
                std::make_unique<CollectiveBroadcastThunk>(), false);
}

std::optional<LogicalResult> lowerRaggedAllToAll(FunctionLowering &lowering,
                                                 stablehlo::CustomCallOp op) {
  using Operand = stablehlo::RaggedOperand;
  if (!stablehlo::isRaggedAllToAll(op))
    return std::nullopt;
  // It is a custom call, which its verifier knows nothing of.
  if (mlir::failed(stablehlo::verifyRaggedAllToAll(op)))
    return mlir::failure();
  auto thunk = std::make_unique<RaggedAllToAllThunk>();
  mlir::FailureOr<core::ProcessGroups> groups = extensions::processGroupsOf(
      *op, stablehlo::replicaGroupsOf(op),
      extensions::groupStrategy(lowering.moduleLowering().module, stablehlo::channelOf(op),
                                /*isReducing=*/false, /*useGlobalIds=*/false));
  if (mlir::failed(groups))
    return mlir::failure();
  thunk->groups = std::move(*groups);
  auto list = [&](unsigned number) {
    return lowering.bufferAs(op->getOperand(number), DataType::I64);
  };
  thunk->inputOffsets = list(Operand::InputOffsets);
  thunk->sendSizes = list(Operand::SendSizes);
  thunk->outputOffsets = list(Operand::OutputOffsets);
  thunk->recvSizes = list(Operand::RecvSizes);
  thunk->numSlices = typeOf(op->getOperand(Operand::InputOffsets)).shape[0];
  BufferId rows = lowering.bufferOf(op->getOperand(Operand::Rows));
  BufferId initial = thunk->initial = lowering.bufferOf(op->getOperand(Operand::Output));
  BufferId output = lowering.define(op->getResult(0));
  thunk->parts.push_back(
      {rows, output, typeOf(op->getOperand(Operand::Rows)), typeOf(op->getResult(0))});
  llvm::SmallVector<BufferId> reads = {
      rows, initial, thunk->inputOffsets, thunk->sendSizes, thunk->outputOffsets, thunk->recvSizes};
  std::vector<std::pair<BufferId, BufferId>> inPlace;
  if (llvm::count(reads, initial) == 1)
    inPlace.emplace_back(output, initial);
  lowering.emitCollective(std::move(thunk), reads, output, inPlace);
  return mlir::success();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::CollectivePermuteOp op) {
  auto thunk = std::make_unique<PermuteThunk>();
  auto pairs = llvm::dyn_cast<mlir::DenseIntElementsAttr>(op.getSourceTargetPairs());
  if (!pairs || pairs.getNumElements() % 2 != 0)
    return op.emitOpError() << "has source_target_pairs " << op.getSourceTargetPairs()
                            << "; expected a list of pairs";
  auto values = pairs.getValues<int64_t>();
  for (int64_t i = 0; i < pairs.getNumElements(); i += 2)
    thunk->pairs.push_back({values[i], values[i + 1]});
  thunk->grid = extensions::processGridOf(lowering.moduleLowering().module);
  thunk->strategy = strategyOf(lowering, op, false, false);
  thunk->bytes = typeOf(op.getOperand()).bytes();
  thunk->input = lowering.bufferOf(op.getOperand());
  thunk->output = lowering.define(op.getResult());
  BufferId input = thunk->input;
  BufferId output = thunk->output;
  lowering.emitCollective(std::move(thunk), input, output);
  return mlir::success();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::PartitionIdOp op) {
  return lowerId(lowering, op, true);
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::ReplicaIdOp op) {
  return lowerId(lowering, op, false);
}

} // namespace shardwise::execute
