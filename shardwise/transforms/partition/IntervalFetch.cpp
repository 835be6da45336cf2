// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fetches: an op as long as they are said by the interval (sdy.fetch_interval), then ops on shards.
// The plan (core/Window.h) says which steps there are.
//   1. Shift: a static slice and a permute for each neighbour; parts are concatenated. A device
//      that has no such neighbour receives zeros from the permute: they are replaced if other
//      values are outside of the dimension.
//   2. Place: each device slices at a place of its own and puts what it receives at another, in a
//      buffer of what is outside. Places are looked up in tables. A device that takes no part in a
//      step puts the zeros that it receives behind what is used of the buffer.
//   3. Gather: the dimension is gathered, and each device takes its interval.
// Parts and intervals are remembered, so that what several ops want of a value is fetched once, and
// before a loop if the value is made before it.

#include "shardwise/transforms/partition/IntervalFetch.h"

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/transforms/partition/CollectiveDevices.h"
#include "shardwise/transforms/partition/LocalForms.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>

namespace shardwise::partition {

namespace {

using core::FetchMove;
using core::FetchPlan;
using core::FetchStep;

/// What has been fetched, by the names of intervals and parts.
using FetchedValues = std::map<reshard::FetchKey, mlir::Value>;

class IntervalBuilder {
public:
  /// Builds before `op` what it fetches from `value` along one dimension. Parts of neighbours are
  /// those of `parts`, and are remembered in `fetched`.
  IntervalBuilder(sdy::FetchIntervalOp op, const reshard::IntervalFetch &fetch, mlir::Value value,
                  LocalProgram &program, const reshard::FetchedParts &parts, FetchedValues &fetched)
      : op(op), fetch(fetch), program(program), device(program.coordinatesAt(op)), parts(parts),
        fetched(fetched), builder(op), location(op->getLoc()), value(value),
        outside(op.getOutside()) {}

  mlir::Value build() {
    FetchPlan plan = core::planFetch(fetch.problem);
    switch (plan.way) {
    case FetchPlan::Way::Shift:
      return shift(plan);
    case FetchPlan::Way::Place:
      return place(plan);
    case FetchPlan::Way::Gather:
      return gather();
    }
    llvm_unreachable("not a way");
  }

private:
  mlir::Value shift(const FetchPlan &plan);
  mlir::Value receivedByShift(const FetchStep &step);
  mlir::Value place(const FetchPlan &plan);
  mlir::Value receivedInPlace(const FetchStep &step);
  mlir::Value gather();

  // Ops on the dimension.
  mlir::RankedTensorType typeOfLength(int64_t length) const {
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape[fetch.dim] = length;
    return type.clone(shape);
  }
  static int64_t lengthOf(mlir::Value part, int64_t dim) {
    return mlir::cast<mlir::RankedTensorType>(part.getType()).getDimSize(dim);
  }
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute attribute) {
    return builder.getNamedAttr(name, attribute);
  }
  mlir::Value slice(mlir::Value from, int64_t start, int64_t length);
  mlir::Value sliceAt(mlir::Value from, mlir::Value start, int64_t length);
  mlir::Value permute(mlir::Value sent, const FetchStep &step);
  /// What is outside of the dimension.
  mlir::Value filled(int64_t length);

  // Scalars that depend on the device.
  mlir::Value sum(mlir::Value a, int64_t b);
  mlir::Value compare(mlir::Value a, stablehlo::ComparisonDirection direction, int64_t b);
  mlir::Value lookUp(const std::vector<int32_t> &table);

  mlir::Operation *op;
  const reshard::IntervalFetch &fetch;
  LocalProgram &program;
  DeviceCoordinates &device;
  const reshard::FetchedParts &parts;
  FetchedValues &fetched;
  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::Value value;
  mlir::Value outside;
};

mlir::Value IntervalBuilder::slice(mlir::Value from, int64_t start, int64_t length) {
  auto type = mlir::cast<mlir::RankedTensorType>(from.getType());
  if (length == type.getDimSize(fetch.dim))
    return from;
  return stablehlo::createSlice(builder, location, from, fetch.dim, start, length);
}

mlir::Value IntervalBuilder::sliceAt(mlir::Value from, mlir::Value start, int64_t length) {
  mlir::RankedTensorType type = typeOfLength(length);
  if (length == lengthOf(from, fetch.dim))
    return from;
  llvm::SmallVector<mlir::Value> starts(type.getRank(), device.constant(0));
  starts[fetch.dim] = start;
  return stablehlo::createDynamicSlice(builder, location, from, starts, type.getShape());
}

mlir::Value IntervalBuilder::permute(mlir::Value sent, const FetchStep &step) {
  const core::Mesh &mesh = program.shardings().meshAt(program.meshOf(op));
  llvm::SmallVector<int64_t> ids;
  for (const core::ReplicaGroup &group : core::replicaGroups(mesh, fetch.axes))
    for (const FetchMove &move : step.moves)
      ids.append({group[move.source], group[move.target]});
  auto type = mlir::RankedTensorType::get({int64_t(ids.size()) / 2, 2}, builder.getIntegerType(64));
  return createValue<stablehlo::CollectivePermuteOp>(
      builder, location, sent.getType(), sent,
      {named("source_target_pairs",
             mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int64_t>(ids))),
       named("channel_handle", program.nextChannel())});
}

