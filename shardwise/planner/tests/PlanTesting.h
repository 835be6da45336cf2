// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the planner's tests: problems from text, all shardings of a mesh, random problems.

#pragma once

#include "shardwise/core/Text.h"
#include "shardwise/planner/strategies/PlanReshard.h"
#include "shardwise/planner/verify/VerifyPlan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace shardwise::planner::testing {

/// Returns the mesh written as `"x"=2, "y"=3` inside `["..."]`: `["x"=2, "y"=3]`.
inline core::Mesh meshOf(std::string_view text) {
  Result<core::Mesh> mesh = core::parseMesh(text);
  EXPECT_TRUE(mesh.ok()) << (mesh.ok() ? "" : mesh.error().message);
  return mesh.ok() ? *mesh : core::Mesh();
}

inline core::Sharding shardingOf(std::string_view text, const core::Mesh &mesh) {
  Result<core::WrittenSharding> written = core::parseSharding(text);
  EXPECT_TRUE(written.ok()) << text << ": " << (written.ok() ? "" : written.error().message);
  if (!written)
    return {};
  Result<core::Sharding> sharding = core::resolve(*written, mesh);
  EXPECT_TRUE(sharding.ok()) << text << ": " << (sharding.ok() ? "" : sharding.error().message);
  return sharding.ok() ? *sharding : core::Sharding();
}

/// Returns the problem of one-byte elements.
inline ReshardProblem problemOf(std::string_view mesh, core::Shape shape, std::string_view source,
                                std::string_view target) {
  ReshardProblem problem;
  problem.mesh = meshOf(mesh);
  problem.shape = std::move(shape);
  problem.elementBytes = 1;
  problem.source = shardingOf(source, problem.mesh);
  problem.target = shardingOf(target, problem.mesh);
  return problem;
}

inline std::string describe(const ReshardProblem &problem) {
  return fmt::format("mesh {} shape [{}] {} -> {}", core::toString(problem.mesh),
                     fmt::join(problem.shape, ", "), core::toString(problem.source, problem.mesh),
                     core::toString(problem.target, problem.mesh));
}

/// Plans and verifies in both ways.
inline ReshardPlan planVerified(const ReshardProblem &problem, const PlanOptions &options = {}) {
  Result<ReshardPlan> plan = planReshard(problem, options);
  EXPECT_TRUE(plan.ok()) << describe(problem) << ": " << (plan.ok() ? "" : plan.error().message);
  if (!plan)
    return {};
  for (const Result<void> &verified :
       {verifyOnBlocks(problem, *plan), verifyOnElements(problem, *plan)}) {
    EXPECT_TRUE(verified.ok()) << describe(problem) << "\n"
                               << toString(*plan, problem.mesh)
                               << (verified.ok() ? "" : verified.error().message);
  }
  return *plan;
}

/// Received bytes over the lower bound, for the pairs whose bound is not 0.
struct Statistics {
  int64_t pairs = 0;
  int64_t atBound = 0;
  double logRatios = 0;
  double worst = 1;

  void add(const ReshardPlan &plan) {
    if (plan.lowerBoundBytes == 0)
      return;
    double ratio =
        static_cast<double>(plan.receivedBytes) / static_cast<double>(plan.lowerBoundBytes);
    ++pairs;
    atBound += plan.receivedBytes == plan.lowerBoundBytes ? 1 : 0;
    logRatios += std::log(ratio);
    worst = std::max(worst, ratio);
  }
  /// Geometric.
  double mean() const { return std::exp(logRatios / static_cast<double>(pairs)); }
};

/// Returns all shardings of a rank-`rank` tensor over full axes of `mesh`.
inline std::vector<core::Sharding> allShardings(const core::Mesh &mesh, int64_t rank) {
  std::vector<core::Sharding> all = {core::replicatedSharding(rank)};
  // Each sharding is reached once: by appending axes in dimension order, then list order.
  for (size_t i = 0; i < all.size(); ++i) {
    core::AxisList used = core::dimensionAxes(all[i]);
    int64_t lastDim = 0;
    for (int64_t dim = 0; dim < rank; ++dim)
      lastDim = all[i].dims[dim].axes.empty() ? lastDim : dim;
    for (int64_t dim = lastDim; dim < rank; ++dim) {
      for (int64_t axis = 0; axis < mesh.numAxes(); ++axis) {
        core::Axis full = core::fullAxis(mesh, axis);
        if (!core::overlaps(used, {&full, 1})) {
          core::Sharding next = all[i];
          next.dims[dim].axes.push_back(full);
          all.push_back(std::move(next));
        }
      }
    }
  }
  return all;
}

} // namespace shardwise::planner::testing
