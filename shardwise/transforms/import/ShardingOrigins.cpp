// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collecting and writing the origins of axes. There is one list of (axis, name) per value that has
// a sharding of its own. The annotations fill it first; propagation then reports every move of axes
// between two values, and the name goes along with the axis. With x on %arg0 and propagation
// through `%0 = stablehlo.negate %arg0`:
//   %arg0: {"x" -> "input: 0"}, written as {x = "self"}
//   %0:    {"x" -> "input: 0"}, written as [{x = "input: 0"}]
// A value has few axes, so lists are searched from the front.

#include "shardwise/transforms/import/ShardingOrigins.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

namespace shardwise::importer {

namespace {

using mlir::Operation;
using mlir::StringAttr;
using mlir::Value;

/// Whether `inner` is `outer` or a part of it: `"x":(1)2` of `"x"`, and of `"x":(1)4`.
bool containsAxis(const core::AxisRef &outer, const core::AxisRef &inner) {
  if (outer.name != inner.name)
    return false;
  if (!outer.subAxis || !inner.subAxis)
    return !outer.subAxis;
  return outer.subAxis->preSize <= inner.subAxis->preSize &&
         outer.subAxis->preSize * outer.subAxis->size >=
             inner.subAxis->preSize * inner.subAxis->size;
}

/// `x` or `x:(1)2`, without the quotes of the sdy notation.
std::string axisName(const core::AxisRef &axis) {
  std::string name = axis.name;
  if (axis.subAxis)
    name += fmt::format(":({}){}", axis.subAxis->preSize, axis.subAxis->size);
  return name;
}

StringAttr originNameOf(Operation *op) {
  return op->getAttrOfType<StringAttr>(sdy::kShardingOriginNameAttr);
}

/// The value that stands for all values with its sharding: the edge of a target, or the owner.
Value representativeOf(Value value) {
  Value owner = sdy::getDataFlowOwner(value);
  if (!owner)
    return value;
  sdy::DataFlowEdgeOp edge = sdy::getDataFlowEdge(owner);
  return edge ? edge.getResult() : owner;
}

/// The last operand of the return that is `value`: the function result that shows its record.
std::optional<unsigned> resultShowing(Value value) {
  for (mlir::OpOperand &use : value.getUses())
    if (mlir::isa<mlir::func::ReturnOp>(use.getOwner()))
      return use.getOperandNumber();
  return std::nullopt;
}

} // namespace

ShardingOrigins::ShardingOrigins(mlir::ModuleOp module) : module(module) {
  // The first name of an axis stays, so the order decides where several annotations are on one
  // value.
  recordConstraints();
  recordManualComputations();
  recordFunctions();
}

void ShardingOrigins::record(Value value, sdy::TensorShardingAttr sharding,
                             const std::string &name) {
  if (!sharding || !value)
    return;
  AxisOrigins &recorded = origins[representativeOf(value)];
  StringAttr nameAttr = StringAttr::get(module.getContext(), name);
  for (const core::WrittenDimSharding &dim : sdy::toCore(sharding).dims)
    for (const core::AxisRef &axis : dim.axes)
      if (llvm::none_of(recorded, [&](const Origin &origin) { return origin.axis == axis; }))
        recorded.push_back({axis, nameAttr});
}

void ShardingOrigins::recordConstraints() {
  int64_t number = 0;
  module.walk([&](sdy::ShardingConstraintOp constraint) {
    std::string name = fmt::format("constraint_{}", number++);
    constraint->setAttr(sdy::kShardingOriginNameAttr, StringAttr::get(module.getContext(), name));
    record(constraint.getResult(), constraint.getSharding(), name);
    // As in Shardy, also what the input has before: sdy-apply-sharding-constraints may have put it
    // there.
    record(constraint.getInput(), sdy::getSharding(constraint.getInput()), name);
  });
}

void ShardingOrigins::recordManualComputations() {
  int64_t number = 0;
  auto recordEdge = [&](Value owner, sdy::TensorShardingAttr sharding, const std::string &name) {
    sdy::DataFlowEdgeOp edge = sdy::getDataFlowEdge(owner);
    if (!edge)
      return;
    namesOfEdges[edge.getResult()] = StringAttr::get(module.getContext(), name);
    record(edge.getResult(), sharding, name);
  };
  module.walk([&](sdy::ManualComputationOp manual) {
    std::string prefix = fmt::format("mc_{}", number++);
    manual->setAttr(sdy::kShardingOriginNameAttr, StringAttr::get(module.getContext(), prefix));
    for (auto [i, sharding] : llvm::enumerate(manual.getInShardings().getShardings())) {
      std::string name = fmt::format("{}_input: {}", prefix, i);
      record(manual->getOperand(i), sdy::getSharding(manual->getOperand(i)), name);
      recordEdge(manual.getBody().getArgument(i), sharding, name);
    }
    for (auto [i, sharding] : llvm::enumerate(manual.getOutShardings().getShardings()))
      recordEdge(manual->getResult(i), sharding, fmt::format("{}_output: {}", prefix, i));
  });
}

void ShardingOrigins::recordFunctions() {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    mlir::func::ReturnOp returnOp = stablehlo::returnOrNull(function);
    if (!returnOp)
      continue;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      record(function.getArgument(i), sdy::getFuncArgSharding(function, i),
             fmt::format("input: {}", i));
    for (auto [i, value] : llvm::enumerate(returnOp->getOperands()))
      record(value, sdy::getFuncResultSharding(function, i), fmt::format("output: {}", i));
  }
}

