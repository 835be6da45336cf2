// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places of shardings: functions, owners of data-flow edges, ops. The order in which places are
// asked is that of the header; getting and setting go the same way.

#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "shardwise/dialect/sdy/ShardingChecks.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwise::sdy {

namespace {

/// The function whose entry block has the argument; null if it belongs to another block.
func::FuncOp getFuncOfArgument(BlockArgument argument) {
  Block *block = argument.getOwner();
  auto func = dyn_cast_or_null<func::FuncOp>(block->getParentOp());
  return func && block->isEntryBlock() ? func : func::FuncOp();
}

/// The element of a per-value attribute; null if it has none there.
TensorShardingAttr elementOrNull(TensorShardingPerValueAttr shardings, size_t index) {
  return shardings && index < shardings.size() ? shardings[index] : TensorShardingAttr();
}

/// The attribute `sdy.sharding` of `op`. Asked for every value many times: its class, which hardly
/// another has, is compared faster than its name.
std::optional<NamedAttribute> findShardingList(Operation *op) {
  for (const NamedAttribute &attribute : op->getRawDictionaryAttrs().getValue())
    if (isa<TensorShardingPerValueAttr>(attribute.getValue()) &&
        attribute.getName() == kShardingAttr)
      return attribute;
  return std::nullopt;
}

TensorShardingAttr getOwnerSharding(Value owner);

/// Position of `owner` among the block arguments or results that own edges of `op`.
std::optional<size_t> findBlockArgumentOwner(ShardableDataFlowOpInterface op, BlockArgument owner) {
  auto owners = op.getBlockArgumentOwners();
  auto found = llvm::find(owners, owner);
  if (found == owners.end())
    return std::nullopt;
  return static_cast<size_t>(found - owners.begin());
}

TensorShardingAttr getBlockArgumentSharding(BlockArgument argument) {
  if (func::FuncOp func = getFuncOfArgument(argument))
    return getFuncArgSharding(func, argument.getArgNumber());
  Value owner = getDataFlowOwner(argument);
  return owner ? getOwnerSharding(owner) : TensorShardingAttr();
}

TensorShardingAttr getOwnerSharding(Value owner) {
  auto argument = dyn_cast<BlockArgument>(owner);
  if (!argument)
    return getSharding(owner);
  auto op = dyn_cast<ShardableDataFlowOpInterface>(argument.getOwner()->getParentOp());
  if (!op)
    return {};
  // Only the one asked for: a look-up must not cost the number of arguments.
  if (auto manual = dyn_cast<ManualComputationOp>(op.getOperation()))
    return manual.getBlockArgumentSharding(argument.getArgNumber());
  if (auto named = dyn_cast<NamedComputationOp>(op.getOperation()))
    return elementOrNull(named.getInShardingsAttr(), argument.getArgNumber());
  std::optional<size_t> index = findBlockArgumentOwner(op, argument);
  auto shardings = op.getBlockArgumentOwnerShardings();
  return index && *index < shardings.size() ? shardings[*index] : TensorShardingAttr();
}

void setOwnerSharding(Value owner, TensorShardingAttr sharding) {
  auto argument = dyn_cast<BlockArgument>(owner);
  if (!argument)
    return setSharding(owner, sharding);
  auto op = dyn_cast<ShardableDataFlowOpInterface>(argument.getOwner()->getParentOp());
  std::optional<size_t> index;
  if (op)
    index = findBlockArgumentOwner(op, argument);
  if (!index)
    return;
  auto shardings = op.getBlockArgumentOwnerShardings();
  if (shardings.empty())
    shardings.resize(op.getBlockArgumentOwners().size());
  shardings[*index] = sharding;
  op.setBlockArgumentOwnerShardings(shardings);
}

/// Returns `old` with `sharding` as element `index`: a list of its own, as attributes do not
/// change. Null if no element is left.
TensorShardingPerValueAttr withElement(TensorShardingPerValueAttr old, TypeRange types,
                                       size_t index, TensorShardingAttr sharding,
                                       MLIRContext *context) {
  // An attribute of another length says nothing that could be kept.
  SmallVector<TensorShardingAttr> shardings(types.size());
  if (old && old.size() == types.size())
    llvm::copy(old.getShardings(), shardings.begin());
  shardings[index] = sharding;
  return makePerValue(context, types, shardings);
}

/// Attributes of one function argument or result with `sdy.sharding` set.
DictionaryAttr withSharding(MLIRContext *context, DictionaryAttr attrs,
                            TensorShardingAttr sharding) {
  NamedAttrList list(attrs);
  if (sharding)
    list.set(kShardingAttr, sharding);
  else
    list.erase(kShardingAttr);
  return list.getDictionary(context);
}

void setOpResultSharding(OpResult result, TensorShardingAttr sharding) {
  Operation *op = result.getOwner();
  size_t index = result.getResultNumber();
  MLIRContext *context = op->getContext();
  llvm::TypeSwitch<Operation *>(op)
      // These ops cannot be without a sharding: null changes nothing. The same goes for
      // collectives.
      .Case<ShardingConstraintOp, ReshardOp>([&](auto typed) {
        if (sharding)
          typed.setShardingAttr(sharding);
      })
      .Case<CollectiveOpInterface>([&](CollectiveOpInterface typed) {
        if (sharding)
          typed.setOutShardingAttr(sharding);
      })
      .Case<DataFlowEdgeOp>([&](DataFlowEdgeOp typed) {
        if (sharding)
          typed.setShardingAttr(sharding);
        else
          typed.removeShardingAttr();
      })
      .Case<ManualComputationOp, NamedComputationOp>([&](auto typed) {
        auto shardings = withElement(typed.getOutShardingsAttr(), op->getResultTypes(), index,
                                     sharding, context);
        // Null changes nothing: a manual computation cannot be without its list.
        if (shardings)
          typed.setOutShardingsAttr(shardings);
      })
      .Default([&](Operation *) {
        setShardingList(
            op, withElement(getShardingList(op), op->getResultTypes(), index, sharding, context));
      });
}

} // namespace

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

