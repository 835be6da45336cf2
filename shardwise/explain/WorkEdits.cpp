// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edits for what is not cut at all, so that no transfer leads to them. Example, on
// <["data"=4, "model"=2]>:
//
//     batch['x'] [{}, {}]: all devices do the same products       [{"data"}, {}]
//     %h constrained to [{}, {}], where batch['x'] is cut         [{"data"}, {}]
//     %logits, product of [{"data"}, {}] and [{}, {}]: "model" is idle   [{"data"}, {"model"}]
//     params['w'] [{}, {"model"}], mu['w'] [{}, {}]: the state is whole  [{}, {"model"}]
//
// 1. Repeated work goes back to an input that is not cut, if there is one: all inputs that have its
//    dimension are cut alike, or the step would reshard some of them. Else a constraint may say
//    that the batch is whole: those of one line are given the axes. Or the products themselves are
//    constrained, along one of their two largest dimensions. What is better, compiling tells.
// 2. A parameter, the optimizer's state of it, and the results of both are one family: they meet in
//    the update. If one alone were cut otherwise, the update would gather it in each step. So an
//    edit of one goes to all that are like it: of its shape, and as sharded as it was.
// 3. State that is less cut than its parameter gets the parameter's sharding.

#include "shardwise/explain/WorkEdits.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/explain/ArgumentKinds.h"
#include "shardwise/explain/OpMarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace shardwise::explain {
namespace {

/// The number by which facts name `function`; -1 if it is not of `module`.
int64_t numberOf(ModuleOp module, func::FuncOp function) {
  int64_t number = 0;
  int64_t found = -1;
  forEachNumberedOp(*module.getBody(), [&](Operation *op) {
    if (op == function)
      found = number;
    ++number;
  });
  return found;
}

/// What is written, or a sharding without axes.
core::WrittenSharding writtenOr(sdy::TensorShardingAttr sharding, RankedTensorType type) {
  if (sharding)
    return sdy::toCore(sharding);
  core::WrittenSharding whole;
  whole.dims.resize(type.getRank());
  return whole;
}

/// Elements that a device has; those of the whole if the axes are not those of `mesh`.
int64_t localElements(const core::WrittenSharding &sharding, RankedTensorType type,
                      const core::Mesh &mesh) {
  core::Shape shape(type.getShape().begin(), type.getShape().end());
  auto resolved = core::resolve(sharding, mesh);
  if (!resolved || resolved->dims.size() != shape.size())
    return type.getNumElements();
  return core::numElements(core::localShape(shape, *resolved));
}

/// Whether `sharding` has no dimensions, as on a mesh of one device: `<@device_2, []>`.
bool isOnOneDevice(const core::WrittenSharding &sharding, RankedTensorType type) {
  return static_cast<int64_t>(sharding.dims.size()) != type.getRank();
}

/// The arguments of the program, with names and shardings.
class Arguments {
public:
  Arguments(ModuleOp written, const ProgramNames &names)
      : entry(stablehlo::entryFunctionOrNull(written)), names(names),
        number(numberOf(written, entry)) {}

  func::FuncOp entry;

