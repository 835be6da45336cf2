// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-combine-collectives: small collectives of one kind and group become one of
// several operands.
//   %1 = all_reduce {"x"} %a
//   %2 = negate %1
//   %3 = all_reduce {"x"} %b
// becomes
//   %1, %3 = all_reduce {"x"} %a, %b
//   %2 = negate %1
//
// Each block is read once, in order. Collectives that could be one are collected in a combination,
// which is open until
//   1. an op uses what it waits for, and cannot wait itself: it neither maps, moves nor reduces
//   elements;
//   2. another collective depends on it: then no two combinations wait for each other, and the ops
//      of the block still have an order;
//   3. it would keep more than the limit waiting.
// The new collective stands at the last of those that it is made of. Ops before it that use the
// results go behind it, in their order, as soon as all that they use is there. Nothing else moves,
// so values live longer only if they are among those counted for (3). Costs the number of operands
// in the block, those in regions once for each region around them.

#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/Passes.h"
#include "shardwise/transforms/reshard/PlannedCosts.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <map>

namespace shardwise::partition {

#define GEN_PASS_DEF_COMBINECOLLECTIVES
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral kChannel = "channel_handle";

/// Bytes of `value`, which is of a static shape; 0 if it is no tensor.
int64_t bytesOf(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() * reshard::elementBytesOf(value) : 0;
}

/// Whether `op` is an all_gather that XLA for CPUs gets wrong if it has several operands: of bf16,
/// along another dimension than the first (jaxlib 0.10.2; other types are right, and so is one
/// operand).
bool isMistakenByXla(mlir::Operation *op) {
  auto gather = mlir::dyn_cast<stablehlo::AllGatherOp>(op);
  return gather && gather.getAllGatherDim() != 0 &&
         mlir::getElementTypeOrSelf(op->getOperand(0).getType()).isBF16();
}

/// What collectives must have in common to become one; null if `op` is none that can be combined.
mlir::Attribute commonPartOf(mlir::Operation *op) {
  if (op->getNumOperands() == 0 || !mlir::isa<stablehlo::AllReduceOp, stablehlo::AllGatherOp>(op) ||
      isMistakenByXla(op))
    return {};
  mlir::Builder builder(op->getContext());
  mlir::NamedAttrList attributes(op->getAttrDictionary());
  bool hasChannel = static_cast<bool>(attributes.erase(kChannel));
  int64_t function = -1;
  if (auto reduce = mlir::dyn_cast<stablehlo::AllReduceOp>(op)) {
    std::optional<core::ReductionKind> kind = stablehlo::reductionOf(reduce.getComputation());
    if (!kind)
      return {};
    function = static_cast<int64_t>(*kind);
  }
  mlir::Type from = mlir::getElementTypeOrSelf(op->getOperand(0).getType());
  mlir::Type to = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  auto haveType = [](mlir::ValueRange values, mlir::Type type) {
    return llvm::all_of(
        values, [&](mlir::Value value) { return mlir::getElementTypeOrSelf(value) == type; });
  };
  if (!haveType(op->getOperands(), from) || !haveType(op->getResults(), to))
    return {};
  return builder.getArrayAttr({builder.getStringAttr(op->getName().getStringRef()),
                               attributes.getDictionary(op->getContext()),
                               builder.getBoolAttr(hasChannel), builder.getI64IntegerAttr(function),
                               mlir::TypeAttr::get(from), mlir::TypeAttr::get(to)});
}

/// Whether `op` can stand behind a collective that it needs: it is cheap, and has nothing but
/// results.
bool mayWait(mlir::Operation *op) {
  if (auto reduce = mlir::dyn_cast<stablehlo::ReduceOp>(op))
    return stablehlo::reductionOf(reduce.getBody()).has_value();
  if (op->getNumRegions() > 0 || !mlir::isMemoryEffectFree(op))
    return false;
  return op->hasTrait<mlir::OpTrait::Elementwise>() || stablehlo::isElementwise(op) ||
         mlir::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, stablehlo::SliceOp,
                   stablehlo::TransposeOp>(op);
}

/// Calls `visit` with the values of this block that `op` uses, also in its regions.
void forEachUsed(mlir::Operation *op, llvm::function_ref<void(mlir::Value)> visit) {
  auto visitInBlock = [&](mlir::Value value) {
    if (value.getParentBlock() == op->getBlock())
      visit(value);
  };
  llvm::for_each(op->getOperands(), visitInBlock);
  if (op->getNumRegions() == 0)
    return;
  llvm::SetVector<mlir::Value> fromOutside;
  mlir::getUsedValuesDefinedAbove(op->getRegions(), fromOutside);
  llvm::for_each(fromOutside, visitInBlock);
}

/// Collectives of a block that become one, in their order.
struct Combination {
  llvm::SmallVector<mlir::Operation *> members;
  mlir::Attribute commonPart;
  bool isOpen = true;
  /// What is kept waiting: values of other ops, each counted once, and the bytes of all.
  llvm::DenseSet<mlir::Value> held;
  int64_t bytes = 0;
};

/// Finds the combinations of one block.
class Combiner {
public:
  explicit Combiner(int64_t maxBytes) : maxBytes(maxBytes) {}

