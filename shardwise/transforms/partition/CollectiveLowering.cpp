// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From sdy collectives on shards, which change placements, to StableHLO collectives. Groups are
// written as mesh axes; only collective_permute has to name devices.
//   1. all_gather, reduce_scatter: an op for each dimension that changes.
//   2. all_reduce, all_to_all: one op, whatever the number of axes and moves.
//   3. collective_permute: an op with pairs of devices; none if every device keeps its shard.
//   4. all_slice: nothing is sent, each device takes a slice at its coordinates.
//   5. reshard from a single device: all get its value.
//   6. exchange: rounds of permutes (ExchangeLowering.h).
//   7. replicated_to_unreduced, sharded_to_unreduced: nothing is sent. One device keeps the value,
//      or each its shard at its place, with zeros everywhere else: the sum is right.
// Example: `sdy.all_gather [{}, {"y"}] %0` to 8x4 with y=2 is `stablehlo.all_gather` of 8x2 to 8x4
// with all_gather_dim=1 over the groups of axes {"y"}. Members of a group are ordered by their
// coordinates along the axes, first axis most major, as are the blocks of a dimension: what is
// concatenated is in its place.
//
// Where a dimension does not divide, blocks are padded until every part has one size, and what is
// gathered beyond the block of the result is cut off. With x=4 on 10 rows, reduce_scatter pads 10
// to 12 and gives 3; all_gather makes 12 of 3 and keeps 10. Where coarse blocks do not end where
// fine ones do, devices hand over what is between them, before or behind the op
// (core/BlockShift.h).

#include "shardwise/transforms/partition/CollectiveLowering.h"

#include "shardwise/core/BlockShift.h"
#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/planner/model/PermutePairs.h"
#include "shardwise/transforms/partition/LocalForms.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <functional>

namespace shardwise::partition {

namespace {

core::AxisList resolveAxes(const sdy::AxisRefs &refs, const core::Mesh &mesh) {
  core::AxisList axes;
  for (const core::AxisRef &ref : refs)
    axes.push_back(core::resolve(ref, mesh).value()); // Verified with the op.
  return axes;
}

/// A placement on a mesh, which is null for that of the program.
struct Place {
  const core::Sharding &placement;
  mlir::Attribute mesh;

  Place(sdy::TensorShardingAttr sharding, mlir::Type type, reshard::ShardedProgram &program)
      : placement(program.placementOf(sharding, type)), mesh(program.meshOf(sharding, type)) {}

  const core::AxisList &axesOf(int64_t dim) const { return placement.dims[dim].axes; }
  /// Into how many parts dimension `dim` is cut.
  int64_t partsOf(int64_t dim) const { return core::shardedSize(axesOf(dim)); }
};

/// Writes the StableHLO ops for one sdy collective.
class CollectiveBuilder {
public:
  CollectiveBuilder(mlir::Operation *op, LocalProgram &program)
      : op(op), program(program),
        before(sdy::getInSharding(op), op->getOperand(0).getType(), program.shardings()),
        after(sdy::getSharding(op->getResult(0)), op->getResult(0).getType(), program.shardings()),
        builder(op), location(op->getLoc()), value(op->getOperand(0)) {
    llvm::SmallVector<int64_t> blocks;
    for (int64_t dim = 0; dim < type().getRank(); ++dim)
      blocks.push_back(before.partsOf(dim));
    globalShape.assign(sdy::getGlobalType(op, blocks).getShape());
    padParts();
  }

  void allGather(int64_t dim, const core::AxisList &axes) {
    llvm::SmallVector<int64_t> shape(type().getShape());
    shape[dim] *= core::shardedSize(axes);
    value = createValue<stablehlo::AllGatherOp>(
        builder, location, type().clone(shape), value,
        {named("all_gather_dim", builder.getI64IntegerAttr(dim)), groups(axes), channel(),
         globalIds()});
  }

