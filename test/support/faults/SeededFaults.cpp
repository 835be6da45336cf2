// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each kind of fault is a change of one op, or of what one result is to its users. All of them
// leave a program that verifies and has the types it had, so that only values can tell.

#include "test/support/faults/SeededFaults.h"

#include "shardwise/dialect/extensions/ProcessGroups.h"
#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/RaggedAllToAll.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace mlir;

namespace shardwise {
namespace {

RankedTensorType typeOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// Whether `op` stands in a region on scalars or in the condition of a loop, where a fault is
/// either one of the program's own arithmetic or one that never ends.
bool isInside(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    if (isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp, stablehlo::SortOp,
            stablehlo::MapOp, stablehlo::SelectAndScatterOp, stablehlo::AllReduceOp,
            stablehlo::ReduceScatterOp>(parent))
      return true;
    if (auto loop = dyn_cast<stablehlo::WhileOp>(parent))
      if (loop.getCond().isAncestor(op->getParentRegion()))
        return true;
  }
  return false;
}

/// Values that are computed from the number of the device.
llvm::DenseSet<Operation *> offsetOps(ModuleOp module) {
  llvm::DenseSet<Operation *> ops;
  SmallVector<Operation *> toVisit;
  module.walk([&](stablehlo::PartitionIdOp op) { toVisit.push_back(op); });
  while (!toVisit.empty()) {
    Operation *op = toVisit.pop_back_val();
    for (Operation *user : op->getUsers())
      if (isa<stablehlo::DivOp, stablehlo::RemOp, stablehlo::MulOp, stablehlo::AddOp,
              stablehlo::SubtractOp, stablehlo::MinOp, stablehlo::MaxOp, stablehlo::ConvertOp>(
              user) &&
          typeOf(user->getResult(0)).getRank() == 0 && ops.insert(user).second)
        toVisit.push_back(user);
  }
  return ops;
}

/// The value outside of what `op` works on, as the number of an operand; -1 if it has none.
int64_t neutralOperand(Operation *op) {
  auto isConstant = [](Value value) {
    Operation *maker = value.getDefiningOp();
    if (auto broadcast = dyn_cast_or_null<stablehlo::BroadcastInDimOp>(maker))
      maker = broadcast.getOperand().getDefiningOp();
    return isa_and_nonnull<stablehlo::ConstantOp>(maker);
  };
  if (isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op) && op->getNumOperands() == 2)
    return 1;
  if (isa<stablehlo::PadOp>(op))
    return 1;
  // A mask: one side of the selection is the same everywhere.
  if (isa<stablehlo::SelectOp>(op))
    for (int64_t side : {2, 1})
      if (isConstant(op->getOperand(side)))
        return side;
  return -1;
}

std::vector<std::vector<int64_t>> groupsOf(Operation *op, int64_t numDevices) {
  std::vector<std::vector<int64_t>> groups;
  Attribute attribute = op->getInherentAttr("replica_groups").value_or(Attribute());
  if (!attribute)
    return groups;
  auto known = extensions::processGroupsOf(*op, attribute, core::GroupStrategy::FlattenedIds);
  if (failed(known))
    return groups;
  for (int64_t rank = 0; rank < numDevices; ++rank)
    if (auto group = known->groupOf(rank, numDevices))
      if (!llvm::is_contained(groups, *group))
        groups.push_back(*group);
  return groups;
}

/// Other groups of the same size: of neighbours if they were not, else of devices that are far
/// apart. All devices in one group meet in halves if they may (a sum), else in another order.
std::vector<std::vector<int64_t>> otherGroups(Operation *op, int64_t numDevices) {
  auto groups = groupsOf(op, numDevices);
  if (groups.empty() || groups.front().size() < 2)
    return {};
  auto size = static_cast<int64_t>(groups.front().size());
  auto isSum = isa<stablehlo::AllReduceOp>(op);
  if (size == numDevices && isSum && size % 2 == 0)
    size /= 2;
  else if (size == numDevices) {
    std::rotate(groups[0].begin(), groups[0].begin() + 1, groups[0].end());
    return groups;
  }
  int64_t count = numDevices / size;
  auto make = [&](bool areNeighbours) {
    std::vector<std::vector<int64_t>> made(count);
    for (int64_t group = 0; group < count; ++group)
      for (int64_t i = 0; i < size; ++i)
        made[group].push_back(areNeighbours ? group * size + i : i * count + group);
    return made;
  };
  return make(true) == groups ? make(false) : make(true);
}

