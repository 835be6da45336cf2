// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives: each thunk finds its group, calls the runtime, and notes what was received.

#include "shardwise/dialect/extensions/ProcessGroups.h"
#include "shardwise/execute/Program.h"
#include "shardwise/execute/lower/CollectiveFold.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/runtime/Collectives.h"

#include <fmt/format.h>
#include <mlir/IR/Diagnostics.h>

#include <cstring>

namespace shardwise::execute {
namespace {

using core::CollectiveKind;
using extensions::GroupStrategy;
using extensions::groupStrategy;
using extensions::ProcessGrid;
using extensions::ProcessGroups;
using runtime::Rank;
using runtime::Traffic;

/// Adds one execution to the record of its kind and axes.
void note(RankContext &context, CollectiveKind kind, const std::string &axes,
          const Traffic &traffic) {
  for (CollectiveRecord &record : context.records)
    if (record.kind == kind && record.axes == axes) {
      ++record.count;
      record.bytesReceived += traffic.receivedBytes;
      return;
    }
  context.records.push_back({kind, axes, 1, traffic.receivedBytes});
}

/// A tensor that takes part in a collective, and where the outcome goes.
struct Part {
  BufferId input = -1, output = -1;
  TensorType type;
  TensorType resultType;

  runtime::InputBuffer inputBuffer(const Frame &frame) const {
    return {frame.at(input), type.shape, runtime::byteSize(type.type)};
  }
};

/// What all collectives over groups share.
class GroupThunk : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    runtime::Communicator &communicator = frame.context().communicator;
    Result<std::vector<Rank>> group = groups.groupOf(communicator.rank(), communicator.size());
    if (!group)
      return Error{group.error().kind, fmt::format("{}: {}", name(), group.error().message)};
    for (const Part &part : parts) {
      Result<Traffic> traffic = exchange(frame, communicator, *group, part);
      if (!traffic)
        return traffic.error();
      note(frame.context(), kind(), groups.axesText(), *traffic);
    }
    return {};
  }

  virtual CollectiveKind kind() const = 0;
  std::string name() const final { return std::string(toString(kind())); }

  ProcessGroups groups;
  std::vector<Part> parts;

protected:
  virtual Result<Traffic> exchange(Frame &frame, runtime::Communicator &communicator,
                                   runtime::RankGroup group, const Part &part) const = 0;

  /// Fails unless dimension `dim` grows or shrinks by the size of the group.
  Result<void> checkSize(int64_t larger, int64_t smaller, size_t groupSize, int64_t dim) const {
    if (larger == smaller * static_cast<int64_t>(groupSize))
      return {};
    return invalid(fmt::format("{}: dimension {} has {} and {} elements, which does not fit a "
                               "group of {} ranks",
                               name(), dim, larger, smaller, groupSize));
  }
};

class AllGatherThunk final : public GroupThunk {
public:
  int64_t dim = 0;
  CollectiveKind kind() const override { return CollectiveKind::AllGather; }

protected:
  Result<Traffic> exchange(Frame &frame, runtime::Communicator &communicator,
                           runtime::RankGroup group, const Part &part) const override {
    if (Result<void> fits =
            checkSize(part.resultType.shape[dim], part.type.shape[dim], group.size(), dim);
        !fits)
      return fits.error();
    return runtime::allGather(communicator, group, part.inputBuffer(frame), dim,
                              frame.at(part.output));
  }
};

class AllReduceThunk final : public GroupThunk {
public:
  CollectiveFold fold;
  CollectiveKind kind() const override { return CollectiveKind::AllReduce; }

protected:
  Result<Traffic> exchange(Frame &frame, runtime::Communicator &communicator,
                           runtime::RankGroup group, const Part &part) const override {
    int64_t count = part.type.bytes() / runtime::byteSize(part.type.type);
    return runtime::allReduce(communicator, group, fold.reducer(frame), frame.at(part.input), count,
                              frame.at(part.output));
  }
};

