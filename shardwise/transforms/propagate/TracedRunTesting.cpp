// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Naming values after the text, rendering of chains and conflicts, and the replay.

#include "shardwise/transforms/propagate/TracedRunTesting.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/chlo/ChloDialect.h"
#include "shardwise/dialect/extensions/StablehloDataFlow.h"
#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#include "shardwise/propagation/PropagationStep.h"
#include "shardwise/transforms/Pipelines.h"
#include "shardwise/transforms/propagate/Conflicts.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

#include <fmt/format.h>

namespace shardwise::propagate {

namespace {

/// Parses `text` into `module`, and makes every name in it the location of what it names.
void parseWithNames(mlir::ModuleOp module, std::string_view text) {
  mlir::MLIRContext *context = module.getContext();
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  mlir::AsmParserState state;
  mlir::ParserConfig config(context, /*verifyAfterParse=*/false);
  ASSERT_TRUE(mlir::succeeded(mlir::parseAsmSourceFile(source, module.getBody(), config, &state)));
  auto named = [&](llvm::SMRange range) {
    llvm::StringRef name(range.Start.getPointer(),
                         range.End.getPointer() - range.Start.getPointer());
    return mlir::NameLoc::get(mlir::StringAttr::get(context, name.split(':').first));
  };
  for (const auto &definition : state.getOpDefs())
    if (!definition.resultGroups.empty())
      definition.op->setLoc(named(definition.resultGroups.front().definition.loc));
  for (const auto &definition : state.getBlockDefs())
    for (auto [i, argument] : llvm::enumerate(definition.arguments))
      definition.block->getArgument(i).setLoc(named(argument.loc));
  // A module in the text takes the place of ours.
  if (llvm::hasSingleElement(*module.getBody()))
    if (auto inner = mlir::dyn_cast<mlir::ModuleOp>(module.getBody()->front())) {
      module.getBody()->getOperations().splice(module.getBody()->end(),
                                               inner.getBody()->getOperations());
      inner.erase();
    }
  ASSERT_TRUE(mlir::succeeded(mlir::verify(module)));
}

/// What the pipeline does before propagation.
void prepare(mlir::ModuleOp module) {
  mlir::PassManager manager(module.getContext());
  transforms::buildImportPipeline(manager);
  ASSERT_TRUE(mlir::succeeded(manager.run(module)));
}

std::string nameIn(mlir::Location location) {
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(location))
    return name.getName().str();
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(location))
    return nameIn(call.getCallee());
  return "?";
}

std::string nameOf(mlir::Value value) {
  if (auto edge = value.getDefiningOp<sdy::DataFlowEdgeOp>())
    return nameOf(edge.getInput());
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    return nameIn(argument.getLoc());
  auto result = mlir::cast<mlir::OpResult>(value);
  std::string name = nameIn(result.getOwner()->getLoc());
  return result.getOwner()->getNumResults() == 1
             ? name
             : fmt::format("{}#{}", name, result.getResultNumber());
}

class Recorder : public PropagationObserver {
public:
  explicit Recorder(TracedRun &run) : run(run) {}

  void propagated(const PropagationGraph &propagatedGraph,
                  const PropagationTrace &propagationTrace) override {
    graph = &propagatedGraph;
    trace = &propagationTrace;
    AxisHistory axisHistory(*graph, *trace);
    history = &axisHistory;
    for (ValueGroupId group = 0; group < static_cast<ValueGroupId>(graph->valueGroups().size());
         ++group)
      if (graph->valueGroups()[group].current.isSet() &&
          graph->valueGroups()[group].storage != ShardingStorage::Erased)
        recordGroup(group);
    for (const Conflict &conflict : findConflicts(*graph, *trace, *history))
      run.conflicts.push_back(text(conflict));
  }

private:
  std::string name(ValueGroupId id) const {
    const ValueGroup &group = graph->valueGroups()[id];
    switch (group.storage) {
    case ShardingStorage::FuncArgument:
      return nameOf(mlir::cast<mlir::func::FuncOp>(group.op).getArgument(group.index));
    case ShardingStorage::FuncResult:
      return fmt::format("result {}", group.index);
    case ShardingStorage::BlockArgumentOwner:
      return nameOf(group.op->getRegion(0).getArgument(group.index));
    default:
      return nameOf(group.op->getResult(group.index));
    }
  }
  const core::Mesh &meshOf(ValueGroupId group) const {
    return graph->meshes()[graph->valueGroups()[group].current.get()->mesh].mesh;
  }
  std::string opName(const TraceEvent &event) const {
    if (event.kind != TraceEventKind::Move)
      return event.kind == TraceEventKind::ShardingGroupCopy ? "group" : "agreed";
    NodeId node = trace->steps[event.step].node;
    if (node == kNoNode)
      return "return";
    return graph->nodes()[node].op->getName().stripDialect().str();
  }