  size_t size() { return entry.getNumArguments(); }
  ValueId idOf(size_t i) const { return {number, 0, static_cast<int32_t>(i)}; }
  std::string labelOf(size_t i) const { return names.labelOf({idOf(i)}); }
  RankedTensorType typeOf(size_t i) {
    return dyn_cast<RankedTensorType>(entry.getArgument(i).getType());
  }
  core::WrittenSharding shardingOf(size_t i) {
    return writtenOr(sdy::getFuncArgSharding(entry, i), typeOf(i));
  }
  ExplainedEdit annotate(size_t i, const core::WrittenSharding &sharding) {
    return {
        ExplainedEdit::Kind::Annotate,
        0,
        {},
        {},
        {AnnotationKind::Argument, idOf(i).index, idOf(i), shardingOf(i), names.placeOf(idOf(i))},
        sharding};
  }

private:
  const ProgramNames &names;
  int64_t number;
};

/// Cuts all inputs along the dimension that the largest uncut one lacks. Inputs of a batch share
/// its size: tokens, labels and masks, but no parameter of that size by chance.
EditSet inputEdits(Arguments &arguments, const Explanation &explanation) {
  const UncutInput &uncut = *explanation.work.uncut;
  int64_t rows = cast<RankedTensorType>(uncut.type).getShape()[uncut.dim];
  const auto &wanted = explanation.work.repeated.front().axes;
  EditSet edits;
  for (size_t i = 0; i < arguments.size(); ++i) {
    RankedTensorType type = arguments.typeOf(i);
    if (!type || type.getRank() <= uncut.dim || type.getShape()[uncut.dim] != rows ||
        argumentKindOf(arguments.labelOf(i)) != MemoryKind::Inputs)
      continue;
    core::WrittenSharding sharding = arguments.shardingOf(i);
    if (isOnOneDevice(sharding, type))
      continue;
    auto &axes = sharding.dims[uncut.dim].axes;
    axes.insert(axes.end(), wanted.begin(), wanted.end());
    edits.push_back(arguments.annotate(i, sharding));
  }
  return edits;
}

/// The axes along which work is repeated and inputs are cut by their first dimension: those of a
/// batch. All along which work is repeated if there are none.
std::vector<core::AxisRef> batchAxes(Arguments &arguments, const Explanation &explanation) {
  const std::vector<core::AxisRef> &repeated = explanation.work.repeated.front().axes;
  std::vector<core::AxisRef> axes;
  for (size_t i = 0; i < arguments.size(); ++i) {
    RankedTensorType type = arguments.typeOf(i);
    if (!type || type.getRank() == 0 || argumentKindOf(arguments.labelOf(i)) != MemoryKind::Inputs)
      continue;
    core::WrittenSharding sharding = arguments.shardingOf(i);
    if (isOnOneDevice(sharding, type))
      continue;
    for (const core::AxisRef &axis : sharding.dims.front().axes)
      if (llvm::is_contained(repeated, axis) && !llvm::is_contained(axes, axis))
        axes.push_back(axis);
  }
  return axes.empty() ? repeated : axes;
}

/// Constraints by which the batch, their first dimension, is whole, though it could have `axes`:
/// of those the one with the largest value, and all of the same line of the source that say the
/// same. With `opensOthers` other dimensions without axes get what propagation finds.
EditSet constraintEdits(ModuleOp written, const core::Mesh &mesh, const ProgramNames &names,
                        const std::vector<core::AxisRef> &axes, bool opensOthers) {
  int64_t parts = 1;
  for (const core::AxisRef &axis : axes)
    if (Result<core::Axis> found = core::resolve(axis, mesh))
      parts *= found->size;
  auto hasAxes = [&](const core::WrittenSharding &sharding) {
    return llvm::any_of(axes, [&](const core::AxisRef &axis) {
      return core::toString(sharding).find("\"" + axis.name + "\"") != std::string::npos;
    });
  };
  EditSet edits;
  int64_t largest = 0, number = -1;
  forEachNumberedOp(*written.getBody(), [&](Operation *op) {
    ++number;
    auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op);
    auto type = constraint ? dyn_cast<RankedTensorType>(constraint.getType()) : RankedTensorType();
    if (!type || type.getRank() == 0 || type.getDimSize(0) % parts != 0)
      return;
    const core::WrittenSharding &old = sdy::toCore(constraint.getSharding());
    if (old.dims.empty() || !old.dims.front().axes.empty() || hasAxes(old))
      return;
    // Forward and backward are one line.
    bool isAlike = !edits.empty() && edits.front().annotation.sharding == old &&
                   names.framesOf(number) == names.framesOf(edits.front().annotation.value.op);
    if (!isAlike && type.getNumElements() <= largest)
      return;
    if (!isAlike)
      edits.clear();
    largest = std::max(largest, type.getNumElements());
    core::WrittenSharding sharding = old;
    if (opensOthers)
      for (auto &dim : sharding.dims)
        dim.isClosed = !dim.axes.empty();
    sharding.dims.front() = old.dims.front();
    sharding.dims.front().axes = axes;
    ValueId id{number, -1, 0};
    edits.push_back({ExplainedEdit::Kind::Annotate,
                     0,
                     {},
                     {},
                     {AnnotationKind::Constraint, 0, id, old, names.placeOf(number)},
                     sharding});
  });
  return edits;
}