/// What a device has if it does not hear of others: its own part, as often as needed.
Value ownPart(OpBuilder &builder, Operation *op, Value operand, RankedTensorType type) {
  Value value = operand;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t have = typeOf(value).getDimSize(dim);
    int64_t want = type.getDimSize(dim);
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape[dim] = want;
    auto to = RankedTensorType::get(shape, type.getElementType());
    if (want > have) {
      SmallVector<Value> copies(want / have, value);
      value = stablehlo::ConcatenateOp::create(builder, op->getLoc(), to, copies, dim);
    } else if (want < have) {
      SmallVector<int64_t> starts(shape.size(), 0), strides(shape.size(), 1);
      value = stablehlo::SliceOp::create(builder, op->getLoc(), to, value, starts, shape, strides);
    }
  }
  return value;
}

/// The pairs of a permute the other way round; null if these are the same ones.
DenseIntElementsAttr reversedPairs(stablehlo::CollectivePermuteOp op) {
  auto pairs = cast<DenseIntElementsAttr>(op.getSourceTargetPairs());
  SmallVector<int64_t> ids;
  for (const APInt &id : pairs.getValues<APInt>())
    ids.push_back(id.getSExtValue());
  std::vector<std::pair<int64_t, int64_t>> before, after;
  for (size_t i = 0; i + 1 < ids.size(); i += 2) {
    before.emplace_back(ids[i], ids[i + 1]);
    std::swap(ids[i], ids[i + 1]);
    after.emplace_back(ids[i], ids[i + 1]);
  }
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  return before == after ? DenseIntElementsAttr() : DenseIntElementsAttr::get(pairs.getType(), ids);
}

/// The dimension along which a slice has room to be elsewhere; -1 if there is none.
int64_t dimWithRoom(stablehlo::SliceOp op) {
  ArrayRef<int64_t> shape = typeOf(op.getOperand()).getShape();
  for (int64_t dim = 0; dim < std::ssize(shape); ++dim)
    if (op.getStartIndices()[dim] > 0 || op.getLimitIndices()[dim] < shape[dim])
      return dim;
  return -1;
}

bool canDrop(Operation *op) {
  for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults())) {
    RankedTensorType from = typeOf(operand);
    RankedTensorType to = typeOf(result);
    if (!from || !to || from.getRank() != to.getRank() ||
        from.getElementType() != to.getElementType())
      return false;
    for (auto [have, want] : llvm::zip(from.getShape(), to.getShape()))
      if (have == 0 || (want > have && want % have != 0))
        return false;
  }
  return true;
}

Value splat(OpBuilder &builder, Location location, RankedTensorType type, int64_t number) {
  Type element = type.getElementType();
  TypedAttr value;
  if (auto real = dyn_cast<FloatType>(element))
    value = builder.getFloatAttr(real, static_cast<double>(number));
  else
    value = builder.getIntegerAttr(element, number);
  auto attribute = DenseElementsAttr::get(type, ArrayRef<Attribute>(value));
  return stablehlo::ConstantOp::create(builder, location, attribute);
}

/// Whether the value is a constant 0, also behind a broadcast.
bool isZero(Value value) {
  if (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return elements && elements.isSplat() &&
         (matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat()));
}

bool isPlainNumber(RankedTensorType type) {
  return type && isa<FloatType, IntegerType>(type.getElementType());
}

void addOne(OpBuilder &builder, Value value, Operation *onlyUser) {
  if (Operation *maker = value.getDefiningOp(); maker && !onlyUser)
    builder.setInsertionPointAfter(maker);
  Value one = splat(builder, value.getLoc(), typeOf(value), 1);
  auto sum = stablehlo::AddOp::create(builder, value.getLoc(), value.getType(), value, one);
  value.replaceUsesWithIf(sum, [&](OpOperand &use) {
    return use.getOwner() != sum && (!onlyUser || use.getOwner() == onlyUser);
  });
}

/// Calls `visit(position, op)` for every op.
template <class Visit> void forEachOp(ModuleOp module, Visit visit) {
  int64_t position = 0;
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    visit(position++, op);
}

} // namespace

std::vector<Fault> possibleFaults(ModuleOp perDevice, int64_t numDevices) {
  std::vector<Fault> faults;
  llvm::DenseSet<Operation *> offsets = offsetOps(perDevice);
  forEachOp(perDevice, [&](int64_t position, Operation *op) {
    std::string name = op->getName().stripDialect().str();
    auto add = [&](FaultKind kind, const char *what) {
      faults.push_back(
          {kind, position, what + (": " + name) + " (op " + std::to_string(position) + ")"});
    };
    if (stablehlo::isRaggedAllToAll(op)) {
      using List = stablehlo::RaggedOperand;
      const char *lists[] = {"input offsets", "send sizes", "output offsets", "receive sizes"};
      for (unsigned list = List::InputOffsets; list < List::Count; ++list) {
        add(FaultKind::RaggedList, lists[list - List::InputOffsets]);
        faults.back().operand = list;
      }
      return;
    }
    if (stablehlo::collectiveKind(op)) {
      if (op->getNumOperands() == op->getNumResults() && canDrop(op))
        add(FaultKind::DroppedCollective, "dropped collective");
      auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op);
      if (permute ? bool(reversedPairs(permute)) : !otherGroups(op, numDevices).empty())
        add(FaultKind::OtherGroups, "other groups");
      return;
    }
    if (isInside(op))
      return;
    if (offsets.contains(op) || isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(op))
      add(FaultKind::Offset, "offset");
    if (auto slice = dyn_cast<stablehlo::SliceOp>(op); slice && dimWithRoom(slice) >= 0)
      add(FaultKind::Offset, "offset");
    if (isa<stablehlo::CompareOp, stablehlo::SelectOp>(op))
      add(FaultKind::Mask, "mask");
    int64_t neutral = neutralOperand(op);
    if (neutral >= 0 && isPlainNumber(typeOf(op->getOperand(neutral))))
      add(FaultKind::NeutralValue, "neutral value");
  });
  return faults;
}

