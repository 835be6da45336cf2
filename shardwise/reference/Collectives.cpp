// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives, by the definitions of the StableHLO specification. All devices have run the ops
// before, so a collective reads the operands of a whole group at once, and gives each member its
// result. A process is a device of the mesh: one replica, as many partitions as devices. Example,
// an all_gather in groups of mesh <["x"=2, "y"=2]> along "y", {{0, 1}, {2, 3}}:
//   device      0         1         2         3
//   operand     [1]       [2]       [3]       [4]
//   result      [1, 2]    [1, 2]    [3, 4]    [3, 4]
// Groups with the same operands, as those that differ along free axes, share their results.
//
// How an op goes through this file:
//   1. `tryCollective` says whether it is one, and who may run it. Outside of manual computations
//      there is one device, which is a whole group by itself: an all_reduce there is a copy.
//   2. `groupsOf` turns its groups into lists of devices, as the strategy of its ids says, and
//      refuses groups of which a member does not come to the op (DeviceScope::checkMeeting): the
//      partitioned program would wait for it for ever.
//   3. `runOnGroups` collects the operands of each group, in group order, and has `meet` compute.
// Permutes and ragged exchanges have pairs and lists in place of results by group, and go their own
// ways from 2 on.

#include "shardwise/reference/BlockEvaluator.h"

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/dialect/extensions/ProcessGroups.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/RaggedAllToAll.h"
#include "shardwise/reference/Blocks.h"
#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/Reducer.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/Transforms/RegionUtils.h>

#include <map>

