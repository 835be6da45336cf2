// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One generator per kind of attribute.

#include "test/support/sdy/RandomAttributes.h"

#include <limits>

using namespace mlir;

namespace shardwise::sdy::testing {

/// Mostly letters; some bytes that need escapes.
std::string RandomAttributes::name() {
  std::string text;
  for (int64_t i = random.below(4); i >= 0; --i)
    text += random.chance(90) ? static_cast<char>('a' + random.below(26))
                              : static_cast<char>(random.below(256));
  return text;
}

int64_t RandomAttributes::anyInteger() {
  if (random.chance(90))
    return random.between(-3, 20);
  return random.chance(50) ? std::numeric_limits<int64_t>::max()
                           : std::numeric_limits<int64_t>::min();
}

core::AxisRef RandomAttributes::axisRef() {
  core::AxisRef axis{name(), std::nullopt};
  if (random.chance(30))
    axis.subAxis = core::SubAxis{anyInteger(), anyInteger()};
  return axis;
}

AxisRefs RandomAttributes::axisRefs(int64_t atLeast, int64_t atMost) {
  AxisRefs axes;
  for (int64_t i = random.between(atLeast, atMost); i > 0; --i)
    axes.push_back(axisRef());
  return axes;
}

core::WrittenDimSharding RandomAttributes::dim() {
  core::WrittenDimSharding dim{axisRefs(0, 3), random.chance(50), std::nullopt};
  if (random.chance(30))
    dim.priority = random.chance(90) ? random.below(5) : std::numeric_limits<int64_t>::max();
  return dim;
}

MeshAttr RandomAttributes::mesh() {
  if (random.chance(10))
    return toAttr(context, core::Mesh::create({}, {random.below(1000)}).value());
  if (random.chance(5))
    return toAttr(context, core::Mesh::create({}, {}).value());
  return toAttr(context, core::testing::randomMesh(random));
}

TensorShardingAttr RandomAttributes::sharding() {
  core::WrittenSharding sharding;
  for (int64_t i = random.below(4); i > 0; --i)
    sharding.dims.push_back(dim());
  if (random.chance(30))
    sharding.replicated = axisRefs(0, 3);
  if (random.chance(30))
    sharding.unreduced = axisRefs(0, 3);
  if (!sharding.unreduced.empty())
    sharding.reduction = static_cast<core::ReductionKind>(random.below(3));
  Attribute meshOrRef =
      random.chance(20) ? Attribute(mesh()) : FlatSymbolRefAttr::get(context, name());
  return toAttr(meshOrRef, std::move(sharding));
}

/// Factors beyond z have numbers, and nothing separates the factors of a dimension.
core::DimMapping RandomAttributes::dimMapping() {
  core::DimMapping factors;
  for (int64_t i = random.below(4); i >= 0; --i)
    factors.push_back(random.below(random.chance(80) ? 18 : 5000));
  return factors;
}

OpShardingRuleAttr RandomAttributes::rule() {
  if (random.chance(50))
    return toAttr(context, core::testing::randomRule(random));
  core::ShardingRule rule;
  auto tensors = [&] {
    std::vector<core::TensorMapping> mappings(random.between(1, 3));
    for (core::TensorMapping &mapping : mappings)
      for (int64_t i = random.below(4); i > 0; --i)
        mapping.push_back(dimMapping());
    return mappings;
  };
  rule.operands = tensors();
  rule.results = tensors();
  for (int64_t i = random.below(30); i > 0; --i)
    rule.factorSizes.push_back(anyInteger());
  for (auto *group :
       {&rule.reduction, &rule.needReplication, &rule.permutation, &rule.blockedPropagation})
    for (int64_t i = random.below(3); i > 0; --i)
      group->push_back(random.below(40));
  rule.isCustom = random.chance(30);
  return toAttr(context, std::move(rule));
}

AllToAllParam RandomAttributes::allToAllParam() {
  return {axisRefs(1, 3), anyInteger(), anyInteger()};
}

EdgeValueRef RandomAttributes::edgeValue() {
  return {random.chance(50), random.below(100)};
}

AxisPropagation RandomAttributes::propagation() {
  AxisPropagation details{axisRef(), edgeValue(), {}};
  int64_t numTargets = random.between(1, 3);
  while (static_cast<int64_t>(details.targets.size()) < numTargets)
    if (EdgeValueRef target = edgeValue();
        !(target == details.source) && !llvm::is_contained(details.targets, target))
      details.targets.push_back(target);
  return details;
}

PropagationStep RandomAttributes::step(int64_t index) {
  PropagationStep step{index, {}};
  for (int64_t i = random.between(1, 3); i > 0; --i)
    step.axes.push_back(propagation());
  return step;
}

PropagationEdgesAttr RandomAttributes::edges() {
  PropagationSteps steps;
  for (int64_t i = random.between(1, 4); i > 0; --i)
    steps.push_back(step(static_cast<int64_t>(steps.size()) * 3 + random.below(3)));
  return PropagationEdgesAttr::get(context, std::move(steps));
}

Attribute RandomAttributes::any() {
  switch (random.below(20)) {
  case 0:
    return MeshAxisAttr::get(context, core::MeshAxis{name(), random.between(1, 1000)});
  case 1:
    return mesh();
  case 2:
    return SubAxisInfoAttr::get(context, core::SubAxis{anyInteger(), anyInteger()});
  case 3:
    return AxisRefAttr::get(context, axisRef());
  case 4:
    return DimensionShardingAttr::get(context, dim());
  case 5: {
    llvm::SmallVector<TensorShardingAttr> shardings;
    for (int64_t i = random.below(4); i > 0; --i)
      shardings.push_back(sharding());
    return TensorShardingPerValueAttr::get(context, shardings);
  }
  case 6: {
    llvm::SmallVector<StringAttr> axes;
    for (int64_t i = random.below(4); i > 0; --i)
      axes.push_back(StringAttr::get(context, name()));
    return ManualAxesAttr::get(context, axes);
  }
  case 7:
    return AxisRefListAttr::get(context, axisRefs(0, 4));
  case 8: {
    AxisRefLists lists;
    for (int64_t i = random.below(4); i > 0; --i)
      lists.push_back(axisRefs(0, 3));
    return ListOfAxisRefListsAttr::get(context, std::move(lists));
  }
  case 9:
    return AllToAllParamAttr::get(context, allToAllParam());
  case 10: {
    AllToAllParams params;
    for (int64_t i = random.below(3); i > 0; --i)
      params.push_back(allToAllParam());
    return AllToAllParamListAttr::get(context, std::move(params));
  }
  case 11:
    return toAttr(context, dimMapping());
  case 12: {
    core::TensorMapping mapping;
    for (int64_t i = random.below(4); i > 0; --i)
      mapping.push_back(dimMapping());
    return toAttr(context, mapping);
  }
  case 13:
    return EdgeValueRefAttr::get(context, edgeValue());
  case 14:
    return AxisToPropagationDetailsAttr::get(context, propagation());
  case 15:
    return PropagationOneStepAttr::get(context, step(random.below(100)));
  case 16:
    return edges();
  case 17:
    return rule();
  default:
    return sharding();
  }
}

} // namespace shardwise::sdy::testing
