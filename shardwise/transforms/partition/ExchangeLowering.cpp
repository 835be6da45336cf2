// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of rounds as ops. What a device does in a round is in tables: for each member of a
// group, where its window begins in its shard, where the window that it receives begins in its new
// shard, and whether it receives one at all.
//   1. The new shard is made in a buffer with room in front and behind for windows that leave it.
//      What the device keeps is written first. A device that keeps nothing writes something else:
//      all of its shard is received afterwards.
//   2. Each round: a dynamic slice, a permute, a dynamic update. Who receives nothing in a round
//      gets zeros from the permute and writes what was there before.
//   3. The room is cut off.
// One round of whole shards that all devices receive is the permute alone. Windows that tile the
// new shards (ExchangeTiles.h) are put together at once, element by element, which XLA joins with
// what reads the shard: a buffer that each round writes to is a kernel for each.

#include "shardwise/transforms/partition/ExchangeLowering.h"

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/planner/model/ExchangeRounds.h"
#include "shardwise/transforms/partition/CollectiveDevices.h"
#include "shardwise/transforms/partition/ExchangeTiles.h"
#include "shardwise/transforms/partition/LocalForms.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>

namespace shardwise::partition {

namespace {

using planner::ExchangeMove;
using planner::ExchangeRound;

/// For each dimension, a number for each member.
using Tables = std::vector<std::vector<int32_t>>;

class RoundBuilder {
public:
  RoundBuilder(sdy::ExchangeOp op, const PermuteRounds &rounds, LocalProgram &program)
      : rounds(rounds), plan(rounds.plan), program(program), device(program.coordinatesAt(op)),
        builder(op), location(op.getLoc()), value(op.getTensor()),
        want(mlir::cast<mlir::RankedTensorType>(op.getType())) {}

  mlir::Value build() {
    if (plan.own.moves.empty() && plan.rounds.size() == 1 && isWhole(plan.rounds.front()))
      return received(0);
    if (std::optional<ExchangeTiles> tiles = exchangeTiles(plan, want.getShape()))
      return joined(*tiles);
    llvm::SmallVector<int64_t> room(want.getShape());
    for (size_t dim = 0; dim < room.size(); ++dim)
      room[dim] += plan.low[dim] + plan.high[dim];
    mlir::Value buffer = stablehlo::createZeros(builder, location, want.clone(room));
    if (!plan.own.moves.empty())
      buffer = put(buffer, sliceOf(value, startsAtSource(plan.own), plan.own.size),
                   startsAtTarget(plan.own));
    for (size_t number = 0; number < plan.rounds.size(); ++number)
      buffer = putReceived(buffer, number);
    if (want.clone(room) == want)
      return buffer;
    llvm::SmallVector<int64_t> limits, strides(room.size(), 1);
    for (auto [low, size] : llvm::zip_equal(plan.low, want.getShape()))
      limits.push_back(low + size);
    return createValue<stablehlo::SliceOp>(
        builder, location, want, buffer,
        {named("start_indices", builder.getDenseI64ArrayAttr(plan.low)),
         named("limit_indices", builder.getDenseI64ArrayAttr(limits)),
         named("strides", builder.getDenseI64ArrayAttr(strides))});
  }

private:
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute attribute) {
    return builder.getNamedAttr(name, attribute);
  }

  bool isReceivedByAll(const ExchangeRound &round) const {
    return int64_t(round.moves.size()) == plan.numMembers;
  }
  /// Whether what is received is the new shard, of every device.
  bool isWhole(const ExchangeRound &round) const {
    auto isAtStart = [](const ExchangeMove &move) {
      return llvm::all_of(move.to, [](int64_t start) { return start == 0; });
    };
    return isReceivedByAll(round) && llvm::ArrayRef<int64_t>(round.size) == want.getShape() &&
           llvm::all_of(round.moves, isAtStart);
  }