  std::vector<Combination> find(mlir::Block &block) {
    for (mlir::Operation &op : block)
      visit(&op);
    return std::move(combinations);
  }

private:
  using Numbers = llvm::SmallSetVector<size_t, 2>;

  void visit(mlir::Operation *op) {
    mlir::Attribute commonPart = commonPartOf(op);
    if (!commonPart && openByPart.empty())
      return;
    Numbers needed;
    forEachUsed(op, [&](mlir::Value value) {
      for (size_t number : openFor(value))
        needed.insert(number);
    });
    if (commonPart) {
      llvm::for_each(needed, [&](size_t number) { close(number); });
      return join(op, commonPart);
    }
    if (needed.empty())
      return;
    bool canWait = mayWait(op);
    for (size_t number : needed)
      if (!canWait || !hold(number, op))
        close(number);
    needed.remove_if([&](size_t number) { return !combinations[number].isOpen; });
    if (!needed.empty())
      noteWaiting(op, needed);
  }

  /// The open combinations that `value` waits for.
  llvm::SmallVector<size_t, 1> openFor(mlir::Value value) const {
    llvm::SmallVector<size_t, 1> open = waitsFor.lookup(value);
    llvm::erase_if(open, [&](size_t number) { return !combinations[number].isOpen; });
    return open;
  }

  /// Adds a collective, to the open combination if there is room.
  void join(mlir::Operation *op, mlir::Attribute commonPart) {
    int64_t bytes = 0;
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      bytes += std::max(bytesOf(operand), bytesOf(result));
    if (bytes > maxBytes)
      return;
    auto open = openByPart.find(commonPart);
    if (open != openByPart.end() && combinations[open->second].bytes + bytes > maxBytes) {
      close(open->second);
      open = openByPart.end();
    }
    if (open == openByPart.end()) {
      open = openByPart.try_emplace(commonPart, combinations.size()).first;
      combinations.emplace_back().commonPart = commonPart;
    }
    Combination &combination = combinations[open->second];
    combination.members.push_back(op);
    combination.bytes += bytes;
    Numbers own;
    own.insert(open->second);
    noteWaiting(op, own);
  }

  /// Counts what `op`, which waits, uses besides. Returns whether there is room for it.
  bool hold(size_t number, mlir::Operation *op) {
    Combination &combination = combinations[number];
    for (mlir::Value value : op->getOperands())
      // Arguments and values from outside live on anyway.
      if (value.getDefiningOp() && value.getParentBlock() == op->getBlock() &&
          openFor(value).empty() && combination.held.insert(value).second)
        combination.bytes += bytesOf(value);
    return combination.bytes <= maxBytes;
  }

  void noteWaiting(mlir::Operation *op, const Numbers &numbers) {
    for (mlir::Value result : op->getResults())
      waitsFor[result].assign(numbers.begin(), numbers.end());
  }

  void close(size_t number) {
    combinations[number].isOpen = false;
    openByPart.erase(combinations[number].commonPart);
  }