/// The largest products of one line of the source, with `axes` along one more dimension.
EditSet productEdits(const Explanation &explanation, const ProgramNames &names, size_t dim) {
  const RepeatedWork &most = explanation.work.repeated.front();
  EditSet edits;
  for (const auto &[op, result] : most.largest) {
    if (op < 0 || names.sourceOf(op) != names.sourceOf(most.op) || dim >= result.dims.size())
      continue;
    core::WrittenSharding sharding = result;
    // Closed and without unreduced axes: what propagation left open is now what is wished.
    for (auto &one : sharding.dims)
      one.isClosed = true;
    auto &axes = sharding.dims[dim].axes;
    axes.insert(axes.end(), most.axes.begin(), most.axes.end());
    sharding.replicated.clear();
    sharding.unreduced.clear();
    edits.push_back({ExplainedEdit::Kind::Constrain, 0, {{op, -1, 0}}, {op}, {}, sharding});
  }
  return edits;
}

} // namespace

std::vector<EditSet> repeatedWorkEdits(ModuleOp written, const Explanation &explanation,
                                       const ProgramNames &names) {
  std::vector<EditSet> sets;
  if (explanation.work.repeated.empty() || !stablehlo::entryFunctionOrNull(written))
    return sets;
  Arguments arguments(written, names);
  if (explanation.work.uncut)
    return {inputEdits(arguments, explanation)};
  std::vector<core::AxisRef> batch = batchAxes(arguments, explanation);
  for (bool opensOthers : {false, true})
    sets.push_back(constraintEdits(written, explanation.mesh, names, batch, opensOthers));
  // Results have the types of the program as written, found by number.
  const RepeatedWork &most = explanation.work.repeated.front();
  RankedTensorType type;
  int64_t number = 0;
  forEachNumberedOp(*written.getBody(), [&](Operation *op) {
    if (number++ == most.op && op->getNumResults() > 0)
      type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  });
  if (!type)
    return sets;
  std::vector<size_t> dims(type.getRank());
  std::iota(dims.begin(), dims.end(), 0);
  std::sort(dims.begin(), dims.end(), [&](size_t a, size_t b) {
    return std::pair(-type.getDimSize(a), a) < std::pair(-type.getDimSize(b), b);
  });
  constexpr size_t kMostDims = 2;
  for (size_t i = 0; i < std::min(kMostDims, dims.size()); ++i)
    sets.push_back(productEdits(explanation, names, dims[i]));
  return sets;
}