mlir::Value IntervalBuilder::filled(int64_t length) {
  mlir::RankedTensorType type = typeOfLength(length);
  if (!outside)
    return stablehlo::createZeros(builder, location, type);
  return stablehlo::createBroadcast(builder, location, outside, type);
}

mlir::Value IntervalBuilder::sum(mlir::Value a, int64_t b) {
  if (b == 0)
    return a;
  return createValue<stablehlo::AddOp>(builder, location, a.getType(), {a, device.constant(b)});
}

mlir::Value IntervalBuilder::compare(mlir::Value a, stablehlo::ComparisonDirection direction,
                                     int64_t b) {
  return stablehlo::createCompare(builder, location, a, device.constant(b), direction);
}

/// The entry of `table` for the device's block.
mlir::Value IntervalBuilder::lookUp(const std::vector<int32_t> &table) {
  if (std::all_of(table.begin(), table.end(), [&](int32_t entry) { return entry == table[0]; }))
    return device.constant(table[0]);
  auto type = mlir::RankedTensorType::get({int64_t(table.size())}, builder.getI32Type());
  auto entries = mlir::DenseElementsAttr::get(type, llvm::ArrayRef<int32_t>(table));
  return elementAt(builder, location, entries, device.coordinate(fetch.axes));
}

//===----------------------------------------------------------------------===//
// Shift
//===----------------------------------------------------------------------===//

/// The part that a neighbour sends, with what is outside where there is no such neighbour.
mlir::Value IntervalBuilder::receivedByShift(const FetchStep &step) {
  const FetchMove &move = step.moves.front();
  reshard::FetchKey key = parts.partFor(fetch, step, value.getAsOpaquePointer(), op);
  mlir::Value &known = fetched[key];
  if (!known)
    known = permute(slice(value, key.step, key.extent), reshard::stepOfPart(fetch, step, key));
  mlir::Value part = slice(known, move.sourceStart - key.step, step.length);
  if (!outside)
    return part;
  // Blocks that receive are in a row.
  mlir::Value block = device.coordinate(fetch.axes), isSent;
  if (move.target > 0)
    isSent = compare(block, stablehlo::ComparisonDirection::GE, move.target);
  if (int64_t end = step.moves.back().target + 1; end < fetch.problem.parts) {
    mlir::Value isBefore = compare(block, stablehlo::ComparisonDirection::LT, end);
    isSent = isSent ? createValue<stablehlo::AndOp>(builder, location, isSent.getType(),
                                                    {isSent, isBefore})
                    : isBefore;
  }
  return createValue<stablehlo::SelectOp>(builder, location, part.getType(),
                                          {isSent, part, filled(step.length)});
}

mlir::Value IntervalBuilder::shift(const FetchPlan &plan) {
  llvm::SmallVector<mlir::Value> pieces;
  int64_t at = 0;
  auto add = [&](const FetchStep &step) {
    const FetchMove &move = step.moves.front();
    if (move.targetStart > at)
      pieces.push_back(filled(move.targetStart - at));
    pieces.push_back(move.source == move.target ? slice(value, move.sourceStart, step.length)
                                                : receivedByShift(step));
    at = move.targetStart + step.length;
  };
  // By place: neighbours in front of the block, the block, those behind it.
  bool isOwnDone = plan.own.moves.empty();
  for (const FetchStep &step : plan.steps) {
    if (!isOwnDone && step.moves.front().source > step.moves.front().target) {
      add(plan.own);
      isOwnDone = true;
    }
    add(step);
  }
  if (!isOwnDone)
    add(plan.own);
  int64_t extent = fetch.problem.interval.extent;
  if (at < extent)
    pieces.push_back(filled(extent - at));
  if (pieces.size() == 1)
    return pieces.front();
  return stablehlo::createConcatenate(builder, location, pieces, fetch.dim);
}

//===----------------------------------------------------------------------===//
// Place
//===----------------------------------------------------------------------===//

/// What the device receives in `step`, or has itself.
mlir::Value IntervalBuilder::receivedInPlace(const FetchStep &step) {
  std::vector<int32_t> starts(fetch.problem.parts, int32_t(step.moves.front().sourceStart));
  bool isMoved = false;
  for (const FetchMove &move : step.moves) {
    starts[move.source] = int32_t(move.sourceStart);
    isMoved |= move.source != move.target;
  }
  mlir::Value part = sliceAt(value, lookUp(starts), step.length);
  return isMoved ? permute(part, step) : part;
}

