// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds for every step, on random rules and shardings.

#include "shardwise/propagation/PropagationStep.h"
#include "test/support/core/RandomValues.h"
#include "test/support/propagation/StepTesting.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardwise::propagation {
namespace {

using core::Sharding;
using core::testing::Random;
constexpr uint64_t kNumSteps = 40000;

using Shardings = std::vector<std::optional<Sharding>>;

/// A random step. Axes of size 1 are left out, as import removes them from shardings: a complete
/// factor can take them, and then they come between axes that are there.
struct RandomStep {
  core::Mesh mesh;
  core::ShardingRule rule;
  Shardings shardings;
  testing::StepSettings settings;
  std::vector<core::AxisList> factorAxes;

  explicit RandomStep(Random &random) {
    do
      mesh = core::testing::randomMesh(random, 4);
    while (std::any_of(mesh.axes().begin(), mesh.axes().end(),
                       [](const core::MeshAxis &axis) { return axis.size == 1; }));
    rule = core::testing::randomRule(random);
    dealOutAxes(random);
    for (const auto *tensors : {&rule.operands, &rule.results})
      for (const core::TensorMapping &mapping : *tensors)
        shardings.push_back(makeSharding(random, mapping));
    settings.strategy = random.chance(50) ? FactorStrategy::Basic : FactorStrategy::Aggressive;
    settings.isElementwise = random.chance(30);
    settings.isConservative = random.chance(20);
    if (random.chance(50))
      settings.direction = static_cast<PropagationDirection>(random.below(4));
    if (random.chance(30))
      for (int64_t i = 0; i < rule.numFactors(); ++i)
        settings.factorDirections.push_back(static_cast<PropagationDirection>(random.below(4)));
  }

  /// Gives each factor some axes, so that tensors agree now and then.
  void dealOutAxes(Random &random) {
    factorAxes.resize(rule.numFactors());
    for (const core::Axis &part : core::testing::randomParts(random, mesh))
      factorAxes[random.below(rule.numFactors())].push_back(part);
  }

  std::optional<Sharding> makeSharding(Random &random, const core::TensorMapping &mapping) {
    int64_t rank = static_cast<int64_t>(mapping.size());
    if (random.chance(40))
      return std::nullopt;
    if (random.chance(25))
      return core::testing::randomSharding(random, mesh, rank);
    Sharding sharding = core::openSharding(rank);
    for (int64_t d = 0; d < rank; ++d) {
      sharding.dims[d].isClosed = random.chance(15);
      for (core::FactorIndex factor : mapping[d])
        for (const core::Axis &axis : factorAxes[factor])
          if (random.chance(70))
            core::appendOrMerge(sharding.dims[d].axes, axis);
    }
    return sharding;
  }

  std::string text() const {
    std::string result = core::toString(rule) + " in " + core::toString(mesh) + " with";
    for (const auto &sharding : shardings)
      result += " " + testing::textOf(sharding, mesh);
    return result + (settings.strategy == FactorStrategy::Basic ? " basic" : " aggressive") +
           (settings.isElementwise ? " element-wise" : "") +
           (settings.isConservative ? " conservative" : "");
  }
};

/// Checks one tensor before and after a step.
void expectGrowth(const std::optional<Sharding> &before, const std::optional<Sharding> &after,
                  const core::Mesh &mesh) {
  ASSERT_TRUE(after.has_value() || !before.has_value());
  if (!after)
    return;
  Result<Sharding> resolved = core::resolve(core::toWritten(*after, mesh), mesh);
  ASSERT_TRUE(resolved.ok()) << resolved.error().message;
  Sharding old = before ? *before : core::openSharding(static_cast<int64_t>(after->dims.size()));
  ASSERT_EQ(after->dims.size(), old.dims.size());
  EXPECT_EQ(after->replicated, old.replicated);
  EXPECT_EQ(after->unreduced, old.unreduced);
  EXPECT_EQ(after->reduction, old.reduction);
  for (size_t d = 0; d < old.dims.size(); ++d) {
    EXPECT_EQ(after->dims[d].isClosed, old.dims[d].isClosed);
    EXPECT_TRUE(core::isPrefixOf(old.dims[d].axes, after->dims[d].axes)) << "dim " << d;
    if (old.dims[d].isClosed) {
      EXPECT_EQ(after->dims[d].axes, old.dims[d].axes) << "dim " << d;
    }
  }
}

TEST(PropagationLawsTest, stepsOnlyGrowShardingsAndComeToAnEnd) {
  uint64_t seed = core::testing::testSeed();
  size_t numUpdates = 0;
  for (uint64_t i = 0; i < kNumSteps; ++i) {
    Random random(seed + i);
    RandomStep step(random);
    SCOPED_TRACE("seed " + std::to_string(seed + i) + ": " + step.text());
    // Each update adds at least one prime factor of the mesh to one tensor, or drops priorities.
    int64_t limit = 2 + static_cast<int64_t>(step.shardings.size()) * 16;
    while (true) {
      Shardings before = step.shardings;
      size_t changed = testing::runStep(step.mesh, step.rule, step.settings, step.shardings);
      numUpdates += changed;
      for (size_t t = 0; t < before.size(); ++t)
        expectGrowth(before[t], step.shardings[t], step.mesh);
      if (changed == 0) {
        EXPECT_EQ(before, step.shardings);
        break;
      }
      ASSERT_GT(--limit, 0) << "no fixed point";
    }
    if (::testing::Test::HasFailure())
      return;
  }
  // The generator must make steps that do something.
  EXPECT_GT(numUpdates, kNumSteps / 8);
}

TEST(PropagationLawsTest, noDirectionAndBlockedFactorsChangeNothing) {
  uint64_t seed = core::testing::testSeed();
  for (uint64_t i = 0; i < 2000; ++i) {
    Random random(seed + i);
    RandomStep step(random);
    SCOPED_TRACE("seed " + std::to_string(seed + i) + ": " + step.text());
    step.settings.factorDirections.clear();
    if (random.chance(50)) {
      step.settings.direction = PropagationDirection::None;
    } else {
      step.rule.blockedPropagation.clear();
      for (int64_t factor = 0; factor < step.rule.numFactors(); ++factor)
        step.rule.blockedPropagation.push_back(factor);
    }
    ASSERT_EQ(testing::runStep(step.mesh, step.rule, step.settings, step.shardings), 0u);
  }
}

TEST(PropagationLawsTest, usedBuffersDoNotChangeTheResult) {
  uint64_t seed = core::testing::testSeed();
  StepBuffers used;
  for (uint64_t i = 0; i < 5000; ++i) {
    Random random(seed + i);
    RandomStep step(random);
    SCOPED_TRACE("seed " + std::to_string(seed + i) + ": " + step.text());
    std::vector<TensorSharding> tensors;
    for (const auto &sharding : step.shardings)
      tensors.push_back({sharding ? &*sharding : nullptr});
    auto all = std::span<const TensorSharding>(tensors);
    StepInput call{step.mesh, step.rule, all.first(step.rule.operands.size()),
                   all.subspan(step.rule.operands.size())};
    ASSERT_EQ(propagate(call, used), propagate(call));
  }
}

} // namespace
} // namespace shardwise::propagation