  void reduceScatter(int64_t dim, const core::AxisList &axes, core::ReductionKind kind) {
    llvm::SmallVector<int64_t> shape(type().getShape());
    shape[dim] /= core::shardedSize(axes);
    auto scattered = stablehlo::ReduceScatterOp::create(
        builder, location, mlir::TypeRange(type().clone(shape)), mlir::ValueRange(value),
        llvm::ArrayRef<mlir::NamedAttribute>{
            named("scatter_dimension", builder.getI64IntegerAttr(dim)), groups(axes), channel(),
            globalIds()});
    addReducer(scattered.getComputation(), kind);
    value = scattered->getResult(0);
  }

  void allReduce(const core::AxisList &axes, core::ReductionKind kind) {
    auto reduced = stablehlo::AllReduceOp::create(
        builder, location, mlir::TypeRange(type()), mlir::ValueRange(value),
        llvm::ArrayRef<mlir::NamedAttribute>{groups(axes), channel(), globalIds()});
    addReducer(reduced.getComputation(), kind);
    value = reduced->getResult(0);
  }

  void allSlice(llvm::ArrayRef<core::AxisList> axesOfDims) {
    if (llvm::any_of(axesOfDims, [](const core::AxisList &axes) { return !axes.empty(); }))
      value = sliceOfDevice(builder, value, axesOfDims, program.coordinatesAt(op));
  }

  void allToAll(int64_t splitDim, int64_t concatDim, const core::AxisList &axes) {
    int64_t parts = core::shardedSize(axes);
    llvm::SmallVector<int64_t> shape(type().getShape());
    shape[splitDim] /= parts;
    shape[concatDim] *= parts;
    value = createValue<stablehlo::AllToAllOp>(
        builder, location, type().clone(shape), value,
        {named("split_dimension", builder.getI64IntegerAttr(splitDim)),
         named("concat_dimension", builder.getI64IntegerAttr(concatDim)),
         named("split_count", builder.getI64IntegerAttr(parts)), groups(axes), channel()});
  }

  /// Several moves at once cost less than one after the other: the parts are brought to a
  /// dimension of their own in front, exchanged in one all_to_all, and put in their places.
  void allToAllJoint(llvm::ArrayRef<sdy::AllToAllParam> moves);

  llvm::LogicalResult permute() {
    reshard::ShardedProgram &shardings = program.shardings();
    Result<std::vector<planner::DevicePair>> pairs =
        planner::permutePairs(shardings.meshAt(before.mesh), before.placement,
                              shardings.meshAt(after.mesh), after.placement);
    if (!pairs.ok())
      return op->emitOpError("has no local form: ") << pairs.error().message;
    llvm::SmallVector<int64_t> ids;
    bool moves = false;
    for (const planner::DevicePair &pair : *pairs) {
      ids.append({pair.source, pair.target});
      moves |= pair.source != pair.target;
    }
    // Placements that differ may still have every device keep what it has.
    if (!moves)
      return llvm::success();
    value = permuted(value, ids);
    return llvm::success();
  }

  /// Every device gets what `device` has.
  void broadcastFrom(core::DeviceId device) {
    llvm::SmallVector<int64_t> ids{device};
    for (core::DeviceId other = 0; other < program.mesh().numDevices(); ++other)
      if (other != device)
        ids.push_back(other);
    auto idsType =
        mlir::RankedTensorType::get({1, int64_t(ids.size())}, builder.getIntegerType(64));
    value = createValue<stablehlo::CollectiveBroadcastOp>(
        builder, location, type(), value,
        {named("replica_groups",
               mlir::DenseIntElementsAttr::get(idsType, llvm::ArrayRef<int64_t>(ids))),
         channel()});
  }