void addFamilies(EditSet &edits, ModuleOp written, const ProgramNames &names) {
  if (!stablehlo::entryFunctionOrNull(written))
    return;
  Arguments arguments(written, names);
  auto isOfModel = [&](size_t i) {
    MemoryKind kind = argumentKindOf(arguments.labelOf(i));
    return arguments.typeOf(i) &&
           (kind == MemoryKind::Parameters || kind == MemoryKind::OptimizerState);
  };
  auto add = [&](const ExplainedEdit &edit) {
    bool isThere = llvm::any_of(edits, [&](const ExplainedEdit &other) {
      return other.kind == edit.kind && other.annotation.kind == edit.annotation.kind &&
             other.annotation.index == edit.annotation.index;
    });
    if (!isThere)
      edits.push_back(edit);
  };
  for (size_t e = 0, numEdits = edits.size(); e < numEdits; ++e) {
    ExplainedEdit edit = edits[e];
    auto index = static_cast<size_t>(edit.annotation.index);
    if (edit.kind != ExplainedEdit::Kind::Annotate ||
        edit.annotation.kind != AnnotationKind::Argument || index >= arguments.size() ||
        !isOfModel(index) || arguments.idOf(index) != edit.annotation.value)
      continue;
    // The head of the family: of a state, its parameter.
    std::string label = arguments.labelOf(index);
    for (size_t i = 0; i < arguments.size(); ++i)
      if (isStateOf(label, arguments.labelOf(i)) &&
          argumentKindOf(arguments.labelOf(i)) == MemoryKind::Parameters)
        label = arguments.labelOf(i);
    core::WrittenSharding old = arguments.shardingOf(index);
    ArrayRef<int64_t> shape = arguments.typeOf(index).getShape();
    for (size_t i = 0; i < arguments.size(); ++i)
      if (isOfModel(i) && arguments.typeOf(i).getShape() == shape &&
          (arguments.labelOf(i) == label || isStateOf(arguments.labelOf(i), label)) &&
          arguments.shardingOf(i) == old)
        add(arguments.annotate(i, edit.sharding));
    for (unsigned i = 0; i < arguments.entry.getNumResults(); ++i) {
      auto type = dyn_cast<RankedTensorType>(arguments.entry.getResultTypes()[i]);
      sdy::TensorShardingAttr sharding = sdy::getFuncResultSharding(arguments.entry, i);
      if (type && type.getShape() == shape && sharding && sdy::toCore(sharding) == old &&
          isStateOf(names.labelOf({{}, static_cast<int32_t>(i)}), label))
        add({ExplainedEdit::Kind::Annotate,
             0,
             {},
             {},
             {AnnotationKind::Result, static_cast<int32_t>(i), {}, old, {}},
             edit.sharding});
    }
  }
}

EditSet stateEdits(ModuleOp written, const core::Mesh &mesh, const ProgramNames &names) {
  EditSet edits;
  if (!stablehlo::entryFunctionOrNull(written))
    return edits;
  Arguments arguments(written, names);
  std::vector<size_t> parameters, states;
  for (size_t i = 0; i < arguments.size(); ++i) {
    MemoryKind kind = argumentKindOf(arguments.labelOf(i));
    if (arguments.typeOf(i) && kind == MemoryKind::Parameters)
      parameters.push_back(i);
    else if (arguments.typeOf(i) && kind == MemoryKind::OptimizerState)
      states.push_back(i);
  }
  // Behind those of arguments, so that the first edit, which is told, is one that users write.
  EditSet ofResults;
  for (size_t parameter : parameters) {
    RankedTensorType type = arguments.typeOf(parameter);
    core::WrittenSharding wanted = arguments.shardingOf(parameter);
    int64_t elements = localElements(wanted, type, mesh);
    if (elements == type.getNumElements())
      continue;
    std::string label = arguments.labelOf(parameter);
    bool isFound = false;
    for (size_t state : states)
      if (arguments.typeOf(state).getShape() == type.getShape() &&
          isStateOf(arguments.labelOf(state), label) &&
          localElements(arguments.shardingOf(state), type, mesh) > elements) {
        edits.push_back(arguments.annotate(state, wanted));
        isFound = true;
      }
    for (unsigned i = 0; isFound && i < arguments.entry.getNumResults(); ++i) {
      auto result = dyn_cast<RankedTensorType>(arguments.entry.getResultTypes()[i]);
      sdy::TensorShardingAttr sharding = sdy::getFuncResultSharding(arguments.entry, i);
      if (!result || result.getShape() != type.getShape() || !sharding ||
          !isStateOf(names.labelOf({{}, static_cast<int32_t>(i)}), label) ||
          localElements(sdy::toCore(sharding), type, mesh) <= elements)
        continue;
      ofResults.push_back(
          {ExplainedEdit::Kind::Annotate,
           0,
           {},
           {},
           {AnnotationKind::Result, static_cast<int32_t>(i), {}, sdy::toCore(sharding), {}},
           wanted});
    }
  }
  edits.insert(edits.end(), ofResults.begin(), ofResults.end());
  return edits;
}

} // namespace shardwise::explain