  int64_t maxBytes;
  std::vector<Combination> combinations;
  llvm::DenseMap<mlir::Attribute, size_t> openByPart;
  /// The combinations that a value waits for, by number.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<size_t, 1>> waitsFor;
};

/// Puts one collective in the place of the last of `members`.
void combine(llvm::ArrayRef<mlir::Operation *> members) {
  mlir::Operation *first = members.front();
  mlir::OpBuilder builder(members.back());
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Location> locations;
  for (mlir::Operation *member : members) {
    llvm::append_range(operands, member->getOperands());
    llvm::append_range(types, member->getResultTypes());
    locations.push_back(member->getLoc());
  }
  mlir::OperationState state(builder.getFusedLoc(locations), first->getName(), operands, types,
                             first->getAttrs());
  for (mlir::Region &region : first->getRegions())
    state.addRegion()->takeBody(region);
  mlir::Operation *combined = builder.create(state);
  unsigned next = 0;
  for (mlir::Operation *member : members) {
    for (mlir::Value result : member->getResults())
      result.replaceAllUsesWith(combined->getResult(next++));
    member->erase();
  }
}

/// Moves ops behind what they use, no further than needed, in their order.
void restoreOrder(mlir::Block &block) {
  struct Waiting {
    int64_t numMissing = 0;
    /// In the order of the block.
    int64_t number = 0;
  };
  llvm::DenseSet<mlir::Operation *> isPlaced;
  llvm::DenseMap<mlir::Operation *, Waiting> waiting;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 2>> waitingFor;
  for (mlir::Operation &op : llvm::make_early_inc_range(block)) {
    llvm::SmallSetVector<mlir::Operation *, 2> missing;
    forEachUsed(&op, [&](mlir::Value value) {
      if (mlir::Operation *definition = value.getDefiningOp())
        if (!isPlaced.contains(definition))
          missing.insert(definition);
    });
    if (!missing.empty()) {
      waiting[&op] = {static_cast<int64_t>(missing.size()), static_cast<int64_t>(waiting.size())};
      for (mlir::Operation *definition : missing)
        waitingFor[definition].push_back(&op);
      continue;
    }
    // The op is where it belongs; so are now those that only waited for it, and for these.
    std::map<int64_t, mlir::Operation *> next;
    auto place = [&](mlir::Operation *placed) {
      isPlaced.insert(placed);
      for (mlir::Operation *user : waitingFor.lookup(placed))
        if (Waiting &state = waiting[user]; --state.numMissing == 0)
          next[state.number] = user;
    };
    place(&op);
    for (mlir::Operation *last = &op; !next.empty();) {
      mlir::Operation *moved = next.begin()->second;
      next.erase(next.begin());
      moved->moveAfter(last);
      last = moved;
      place(moved);
    }
  }
}

/// The bytes that some link moves in 32 latencies; `otherwise` if no link has one.
int64_t worthCombining(const planner::Machine &machine, int64_t otherwise) {
  constexpr double kLatencies = 32;
  double most = 0;
  auto look = [&](const planner::Link &link) {
    most = std::max(most, link.latencySeconds * link.bytesPerSecond);
  };
  look(machine.link);
  if (machine.devicesPerHost > 0)
    look(machine.hostLink);
  for (const auto &[axis, link] : machine.axisLinks)
    look(link);
  return most > 0 ? static_cast<int64_t>(kLatencies * most) : otherwise;
}

struct CombineCollectivesPass : impl::CombineCollectivesBase<CombineCollectivesPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::FailureOr<planner::Machine> machine = reshard::machineOf(topology, getOperation());
    if (failed(machine))
      return signalPassFailure();
    int64_t limit = topology.empty() ? maxBytes : worthCombining(*machine, maxBytes);
    getOperation().walk([&](mlir::Block *block) {
      if (mlir::isa<mlir::ModuleOp>(block->getParentOp()))
        return;
      bool hasChanged = false;
      for (const Combination &combination : Combiner(limit).find(*block))
        if (combination.members.size() > 1) {
          combine(combination.members);
          hasChanged = true;
        }
      if (hasChanged)
        restoreOrder(*block);
    });
  }
};

} // namespace

} // namespace shardwise::partition