MeshAttr getMesh(Attribute meshOrRef, const SymbolTable &table) {
  if (auto mesh = dyn_cast<MeshAttr>(meshOrRef))
    return mesh;
  // By the attribute: to look up a text makes one of it.
  auto op = dyn_cast_or_null<MeshOp>(table.lookup(cast<FlatSymbolRefAttr>(meshOrRef).getAttr()));
  return op ? op.getMesh() : MeshAttr();
}

MeshAttr getMesh(Attribute meshOrRef, Operation *from) {
  if (auto mesh = dyn_cast<MeshAttr>(meshOrRef))
    return mesh;
  // The parents of an op do not include the op itself.
  auto module = dyn_cast<ModuleOp>(from);
  if (!module)
    module = from->getParentOfType<ModuleOp>();
  if (!module)
    return {};
  auto op =
      dyn_cast_or_null<MeshOp>(findSymbol(module, cast<FlatSymbolRefAttr>(meshOrRef).getAttr()));
  return op ? op.getMesh() : MeshAttr();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TensorShardingAttr getSharding(Value value) {
  auto result = dyn_cast<OpResult>(value);
  // Asked for every value many times: to look for the interface of its op takes longer than all
  // else. An op without regions has no targets but its results, and each owns its edge.
  bool mayHaveEdge = !result || result.getOwner()->getNumRegions() > 0 || getDataFlowEdge(value);
  if (mayHaveEdge)
    if (Value owner = getDataFlowOwner(value))
      if (DataFlowEdgeOp edge = getDataFlowEdge(owner))
        return edge.getShardingAttr();
  if (!result)
    return getBlockArgumentSharding(cast<BlockArgument>(value));
  size_t index = result.getResultNumber();
  Operation *op = result.getOwner();
  // Defensive throughout: the verifier asks before it knows that attributes are well-formed.
  auto fromAttribute = [&] { return elementOrNull(getShardingList(op), index); };
  // Most ops of a program: to ask each for its classes and interfaces takes longer than all else.
  if (!isa_and_nonnull<SdyDialect>(op->getDialect()))
    return fromAttribute();
  return llvm::TypeSwitch<Operation *, TensorShardingAttr>(op)
      .Case<ShardingConstraintOp, ReshardOp>([](auto typed) { return typed.getShardingAttr(); })
      .Case<CollectiveOpInterface>(
          [](CollectiveOpInterface typed) { return typed.getOutSharding(); })
      .Case<DataFlowEdgeOp>([](DataFlowEdgeOp typed) { return typed.getShardingAttr(); })
      .Case<ManualComputationOp, NamedComputationOp>(
          [&](auto typed) { return elementOrNull(typed.getOutShardingsAttr(), index); })
      .Default([&](Operation *) { return fromAttribute(); });
}

void setSharding(Value value, TensorShardingAttr sharding) {
  if (Value owner = getDataFlowOwner(value)) {
    if (DataFlowEdgeOp edge = getDataFlowEdge(owner)) {
      setOpResultSharding(cast<OpResult>(edge.getResult()), sharding);
      return;
    }
    // All values of an edge share the sharding of its owner. An owner that is a result has it in
    // the same place as any result.
    if (owner != value || isa<BlockArgument>(value))
      return setOwnerSharding(owner, sharding);
  }
  if (auto result = dyn_cast<OpResult>(value))
    return setOpResultSharding(result, sharding);
  auto argument = cast<BlockArgument>(value);
  if (func::FuncOp func = getFuncOfArgument(argument))
    setFuncArgSharding(func, argument.getArgNumber(), sharding);
}

SmallVector<TensorShardingAttr> getShardings(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) { return getSharding(value); });
}