class ReduceScatterThunk final : public GroupThunk {
public:
  CollectiveFold fold;
  int64_t dim = 0;
  CollectiveKind kind() const override { return CollectiveKind::ReduceScatter; }

protected:
  Result<Traffic> exchange(Frame &frame, runtime::Communicator &communicator,
                           runtime::RankGroup group, const Part &part) const override {
    if (Result<void> fits =
            checkSize(part.type.shape[dim], part.resultType.shape[dim], group.size(), dim);
        !fits)
      return fits.error();
    return runtime::reduceScatter(communicator, group, fold.reducer(frame), part.inputBuffer(frame),
                                  dim, frame.at(part.output));
  }
};

class AllToAllThunk final : public GroupThunk {
public:
  int64_t splitDim = 0, concatDim = 0, splitCount = 1;
  CollectiveKind kind() const override { return CollectiveKind::AllToAll; }

protected:
  Result<Traffic> exchange(Frame &frame, runtime::Communicator &communicator,
                           runtime::RankGroup group, const Part &part) const override {
    if (static_cast<int64_t>(group.size()) != splitCount)
      return invalid(fmt::format("all_to_all: split_count is {}, but the group has {} ranks",
                                 splitCount, group.size()));
    return runtime::allToAll(communicator, group, part.inputBuffer(frame), splitDim, concatDim,
                             frame.at(part.output));
  }
};

/// A rank in no group gets zeros.
class BroadcastThunk final : public GroupThunk {
public:
  Result<void> run(Frame &frame) const override {
    runtime::Communicator &communicator = frame.context().communicator;
    if (!groups.hasGroup(communicator.rank(), communicator.size())) {
      for (const Part &part : parts)
        if (part.type.bytes() > 0)
          std::memset(frame.at(part.output), 0, static_cast<size_t>(part.type.bytes()));
      return {};
    }
    return GroupThunk::run(frame);
  }
  CollectiveKind kind() const override { return CollectiveKind::CollectiveBroadcast; }

protected:
  Result<Traffic> exchange(Frame &frame, runtime::Communicator &communicator,
                           runtime::RankGroup group, const Part &part) const override {
    return runtime::broadcast(communicator, group, frame.at(part.input), part.type.bytes(),
                              frame.at(part.output));
  }
};

/// Pairs of ids become pairs of ranks when the number of ranks is known.
class PermuteThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    runtime::Communicator &communicator = frame.context().communicator;
    Result<int64_t> partitions = grid.numPartitions(communicator.size());
    if (!partitions)
      return Error{partitions.error().kind,
                   fmt::format("collective_permute: {}", partitions.error().message)};
    int64_t replica = communicator.rank() / *partitions;
    int64_t partition = communicator.rank() % *partitions;
    std::vector<runtime::RankPair> mapped;
    for (const runtime::RankPair &pair : pairs) {
      auto rankOf = [&](int64_t id) {
        if (strategy == GroupStrategy::FlattenedIds)
          return id;
        return strategy == GroupStrategy::CrossPartition ? replica * *partitions + id
                                                         : id * *partitions + partition;
      };
      mapped.push_back({rankOf(pair.source), rankOf(pair.target)});
      if (std::max(mapped.back().source, mapped.back().target) >= communicator.size())
        return invalid(fmt::format("collective_permute: the pair ({}, {}) names a rank that is "
                                   "not there: {} ranks run",
                                   pair.source, pair.target, communicator.size()));
    }
    Result<Traffic> traffic =
        runtime::collectivePermute(communicator, mapped, frame.at(input), bytes, frame.at(output));
    if (!traffic)
      return traffic.error();
    note(frame.context(), CollectiveKind::CollectivePermute, "", *traffic);
    return {};
  }
  std::string name() const override { return "collective_permute"; }

  ProcessGrid grid;
  GroupStrategy strategy = GroupStrategy::FlattenedIds;
  std::vector<runtime::RankPair> pairs;
  BufferId input = -1, output = -1;
  int64_t bytes = 0;
};

/// partition_id or replica_id.
class IdThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    runtime::Communicator &communicator = frame.context().communicator;
    Result<int64_t> partitions = grid.numPartitions(communicator.size());
    if (!partitions)
      return partitions.error();
    int64_t id =
        isPartition ? communicator.rank() % *partitions : communicator.rank() / *partitions;
    *frame.as<uint32_t>(output) = static_cast<uint32_t>(id);
    return {};
  }
  std::string name() const override { return isPartition ? "partition_id" : "replica_id"; }

  ProcessGrid grid;
  BufferId output = -1;
  bool isPartition = true;
};