namespace shardwise::reference {
namespace {

/// How ids in groups of `op` name processes.
core::GroupStrategy strategyOf(mlir::Operation &op) {
  // Which attributes say it differs by op: three have use_global_device_ids, the others go by
  // whether there is a channel.
  auto of = [](auto typed, bool isReducing, bool usesGlobalIds) {
    auto channel = typed.getChannelHandle();
    return extensions::declaredGroupStrategy(channel ? channel->getHandle() : 0, isReducing,
                                             usesGlobalIds);
  };
  return llvm::TypeSwitch<mlir::Operation *, core::GroupStrategy>(&op)
      .Case<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::ReduceScatterOp>(
          [&](auto typed) { return of(typed, true, typed.getUseGlobalDeviceIds()); })
      .Case<stablehlo::AllToAllOp, stablehlo::CollectiveBroadcastOp,
            stablehlo::CollectivePermuteOp>([&](auto typed) { return of(typed, false, false); })
      .Case<stablehlo::CustomCallOp>([](mlir::Operation *call) { // ragged_all_to_all
        return extensions::declaredGroupStrategy(stablehlo::channelOf(call), false, false);
      });
}

/// Whether no group of `op` has more than one process. Without any, all processes are one group,
/// and there is one process.
bool isAlone(mlir::Operation &op) {
  if (auto permute = llvm::dyn_cast<stablehlo::CollectivePermuteOp>(op))
    return llvm::all_of(permute.getSourceTargetPairs().getValues<int64_t>(),
                        [](int64_t id) { return id == 0; });
  mlir::Attribute groups = stablehlo::replicaGroupsOf(&op);
  if (auto dense = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(groups))
    return dense.empty() || dense.getType().getDimSize(1) == 1;
  auto axes = llvm::dyn_cast_or_null<stablehlo::ReplicaGroupMeshAxesAttr>(groups);
  return axes && axes.getAxes().empty();
}

/// `tensor` with elements of `type`, element by element. A reduction may promote its operands.
HostTensor converted(const HostTensor &tensor, mlir::Type type) {
  HostTensor result = zerosOf(type);
  if (result.type == tensor.type)
    return tensor;
  for (int64_t position = 0, count = result.numElements(); position < count; ++position)
    store(result, position, convert(load(tensor, position), result.type));
  return result;
}

/// Part number `part` along `dim`, of `numParts` equal ones.
HostTensor partOf(const HostTensor &tensor, int64_t dim, size_t part, size_t numParts) {
  int64_t size = tensor.shape[dim] / static_cast<int64_t>(numParts);
  return takeBox(tensor, intervalOf(tensor.shape, dim, static_cast<int64_t>(part) * size, size));
}

HostTensor concatenated(mlir::Type type, Tensors parts, int64_t dim) {
  HostTensor result = zerosOf(type);
  int64_t start = 0;
  for (const HostTensor *part : parts) {
    putBox(result, intervalOf(result.shape, dim, start, part->shape[dim]),
           converted(*part, mlir::cast<mlir::RankedTensorType>(type).clone(part->shape)));
    start += part->shape[dim];
  }
  return result;
}

/// Fails if a dimension of `larger` elements is not one of `smaller` for each of a group.
mlir::LogicalResult checkSize(mlir::Operation &op, int64_t larger, int64_t smaller,
                              size_t groupSize) {
  if (larger == smaller * static_cast<int64_t>(groupSize))
    return mlir::success();
  return op.emitOpError() << "has " << larger << " and " << smaller
                          << " elements in its dimension, which does not fit a group of "
                          << groupSize << " devices";
}

/// What all members get.
mlir::FailureOr<TensorList> gathered(stablehlo::AllGatherOp op, Tensors parts, mlir::Type type) {
  auto dim = static_cast<int64_t>(op.getAllGatherDim());
  int64_t whole = llvm::cast<mlir::RankedTensorType>(type).getDimSize(dim);
  if (mlir::failed(checkSize(*op, whole, parts.front()->shape[dim], parts.size())))
    return mlir::failure();
  return TensorList{shared(concatenated(type, parts, dim))};
}

/// What each member gets: part i of all members, for member i. Example, 2 devices, split and
/// concatenated along dimension 0: [1, 2] and [3, 4] become [1, 3] and [2, 4].
mlir::FailureOr<TensorList> exchanged(stablehlo::AllToAllOp op, Tensors parts, mlir::Type type) {
  if (op.getSplitCount() != parts.size())
    return op.emitOpError() << "has split_count " << op.getSplitCount() << ", but a group of "
                            << parts.size() << " devices";
  TensorList results;
  for (size_t part = 0; part < parts.size(); ++part) {
    std::vector<HostTensor> pieces;
    for (const HostTensor *whole : parts)
      pieces.push_back(
          partOf(*whole, static_cast<int64_t>(op.getSplitDimension()), part, parts.size()));
    llvm::SmallVector<const HostTensor *> all;
    for (const HostTensor &piece : pieces)
      all.push_back(&piece);
    results.push_back(
        shared(concatenated(type, all, static_cast<int64_t>(op.getConcatDimension()))));
  }
  return results;
}

} // namespace

mlir::FailureOr<bool> BlockEvaluator::tryCollective(mlir::Operation &op) {
  auto done = [](mlir::LogicalResult result) -> mlir::FailureOr<bool> {
    if (mlir::failed(result))
      return mlir::failure();
    return true;
  };
  if (llvm::isa<stablehlo::ReplicaIdOp>(op)) {
    define(op.getResult(0), zerosOf(op.getResult(0).getType()));
    return true;
  }
  if (llvm::isa<stablehlo::PartitionIdOp>(op)) {
    PerDevice ids(scope.numDevices);
    for (int64_t device : scope.active)
      ids.set(device, shared(tensorOf(Scalar::ofInteger(DataType::U32, device))));
    values[op.getResult(0)] = std::move(ids);
    return true;
  }
  if (auto reduce = llvm::dyn_cast<sdy::AllReduceOp>(op))
    return scope.computation ? done(runSdyAllReduce(reduce)) : false;
  if (!stablehlo::collectiveKind(&op))
    return false;
  if (!scope.computation && !isAlone(op))
    return op.emitOpError() << "is between several devices, which there are only in an "
                               "sdy.manual_computation; expected groups of one process";
  if (auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op))
    return done(runRaggedAllToAll(call));
  if (op.getNumOperands() != op.getNumResults())
    return op.emitOpError() << "has a root as operand, which is not supported; expected the first "
                               "process of each group as root";
  if (auto permute = llvm::dyn_cast<stablehlo::CollectivePermuteOp>(op))
    return done(runPermute(permute));
  return done(runOnGroups(op));
}