TensorShardingPerValueAttr getShardingList(Operation *op) {
  std::optional<NamedAttribute> attribute = findShardingList(op);
  return attribute ? cast<TensorShardingPerValueAttr>(attribute->getValue())
                   : TensorShardingPerValueAttr();
}

void setShardingList(Operation *op, TensorShardingPerValueAttr shardings) {
  if (!shardings) {
    op->removeDiscardableAttr(kShardingAttr);
    return;
  }
  // To make an attribute of the name takes as long as all else here.
  std::optional<NamedAttribute> old = findShardingList(op);
  op->setDiscardableAttr(old ? old->getName() : StringAttr::get(op->getContext(), kShardingAttr),
                         shardings);
}

ArrayRef<TensorShardingAttr> getResultShardings(Operation *op) {
  TensorShardingPerValueAttr shardings = getShardingList(op);
  return shardings ? shardings.getShardings() : ArrayRef<TensorShardingAttr>();
}

void setResultShardings(Operation *op, ArrayRef<TensorShardingAttr> shardings) {
  setShardingList(op, shardings.empty()
                          ? TensorShardingPerValueAttr()
                          : makePerValue(op->getContext(), op->getResultTypes(), shardings));
}

TensorShardingPerValueAttr makePerValue(MLIRContext *context, TypeRange types,
                                        ArrayRef<TensorShardingAttr> shardings) {
  auto isSet = [](TensorShardingAttr sharding) { return static_cast<bool>(sharding); };
  auto first = llvm::find_if(shardings, isSet);
  if (first == shardings.end())
    return {};
  SmallVector<TensorShardingAttr> filled(shardings);
  for (auto [sharding, type] : llvm::zip_equal(filled, types))
    if (!sharding)
      sharding = getOpenSharding(first->getMeshOrRef(), getShardingRank(type));
  return TensorShardingPerValueAttr::get(context, filled);
}

TensorShardingAttr getFuncArgSharding(func::FuncOp func, int64_t index) {
  return func.getArgAttrOfType<TensorShardingAttr>(index, kShardingAttr);
}