  /// Keeps the value on the first device along `axes`, zeros on the others: the sum over them is
  /// the value.
  void keepOnFirst(const core::AxisList &axes) {
    DeviceCoordinates &device = program.coordinatesAt(op);
    mlir::Value isFirst =
        stablehlo::createCompare(builder, location, device.coordinate(axes), device.constant(0),
                                 stablehlo::ComparisonDirection::EQ);
    value = createValue<stablehlo::SelectOp>(
        builder, location, type(),
        {isFirst, value, stablehlo::createZeros(builder, location, type())});
  }

  /// Puts the shard at its place in zeros: the sum over the devices has every shard at its place.
  void embedInZeros(llvm::ArrayRef<core::AxisList> axesOfDims) {
    DeviceCoordinates &device = program.coordinatesAt(op);
    llvm::SmallVector<int64_t> shape(type().getShape());
    llvm::SmallVector<mlir::Value> operands{nullptr, value};
    for (auto [dim, axes] : llvm::enumerate(axesOfDims)) {
      operands.push_back(axes.empty() ? device.constant(0) : device.offset(axes, shape[dim]));
      shape[dim] *= core::shardedSize(axes);
    }
    mlir::RankedTensorType whole = type().clone(shape);
    operands[0] = stablehlo::createZeros(builder, location, whole);
    value = createValue<stablehlo::DynamicUpdateSliceOp>(builder, location, whole, operands);
  }

  /// Replaces the sdy op by what was built, without what was gathered beyond its blocks.
  llvm::LogicalResult finish() {
    auto result = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
    if (llvm::all_of_zip(type().getShape(), result.getShape(), std::greater_equal<int64_t>()))
      cutBlocks(result.getShape());
    if (value.getType() != op->getResult(0).getType())
      return op->emitOpError("gives local type ")
             << value.getType() << ", but out_sharding needs " << op->getResult(0).getType();
    program.replaceInTheEnd(op->getResult(0), value);
    program.eraseInTheEnd(op);
    return llvm::success();
  }

private:
  mlir::RankedTensorType type() const {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }

  /// The shift of dimension `dim` between the blocks of `coarse` and those that the parts of `fine`
  /// make; none where they are equal.
  std::optional<core::BlockShift> shiftOf(int64_t dim, const Place &coarse, const Place &fine,
                                          core::BlockShift::Direction direction) const {
    int64_t blocks = coarse.partsOf(dim), parts = fine.partsOf(dim) / blocks;
    if (parts <= 1)
      return std::nullopt;
    return core::blockShift(globalShape[dim], blocks, parts, direction);
  }

  /// Pads the dimensions that are cut further, so that all their parts are of the size that the
  /// result has.
  void padParts() {
    for (int64_t dim = 0; dim < type().getRank(); ++dim)
      if (auto found = shiftOf(dim, before, after, core::BlockShift::Direction::Widen))
        shift(dim, *found, before.axesOf(dim));
    // A slice pads no more than it takes.
    if (mlir::isa<sdy::AllSliceOp>(op))
      return;
    auto result = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
    llvm::SmallVector<int64_t> shape(type().getShape());
    for (int64_t dim = 0; dim < type().getRank(); ++dim)
      if (int64_t parts = after.partsOf(dim) / before.partsOf(dim); parts > 1)
        shape[dim] = parts * result.getDimSize(dim);
    value = resize(builder, value, shape);
  }

  /// Cuts the dimensions of which parts were gathered to `shape`, that of the result.
  void cutBlocks(llvm::ArrayRef<int64_t> shape) {
    llvm::SmallVector<std::optional<core::BlockShift>> shifts;
    llvm::SmallVector<int64_t> whereNoShift(shape);
    for (int64_t dim = 0; dim < type().getRank(); ++dim)
      if (shifts.push_back(shiftOf(dim, after, before, core::BlockShift::Direction::Narrow));
          shifts.back())
        whereNoShift[dim] = type().getDimSize(dim);
    value = resize(builder, value, whereNoShift);
    for (auto [dim, found] : llvm::enumerate(shifts))
      if (found)
        shift(dim, *found, after.axesOf(dim));
  }