  /// The entry of `table` for the device's number in its group.
  mlir::Value lookUp(llvm::ArrayRef<int32_t> table) {
    if (llvm::all_equal(table))
      return device.constant(table.front());
    auto type = mlir::RankedTensorType::get({int64_t(table.size())}, builder.getI32Type());
    return elementAt(builder, location, mlir::DenseElementsAttr::get(type, table),
                     device.coordinate(plan.axes));
  }
  llvm::SmallVector<mlir::Value> lookUp(const Tables &tables) {
    llvm::SmallVector<mlir::Value> starts;
    for (const std::vector<int32_t> &table : tables)
      starts.push_back(lookUp(table));
    return starts;
  }

  // Who takes no part in a round does as the first move does: one table less if all others do.
  llvm::SmallVector<mlir::Value> startsAtSource(const ExchangeRound &round) {
    Tables tables;
    for (size_t dim = 0; dim < round.size.size(); ++dim) {
      tables.emplace_back(plan.numMembers, int32_t(round.moves.front().from[dim]));
      for (const ExchangeMove &move : round.moves)
        tables.back()[move.source] = int32_t(move.from[dim]);
    }
    return lookUp(tables);
  }
  llvm::SmallVector<mlir::Value> startsAtTarget(const ExchangeRound &round) {
    Tables tables;
    for (size_t dim = 0; dim < round.size.size(); ++dim) {
      int64_t low = plan.low[dim];
      tables.emplace_back(plan.numMembers, int32_t(low + round.moves.front().to[dim]));
      for (const ExchangeMove &move : round.moves)
        tables.back()[move.target] = int32_t(low + move.to[dim]);
    }
    return lookUp(tables);
  }

  mlir::Value sliceOf(mlir::Value from, mlir::ValueRange starts, llvm::ArrayRef<int64_t> size) {
    if (mlir::cast<mlir::RankedTensorType>(from.getType()).getShape() == size)
      return from;
    return stablehlo::createDynamicSlice(builder, location, from, starts, size);
  }

  mlir::Value put(mlir::Value buffer, mlir::Value part, mlir::ValueRange starts) {
    if (part.getType() == buffer.getType())
      return part;
    llvm::SmallVector<mlir::Value> operands{buffer, part};
    llvm::append_range(operands, starts);
    return createValue<stablehlo::DynamicUpdateSliceOp>(builder, location, buffer.getType(),
                                                        operands);
  }

  mlir::Value received(size_t number) {
    const ExchangeRound &round = plan.rounds[number];
    mlir::Value sent = sliceOf(value, startsAtSource(round), round.size);
    return createValue<stablehlo::CollectivePermuteOp>(
        builder, location, sent.getType(), sent,
        {named("source_target_pairs", rounds.pairs[number]),
         named("channel_handle", program.nextChannel())});
  }

  /// Every window is spread over the tiles, and shows where it belongs. With two tiles of 4x4 in a
  /// shard of 4x8 all are 4x2x4 meanwhile.
  mlir::Value joined(const ExchangeTiles &tiles) {
    llvm::SmallVector<int64_t> grid(want.getShape()), dims;
    grid[tiles.dim] = tiles.count;
    grid.insert(grid.begin() + tiles.dim + 1, want.getDimSize(tiles.dim) / tiles.count);
    for (int64_t dim = 0; dim < std::ssize(grid); ++dim)
      if (dim != tiles.dim)
        dims.push_back(dim);
    mlir::Value shown;
    for (auto [number, tileOf] : llvm::enumerate(tiles.tileOf)) {
      const bool isOwn = number == 0;
      if (isOwn && plan.own.moves.empty())
        continue;
      mlir::Value window =
          isOwn ? sliceOf(value, startsAtSource(plan.own), plan.own.size) : received(number - 1);
      mlir::Value spread =
          stablehlo::createBroadcast(builder, location, window, want.clone(grid), dims);
      // What nothing is put over is where it belongs: each tile is some window.
      shown = shown ? createValue<stablehlo::SelectOp>(
                          builder, location, spread.getType(),
                          {isTile(tileOf, tiles, want.clone(grid)), spread, shown})
                    : spread;
    }
    return createValue<stablehlo::ReshapeOp>(builder, location, want, shown);
  }

