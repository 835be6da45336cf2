// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over the places of shardings. `forEachList` is the only table of them: an attribute with
// n shardings is read, and set, as one list, because setting them one by one would make n
// attributes of length n, which live as long as the context.

#include "shardwise/dialect/sdy/ShardingPlaces.h"

#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwise::sdy {

namespace {

using Kind = ShardingPlaceKind;
using Shardings = ArrayRef<TensorShardingAttr>;

/// Gets the shardings of one list, null where a value has none, the types of the values, and what
/// sets all of them.
using ListVisitor =
    llvm::function_ref<void(Kind, Shardings, TypeRange, llvm::function_ref<void(Shardings)>)>;

/// The lists that `op` itself holds.
class ListsOf {
public:
  ListsOf(Operation *op, ListVisitor visit) : op(op), visit(visit) {}

  void visitAll() {
    // Every op of a program is asked, many times, and most have at most this.
    if (TensorShardingPerValueAttr shardings = getShardingList(op))
      perValue(Kind::OpResult, shardings, op->getResultTypes(),
               [&](TensorShardingPerValueAttr updated) { setShardingList(op, updated); });
    // To ask each for its classes and interfaces takes longer than all else.
    if (isa_and_nonnull<SdyDialect>(op->getDialect()))
      return visitOwn();
    if (op->getNumRegions() > 0)
      if (auto function = dyn_cast<func::FuncOp>(op))
        signature(function);
  }

private:
  /// The lists of an op of this dialect.
  void visitOwn() {
    if (auto in = dyn_cast_or_null<TensorShardingAttr>(op->getDiscardableAttr(kInShardingAttr));
        in && isLocalCollective(op))
      visit(Kind::LocalOperand, in, op->getOperandTypes(),
            [&](Shardings updated) { op->setAttr(kInShardingAttr, updated.front()); });
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](FetchIntervalOp fetch) {
          visit(Kind::LocalOperand, fetch.getInSharding(), op->getOperandTypes(),
                [&](Shardings updated) { fetch.setInShardingAttr(updated.front()); });
        })
        .Case([&](ShardingConstraintOp constraint) { single(Kind::Constraint, constraint); })
        .Case([&](ReshardOp reshard) { single(Kind::Reshard, reshard); })
        .Case([&](DataFlowEdgeOp edge) { single(Kind::DataFlowEdge, edge); })
        .Case([&](ManualComputationOp manual) {
          computation(Kind::ManualOperand, Kind::ManualResult, manual);
        })
        .Case([&](NamedComputationOp named) {
          computation(Kind::NamedOperand, Kind::NamedResult, named);
        })
        .Case([&](CollectiveOpInterface collective) {
          visit(Kind::CollectiveResult, collective.getOutSharding(), op->getResultTypes(),
                [&](Shardings updated) { collective.setOutShardingAttr(updated.front()); });
        });
  }

  void signature(func::FuncOp function) {
    visit(Kind::FunctionArgument, getFuncArgShardings(function), function.getArgumentTypes(),
          [&](Shardings updated) { setFuncArgShardings(function, updated); });
    visit(Kind::FunctionResult, getFuncResultShardings(function), function.getResultTypes(),
          [&](Shardings updated) { setFuncResultShardings(function, updated); });
  }

  template <class OpT> void single(Kind kind, OpT typed) {
    visit(kind, typed.getShardingAttr(), op->getResultTypes(),
          [&](Shardings updated) { typed.setShardingAttr(updated.front()); });
  }

  template <class OpT> void computation(Kind operand, Kind result, OpT typed) {
    perValue(operand, typed.getInShardingsAttr(), op->getOperandTypes(),
             [&](TensorShardingPerValueAttr updated) { typed.setInShardingsAttr(updated); });
    perValue(result, typed.getOutShardingsAttr(), op->getResultTypes(),
             [&](TensorShardingPerValueAttr updated) { typed.setOutShardingsAttr(updated); });
  }

  void perValue(Kind kind, TensorShardingPerValueAttr shardings, TypeRange types,
                llvm::function_ref<void(TensorShardingPerValueAttr)> set) {
    if (shardings)
      visit(kind, shardings.getShardings(), types, [&](Shardings updated) {
        set(TensorShardingPerValueAttr::get(op->getContext(), updated));
      });
  }

  Operation *op;
  ListVisitor visit;
};

/// Calls `visit(place)` for every sharding of a list.
template <class VisitT>
void forEachPlace(Operation *op, Kind kind, Shardings shardings, TypeRange types, VisitT visit) {
  for (auto [index, sharding] : llvm::enumerate(shardings))
    // There can be more shardings than types: one at an op without results.
    if (sharding)
      visit(ShardingPlace{kind, op, static_cast<unsigned>(index),
                          index < types.size() ? types[index] : Type(), sharding});
}

} // namespace

Location ShardingPlace::location() const {
  auto function = dyn_cast<func::FuncOp>(op);
  // A declaration has no block, so its arguments have no places of their own.
  if (kind == Kind::FunctionArgument && !function.isExternal())
    return function.getArgument(index).getLoc();
  return op->getLoc();
}

void forEachShardingOf(Operation *op, llvm::function_ref<void(const ShardingPlace &)> visit) {
  auto visitList = [&](Kind kind, Shardings shardings, TypeRange types,
                       llvm::function_ref<void(Shardings)>) {
    forEachPlace(op, kind, shardings, types, visit);
  };
  ListsOf(op, visitList).visitAll();
}

void forEachSharding(ModuleOp module, llvm::function_ref<void(const ShardingPlace &)> visit) {
  module->walk<WalkOrder::PreOrder>([&](Operation *op) { forEachShardingOf(op, visit); });
}

bool updateShardings(ModuleOp module,
                     llvm::function_ref<TensorShardingAttr(const ShardingPlace &)> update) {
  bool anyChanged = false;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto updateList = [&](Kind kind, Shardings shardings, TypeRange types,
                          llvm::function_ref<void(Shardings)> set) {
      SmallVector<TensorShardingAttr> updated(shardings);
      forEachPlace(op, kind, shardings, types,
                   [&](const ShardingPlace &place) { updated[place.index] = update(place); });
      // Attributes are unique, so an equal list is the same attribute: there is nothing to set.
      if (ArrayRef(updated) == shardings)
        return;
      set(updated);
      anyChanged = true;
    };
    ListsOf(op, updateList).visitAll();
  });
  return anyChanged;
}

bool replaceShardings(ModuleOp module,
                      llvm::function_ref<TensorShardingAttr(TensorShardingAttr)> replace) {
  llvm::DenseMap<TensorShardingAttr, TensorShardingAttr> replaced;
  return updateShardings(module, [&](const ShardingPlace &place) {
    auto [it, isNew] = replaced.try_emplace(place.sharding);
    if (!isNew)
      return it->second;
    it->second = replace(place.sharding);
    return it->second;
  });
}

std::string toString(const ShardingPlace &place) {
  switch (place.kind) {
  case Kind::FunctionArgument:
    return "argument " + std::to_string(place.index);
  case Kind::ManualOperand:
  case Kind::NamedOperand:
  case Kind::LocalOperand:
    return "operand " + std::to_string(place.index);
  case Kind::Constraint:
    return "the constrained value";
  case Kind::Reshard:
    return "the resharded value";
  case Kind::FunctionResult:
  case Kind::OpResult:
  case Kind::DataFlowEdge:
  case Kind::CollectiveResult:
  case Kind::ManualResult:
  case Kind::NamedResult:
    break;
  }
  return "result " + std::to_string(place.index);
}

} // namespace shardwise::sdy
