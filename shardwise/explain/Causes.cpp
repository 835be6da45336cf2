// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Causes, read off the kinds of factors. For the first factor of a sharded dimension of an operand:
//
//   a reduction factor, or one that is read  the op sums over the axes
//   from the devices that have the places
//   one that must be replicated, is          the op needs the dimension whole
//   permuted, or is blocked
//   another factor that is passed through    no cause: the result has the axes too

#include "shardwise/explain/Causes.h"

#include "shardwise/explain/OpMarks.h"
#include "shardwise/rules/OpSheet.h"

namespace shardwise::explain {

using propagate::kNoValueGroup;
using propagate::Node;
using propagate::ValueGroupId;

namespace {

/// Whether devices that share `factor` give results that are summed, whatever its kind says.
bool isRead(const Node &node, core::FactorIndex factor) {
  std::optional<rules::OpSheet> sheet = rules::opSheet(node.op);
  // A conservative rule has other factors than the sheet, and none that is read.
  return sheet && sheet->rule == *node.rule && sheet->uses[factor].isPartial();
}

} // namespace

void Causes::collect(PropagatedProgram &program, ConflictRoots &roots) {
  for (const Node &node : program.graph.nodes()) {
    if (node.isErased || !node.rule)
      continue;
    const core::ShardingRule &rule = *node.rule;
    if (rule.reduction.empty() && rule.needReplication.empty() && rule.permutation.empty() &&
        rule.blockedPropagation.empty())
      continue;
    for (int32_t operand = 0; operand < node.numOperands; ++operand)
      collect(program, roots, node, operand);
  }
}

void Causes::collect(PropagatedProgram &program, ConflictRoots &roots, const Node &node,
                     int32_t operand) {
  ValueGroupId group = program.graph.operandsOf(node)[operand];
  if (group == kNoValueGroup || !program.graph.valueGroups()[group].current.isSet())
    return;
  const propagate::MeshSharding &current = program.graph.valueGroups()[group].current;
  for (size_t d = 0; d < current.sharding.dims.size(); ++d) {
    const core::AxisList &axes = current.sharding.dims[d].axes;
    if (axes.empty())
      continue;
    // The major factor: the first axes of the dimension are on it.
    core::FactorIndex factor = node.rule->operands[operand][d].front();
    core::FactorKind kind = node.rule->kind(factor);
    if (kind == core::FactorKind::PassThrough && !node.rule->isBlocked(factor))
      continue;
    Cause cause;
    bool isSum = kind == core::FactorKind::Reduction || isRead(node, factor);
    cause.kind = isSum ? Cause::Sum : Cause::WholeDimension;
    cause.fact.op = opNumberOf(node.op->getLoc());
    cause.fact.value = valueIdOf(node.op->getOperand(operand));
    cause.fact.dim = static_cast<int64_t>(d);
    cause.fact.axes = toRefs(axes, program.graph.meshes()[current.mesh].mesh);
    cause.axes = axes;
    cause.origin = originNumber(program, group, axes.front());
    cause.root = roots.rootOf(program.history, group, axes.front());
    causes[cause.fact.op].push_back(std::move(cause));
  }
}

int64_t Causes::originNumber(PropagatedProgram &program, ValueGroupId group,
                             const core::Axis &axis) {
  ValueGroupId origin = program.history.originOf(group, axis);
  if (origin == kNoValueGroup)
    return -1;
  // Many operands go back to few annotations, so each is described once.
  auto [known, isNew] = originOfGroup.try_emplace(origin, static_cast<int64_t>(origins.size()));
  if (isNew)
    origins.push_back(program.annotations.of(origin));
  return known->second;
}

/// The op may sum over axes of several operands or dimensions. The cause with these axes fits best;
/// if there is none, they were moved to others first, and any sum is the reason.
const Cause *Causes::sumAt(int64_t op, const core::AxisList &axes) const {
  auto found = causes.find(op);
  const Cause *best = nullptr;
  if (found == causes.end())
    return best;
  for (const Cause &cause : found->second) {
    if (cause.kind != Cause::Sum)
      continue;
    if (core::overlaps(cause.axes, axes))
      return &cause;
    best = best ? best : &cause;
  }
  return best;
}

const Cause *Causes::wholeDimensionAt(int64_t op, const ValueId &value) const {
  auto found = causes.find(op);
  if (found == causes.end())
    return nullptr;
  for (const Cause &cause : found->second)
    if (cause.kind == Cause::WholeDimension && cause.fact.value == value)
      return &cause;
  return nullptr;
}

ExplainedAnnotation Causes::originOf(const Cause &cause) const {
  return cause.origin < 0 ? ExplainedAnnotation() : origins[cause.origin];
}

} // namespace shardwise::explain