  void recordGroup(ValueGroupId group) {
    const core::Sharding &sharding = graph->valueGroups()[group].current.get()->sharding;
    run.shardings[name(group)] = core::toString(sharding, meshOf(group));
    for (auto [d, dim] : llvm::enumerate(sharding.dims))
      for (const core::Axis &axis : dim.axes)
        recordAxis(group, static_cast<int32_t>(d), axis);
  }

  void recordAxis(ValueGroupId group, int32_t dim, const core::Axis &axis) {
    int64_t explained = 1;
    for (const AxisChain &chain : history->chains(group, axis)) {
      ++run.numChains;
      explained *= chain.links.front().axis.size;
      run.chains[name(group)].push_back(fmt::format(
          "{} {}{}", dim, core::toString(chain.links.front().axis, meshOf(group)), text(chain)));
      replay(group, dim, chain);
    }
    if (explained != axis.size)
      fault(group, axis, fmt::format("{} of {} parts are explained", explained, axis.size));
  }

  std::string text(const AxisChain &chain) const {
    std::string ways;
    for (const Arrival &arrival : chain.links)
      if (arrival.event->kind != TraceEventKind::Annotation)
        ways += fmt::format(" <- {}{} ({})", name(arrival.event->source),
                            sourceDimText(*arrival.event), opName(*arrival.event));
    return ways;
  }

  const core::ShardingRule &ruleOf(const TraceEvent &event) const {
    const TraceStep &step = trace->steps[event.step];
    return step.node == kNoNode ? *graph->funcResultLinks()[step.funcResult].rule
                                : *graph->nodes()[step.node].rule;
  }
  static const core::TensorMapping &mappingOf(const core::ShardingRule &rule, int32_t tensor) {
    size_t numOperands = rule.operands.size();
    return size_t(tensor) < numOperands ? rule.operands[tensor]
                                        : rule.results[tensor - numOperands];
  }
  std::string sourceDimText(const TraceEvent &event) const {
    if (event.kind != TraceEventKind::Move)
      return "";
    auto position = core::findFactor(mappingOf(ruleOf(event), event.sourceTensor), event.factor);
    return position ? fmt::format(" {}", position->dim) : " ?";
  }

  //===--------------------------------------------------------------------===//
  // Replay
  //===--------------------------------------------------------------------===//

  void fault(ValueGroupId group, const core::Axis &axis, const std::string &what) {
    run.faults.push_back(
        fmt::format("{} {}: {}", name(group), core::toString(axis, meshOf(group)), what));
  }

  /// What `group` had before `time`, of what it has now.
  core::Sharding shardingBefore(ValueGroupId group, uint32_t time) const {
    core::Sharding sharding = graph->valueGroups()[group].current.get()->sharding;
    for (core::DimSharding &dim : sharding.dims) {
      core::AxisList present;
      for (const core::Axis &axis : dim.axes) {
        core::AxisList parts;
        for (const Arrival &arrival : history->arrivals(group, axis, time))
          parts.push_back(arrival.axis);
        for (const core::Axis &part : core::sortAndMerge(parts))
          core::appendOrMerge(present, part);
      }
      dim.axes = present;
    }
    sharding.replicated.clear();
    sharding.unreduced.clear();
    return sharding;
  }

  /// Whether the step of `event`, with the sharding of its source alone, brings `axis` to its
  /// target.
  bool holds(const TraceEvent &event, const core::Axis &axis) const {
    const core::ShardingRule &rule = ruleOf(event);
    core::Sharding source = shardingBefore(event.source, event.time);
    std::vector<propagation::TensorSharding> tensors(rule.operands.size() + rule.results.size());
    tensors[event.sourceTensor].sharding = &source;
    std::span<const propagation::TensorSharding> all(tensors);
    NodeId node = trace->steps[event.step].node;
    propagation::StepInput step{graph->meshes()[trace->steps[event.step].mesh].mesh, rule,
                                all.first(rule.operands.size()), all.last(rule.results.size())};
    step.isElementwise = node != kNoNode && graph->nodes()[node].isElementwise;
    for (const propagation::TensorUpdate &update : propagation::propagate(step))
      if (update.tensor == event.targetTensor)
        return core::overlaps({&axis, 1}, update.sharding.dims[event.targetDim].axes);
    return false;
  }