  /// For each element of the grid of tiles, whether `tileOf` has its tile for the device.
  mlir::Value isTile(llvm::ArrayRef<int32_t> tileOf, const ExchangeTiles &tiles,
                     mlir::RankedTensorType grid) {
    auto numbers = mlir::RankedTensorType::get({tiles.count}, builder.getI32Type());
    mlir::Value own = stablehlo::createBroadcast(builder, location, lookUp(tileOf), numbers, {});
    mlir::Value isIt = stablehlo::createCompare(
        builder, location, stablehlo::createIota(builder, location, numbers, 0), own,
        stablehlo::ComparisonDirection::EQ);
    return stablehlo::createBroadcast(builder, location, isIt, grid.clone(builder.getI1Type()),
                                      {tiles.dim});
  }

  mlir::Value putReceived(mlir::Value buffer, size_t number) {
    const ExchangeRound &round = plan.rounds[number];
    mlir::Value part = received(number);
    llvm::SmallVector<mlir::Value> starts = startsAtTarget(round);
    if (!isReceivedByAll(round)) {
      std::vector<int32_t> receives(plan.numMembers, 0);
      for (const ExchangeMove &move : round.moves)
        receives[move.target] = 1;
      mlir::Value isTarget =
          stablehlo::createCompare(builder, location, lookUp(receives), device.constant(0),
                                   stablehlo::ComparisonDirection::NE);
      part = createValue<stablehlo::SelectOp>(
          builder, location, part.getType(), {isTarget, part, sliceOf(buffer, starts, round.size)});
    }
    return put(buffer, part, starts);
  }

  const PermuteRounds &rounds;
  const planner::ExchangeRounds &plan;
  LocalProgram &program;
  DeviceCoordinates &device;
  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::Value value;
  mlir::RankedTensorType want;
};

planner::ReshardProblem problemOf(sdy::ExchangeOp op) {
  sdy::LocalTransition sides = sdy::localTransition(op);
  planner::ReshardProblem problem;
  problem.mesh = std::move(sides.mesh);
  problem.shape = std::move(sides.shape);
  problem.elementBytes = reshard::elementBytesOf(op.getTensor());
  problem.source = std::move(sides.before);
  problem.target = std::move(sides.after);
  if (problem.mesh != sides.meshAfter)
    problem.targetMesh = std::move(sides.meshAfter);
  return problem;
}

} // namespace

const PermuteRounds &ExchangeLowering::roundsOf(sdy::ExchangeOp op) {
  std::unique_ptr<PermuteRounds> &rounds =
      known[{op->getAttrDictionary(), op.getTensor().getType(), op.getType()}];
  if (rounds)
    return *rounds;
  rounds = std::make_unique<PermuteRounds>();
  rounds->plan = planner::planExchangeRounds(problemOf(op));
  const core::Mesh &mesh = program.shardings().meshAt(program.meshOf(op));
  std::vector<core::ReplicaGroup> groups = core::replicaGroups(mesh, rounds->plan.axes);
  for (const ExchangeRound &round : rounds->plan.rounds) {
    llvm::SmallVector<int64_t> ids;
    ids.reserve(2 * groups.size() * round.moves.size());
    for (const core::ReplicaGroup &group : groups)
      for (const ExchangeMove &move : round.moves)
        ids.append({group[move.source], group[move.target]});
    rounds->pairs.push_back(pairsAttr(op.getContext(), ids));
  }
  return *rounds;
}

mlir::Value ExchangeLowering::byPermutes(sdy::ExchangeOp op) {
  return RoundBuilder(op, roundsOf(op), program).build();
}

} // namespace shardwise::partition