TensorShardingAttr getFuncResultSharding(func::FuncOp func, int64_t index) {
  return func.getResultAttrOfType<TensorShardingAttr>(index, kShardingAttr);
}

SmallVector<TensorShardingAttr> getFuncArgShardings(func::FuncOp func) {
  SmallVector<TensorShardingAttr> shardings;
  for (unsigned index = 0; index < func.getNumArguments(); ++index)
    shardings.push_back(getFuncArgSharding(func, index));
  return shardings;
}

SmallVector<TensorShardingAttr> getFuncResultShardings(func::FuncOp func) {
  SmallVector<TensorShardingAttr> shardings;
  for (unsigned index = 0; index < func.getNumResults(); ++index)
    shardings.push_back(getFuncResultSharding(func, index));
  return shardings;
}

void setFuncArgSharding(func::FuncOp func, int64_t index, TensorShardingAttr sharding) {
  if (sharding)
    func.setArgAttr(index, kShardingAttr, sharding);
  else
    func.removeArgAttr(index, kShardingAttr);
}

void setFuncResultSharding(func::FuncOp func, int64_t index, TensorShardingAttr sharding) {
  if (sharding)
    func.setResultAttr(index, kShardingAttr, sharding);
  else
    func.removeResultAttr(index, StringAttr::get(func.getContext(), kShardingAttr));
}

void setFuncArgShardings(func::FuncOp func, ArrayRef<TensorShardingAttr> shardings) {
  SmallVector<DictionaryAttr> attrs;
  for (auto [index, sharding] : llvm::enumerate(shardings))
    attrs.push_back(withSharding(func.getContext(), func.getArgAttrDict(index), sharding));
  func.setAllArgAttrs(attrs);
}

void setFuncResultShardings(func::FuncOp func, ArrayRef<TensorShardingAttr> shardings) {
  SmallVector<DictionaryAttr> attrs;
  for (auto [index, sharding] : llvm::enumerate(shardings))
    attrs.push_back(withSharding(func.getContext(), func.getResultAttrDict(index), sharding));
  func.setAllResultAttrs(attrs);
}

int64_t getShardingRank(Type type) {
  // Nearly all: a look at the class of a type is faster than one at its interfaces.
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getRank();
  if (auto tuple = dyn_cast<TupleType>(type); tuple && tuple.size() == 1)
    type = tuple.getType(0);
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() ? shaped.getRank() : 0;
}

//===----------------------------------------------------------------------===//
// Data-flow edges, rules, barriers
//===----------------------------------------------------------------------===//

Value getDataFlowOwner(Value target) {
  Operation *op = target.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(target).getOwner()->getParentOp();
  auto dataFlow = dyn_cast_or_null<ShardableDataFlowOpInterface>(op);
  return dataFlow ? dataFlow.getOwnerOfTarget(target) : Value();
}

DataFlowEdgeOp getDataFlowEdge(Value owner) {
  return owner.hasOneUse() ? dyn_cast<DataFlowEdgeOp>(*owner.user_begin()) : DataFlowEdgeOp();
}

OpShardingRuleAttr getShardingRule(Operation *op) {
  return dyn_cast_or_null<OpShardingRuleAttr>(op->getDiscardableAttr(kShardingRuleAttr));
}

void setShardingRule(Operation *op, OpShardingRuleAttr rule) {
  if (rule)
    op->setAttr(kShardingRuleAttr, rule);
  else
    op->removeAttr(kShardingRuleAttr);
}

Value bypassBarriers(Value value) {
  while (auto barrier = value.getDefiningOp<PropagationBarrierOp>())
    value = barrier.getInput();
  return value;
}

SmallVector<StringAttr> getEnclosingManualAxes(Operation *op) {
  SmallVector<StringAttr> axes;
  for (auto manual = op->getParentOfType<ManualComputationOp>(); manual;
       manual = manual->getParentOfType<ManualComputationOp>())
    llvm::append_range(axes, manual.getManualAxes().getAxes());
  return axes;
}

} // namespace shardwise::sdy