  /// Follows `chain` from its value: every link begins where the one before ends, is earlier, and
  /// holds by itself; the last is an annotation of the axis.
  void replay(ValueGroupId group, int32_t dim, const AxisChain &chain) {
    ValueGroupId at = group;
    uint32_t time = AxisHistory::kEnd;
    for (const Arrival &arrival : chain.links) {
      const TraceEvent &event = *arrival.event;
      if (event.target != at)
        fault(group, arrival.axis, "a link begins elsewhere than the one before ends");
      if (event.kind == TraceEventKind::Annotation)
        continue;
      if (event.time >= time)
        fault(group, arrival.axis, "a link is not earlier than the one before");
      time = event.time;
      at = event.source;
      if (event.kind != TraceEventKind::Move)
        continue;
      if (event.targetDim != dim)
        fault(group, arrival.axis, "a link is about another dimension than the one before");
      auto position = core::findFactor(mappingOf(ruleOf(event), event.sourceTensor), event.factor);
      if (!position ||
          !core::findFactor(mappingOf(ruleOf(event), event.targetTensor), event.factor))
        return fault(group, arrival.axis, "a link is about a factor that its values do not have");
      dim = static_cast<int32_t>(position->dim);
      // Edges of manual computations show other shardings than they store.
      NodeId node = trace->steps[event.step].node;
      if ((node == kNoNode || !graph->nodes()[node].hasEdgeTransform) &&
          !holds(event, arrival.axis))
        fault(group, arrival.axis, "a link brings nothing when it is replayed: " + opName(event));
    }
    if (chain.endsAtAnnotation() && chain.origin != at)
      fault(group, chain.links.front().axis, "the origin is not where the chain ends");
    if (!chain.endsAtAnnotation() && !isEdge(at))
      fault(group, chain.links.front().axis, "the chain ends at no annotation");
  }

  bool isEdge(ValueGroupId group) const {
    return mlir::isa<sdy::DataFlowEdgeOp>(graph->valueGroups()[group].op);
  }

  //===--------------------------------------------------------------------===//
  // Conflicts
  //===--------------------------------------------------------------------===//

  std::string text(const ConflictSide &side, MeshId mesh) const {
    ValueGroupId origin = kNoValueGroup;
    if (!side.axes.empty())
      origin = history->originOf(side.group, side.axes.front());
    std::string text = fmt::format("{} {}", name(side.group), side.dim);
    if (!side.axes.empty())
      text += " " + core::toString(side.axes, graph->meshes()[mesh].mesh);
    return origin == kNoValueGroup ? text : fmt::format("{} from {}", text, name(origin));
  }

  std::string text(const Conflict &conflict) const {
    std::string op = conflict.node == kNoNode
                         ? "return"
                         : graph->nodes()[conflict.node].op->getName().stripDialect().str();
    return fmt::format("{}: {} over {} ({}, {})", op, text(conflict.winner, conflict.mesh),
                       text(conflict.loser, conflict.mesh), toString(conflict.obstacle),
                       toString(conflict.precedence));
  }

  TracedRun &run;
  const PropagationGraph *graph = nullptr;
  const PropagationTrace *trace = nullptr;
  AxisHistory *history = nullptr;
};

} // namespace

void observeRun(std::string_view text, PropagationObserver &observer, PropagationOptions options) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, sdy::SdyDialect, stablehlo::StablehloDialect,
                  chlo::ChloDialect>();
  mlir::func::registerInlinerExtension(registry);
  extensions::registerStablehloDataFlow(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  ASSERT_NO_FATAL_FAILURE(parseWithNames(*module, text));
  ASSERT_NO_FATAL_FAILURE(prepare(*module));
  options.observer = &observer;
  EXPECT_TRUE(mlir::succeeded(runPropagation(*module, options)));
}

TracedRun traceRun(std::string_view text, PropagationOptions options) {
  TracedRun run;
  Recorder recorder(run);
  observeRun(text, recorder, std::move(options));
  return run;
}

} // namespace shardwise::propagate