mlir::Value IntervalBuilder::place(const FetchPlan &plan) {
  int64_t extent = fetch.problem.interval.extent;
  std::vector<const FetchStep *> steps;
  if (!plan.own.moves.empty())
    steps.push_back(&plan.own);
  for (const FetchStep &step : plan.steps)
    steps.push_back(&step);
  auto isAll = [&](const FetchStep &step) {
    return step.length == extent && int64_t(step.moves.size()) == fetch.problem.parts &&
           llvm::all_of(step.moves, [](const FetchMove &move) { return move.targetStart == 0; });
  };
  if (steps.size() == 1 && isAll(*steps.front()))
    return receivedInPlace(*steps.front());
  // Room for what is received beyond the interval, and for what nobody wants.
  int64_t before = 0, behind = 0;
  for (const FetchStep *step : steps) {
    if (int64_t(step->moves.size()) < fetch.problem.parts)
      behind = std::max(behind, step->length);
    for (const FetchMove &move : step->moves) {
      before = std::max(before, -move.targetStart);
      behind = std::max(behind, move.targetStart + step->length - extent);
    }
  }
  mlir::Value buffer = filled(before + extent + behind);
  for (const FetchStep *step : steps) {
    std::vector<int32_t> places(fetch.problem.parts, int32_t(before + extent));
    for (const FetchMove &move : step->moves)
      places[move.target] = int32_t(before + move.targetStart);
    llvm::SmallVector<mlir::Value> operands(
        mlir::cast<mlir::RankedTensorType>(value.getType()).getRank() + 2, device.constant(0));
    operands[0] = buffer;
    operands[1] = receivedInPlace(*step);
    operands[2 + fetch.dim] = lookUp(places);
    buffer =
        createValue<stablehlo::DynamicUpdateSliceOp>(builder, location, buffer.getType(), operands);
  }
  return slice(buffer, before, extent);
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

mlir::Value IntervalBuilder::gather() {
  const core::FetchProblem &problem = fetch.problem;
  mlir::Value whole = createValue<stablehlo::AllGatherOp>(
      builder, location, typeOfLength(problem.size), value,
      {named("all_gather_dim", builder.getI64IntegerAttr(fetch.dim)),
       named("replica_groups", program.groupsOver(fetch.axes, op)),
       named("channel_handle", program.nextChannel()),
       named("use_global_device_ids", builder.getUnitAttr())});
  int64_t firstStart = problem.interval.begin(0);
  int64_t lastStart = problem.interval.begin(problem.parts - 1);
  int64_t first = std::min({int64_t(0), firstStart, lastStart});
  int64_t end = std::max(
      {problem.size, firstStart + problem.interval.extent, lastStart + problem.interval.extent});
  llvm::SmallVector<mlir::Value> parts;
  if (first < 0)
    parts.push_back(filled(-first));
  parts.push_back(whole);
  if (end > problem.size)
    parts.push_back(filled(end - problem.size));
  if (parts.size() > 1)
    whole = stablehlo::createConcatenate(builder, location, parts, fetch.dim);
  mlir::Value start =
      sum(beginOfInterval(builder, location, device, fetch.axes, problem.interval), -first);
  return sliceAt(whole, start, problem.interval.extent);
}

} // namespace

namespace {

mlir::Value sumWith(mlir::OpBuilder &builder, mlir::Location location, DeviceCoordinates &device,
                    mlir::Value value, int64_t number) {
  return number == 0 ? value
                     : createWithNumber<stablehlo::AddOp>(builder, location, device, value, number);
}

/// What the device divides: `start + step * c - lowest * divisor`. Division rounds towards zero, so
/// that is not negative for any block, as no block begins before `lowest`.
struct Dividend {
  mlir::Value value;
  int64_t lowest = 0;
};

Dividend dividendOf(mlir::OpBuilder &builder, mlir::Location location, DeviceCoordinates &device,
                    const core::AxisList &axes, const core::BlockInterval &interval) {
  int64_t lastBlock = core::shardedSize(axes) - 1;
  int64_t lowest = std::min<int64_t>({0, interval.begin(0), interval.begin(lastBlock)});
  return {sumWith(builder, location, device, device.offset(axes, interval.step),
                  interval.start - lowest * interval.divisor),
          lowest};
}

} // namespace