namespace {

void putOffset(OpBuilder &builder, Operation *op) {
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op)) {
    int64_t dim = dimWithRoom(slice);
    SmallVector<int64_t> starts(slice.getStartIndices()), limits(slice.getLimitIndices());
    int64_t shift = starts[dim] > 0 ? -1 : 1;
    starts[dim] += shift;
    limits[dim] += shift;
    slice.setStartIndices(starts);
    slice.setLimitIndices(limits);
    return;
  }
  if (!isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(op)) {
    addOne(builder, op->getResult(0), nullptr);
    return;
  }
  // Along a dimension that is cut out, if there is one: elsewhere starts are clamped to 0.
  bool isSlice = isa<stablehlo::DynamicSliceOp>(op);
  RankedTensorType whole = typeOf(op->getOperand(0));
  RankedTensorType part = typeOf(isSlice ? op->getResult(0) : op->getOperand(1));
  int64_t chosen = 0;
  for (int64_t dim = 0; dim < whole.getRank(); ++dim)
    if (part.getDimSize(dim) < whole.getDimSize(dim))
      chosen = dim;
  addOne(builder, op->getOperand((isSlice ? 1 : 2) + chosen), op);
}

void putMask(Operation *op) {
  using stablehlo::ComparisonDirection;
  if (auto compare = dyn_cast<stablehlo::CompareOp>(op)) {
    static const std::pair<ComparisonDirection, ComparisonDirection> kOpposites[] = {
        {ComparisonDirection::EQ, ComparisonDirection::NE},
        {ComparisonDirection::LT, ComparisonDirection::GE},
        {ComparisonDirection::GT, ComparisonDirection::LE}};
    for (auto [one, other] : kOpposites) {
      if (compare.getComparisonDirection() == one)
        return compare.setComparisonDirection(other);
      if (compare.getComparisonDirection() == other)
        return compare.setComparisonDirection(one);
    }
  }
  Value onTrue = op->getOperand(1);
  op->setOperand(1, op->getOperand(2));
  op->setOperand(2, onTrue);
}

void putGroups(OpBuilder &builder, Operation *op, int64_t numDevices) {
  if (auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op)) {
    permute.setSourceTargetPairsAttr(reversedPairs(permute));
    return;
  }
  auto groups = otherGroups(op, numDevices);
  SmallVector<int64_t> ids;
  for (const auto &group : groups)
    ids.append(group.begin(), group.end());
  auto type =
      RankedTensorType::get({std::ssize(groups), std::ssize(groups.front())}, builder.getI64Type());
  op->setAttr("replica_groups", DenseIntElementsAttr::get(type, ids));
}

} // namespace

void putFault(ModuleOp perDevice, const Fault &fault, int64_t numDevices) {
  Operation *op = nullptr;
  forEachOp(perDevice, [&](int64_t position, Operation *candidate) {
    if (position == fault.op)
      op = candidate;
  });
  OpBuilder builder(op);
  switch (fault.kind) {
  case FaultKind::DroppedCollective: {
    SmallVector<Value> own;
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      own.push_back(ownPart(builder, op, operand, typeOf(result)));
    op->replaceAllUsesWith(own);
    op->erase();
    return;
  }
  case FaultKind::OtherGroups:
    return putGroups(builder, op, numDevices);
  case FaultKind::Offset:
    return putOffset(builder, op);
  case FaultKind::Mask:
    return putMask(op);
  case FaultKind::NeutralValue: {
    int64_t operand = neutralOperand(op);
    Value before = op->getOperand(operand);
    op->setOperand(operand, splat(builder, op->getLoc(), typeOf(before), isZero(before) ? 1 : 0));
    return;
  }
  case FaultKind::RaggedList: {
    Value list = op->getOperand(fault.operand);
    Value one = splat(builder, op->getLoc(), typeOf(list), 1);
    op->setOperand(fault.operand,
                   stablehlo::AddOp::create(builder, op->getLoc(), list.getType(), list, one));
    return;
  }
  }
}

} // namespace shardwise
