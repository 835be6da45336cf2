// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Projection in, strategy, projection out. In a program that has settled, most steps change
// nothing, so the checks that find this out early come first.

#include "shardwise/propagation/PropagationStep.h"

#include <algorithm>
#include <cassert>

namespace shardwise::propagation {
namespace {

bool hasDimensionAxes(const TensorSharding &tensor) {
  return tensor.sharding && !core::isFullyReplicated(*tensor.sharding);
}

/// Whether `sharding` has no axes at all, like a missing one. Openness is ignored.
bool hasNoAxes(const core::Sharding &sharding) {
  return core::isFullyReplicated(sharding) && sharding.replicated.empty() &&
         sharding.unreduced.empty();
}

void fillDirections(const StepInput &step, std::vector<PropagationDirection> &directions) {
  if (step.factorDirections.empty())
    directions.assign(step.rule.numFactors(), step.direction);
  else
    directions.assign(step.factorDirections.begin(), step.factorDirections.end());
  for (core::FactorIndex factor : step.rule.blockedPropagation)
    directions[factor] = PropagationDirection::None;
}

void addUpdate(const ShardingProjection &projection, int64_t tensor, const TensorSharding &old,
               std::vector<TensorUpdate> &updates) {
  if (!projection.isTouched(tensor))
    return;
  core::Sharding sharding = projection.toSharding(tensor);
  // Expanding can come to nothing in the sharding: axes behind a factor that is not cut completely
  // are left out.
  bool isChanged =
      old.sharding ? !old.isOnCommonMesh || sharding != *old.sharding : !hasNoAxes(sharding);
  if (isChanged)
    updates.push_back({tensor, std::move(sharding)});
}

} // namespace

std::vector<TensorUpdate> propagate(const StepInput &step, StepBuffers &buffers) {
  assert(step.operands.size() == step.rule.operands.size() &&
         step.results.size() == step.rule.results.size() && "rule of another op");
  assert((step.factorDirections.empty() ||
          static_cast<int64_t>(step.factorDirections.size()) == step.rule.numFactors()) &&
         "one direction per factor");
  std::vector<TensorUpdate> updates;
  // Without axes there is nothing to hand out.
  if (std::none_of(step.operands.begin(), step.operands.end(), hasDimensionAxes) &&
      std::none_of(step.results.begin(), step.results.end(), hasDimensionAxes))
    return updates;
  fillDirections(step, buffers.directions);
  if (std::all_of(buffers.directions.begin(), buffers.directions.end(),
                  [](PropagationDirection d) { return d == PropagationDirection::None; }))
    return updates;

  buffers.shardings.clear();
  for (const TensorSharding &operand : step.operands)
    buffers.shardings.push_back(operand.sharding);
  for (const TensorSharding &result : step.results)
    buffers.shardings.push_back(result.sharding);
  buffers.projection.fill(step.rule, buffers.shardings);

  FactorPropagationOptions options{step.mesh, buffers.directions, step.isElementwise,
                                   step.isConservative};
  if (step.strategy == FactorStrategy::Basic)
    propagateBasic(buffers.projection, options, buffers.factors);
  else
    propagateAggressive(buffers.projection, options, buffers.factors);

  int64_t tensor = 0;
  for (const TensorSharding &operand : step.operands)
    addUpdate(buffers.projection, tensor++, operand, updates);
  for (const TensorSharding &result : step.results)
    addUpdate(buffers.projection, tensor++, result, updates);
  return updates;
}

std::vector<TensorUpdate> propagate(const StepInput &step) {
  StepBuffers buffers;
  return propagate(step, buffers);
}

} // namespace shardwise::propagation