/// Ops are named when they are first asked for, so that only those that axes come from get numbers.
StringAttr ShardingOrigins::nameOfAnnotatedOp(Operation *op) {
  if (StringAttr name = originNameOf(op))
    return name;
  StringAttr name = StringAttr::get(module.getContext(), fmt::format("op_{}", numAnnotatedOps++));
  op->setAttr(sdy::kShardingOriginNameAttr, name);
  return name;
}

/// The axis itself first. Else one that contains it or that it contains: axes are split and joined
/// on their way through dimensions of several factors.
StringAttr ShardingOrigins::findName(const AxisOrigins &recorded, const core::AxisRef &axis) {
  for (const Origin &origin : recorded)
    if (origin.axis == axis)
      return origin.name;
  for (const Origin &origin : recorded)
    if (containsAxis(origin.axis, axis) || containsAxis(axis, origin.axis))
      return origin.name;
  return {};
}

/// What is recorded comes first, then what the group of `source` has. Else nobody reported a move
/// to `source`, so that the axis was written there.
StringAttr ShardingOrigins::nameOf(Value source, const core::AxisRef &axis) {
  AxisOrigins &recorded = origins[source];
  if (StringAttr name = findName(recorded, axis))
    return name;
  StringAttr name;
  if (auto shared = originsInGroup.find(source); shared != originsInGroup.end())
    name = findName(shared->second, axis);
  if (!name)
    if (Operation *op = source.getDefiningOp())
      name = nameOfAnnotatedOp(op);
  if (name)
    recorded.push_back({axis, name});
  return name;
}

void ShardingOrigins::share(Value source, Value target, std::span<const core::AxisRef> axes) {
  for (const core::AxisRef &axis : axes)
    if (StringAttr name = nameOf(source, axis))
      originsInGroup[target].push_back({axis, name});
}

void ShardingOrigins::move(Value source, Value target, std::span<const core::AxisRef> axes) {
  for (const core::AxisRef &axis : axes) {
    StringAttr name = nameOf(source, axis);
    AxisOrigins &recorded = origins[target];
    if (name && llvm::none_of(recorded, [&](const Origin &origin) { return origin.axis == axis; }))
      recorded.push_back({axis, name});
  }
}

void ShardingOrigins::copy(Value source, Value target) {
  llvm::SmallVector<core::AxisRef> axes;
  for (const Origin &origin : origins[source])
    axes.push_back(origin.axis);
  move(source, target, axes);
}

mlir::DictionaryAttr ShardingOrigins::dictionaryOf(Value value, StringAttr ownName) {
  mlir::NamedAttrList entries;
  auto recorded = origins.find(value);
  if (recorded != origins.end())
    for (const Origin &origin : recorded->second)
      entries.set(axisName(origin.axis), origin.name == ownName
                                             ? StringAttr::get(module.getContext(), "self")
                                             : origin.name);
  return entries.getDictionary(module.getContext());
}

/// The name under which `value` is an annotation, to be written as `self`. The name of a manual
/// computation is no name of its results: their edges have those.
StringAttr ShardingOrigins::ownNameOf(Value value) const {
  if (StringAttr name = namesOfEdges.lookup(value))
    return name;
  Operation *op = value.getDefiningOp();
  return op && !mlir::isa<sdy::ManualComputationOp>(op) ? originNameOf(op) : StringAttr();
}

void ShardingOrigins::writeOp(Operation *op) {
  llvm::SmallVector<mlir::Attribute> dictionaries;
  bool isRecorded = false;
  for (Value result : op->getResults()) {
    mlir::DictionaryAttr dictionary = dictionaryOf(result, ownNameOf(result));
    isRecorded |= !dictionary.empty();
    dictionaries.push_back(dictionary);
  }
  if (!isRecorded)
    return;
  bool hasOneValue = mlir::isa<sdy::ShardingConstraintOp, sdy::DataFlowEdgeOp>(op);
  op->setAttr(sdy::kShardingOriginsAttr,
              hasOneValue ? dictionaries.front()
                          : mlir::ArrayAttr::get(op->getContext(), dictionaries));
}

void ShardingOrigins::writeFunction(Operation *op) {
  auto function = mlir::cast<mlir::func::FuncOp>(op);
  mlir::func::ReturnOp returnOp = stablehlo::returnOrNull(function);
  if (!returnOp)
    return;
  mlir::MLIRContext *context = module.getContext();
  auto withOrigins = [&](mlir::DictionaryAttr present, Value value, const std::string &ownName) {
    mlir::NamedAttrList attributes(present);
    mlir::DictionaryAttr dictionary = dictionaryOf(value, StringAttr::get(context, ownName));
    if (!dictionary.empty())
      attributes.set(sdy::kShardingOriginsAttr, dictionary);
    return attributes.getDictionary(context);
  };
  // Written all at once: the attributes of all arguments are one array.
  llvm::SmallVector<mlir::DictionaryAttr> arguments, results;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    arguments.push_back(withOrigins(function.getArgAttrDict(i), function.getArgument(i),
                                    fmt::format("input: {}", i)));
  for (auto [i, value] : llvm::enumerate(returnOp->getOperands())) {
    Value shown = resultShowing(value) == i ? value : Value();
    results.push_back(
        withOrigins(function.getResultAttrDict(i), shown, fmt::format("output: {}", i)));
  }
  function.setAllArgAttrs(arguments);
  function.setAllResultAttrs(results);
}

void ShardingOrigins::write() {
  module.walk([&](Operation *op) {
    if (mlir::isa<mlir::func::FuncOp>(op))
      writeFunction(op);
    else if (op->getNumResults() > 0)
      writeOp(op);
  });
}

} // namespace shardwise::importer