mlir::FailureOr<std::vector<DeviceList>> BlockEvaluator::groupsOf(mlir::Operation &op,
                                                                  DeviceList &alone) {
  mlir::FailureOr<core::ProcessGroups> processGroups = extensions::processGroupsOf(
      op, stablehlo::replicaGroupsOf(&op), strategyOf(op), core::ProcessGrid{1, scope.numDevices});
  if (mlir::failed(processGroups))
    return mlir::failure();
  std::vector<DeviceList> groups;
  std::vector<bool> isMember(scope.numDevices);
  for (int64_t device : scope.active) {
    // Groups do not overlap, so a device that was in one is done.
    if (isMember[device])
      continue;
    // A device in no group gets zeros from a broadcast, by the specification. Of the other ops
    // every process has to be in one.
    bool mayBeAlone = llvm::isa<stablehlo::CollectiveBroadcastOp>(op);
    if (mayBeAlone && !processGroups->hasGroup(device, scope.numDevices)) {
      alone.push_back(device);
      continue;
    }
    Result<DeviceList> group = processGroups->groupOf(device, scope.numDevices);
    if (!group)
      return op.emitOpError() << "has groups that do not fit the devices of the mesh: "
                              << group.error().message;
    if (mlir::failed(scope.checkMeeting(op, *group)))
      return mlir::failure();
    for (int64_t member : *group)
      isMember[member] = true;
    groups.push_back(std::move(*group));
  }
  return groups;
}

mlir::LogicalResult BlockEvaluator::runOnGroups(mlir::Operation &op) {
  DeviceList alone;
  mlir::FailureOr<std::vector<DeviceList>> groups = groupsOf(op, alone);
  if (mlir::failed(groups))
    return mlir::failure();
  llvm::SetVector<mlir::Value> captured;
  mlir::getUsedValuesDefinedAbove(op.getRegions(), captured);
  ValueList results(op.getNumResults(), PerDevice(scope.numDevices));
  // What groups with the same operands gave, by operands and type of the result. Tensors that are
  // equal are one pointer (PerDevice.cpp), so comparing pointers is enough: with 64 devices of
  // which 8 are manual, a sum is computed once and not eight times.
  std::map<std::pair<const void *, std::vector<const RuntimeValue *>>, TensorList> known;
  for (const DeviceList &group : *groups) {
    // What the region of a reduction reads around it is read here.
    here = group.front();
    std::vector<const RuntimeValue *> around;
    for (mlir::Value value : captured) {
      const PerDevice &read = values.find(value)->second;
      if (classesOf(group, &read).size() > 1)
        return op.emitOpError() << "reads a value around its region that differs between the "
                                   "devices of a group, which is not supported; expected one value";
      around.push_back(read.on(here).get());
    }
    for (auto [operand, value, result] : llvm::zip(op.getOperands(), op.getResults(), results)) {
      std::vector<const RuntimeValue *> parts;
      for (int64_t member : group)
        parts.push_back(values.find(operand)->second.on(member).get());
      std::vector<const RuntimeValue *> key = parts;
      llvm::append_range(key, around);
      TensorList &given = known[{value.getType().getAsOpaquePointer(), std::move(key)}];
      if (given.empty()) {
        mlir::FailureOr<TensorList> made = meet(
            op, llvm::SmallVector<const HostTensor *>(parts.begin(), parts.end()), value.getType());
        if (mlir::failed(made))
          return mlir::failure();
        given = std::move(*made);
      }
      for (size_t i = 0; i < group.size(); ++i)
        result.set(group[i], given.size() == 1 ? given[0] : given[i]);
    }
  }
  for (auto [value, result] : llvm::zip(op.getResults(), results)) {
    if (!alone.empty())
      result.take(shared(zerosOf(value.getType())), alone, scope.numDevices);
    result.share(scope.active);
  }
  defineAs(op.getResults(), std::move(results));
  return mlir::success();
}