  /// Puts what neighbours along `axes`, which cut the blocks, hand over together with the own block
  /// of `dim`, and takes the new block from it.
  void shift(int64_t dim, const core::BlockShift &shift, const core::AxisList &axes) {
    bool widens = shift.direction == core::BlockShift::Direction::Widen;
    llvm::SmallVector<mlir::Value> pieces{value};
    for (auto [number, count] : llvm::enumerate(shift.taken)) {
      int64_t start = widens ? 0 : type().getDimSize(dim) - count;
      mlir::Value piece =
          fromNeighbour(stablehlo::createSlice(builder, location, value, dim, start, count), axes,
                        (widens ? 1 : -1) * static_cast<int64_t>(number + 1));
      pieces.insert(widens ? pieces.end() : pieces.begin(), piece);
    }
    mlir::Value together = stablehlo::createConcatenate(builder, location, pieces, dim);
    llvm::SmallVector<int64_t> shape(
        mlir::cast<mlir::RankedTensorType>(together.getType()).getShape());
    shape[dim] = std::max(shape[dim], shift.reach);
    together = resize(builder, together, shape);
    DeviceCoordinates &device = program.coordinatesAt(op);
    mlir::Value start = device.offset(axes, shift.startStep);
    if (shift.firstStart != 0)
      start = createValue<stablehlo::AddOp>(builder, location, start.getType(),
                                            {start, device.constant(shift.firstStart)});
    shape[dim] = widens ? shift.wide : shift.narrow;
    llvm::SmallVector<mlir::Value> starts(shape.size(), device.constant(0));
    starts[dim] = start;
    value = stablehlo::createDynamicSlice(builder, location, together, starts, shape);
  }

  /// Every device gets what the one `distance` further along `axes` has. Behind the last one comes
  /// the first: nobody reads what that gives, but all devices receive the same number of bytes,
  /// which is what plans say.
  mlir::Value fromNeighbour(mlir::Value piece, const core::AxisList &axes, int64_t distance) {
    const core::Mesh &mesh = program.shardings().meshAt(program.meshOf(op));
    llvm::SmallVector<int64_t> ids;
    for (const core::ReplicaGroup &group : core::replicaGroups(mesh, axes)) {
      int64_t size = std::ssize(group);
      for (int64_t target = 0; target < size; ++target)
        ids.append({group[(target + distance + size) % size], group[target]});
    }
    return permuted(piece, ids);
  }

  /// Creates a collective_permute over pairs of source and target.
  mlir::Value permuted(mlir::Value from, llvm::ArrayRef<int64_t> ids) {
    auto idsType =
        mlir::RankedTensorType::get({int64_t(ids.size()) / 2, 2}, builder.getIntegerType(64));
    return createValue<stablehlo::CollectivePermuteOp>(
        builder, location, from.getType(), from,
        {named("source_target_pairs", mlir::DenseIntElementsAttr::get(idsType, ids)), channel()});
  }

  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute attribute) {
    return builder.getNamedAttr(name, attribute);
  }
  mlir::NamedAttribute groups(const core::AxisList &axes) {
    return named("replica_groups", program.groupsOver(axes, op));
  }
  mlir::NamedAttribute channel() { return named("channel_handle", program.nextChannel()); }
  mlir::NamedAttribute globalIds() { return named("use_global_device_ids", builder.getUnitAttr()); }
  mlir::Value reshape(mlir::Value from, llvm::ArrayRef<int64_t> shape) {
    return createValue<stablehlo::ReshapeOp>(builder, location, type().clone(shape), from);
  }
  mlir::Value transpose(mlir::Value from, llvm::ArrayRef<int64_t> order) {
    return stablehlo::createTranspose(builder, location, from, order);
  }

  void addReducer(mlir::Region &region, core::ReductionKind kind) {
    stablehlo::buildReducer(builder, location, region, kind,
                            type().clone(llvm::ArrayRef<int64_t>{}));
  }

