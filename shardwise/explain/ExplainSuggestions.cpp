// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making changes, and pricing the programs that result.

#include "shardwise/explain/ExplainSuggestions.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/explain/ExplainConflictText.h"
#include "shardwise/explain/ExplainTransfers.h"
#include "shardwise/explain/LoopCounts.h"
#include "shardwise/propagation/ShardingProjection.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/Pipelines.h"
#include "shardwise/transforms/import/CheckProgram.h"
#include "shardwise/transforms/import/MainFunction.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace mlir;

namespace shardwise::explain {
namespace {

/// Copies of the program that are compiled for one conflict, and in all; and the ops in them.
constexpr size_t kEditsPerConflict = 6;
constexpr int64_t kMostEdits = 24;
constexpr int64_t kMostOps = 200000;

//===----------------------------------------------------------------------===//
// What a program costs
//===----------------------------------------------------------------------===//

struct Costs {
  int64_t receivedBytes = 0;
  int64_t argumentBytes = 0;
  int64_t flops = 0;
};

/// Multiplications and additions of one device in a matrix product or convolution: twice the
/// product of its local factor sizes.
int64_t flopsOf(Operation *op, reshard::ShardedProgram &program) {
  std::optional<core::ShardingRule> rule = rules::shardingRule(op);
  if (!rule)
    return 0;
  std::vector<const core::Sharding *> placements;
  for (Value value : op->getOperands())
    placements.push_back(&program.placementOf(value));
  for (Value value : op->getResults())
    placements.push_back(&program.placementOf(value));
  propagation::ShardingProjection projection;
  projection.fill(*rule, placements);
  int64_t flops = 2;
  for (core::FactorIndex factor = 0; factor < rule->numFactors(); ++factor) {
    int64_t parts = 1;
    for (auto i : projection.entriesOf(factor))
      parts = std::max(parts, core::shardedSize(projection.axes(projection.entry(i))));
    flops *= (rule->factorSizes[factor] + parts - 1) / parts;
  }
  return flops;
}

FailureOr<Costs> costsOf(ModuleOp resharded) {
  auto program = reshard::ShardedProgram::create(resharded);
  auto received = receivedBytesOf(resharded);
  if (failed(program) || failed(received))
    return failure();
  Costs costs;
  costs.receivedBytes = *received;
  LoopCounts loops;
  resharded.walk([&](Operation *op) {
    if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op))
      costs.flops += flopsOf(op, *program) * loops.frequencyOf(op).times;
  });
  func::FuncOp entry = importer::mainFunctionOrNull(resharded);
  for (BlockArgument argument : entry.getArguments())
    if (isa<RankedTensorType>(argument.getType())) {
      int64_t bytes = reshard::elementBytesOf(argument);
      for (int64_t size :
           core::localShape(reshard::shapeOf(argument), program->placementOf(argument)))
        bytes *= size;
      costs.argumentBytes += bytes;
    }
  return costs;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// A sharding to write on a value, or on a result of the function.
struct Edit {
  ValueId value;
  int32_t resultIndex = -1;
  core::Sharding sharding;
  /// A new constraint instead of a change of the annotation that is there.
  bool isConstraint = false;
  std::string text;
  std::string place;
  std::string source;
};

bool hasAxisTwice(const core::Sharding &sharding) {
  core::AxisList seen;
  for (const core::DimSharding &dim : sharding.dims) {
    if (core::overlaps(dim.axes, seen))
      return true;
    seen.insert(seen.end(), dim.axes.begin(), dim.axes.end());
  }
  return core::overlaps(seen, sharding.replicated) || core::overlaps(seen, sharding.unreduced);
}

core::Sharding without(core::Sharding sharding, const core::AxisList &axes) {
  for (core::DimSharding &dim : sharding.dims)
    dim.axes = core::setDifference(dim.axes, axes);
  return sharding;
}

/// The program as written, with its ops by number.
class WrittenProgram {
public:
  explicit WrittenProgram(ModuleOp module) : module(module) {
    int64_t number = 0;
    for (Operation &op : *module.getBody())
      op.walk<WalkOrder::PreOrder>([&](Operation *inner) { ops[number++] = inner; });
  }

  int64_t numOps() const { return static_cast<int64_t>(ops.size()); }

  sdy::TensorShardingAttr annotationOf(const ValueId &id, int32_t resultIndex) const {
    if (resultIndex >= 0)
      return sdy::getFuncResultSharding(entry(), resultIndex);
    auto found = ops.find(id.op);
    if (found == ops.end())
      return {};
    if (auto function = dyn_cast<func::FuncOp>(found->second))
      return id.region == 0 ? sdy::getFuncArgSharding(function, id.index)
                            : sdy::TensorShardingAttr();
    if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(found->second))
      return constraint.getSharding();
    return {};
  }