mlir::FailureOr<TensorList> BlockEvaluator::meet(mlir::Operation &op, Tensors parts,
                                                 mlir::Type type) {
  if (auto gather = llvm::dyn_cast<stablehlo::AllGatherOp>(op))
    return gathered(gather, parts, type);
  if (auto exchange = llvm::dyn_cast<stablehlo::AllToAllOp>(op))
    return exchanged(exchange, parts, type);
  if (llvm::isa<stablehlo::CollectiveBroadcastOp>(op))
    return TensorList{shared(converted(*parts.front(), type))};
  // The others reduce; of one sum each member of a group gets all or a part.
  auto tensorType = llvm::cast<mlir::RankedTensorType>(type);
  auto scatter = llvm::dyn_cast<stablehlo::ReduceScatterOp>(op);
  const std::vector<int64_t> &shape = parts.front()->shape;
  int64_t dim = scatter ? static_cast<int64_t>(scatter.getScatterDimension()) : 0;
  if (scatter && mlir::failed(checkSize(op, shape[dim], tensorType.getDimSize(dim), parts.size())))
    return mlir::failure();
  mlir::FailureOr<HostTensor> folded = fold(op, parts, tensorType.clone(shape));
  if (mlir::failed(folded))
    return mlir::failure();
  TensorList results;
  if (!scatter)
    results.push_back(shared(std::move(*folded)));
  for (size_t part = 0; scatter && part < parts.size(); ++part)
    results.push_back(shared(partOf(*folded, dim, part, parts.size())));
  return results;
}

mlir::FailureOr<HostTensor> BlockEvaluator::fold(mlir::Operation &op, Tensors parts,
                                                 mlir::Type resultType) {
  auto lookup = [&](mlir::Value value) -> const HostTensor * {
    auto found = values.find(value);
    return found == values.end() ? nullptr : found->second.on(here).get();
  };
  mlir::FailureOr<ScalarRegion> region = ScalarRegion::create(op.getRegion(0), lookup);
  if (mlir::failed(region))
    return mlir::failure();
  // In group order, one after the other. The specification leaves the order open; the runtime takes
  // the same, so that integers and most floats agree to the bit.
  HostTensor result = zerosOf(resultType);
  Reducer reducer(*region, /*numInputs=*/1);
  for (int64_t position = 0, count = result.numElements(); position < count; ++position) {
    reducer.startWith(parts.front(), position);
    for (const HostTensor *part : parts.drop_front())
      reducer.add(part, position);
    store(result, position, convert(reducer.values()[0], result.type));
  }
  return result;
}

mlir::LogicalResult BlockEvaluator::runPermute(stablehlo::CollectivePermuteOp op) {
  const PerDevice &operand = values.find(op.getOperand())->second;
  mlir::Type type = op.getResult().getType();
  // By target; with an id of a replica every process would be named by 0.
  PerDevice result(scope.numDevices);
  result.take(shared(zerosOf(type)), scope.active, scope.numDevices);
  auto ids = op.getSourceTargetPairs().getValues<int64_t>();
  bool isOfReplicas = strategyOf(*op) == core::GroupStrategy::CrossReplica;
  int64_t numIds = isOfReplicas ? 1 : scope.numDevices;
  for (int64_t i = 0; i + 1 < op.getSourceTargetPairs().getNumElements(); i += 2) {
    int64_t source = ids[i], target = ids[i + 1];
    if (std::min(source, target) < 0 || std::max(source, target) >= numIds)
      return op.emitOpError() << "has the pair (" << source << ", " << target << "), but there are "
                              << numIds << (isOfReplicas ? " replicas" : " devices");
    // The only pair that passes is (0, 0): the one replica sends to itself, on every partition.
    if (isOfReplicas) {
      result = operand;
      break;
    }
    if (!scope.isHere(source) && !scope.isHere(target))
      continue;
    if (mlir::failed(scope.checkMeeting(*op, {source, target})))
      return mlir::failure();
    result.set(target, operand.on(source));
  }
  result.share(scope.active);
  values[op.getResult()] = std::move(result);
  return mlir::success();
}

