// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prices: bytes where bytes decide, seconds where links differ.

#include "shardwise/planner/verify/Price.h"

#include "shardwise/planner/tests/PlanTesting.h"

#include <gtest/gtest.h>

namespace shardwise::planner {
namespace {

Machine slowFar() {
  Machine machine = *loadMachine("");
  machine.axisLinks = {{"far", {1e-5, 1e8}}};
  return machine;
}

/// 64x64 of four bytes.
ReshardProblem problemOn(const core::Mesh &mesh, std::string_view from, std::string_view to) {
  ReshardProblem problem;
  problem.mesh = mesh;
  problem.shape = {64, 64};
  problem.source = testing::shardingOf(from, mesh);
  problem.target = testing::shardingOf(to, mesh);
  return problem;
}

TEST(PriceTest, theDefaultCountsBytesAndSteps) {
  core::Mesh mesh = testing::meshOf(R"(["x"=4])");
  PriceList prices(*loadMachine(""), mesh);
  ReshardProblem problem = problemOn(mesh, R"([{"x"}, {}])", R"([{}, {}])");
  ReshardPlan plan = *planReshard(problem);
  Price price = prices.of(problem, plan);
  EXPECT_EQ(price.bytes, 3 * 64 * 64);
  EXPECT_EQ(price.weight, 3 * 64 * 64 + 64.0);
  EXPECT_DOUBLE_EQ(price.seconds, (3 * 64 * 64 + 64) / 1e10);
  EXPECT_EQ(prices.weightOfByte(), 1.0 / 8);
  EXPECT_EQ(prices.weightOfElement(), 1.0 / 512);
  EXPECT_EQ(prices.weightOfProduct("bf16"), 1.0 / 512);
  EXPECT_EQ(prices.weightOfByte(Access::Gather), 1.0 / 8);
  EXPECT_EQ(prices.weightOfPatches({1e6, 1e3}), 0);
  EXPECT_FALSE(prices.isApart(Access::Gather));
}

TEST(PriceTest, patchesTakeTheirBytesAndTheirRuns) {
  Machine machine = *loadMachine("");
  machine.device.rateOf(Access::Patch) = 1e9;
  machine.device.patchRunSeconds = 1e-6;
  PriceList prices(machine, testing::meshOf(R"(["x"=4])"));
  EXPECT_DOUBLE_EQ(prices.secondsOfWeight(prices.weightOfPatches({1e6, 1e3})), 2e-3);
}

TEST(PriceTest, aSlowAxisCostsTime) {
  core::Mesh mesh = testing::meshOf(R"(["far"=2, "near"=2])");
  PriceList prices(slowFar(), mesh);
  auto secondsOf = [&](std::string_view from, std::string_view to) {
    ReshardProblem problem = problemOn(mesh, from, to);
    problem.topology = prices.links();
    PlanOptions options;
    options.idleAxes = IdleAxes::Leave;
    return prices.of(problem, *planReshard(problem, options)).seconds;
  };
  // 8192 bytes: 10 us + 81.92 us over the one, 0.8192 us over the other.
  EXPECT_DOUBLE_EQ(secondsOf(R"([{"far"}, {}])", R"([{}, {}])"), 6.4e-9 + 1e-5 + 8192 / 1e8);
  EXPECT_DOUBLE_EQ(secondsOf(R"([{"near"}, {}])", R"([{}, {}])"), 6.4e-9 + 8192 / 1e10);
}

TEST(PriceTest, idleFastAxesShareASlowOne) {
  core::Mesh mesh = testing::meshOf(R"(["far"=2, "near"=4])");
  PriceList prices(slowFar(), mesh);
  ReshardProblem problem = problemOn(mesh, R"([{"far"}, {}])", R"([{}, {}])");
  problem.topology = prices.links();
  // A quarter each over the slow axis, which the fast one hands on.
  ReshardPlan plan = *planReshard(problem);
  EXPECT_NEAR(prices.of(problem, plan).seconds, 1e-5 + 2048 / 1e8, 1e-5);
  EXPECT_TRUE(verifyPlan(problem, plan).ok());
}

TEST(PriceTest, partsOfAnAxisCrossHostsOnce) {
  Machine machine = *loadMachine("");
  machine.link = {0, 1e10};
  machine.devicesPerHost = 4;
  machine.hostLink = {0, 1e9};
  machine.startSeconds = 0;
  core::Mesh mesh = testing::meshOf(R"(["x"=8])");
  PriceList prices(machine, mesh);
  ReshardProblem problem = problemOn(mesh, R"([{"x"}, {}])", R"([{}, {}])");
  problem.topology = prices.links();
  PlanOptions options;
  options.wholeAxes = true;
  ReshardPlan plan = *planReshard(problem, options);
  ASSERT_EQ(plan.steps.size(), 1U);
  // A device's 2048 bytes to the other host, and 3 times 4096 within it.
  EXPECT_DOUBLE_EQ(prices.of(problem, plan).seconds, 2048 / 1e9 + 3 * 4096 / 1e10);
}

TEST(PriceTest, uniformPlansAvoidSlowAxes) {
  // By bytes one all_to_all over both axes is best; the slow axis alone must move, whatever is
  // done.
  core::Mesh mesh = testing::meshOf(R"(["far"=2, "near"=4])");
  ReshardProblem problem = problemOn(mesh, R"([{"far", "near"}, {}])", R"([{"near"}, {}])");
  PlanOptions options;
  options.idleAxes = IdleAxes::Leave;
  options.wholeAxes = true;
  ReshardPlan byBytes = *planReshard(problem, options);
  PriceList prices(slowFar(), mesh);
  problem.topology = prices.links();
  ReshardPlan byTime = *planReshard(problem, options);
  EXPECT_LE(prices.of(problem, byTime).seconds, prices.of(problem, byBytes).seconds);
}

} // namespace
} // namespace shardwise::planner