  /// Makes the change. Fails if the value has no place for it.
  LogicalResult apply(const Edit &edit, Attribute meshOrRef, const core::Mesh &mesh) {
    sdy::TensorShardingAttr sharding = sdy::toAttr(meshOrRef, edit.sharding, mesh);
    if (edit.isConstraint)
      return constrain(edit.value, sharding);
    if (edit.resultIndex >= 0) {
      sdy::setFuncResultSharding(entry(), edit.resultIndex, sharding);
      return success();
    }
    Operation *op = ops.lookup(edit.value.op);
    if (auto function = dyn_cast_or_null<func::FuncOp>(op)) {
      sdy::setFuncArgSharding(function, edit.value.index, sharding);
      return success();
    }
    if (auto constraint = dyn_cast_or_null<sdy::ShardingConstraintOp>(op)) {
      constraint.setShardingAttr(sharding);
      return success();
    }
    return failure();
  }

private:
  func::FuncOp entry() const { return importer::mainFunctionOrNull(module); }

  LogicalResult constrain(const ValueId &id, sdy::TensorShardingAttr sharding) {
    Operation *op = ops.lookup(id.op);
    if (!op || id.region >= 0 || id.index >= static_cast<int32_t>(op->getNumResults()))
      return failure();
    Value value = op->getResult(id.index);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    auto constraint =
        sdy::ShardingConstraintOp::create(builder, op->getLoc(), value.getType(), value, sharding);
    value.replaceAllUsesExcept(constraint.getResult(), constraint);
    return success();
  }

  mutable ModuleOp module;
  llvm::DenseMap<int64_t, Operation *> ops;
};

/// The changes that are worth a try for a conflict.
class Edits {
public:
  Edits(const WrittenProgram &program, const core::Mesh &mesh, const ExplainedConflict &conflict)
      : program(program), mesh(mesh), conflict(conflict) {}

  std::vector<Edit> list() {
    meetingPoint();
    annotations(conflict.winner.origin, conflict.winnerAxes, conflict.loserAxes,
                conflict.winner.dim);
    annotations(conflict.loser.origin, conflict.loserAxes, conflict.winnerAxes, conflict.loser.dim);
    if (edits.size() > kEditsPerConflict)
      edits.resize(kEditsPerConflict);
    return std::move(edits);
  }

private:
  /// The value where both sides meet gets what the loser wanted.
  void meetingPoint() {
    const ExplainedSide &winner = conflict.winner;
    core::Sharding sharding = without(winner.sharding, conflict.loserAxes);
    if (winner.id.region >= 0 || winner.origin.id == winner.id ||
        conflict.wantedDim >= static_cast<int64_t>(sharding.dims.size()))
      return;
    for (core::DimSharding &dim : sharding.dims)
      dim.isClosed = true;
    for (const core::Axis &axis : conflict.loserAxes)
      core::appendOrMerge(sharding.dims[conflict.wantedDim].axes, axis);
    sharding.replicated.clear();
    sharding.unreduced.clear();
    if (hasAxisTwice(sharding))
      return;
    Edit edit{winner.id, -1, sharding, true, "", conflict.place, conflict.source};
    edit.text = fmt::format("constrain {} to {}", winner.value, core::toString(sharding, mesh));
    edits.push_back(std::move(edit));
  }

  /// An annotation without its axes, and with those of the other side in their place.
  void annotations(const ExplainedAnnotation &origin, const core::AxisList &own,
                   const core::AxisList &others, int64_t dim) {
    sdy::TensorShardingAttr attr = program.annotationOf(origin.id, origin.resultIndex);
    if (!attr)
      return;
    auto written = core::resolve(sdy::toCore(attr), mesh);
    if (!written)
      return;
    if (own.empty()) {
      // The dimension is closed, or the axes are reserved: put them in.
      core::Sharding filled = without(*written, others);
      filled.replicated = core::setDifference(filled.replicated, others);
      if (dim < static_cast<int64_t>(filled.dims.size()))
        for (const core::Axis &axis : others)
          core::appendOrMerge(filled.dims[dim].axes, axis);
      add(origin, filled);
      return;
    }
    add(origin, without(*written, own));
    for (size_t d = 0; d < written->dims.size(); ++d) {
      if (!core::overlaps(written->dims[d].axes, own))
        continue;
      core::Sharding exchanged = *written;
      exchanged.dims[d].axes = core::setDifference(exchanged.dims[d].axes, own);
      for (const core::Axis &axis : others)
        core::appendOrMerge(exchanged.dims[d].axes, axis);
      add(origin, exchanged);
      core::Sharding later = *written;
      later.dims[d].priority = later.dims[d].priority.value_or(0) + 1;
      add(origin, later);
    }
  }

  void add(const ExplainedAnnotation &origin, core::Sharding sharding) {
    if (hasAxisTwice(sharding))
      return;
    Edit edit{origin.id, origin.resultIndex, std::move(sharding), false,
              "",        origin.place,       origin.source};
    std::string text = core::toString(edit.sharding, mesh);
    if (text == origin.text)
      return;
    edit.text = fmt::format("annotate {}{}{} with {}", origin.what,
                            origin.value.empty() ? "" : " " + origin.value,
                            origin.label.empty() ? "" : " " + origin.label, text);
    edits.push_back(std::move(edit));
  }

  const WrittenProgram &program;
  const core::Mesh &mesh;
  const ExplainedConflict &conflict;
  std::vector<Edit> edits;
};

