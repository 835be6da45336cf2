// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A seeded random op for property tests of projections.

#pragma once

#include "test/support/core/RandomValues.h"

#include <cstdint>
#include <vector>

namespace shardwise::propagation::testing {

/// A rule on a mesh, and a sharding without priorities for each operand and result.
struct RandomOp {
  core::Mesh mesh;
  core::ShardingRule rule;
  std::vector<core::Sharding> shardings;

  explicit RandomOp(uint64_t seed) {
    core::testing::Random random(seed);
    mesh = core::testing::randomMesh(random);
    rule = core::testing::randomRule(random);
    for (const auto *tensors : {&rule.operands, &rule.results})
      for (const core::TensorMapping &mapping : *tensors)
        shardings.push_back(core::testing::randomSharding(
            random, mesh, static_cast<int64_t>(mapping.size()), /*withPriorities=*/false));
  }
};

} // namespace shardwise::propagation::testing
