// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The factors of an op that no axis cuts are run by all devices along that axis. Work is what
// matrix products and convolutions multiply and sum: the rest is bound by memory. In a program
// without any it is the elements that ops compute.

#include "shardwise/explain/ExplainWork.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/explain/ArgumentKinds.h"
#include "shardwise/explain/OpMarks.h"
#include "shardwise/explain/ProgramCosts.h"
#include "shardwise/explain/ProgramGroups.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace mlir;

namespace shardwise::explain {
namespace {

/// An argument with data of which every device has all along `axes`, though it has a dimension
/// that divides; the largest one. None if parameters are cut over `axes`: then data is not meant to
/// be.
std::optional<UncutInput> uncutInput(func::FuncOp entry, reshard::ShardedProgram &program,
                                     const ProgramNames &names, const core::AxisList &axes) {
  int64_t times = core::shardedSize(axes);
  std::optional<UncutInput> found;
  int64_t most = 0;
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    ValueId id{opNumberOf(entry.getLoc()), 0, static_cast<int32_t>(argument.getArgNumber())};
    std::string label = names.labelOf({id});
    if (!type || label.empty())
      continue;
    core::AxisList own;
    for (const core::DimSharding &dim : program.placementOf(argument).dims)
      own.insert(own.end(), dim.axes.begin(), dim.axes.end());
    bool isCut = core::setDifference(axes, own) != axes;
    MemoryKind kind = argumentKindOf(label);
    if (isCut && kind == MemoryKind::Parameters)
      return std::nullopt;
    if (isCut || kind != MemoryKind::Inputs || type.getNumElements() < most)
      continue;
    if (found && type.getShape() == cast<RankedTensorType>(found->type).getShape()) {
      found->others.push_back(id);
      continue;
    }
    if (type.getNumElements() == most)
      continue;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (size >= times && size % times == 0) {
        found = {id, type, static_cast<int64_t>(dim), {}};
        most = type.getNumElements();
        break;
      }
  }
  return found;
}

class WorkExplainer {
public:
  WorkExplainer(ModuleOp module, reshard::ShardedProgram &program, const ProgramNames &names)
      : module(module), program(program), names(names) {}

  WorkFacts explain() {
    facts.countsElements =
        !module
             .walk([](Operation *op) {
               return isProduct(op) ? WalkResult::interrupt() : WalkResult::advance();
             })
             .wasInterrupted();
    module.walk([&](Operation *op) { add(op); });
    for (auto &[axes, repeated] : byAxes)
      facts.repeated.push_back(repeated);
    std::sort(facts.repeated.begin(), facts.repeated.end(),
              [](const RepeatedWork &a, const RepeatedWork &b) {
                return std::tuple(-a.flops, core::toString(a.axes)) <
                       std::tuple(-b.flops, core::toString(b.axes));
              });
    if (!facts.repeated.empty())
      facts.uncut = uncutInput(stablehlo::entryFunctionOrNull(module), program, names,
                               listByText.at(core::toString(facts.repeated.front().axes)));
    return std::move(facts);
  }

private:
  void add(Operation *op) {
    if (facts.countsElements ? !isWork(op) : !isProduct(op))
      return;
    LoopNest nest = loopNestOf(op, program);
    int64_t perIteration = (facts.countsElements ? 1 : 2) * loops.frequencyOf(op).times;
    int64_t flops = nest.local * perIteration;
    facts.flops += flops;
    facts.programFlops += nest.program * perIteration;
    if (nest.uncut.empty() || flops == 0)
      return;
    std::vector<core::AxisRef> axes = toRefs(nest.uncut, program.mesh());
    std::string text = core::toString(axes);
    listByText[text] = nest.uncut;
    RepeatedWork &repeated = byAxes[text];
    repeated.axes = std::move(axes);
    repeated.times = core::shardedSize(nest.uncut);
    repeated.flops += flops;
    int64_t &most = mostByText[text];
    if (flops < most)
      return;
    if (flops > most) {
      most = flops;
      repeated.op = opNumberOf(op->getLoc());
      repeated.largest.clear();
    }
    repeated.largest.emplace_back(
        opNumberOf(op->getLoc()),
        core::toWritten(program.placementOf(op->getResult(0)), program.mesh()));
  }

  ModuleOp module;
  reshard::ShardedProgram &program;
  const ProgramNames &names;
  reshard::LoopCounts loops;
  WorkFacts facts;
  std::map<std::string, RepeatedWork> byAxes;
  std::map<std::string, core::AxisList> listByText;
  std::map<std::string, int64_t> mostByText;
};

} // namespace

WorkFacts workFacts(ModuleOp module, reshard::ShardedProgram &program, const ProgramNames &names) {
  return WorkExplainer(module, program, names).explain();
}

} // namespace shardwise::explain