mlir::Value beginOfInterval(mlir::OpBuilder &builder, mlir::Location location,
                            DeviceCoordinates &device, const core::AxisList &axes,
                            const core::BlockInterval &interval) {
  if (interval.divisor == 1)
    return sumWith(builder, location, device, device.offset(axes, interval.step), interval.start);
  Dividend dividend = dividendOf(builder, location, device, axes, interval);
  mlir::Value quotient = createWithNumber<stablehlo::DivOp>(builder, location, device,
                                                            dividend.value, interval.divisor);
  return sumWith(builder, location, device, quotient, dividend.lowest);
}

mlir::Value restOfInterval(mlir::OpBuilder &builder, mlir::Location location,
                           DeviceCoordinates &device, const core::AxisList &axes,
                           const core::BlockInterval &interval) {
  Dividend dividend = dividendOf(builder, location, device, axes, interval);
  return createWithNumber<stablehlo::RemOp>(builder, location, device, dividend.value,
                                            interval.divisor);
}

/// What a fetch says of the elements at the end of each dimension that nobody wants.
static constexpr llvm::StringLiteral kUnwantedAttr = "shardwise.unwanted";

mlir::Value fetchOperand(mlir::Operation *op, int64_t operand, LocalProgram &program) {
  mlir::Value value = op->getOperand(operand);
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  llvm::SmallVector<int64_t> dims, starts, steps, divisors, unwanted, shape(type.getShape());
  for (const reshard::IntervalFetch &fetch : program.fetchesOf(op)) {
    if (fetch.operand != operand)
      continue;
    dims.push_back(fetch.dim);
    starts.push_back(fetch.problem.interval.start);
    steps.push_back(fetch.problem.interval.step);
    divisors.push_back(fetch.problem.interval.divisor);
    unwanted.push_back(fetch.problem.unwanted);
    shape[fetch.dim] = fetch.problem.interval.extent;
  }
  if (dims.empty())
    return value;
  mlir::OpBuilder builder(reshard::anchorOfFetch(op, operand));
  bool isDivided = llvm::any_of(divisors, [](int64_t divisor) { return divisor != 1; });
  auto fetch = sdy::FetchIntervalOp::create(
      builder, op->getLoc(), type.clone(shape), value, reshard::valueOutside(op, operand), dims,
      starts, steps, isDivided ? builder.getDenseI64ArrayAttr(divisors) : nullptr,
      sdy::getSharding(value));
  if (llvm::any_of(unwanted, [](int64_t number) { return number != 0; }))
    fetch->setAttr(kUnwantedAttr, builder.getDenseI64ArrayAttr(unwanted));
  return fetch;
}

/// What `op` fetches along each of its dimensions, which are fetched one after the other.
static llvm::SmallVector<reshard::IntervalFetch> fetchesOf(sdy::FetchIntervalOp op,
                                                           LocalProgram &program) {
  auto from = mlir::cast<mlir::RankedTensorType>(op.getTensor().getType());
  auto to = mlir::cast<mlir::RankedTensorType>(op.getType());
  const core::Sharding &placement = program.shardings().placementOf(op.getInSharding(), from);
  auto unwanted = op->getAttrOfType<mlir::DenseI64ArrayAttr>(kUnwantedAttr);
  llvm::SmallVector<reshard::IntervalFetch> fetches;
  for (auto [number, dim] : llvm::enumerate(op.getDims())) {
    const core::AxisList &axes = placement.dims[dim].axes;
    int64_t numBlocks = core::shardedSize(axes);
    core::BlockInterval interval{op.getStarts()[number],
                                 op.getSteps()[number],
                                 to.getDimSize(dim),
                                 0,
                                 0,
                                 op.getDivisors() ? (*op.getDivisors())[number] : 1};
    core::FetchProblem problem{from.getDimSize(dim) * numBlocks, numBlocks, interval};
    // The text may say anything.
    if (unwanted && number < size_t(unwanted.size()))
      problem.unwanted = std::clamp<int64_t>(unwanted[number], 0, problem.size);
    fetches.push_back({0, dim, axes, problem});
  }
  return fetches;
}

void FetchLowering::add(sdy::FetchIntervalOp op) {
  parts.add(fetchesOf(op, program).front(), op.getTensor().getAsOpaquePointer(), op);
}

void FetchLowering::lower(sdy::FetchIntervalOp op) {
  mlir::Value value = op.getTensor();
  const void *outside = op.getOutside() ? op.getOutside().getAsOpaquePointer() : nullptr;
  for (const reshard::IntervalFetch &fetch : fetchesOf(op, program)) {
    reshard::FetchKey key = reshard::intervalKey(fetch, value.getAsOpaquePointer(), outside, op);
    mlir::Value known = fetched[key];
    if (!known) {
      known = IntervalBuilder(op, fetch, value, program, parts, fetched).build();
      fetched[key] = known;
    }
    value = known;
  }
  program.replaceInTheEnd(op.getResult(), value);
  program.eraseInTheEnd(op);
}

} // namespace shardwise::partition