  mlir::Operation *op;
  LocalProgram &program;
  Place before, after;
  llvm::SmallVector<int64_t> globalShape;
  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::Value value;
};

// Example: `[{"x"}, {"y"}]` to `[{"y"}, {"x"}]` with x=2, y=3 on shards of 6x4. "x" moves to
// dimension 1, which is cut in 2 parts for it, "y" to dimension 0, cut in 3:
//   6x4 -> 3x2x2x2         reshape: each target dimension is cut, parts first
//       -> 2x3x2x2         transpose: parts in front, in the order of the moves
//       -> 6x2x2           reshape: one dimension of parts, part i is for device i of the group
//       -> 6x2x2           all_to_all: now part i is from device i
//       -> 2x3x2x2         reshape
//       -> 2x2x3x2         transpose: each part before the dimension that its axes left
//       -> 4x6             reshape
void CollectiveBuilder::allToAllJoint(llvm::ArrayRef<sdy::AllToAllParam> moves) {
  int64_t rank = type().getRank();
  int64_t numMoves = moves.size();
  core::AxisList allAxes;
  llvm::SmallVector<int64_t> parts, moveToDim(rank, -1), moveFromDim(rank, -1);
  for (auto [number, move] : llvm::enumerate(moves)) {
    core::AxisList axes = resolveAxes(move.axes, program.mesh());
    parts.push_back(core::shardedSize(axes));
    allAxes.insert(allAxes.end(), axes.begin(), axes.end());
    moveToDim[move.target] = number;
    moveFromDim[move.source] = number;
  }
  // Every target dimension is cut in two, [.., parts, rest, ..].
  llvm::SmallVector<int64_t> cutShape, restShape, toFront(numMoves), restOrder;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = type().getDimSize(dim);
    if (int64_t number = moveToDim[dim]; number >= 0) {
      toFront[number] = cutShape.size();
      cutShape.push_back(parts[number]);
      size /= parts[number];
    }
    restOrder.push_back(cutShape.size());
    cutShape.push_back(size);
    restShape.push_back(size);
  }
  llvm::SmallVector<int64_t> order(toFront);
  order.append(restOrder);
  mlir::Value inFront = transpose(reshape(value, cutShape), order);
  llvm::SmallVector<int64_t> spreadShape(
      mlir::cast<mlir::RankedTensorType>(inFront.getType()).getShape());
  llvm::SmallVector<int64_t> joinedShape{core::shardedSize(allAxes)};
  joinedShape.append(restShape);
  value = reshape(inFront, joinedShape);
  allToAll(0, 0, allAxes);
  // The front counts senders by now, which are blocks of the dimensions that lost axes.
  llvm::SmallVector<int64_t> backOrder, finalShape;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = restShape[dim];
    if (int64_t number = moveFromDim[dim]; number >= 0) {
      backOrder.push_back(number);
      size *= parts[number];
    }
    backOrder.push_back(numMoves + dim);
    finalShape.push_back(size);
  }
  value = reshape(transpose(reshape(value, spreadShape), backOrder), finalShape);
}

llvm::SmallVector<core::AxisList> resolveLists(sdy::ListOfAxisRefListsAttr lists,
                                               const core::Mesh &mesh) {
  llvm::SmallVector<core::AxisList> resolved;
  for (const sdy::AxisRefs &refs : lists.getLists())
    resolved.push_back(resolveAxes(refs, mesh));
  return resolved;
}

llvm::LogicalResult lower(sdy::AllGatherOp op, CollectiveBuilder &local, LocalProgram &program) {
  for (auto [dim, axes] : llvm::enumerate(resolveLists(op.getGatheringAxes(), program.mesh())))
    if (!axes.empty())
      local.allGather(dim, axes);
  return local.finish();
}

llvm::LogicalResult lower(sdy::AllSliceOp op, CollectiveBuilder &local, LocalProgram &program) {
  local.allSlice(resolveLists(op.getSlicingAxes(), program.mesh()));
  return local.finish();
}

