// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the ops that exchange data, and of their replica groups.

#include "shardwise/dialect/stablehlo/ops/CollectiveOps.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

#include "llvm/ADT/BitVector.h"

#include <algorithm>

using namespace mlir;

namespace shardwise::stablehlo {

//===----------------------------------------------------------------------===//
// Replica groups
//===----------------------------------------------------------------------===//

/// Returns the lowest of `ids` that is there twice, if there is one. Ids are not negative. Most
/// lists have the ids of all devices: a bit for each is quicker than to sort them.
static std::optional<int64_t> findRepeated(ArrayRef<int64_t> ids) {
  if (ids.empty())
    return std::nullopt;
  constexpr int64_t kMostBits = 64;
  int64_t most = *llvm::max_element(ids);
  if (most / kMostBits <= static_cast<int64_t>(ids.size())) {
    llvm::BitVector seen(most + 1);
    std::optional<int64_t> repeated;
    for (int64_t id : ids) {
      if (seen.test(id))
        repeated = std::min(id, repeated.value_or(id));
      seen.set(id);
    }
    return repeated;
  }
  SmallVector<int64_t> sorted(ids);
  llvm::sort(sorted);
  auto repeated = std::adjacent_find(sorted.begin(), sorted.end());
  return repeated == sorted.end() ? std::nullopt : std::optional(*repeated);
}

/// Whether `ids` is a long list of one id. It can have more elements than memory has, so it is
/// looked at before the ids are listed.
static bool isRepetition(DenseIntElementsAttr ids) {
  return ids.isSplat() && ids.getNumElements() > 2;
}

/// Checks the ids of a dense list; groups of mesh axes are valid by construction.
LogicalResult verifyReplicaGroups(Operation *op, Attribute groups, const GroupRules &rules) {
  auto dense = dyn_cast<DenseIntElementsAttr>(groups);
  if (!dense)
    return success();
  ShapedType type = dense.getType();
  // replica groups: rank 2
  if (type.getRank() != 2)
    return op->emitOpError("replica groups should be a rank 2 tensor, got ") << type;
  // replica groups: not empty with global ids
  if (rules.useGlobalIds && dense.empty())
    return op->emitOpError("if `use_global_device_ids` is set, the replica groups cannot be empty");
  // replica groups: as many members as the op needs
  if (rules.groupSize >= 0 && !dense.empty() && type.getDimSize(1) != rules.groupSize)
    return op->emitOpError("group size of replica_groups must be ")
           << rules.groupSize << ", got " << type.getDimSize(1);
  if (isRepetition(dense)) {
    auto id = dense.getSplatValue<APInt>().getSExtValue();
    if (id == -1 && rules.allowPadding)
      return success();
    return id < 0 ? op->emitOpError("Invalid replica id ") << id
                  : op->emitOpError("replica id #") << id << " seen more than once";
  }
  SmallVector<int64_t> ids;
  ids.reserve(dense.getNumElements());
  for (int64_t id : dense.getValues<int64_t>()) {
    if (id == -1 && rules.allowPadding)
      continue;
    // replica groups: ids are not negative
    if (id < 0)
      return op->emitOpError("Invalid replica id ") << id;
    ids.push_back(id);
  }
  // replica groups: ids are unique
  if (std::optional<int64_t> repeated = findRepeated(ids))
    return op->emitOpError("replica id #") << *repeated << " seen more than once";
  // replica groups: ids are 0 .. k-1
  auto count = static_cast<int64_t>(ids.size());
  if (!rules.mustCover || llvm::all_of(ids, [&](int64_t id) { return id < count; }))
    return success();
  llvm::sort(ids);
  int64_t missing = 0;
  while (ids[missing] == missing)
    ++missing;
  return op->emitOpError("replica id #") << missing << " not seen in replica groups";
}

LogicalResult verifyMeshSymbol(Operation *op, Attribute groups, SymbolTableCollection &symbols) {
  auto axes = dyn_cast<ReplicaGroupMeshAxesAttr>(groups);
  auto symbol = axes ? dyn_cast<FlatSymbolRefAttr>(axes.getMesh()) : FlatSymbolRefAttr();
  // replica groups: the symbol of a mesh exists
  if (!symbol || symbols.lookupNearestSymbolFrom(op, symbol))
    return success();
  return op->emitOpError("replica_groups: mesh symbol '") << symbol.getValue() << "' not found";
}

static int64_t channelId(std::optional<ChannelHandleAttr> channel) {
  return channel ? channel->getHandle() : 0;
}

/// Fails unless the channel id is positive when device ids are global.
static LogicalResult verifyGlobalChannel(Operation *op, bool useGlobalIds, int64_t id) {
  if (!useGlobalIds || id > 0)
    return success();
  return op->emitOpError("channel_id must be positive when useGlobalDeviceIds is set but got: ")
         << id;
}

/// Fails unless there is one result per operand.
static LogicalResult verifyOneResultPerOperand(Operation *op, size_t numOperands) {
  if (numOperands == 0)
    return op->emitOpError("must have at least one operand");
  if (op->getNumResults() == numOperands)
    return success();
  return op->emitOpError("must have one result per operand, got ")
         << op->getNumResults() << " results for " << numOperands << " operands";
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  // all_gather (C1): replica groups are valid
  if (failed(verifyReplicaGroups(*this, getReplicaGroups(),
                                 {.useGlobalIds = getUseGlobalDeviceIds()})) ||
      failed(verifyOneResultPerOperand(*this, getOperands().size())))
    return failure();
  // all_gather (C2): the channel id is not negative with global ids
  if (getUseGlobalDeviceIds() && channelId(getChannelHandle()) < 0)
    return emitOpError("channel_id cannot be negative when useGlobalDeviceIds is set, got ")
           << channelId(getChannelHandle());
  for (auto [operand, result] : llvm::zip(getOperands(), getResults())) {
    // all_gather (C3): one element type
    Type from = tensorType(operand).getElementType(), to = tensorType(result).getElementType();
    if (from != to)
      return emitOpError("operand and result must have one element type, got ")
             << from << " and " << to;
    // all_gather (C4): the operand size is not 0 and divides the result size
    if (failed(report(*this, checkAllGather(shapeOf(operand), shapeOf(result), getAllGatherDim()))))
      return failure();
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  // all_reduce (C1): replica groups are valid, -1 may pad them
  if (failed(
          verifyReplicaGroups(*this, getReplicaGroups(),
                              {.allowPadding = true, .useGlobalIds = getUseGlobalDeviceIds()})) ||
      failed(verifyOneResultPerOperand(*this, getOperands().size())))
    return failure();
  // all_reduce (C2): the channel id is positive with global ids
  return verifyGlobalChannel(*this, getUseGlobalDeviceIds(), channelId(getChannelHandle()));
}

LogicalResult AllReduceOp::verifyRegions() {
  // all_reduce (C3): the computation is a reducer for every operand; results have its element type
  SmallVector<Type> inferred;
  for (Value operand : getOperands()) {
    SmallVector<Type> elements;
    if (failed(verifyReducer(*this, getComputation(), operand, {}, elements)))
      return failure();
    inferred.push_back(tensorType(operand).clone(elements[0]));
  }
  return verifyInferredTypes(*this, inferred);
}

LogicalResult ReduceScatterOp::verify() {
  // reduce_scatter (C1): replica groups are valid
  if (failed(verifyReplicaGroups(*this, getReplicaGroups(),
                                 {.useGlobalIds = getUseGlobalDeviceIds()})))
    return failure();
  // reduce_scatter (C2): the channel id is positive with global ids
  if (failed(verifyGlobalChannel(*this, getUseGlobalDeviceIds(), channelId(getChannelHandle()))))
    return failure();
  // reduce_scatter (C3): neither size is 0, the result size divides the operand size
  return report(*this, checkReduceScatter(shapeOf(getOperand()), getType().getShape(),
                                          getScatterDimension()));
}

LogicalResult ReduceScatterOp::verifyRegions() {
  // reduce_scatter (C4): the computation is a reducer; the result has its element type
  SmallVector<Type> elements;
  if (failed(verifyReducer(*this, getComputation(), getOperand(), {}, elements)))
    return failure();
  if (elements[0] == getType().getElementType())
    return success();
  return emitOpError("result element type is expected to be ")
         << elements[0] << ", but got " << getType().getElementType();
}

LogicalResult AllToAllOp::verify() {
  // all_to_all (C1): replica groups are valid, dense ones of split_count members
  int64_t splitCount = getSplitCount();
  if (failed(verifyOneResultPerOperand(*this, getOperands().size())))
    return failure();
  SmallVector<Type> inferred;
  for (Value operand : getOperands())
    // Dimensions, count and sizes.
    if (failed(appendInferred(
            getLoc(),
            allToAllShape(shapeOf(operand), getSplitDimension(), getConcatDimension(), splitCount),
            tensorType(operand).getElementType(), inferred)))
      return failure();
  if (failed(verifyReplicaGroups(*this, getReplicaGroups(), {.groupSize = splitCount})))
    return failure();
  return verifyInferredTypes(*this, inferred);
}

LogicalResult CollectivePermuteOp::verify() {
  DenseIntElementsAttr pairs = getSourceTargetPairs();
  ShapedType type = pairs.getType();
  // collective_permute (C1): pairs have shape k x 2
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return emitOpError("expect source_target_pairs attribute of shape (N, 2), but got (")
           << type << ")";
  if (isRepetition(pairs)) {
    auto id = pairs.getSplatValue<APInt>().getSExtValue();
    return id < 0 ? emitOpError("replica ids in source_target_pairs must be >= 0, got ") << id
                  : emitOpError("duplicate sources not allowed, got ") << id << " twice";
  }
  SmallVector<int64_t> sources, targets;
  bool isSource = true;
  for (int64_t id : pairs.getValues<int64_t>()) {
    // collective_permute (C2): ids are not negative
    if (id < 0)
      return emitOpError("replica ids in source_target_pairs must be >= 0, got ") << id;
    (isSource ? sources : targets).push_back(id);
    isSource = !isSource;
  }
  // collective_permute (C3): sources are unique, targets are unique
  if (std::optional<int64_t> repeated = findRepeated(sources))
    return emitOpError("duplicate sources not allowed, got ") << *repeated << " twice";
  if (std::optional<int64_t> repeated = findRepeated(targets))
    return emitOpError("duplicate targets not allowed, got ") << *repeated << " twice";
  return success();
}

LogicalResult CollectiveBroadcastOp::verify() {
  // collective_broadcast (C1): ids are unique and not negative
  if (failed(verifyReplicaGroups(*this, getReplicaGroups(), {.mustCover = false})))
    return failure();
  OperandRange operands = getOperands();
  if (getHasDynamicRoot()) {
    // collective_broadcast (C2): the last operand of a dynamic root is a vector of i32
    if (operands.empty() || !isTensorOf(operands.back().getType(), isInt32) ||
        tensorType(operands.back()).getRank() != 1)
      return emitOpError("expects a last operand of type tensor<nxi32> with has_dynamic_root");
    operands = operands.drop_back();
  }
  if (failed(verifyOneResultPerOperand(*this, operands.size())))
    return failure();
  // collective_broadcast (C3): results have the types of the operands
  return verifyInferredTypes(*this, operands.getTypes());
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}
LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}
LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}
LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}
LogicalResult CollectiveBroadcastOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}
LogicalResult CollectiveReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMeshSymbol(*this, getReplicaGroups(), symbols);
}

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

static LogicalResult appendId(MLIRContext *context, SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 32, IntegerType::Unsigned)));
  return success();
}
LogicalResult PartitionIdOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                              ValueRange, DictionaryAttr, OpaqueProperties,
                                              RegionRange, SmallVectorImpl<Type> &types) {
  return appendId(context, types);
}
LogicalResult ReplicaIdOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                            ValueRange, DictionaryAttr, OpaqueProperties,
                                            RegionRange, SmallVectorImpl<Type> &types) {
  return appendId(context, types);
}

} // namespace shardwise::stablehlo