template <class Op> int64_t channelOf(Op op) {
  auto channel = op.getChannelHandle();
  return channel ? channel->getHandle() : 0;
}

/// Fills in groups and parts, and emits the thunk. Operands are read in the types of the results.
LogicalResult finish(FunctionLowering &lowering, mlir::Operation &op, mlir::Attribute groups,
                     GroupStrategy strategy, std::unique_ptr<GroupThunk> thunk,
                     bool mayReuseOperand, llvm::ArrayRef<BufferId> captured = {}) {
  mlir::FailureOr<ProcessGroups> processGroups = ProcessGroups::of(op, groups, strategy);
  if (mlir::failed(processGroups))
    return mlir::failure();
  thunk->groups = std::move(*processGroups);
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
  for (auto [operand, result] : llvm::zip(op.getOperands(), op.getResults())) {
    TensorType type = typeOf(operand);
    TensorType resultType = typeOf(result);
    reads.push_back(lowering.bufferAs(operand, resultType.type));
    type.type = resultType.type;
    thunk->parts.push_back({reads.back(), -1, type, resultType});
  }
  for (auto [part, result] : llvm::zip(thunk->parts, op.getResults())) {
    part.output = lowering.define(result);
    writes.push_back(part.output);
  }
  std::vector<BufferId> all = reads;
  all.insert(all.end(), captured.begin(), captured.end());
  int64_t at = lowering.emit(std::move(thunk), all, writes);
  if (mayReuseOperand)
    for (auto [read, write] : llvm::zip(reads, writes))
      if (llvm::count(all, read) == 1)
        lowering.bufferPlan().mayReplace(write, read, at);
  return mlir::success();
}

template <class Op>
GroupStrategy strategyOf(FunctionLowering &lowering, Op op, bool isReducing, bool useGlobalIds) {
  return groupStrategy(lowering.moduleLowering().module, channelOf(op), isReducing, useGlobalIds);
}

template <class Op> LogicalResult lowerId(FunctionLowering &lowering, Op op, bool isPartition) {
  auto thunk = std::make_unique<IdThunk>();
  thunk->grid = ProcessGrid::of(lowering.moduleLowering().module);
  thunk->isPartition = isPartition;
  BufferId output = thunk->output = lowering.define(op.getResult());
  lowering.emit(std::move(thunk), {}, output);
  return mlir::success();
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::AllGatherOp op) {
  auto thunk = std::make_unique<AllGatherThunk>();
  thunk->dim = static_cast<int64_t>(op.getAllGatherDim());
  return finish(lowering, *op, op.getReplicaGroups(),
                strategyOf(lowering, op, true, op.getUseGlobalDeviceIds()), std::move(thunk),
                false);
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::AllReduceOp op) {
  // One region serves all operands, so the results have one element type.
  auto type = typeOf(op->getResult(0)).type;
  mlir::FailureOr<CollectiveFold> fold =
      CollectiveFold::of(lowering, *op, op.getComputation(), type);
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
  mlir::FailureOr<CollectiveFold> fold =
      CollectiveFold::of(lowering, *op, op.getComputation(), type);
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
                std::make_unique<BroadcastThunk>(), false);
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
  thunk->grid = ProcessGrid::of(lowering.moduleLowering().module);
  thunk->strategy = strategyOf(lowering, op, false, false);
  thunk->bytes = typeOf(op.getOperand()).bytes();
  thunk->input = lowering.bufferOf(op.getOperand());
  thunk->output = lowering.define(op.getResult());
  BufferId input = thunk->input;
  BufferId output = thunk->output;
  lowering.emit(std::move(thunk), input, output);
  return mlir::success();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::PartitionIdOp op) {
  return lowerId(lowering, op, true);
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::ReplicaIdOp op) {
  return lowerId(lowering, op, false);
}

} // namespace shardwise::execute