llvm::LogicalResult lower(sdy::ReduceScatterOp op, CollectiveBuilder &local,
                          LocalProgram &program) {
  for (auto [dim, axes] : llvm::enumerate(resolveLists(op.getReduceScatterAxes(), program.mesh())))
    if (!axes.empty())
      local.reduceScatter(dim, axes, sdy::toCore(op.getReductionOp()));
  return local.finish();
}

llvm::LogicalResult lower(sdy::AllReduceOp op, CollectiveBuilder &local, LocalProgram &program) {
  core::AxisList axes = resolveAxes(op.getReductionAxes().getAxes(), program.mesh());
  if (!axes.empty())
    local.allReduce(axes, sdy::toCore(op.getReductionOp()));
  return local.finish();
}

llvm::LogicalResult lower(sdy::AllToAllOp op, CollectiveBuilder &local, LocalProgram &program) {
  const sdy::AllToAllParams &moves = op.getParams().getParams();
  if (moves.size() == 1)
    local.allToAll(moves[0].target, moves[0].source, resolveAxes(moves[0].axes, program.mesh()));
  else
    local.allToAllJoint(moves);
  return local.finish();
}

llvm::LogicalResult lower(sdy::CollectivePermuteOp, CollectiveBuilder &local, LocalProgram &) {
  return llvm::success(succeeded(local.permute()) && succeeded(local.finish()));
}

llvm::LogicalResult lower(sdy::ReplicatedToUnreducedOp op, CollectiveBuilder &local,
                          LocalProgram &program) {
  local.keepOnFirst(resolveAxes(op.getAxes().getAxes(), program.mesh()));
  return local.finish();
}

llvm::LogicalResult lower(sdy::ShardedToUnreducedOp op, CollectiveBuilder &local,
                          LocalProgram &program) {
  local.embedInZeros(resolveLists(op.getAxes(), program.mesh()));
  return local.finish();
}

/// What collectives of the dialect cannot say: the way from a single device to all.
llvm::LogicalResult lower(sdy::ReshardOp op, CollectiveBuilder &local, LocalProgram &program) {
  reshard::ShardedProgram &shardings = program.shardings();
  mlir::Attribute from = shardings.meshOf(sdy::getInSharding(op), op.getType());
  if (!shardings.isOneDevice(from))
    return op.emitOpError("is not from a single device; run sdy-reshard-to-collectives before "
                          "sdy-convert-global-to-local");
  local.broadcastFrom(shardings.meshAt(from).deviceAt(0));
  return local.finish();
}

} // namespace

llvm::LogicalResult lowerCollective(mlir::Operation *op, LocalProgram &program,
                                    ExchangeLowering &exchanges) {
  auto type = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  // Nothing to move, and collectives of StableHLO refuse dimensions of size 0.
  if (type.getNumElements() == 0) {
    mlir::OpBuilder builder(op);
    program.replaceInTheEnd(op->getResult(0), stablehlo::createZeros(builder, op->getLoc(), type));
    program.eraseInTheEnd(op);
    return llvm::success();
  }
  if (auto exchange = mlir::dyn_cast<sdy::ExchangeOp>(op)) {
    program.replaceInTheEnd(exchange.getResult(), exchanges.byPermutes(exchange));
    program.eraseInTheEnd(op);
    return llvm::success();
  }
  return llvm::TypeSwitch<mlir::Operation *, llvm::LogicalResult>(op)
      .Case<sdy::AllGatherOp, sdy::AllReduceOp, sdy::AllSliceOp, sdy::AllToAllOp,
            sdy::CollectivePermuteOp, sdy::ReduceScatterOp, sdy::ReplicatedToUnreducedOp,
            sdy::ReshardOp, sdy::ShardedToUnreducedOp>([&](auto collective) {
        CollectiveBuilder local(op, program);
        return lower(collective, local, program);
      });
}

} // namespace shardwise::partition