/// Propagation drops axes of size 1, which the program as written still has: puts the axes of a
/// conflict on the mesh of the program.
class OnProgramMesh {
public:
  OnProgramMesh(const core::Mesh &propagated, const core::Mesh &program) {
    for (const core::MeshAxis &axis : propagated.axes()) {
      auto found = std::find(program.axes().begin(), program.axes().end(), axis);
      numbers.push_back(static_cast<int32_t>(found - program.axes().begin()));
    }
  }

  ExplainedConflict operator()(ExplainedConflict conflict) const {
    for (core::AxisList *axes : {&conflict.winnerAxes, &conflict.loserAxes})
      renumber(*axes);
    for (ExplainedSide *side : {&conflict.winner, &conflict.loser}) {
      for (core::DimSharding &dim : side->sharding.dims)
        renumber(dim.axes);
      renumber(side->sharding.replicated);
      renumber(side->sharding.unreduced);
    }
    return conflict;
  }

private:
  void renumber(core::AxisList &axes) const {
    for (core::Axis &axis : axes)
      axis.index = numbers[axis.index];
  }

  std::vector<int32_t> numbers;
};

/// What the program costs after `edit`; fails if it cannot be compiled.
FailureOr<Costs> costsAfter(const Edit &edit, ModuleOp written, Attribute meshOrRef,
                            const core::Mesh &mesh) {
  ScopedDiagnosticHandler silence(written.getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> copy = written.clone();
  WrittenProgram program(*copy);
  if (failed(program.apply(edit, meshOrRef, mesh)) || failed(verify(*copy)) ||
      importer::unevenShardings(*copy).size() > importer::unevenShardings(written).size())
    return failure();
  struct NoObserver : propagate::PropagationObserver {
    void propagated(const propagate::PropagationGraph &,
                    const propagate::PropagationTrace &) override {}
  } nobody;
  if (failed(transforms::runPropagationPipeline(*copy, &nobody)) ||
      failed(transforms::runReshardPipeline(*copy)))
    return failure();
  return costsOf(*copy);
}

bool isBetter(const Costs &costs, const Costs &than) {
  return double(costs.receivedBytes) <= 0.99 * double(than.receivedBytes) &&
         double(costs.flops) <= 1.01 * double(than.flops);
}

/// The mesh reference that the program's shardings use.
Attribute meshRefOf(ModuleOp module, const core::Mesh &mesh) {
  for (auto op : module.getOps<sdy::MeshOp>())
    if (sdy::toCore(op.getMesh()) == mesh)
      return FlatSymbolRefAttr::get(op.getSymNameAttr());
  return sdy::toAttr(module.getContext(), mesh);
}

} // namespace

void suggestEdits(ModuleOp written, ModuleOp resharded, const ExplainOptions &options,
                  Explanation &explanation) {
  auto before = costsOf(resharded);
  auto shardedProgram = reshard::ShardedProgram::create(resharded);
  if (failed(before) || failed(shardedProgram))
    return;
  OnProgramMesh onProgramMesh(shardedProgram->mesh(), explanation.mesh);
  WrittenProgram program(written);
  Attribute meshOrRef = meshRefOf(written, explanation.mesh);
  int64_t mostEdits = std::min(kMostEdits, kMostOps / std::max<int64_t>(1, program.numOps()));
  options.onStage("trying other annotations");
  // Of conflicts that are alike, in the layers of a model, one is enough.
  std::set<std::string> kinds;
  for (auto [i, conflict] : llvm::enumerate(explanation.conflicts)) {
    if (conflict.receivedBytes == 0 || static_cast<int64_t>(kinds.size()) >= options.suggestFor)
      break;
    if (!kinds.insert(kindOf(conflict)).second)
      continue;
    std::optional<ExplainedSuggestion> best;
    ExplainedConflict renumbered = onProgramMesh(conflict);
    for (const Edit &edit : Edits(program, explanation.mesh, renumbered).list()) {
      if (explanation.numEditsTried >= mostEdits)
        break;
      ++explanation.numEditsTried;
      auto after = costsAfter(edit, written, meshOrRef, explanation.mesh);
      if (failed(after) || !isBetter(*after, *before) ||
          (best && best->receivedBytesAfter <= after->receivedBytes))
        continue;
      best = {static_cast<int64_t>(i),
              edit.text,
              edit.place,
              edit.source,
              before->receivedBytes,
              after->receivedBytes,
              before->argumentBytes,
              after->argumentBytes,
              before->flops,
              after->flops};
    }
    if (best && llvm::none_of(explanation.suggestions, [&](const ExplainedSuggestion &other) {
          return other.edit == best->edit;
        }))
      explanation.suggestions.push_back(std::move(*best));
  }
  std::sort(explanation.suggestions.begin(), explanation.suggestions.end(),
            [](const ExplainedSuggestion &a, const ExplainedSuggestion &b) {
              return std::pair(a.receivedBytesAfter, a.conflict) <
                     std::pair(b.receivedBytesAfter, b.conflict);
            });
}

} // namespace shardwise::explain