mlir::LogicalResult BlockEvaluator::runRaggedAllToAll(stablehlo::CustomCallOp op) {
  using Operand = stablehlo::RaggedOperand;
  DeviceList alone;
  mlir::FailureOr<std::vector<DeviceList>> groups = groupsOf(*op, alone);
  if (mlir::failed(groups))
    return mlir::failure();
  auto on = [&](int64_t device, unsigned number) -> const HostTensor & {
    return *values.find(op->getOperand(number))->second.on(device);
  };
  auto numberAt = [&](int64_t device, unsigned list, int64_t slice) {
    return load(on(device, list), slice).integer();
  };
  // Slices are counted by receiver on the sender's side and by sender on the receiver's: with k
  // slices for each, slice i % k of sender i / k is what entry i of the receiver's lists is about.
  PerDevice result(scope.numDevices);
  for (const DeviceList &group : *groups) {
    auto size = std::ssize(group);
    int64_t numSlices = on(group.front(), Operand::SendSizes).numElements();
    if (numSlices % size != 0)
      return op.emitOpError() << "has lists of " << numSlices << " slices in a group of " << size
                              << " devices; expected as many for each";
    int64_t perMember = numSlices / size;
    for (int64_t receiver = 0; receiver < size; ++receiver) {
      HostTensor received = on(group[receiver], Operand::Output);
      for (int64_t i = 0; i < numSlices; ++i) {
        int64_t sender = group[i / perMember];
        int64_t sent = receiver * perMember + i % perMember;
        const HostTensor &rows = on(sender, Operand::Rows);
        int64_t count = numberAt(sender, Operand::SendSizes, sent);
        int64_t from = numberAt(sender, Operand::InputOffsets, sent);
        int64_t to = numberAt(sender, Operand::OutputOffsets, sent);
        int64_t expected = numberAt(group[receiver], Operand::RecvSizes, i);
        if (count != expected)
          return op.emitOpError() << "sends " << count << " rows from device " << sender
                                  << " to device " << group[receiver] << ", which expects "
                                  << expected << " by its recv_sizes";
        auto isInside = [&](int64_t start, const HostTensor &tensor) {
          return start >= 0 && count >= 0 && count <= tensor.shape[0] &&
                 start <= tensor.shape[0] - count;
        };
        if (!isInside(from, rows) || !isInside(to, received))
          return op.emitOpError() << "sends rows [" << from << ", " << from << " + " << count
                                  << ") of " << rows.shape[0] << " from device " << sender
                                  << " to rows [" << to << ", " << to << " + " << count << ") of "
                                  << received.shape[0] << " on device " << group[receiver]
                                  << "; expected rows that are there";
        putBox(received, intervalOf(received.shape, 0, to, count),
               takeBox(rows, intervalOf(rows.shape, 0, from, count)));
      }
      result.set(group[receiver], shared(std::move(received)));
    }
  }
  result.share(scope.active);
  values[op->getResult(0)] = std::move(result);
  return mlir::success();
}

mlir::LogicalResult BlockEvaluator::runSdyAllReduce(sdy::AllReduceOp op) {
  // Along free axes partial sums are whole here; along manual axes every device has its own.
  core::AxisList axes;
  for (const core::AxisRef &axis : op.getReductionAxes().getAxes())
    if (scope.isManual(axis.name)) {
      Result<core::Axis> resolved = core::resolve(axis, scope.mesh);
      if (!resolved)
        return op.emitOpError() << resolved.error().message;
      axes.push_back(*resolved);
    }
  const PerDevice &operand = values.find(op.getTensor())->second;
  PerDevice result(scope.numDevices);
  // As in `runOnGroups`: groups with the same operands have one sum.
  std::map<std::vector<const RuntimeValue *>, TensorPtr> known;
  for (const core::ReplicaGroup &group : core::replicaGroups(scope.mesh, axes)) {
    DeviceList devices = scope.numDevices == 1 ? DeviceList{0} : group;
    if (llvm::none_of(devices, [&](int64_t device) { return scope.isHere(device); }))
      continue;
    if (mlir::failed(scope.checkMeeting(*op, devices)))
      return mlir::failure();
    std::vector<const RuntimeValue *> parts;
    for (int64_t device : devices)
      parts.push_back(operand.on(device).get());
    TensorPtr &whole = known[parts];
    if (!whole)
      whole =
          parts.size() == 1
              ? operand.on(devices[0])
              : shared(combine(sdy::toCore(op.getReductionOp()),
                               llvm::SmallVector<const HostTensor *>(parts.begin(), parts.end())));
    result.take(whole, devices, scope.numDevices);
  }
  result.share(scope.active);
  values[op.getResult()] = std::move(result);
  return mlir::success();
}

} // namespace shardwise::reference
