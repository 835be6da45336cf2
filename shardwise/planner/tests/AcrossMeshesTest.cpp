// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans between meshes of other devices, and the choice of a device order.

#include "shardwise/planner/model/PlanText.h"
#include "shardwise/planner/search/RelabelDevices.h"
#include "shardwise/planner/tests/PlanTesting.h"
#include "shardwise/planner/verify/MeasurePlan.h"

namespace shardwise::planner {
namespace {

ReshardProblem resolved(const WrittenProblem &written) {
  Result<ReshardProblem> problem = resolve(written);
  EXPECT_TRUE(problem.ok()) << (problem ? "" : problem.error().message);
  return problem ? *problem : ReshardProblem();
}

ReshardPlan optimal(const ReshardProblem &problem) {
  Result<ReshardPlan> plan = planReshard(problem, {.strategy = Strategy::Optimal});
  EXPECT_TRUE(plan.ok()) << (plan ? "" : plan.error().message);
  if (!plan)
    return {};
  Result<void> verified = verifyPlan(problem, *plan);
  EXPECT_TRUE(verified.ok()) << (verified ? "" : verified.error().message);
  return *plan;
}

WrittenProblem across(std::string mesh, std::string toMesh, std::string shape, std::string from,
                      std::string to) {
  WrittenProblem problem;
  problem.mesh = std::move(mesh);
  problem.toMesh = std::move(toMesh);
  problem.shape = std::move(shape);
  problem.from = std::move(from);
  problem.to = std::move(to);
  return problem;
}

TEST(AcrossMeshesTest, orderAlongReplicatedAxesMovesNothing) {
  ReshardProblem problem =
      resolved(across(R"(["x"=2, "y"=2])", R"(["x"=2, "y"=2], device_ids=[1, 0, 3, 2])", "4x4xi8",
                      R"([{"x"}, {}])", R"([{"x"}, {}])"));
  EXPECT_TRUE(optimal(problem).steps.empty());
  EXPECT_EQ(measureBounds(problem).receivedBytesTotal, 0);
}

TEST(AcrossMeshesTest, reversedOrderIsAPermute) {
  ReshardProblem problem = resolved(across(R"(["x"=4])", R"(["x"=4], device_ids=[3, 2, 1, 0])",
                                           "8xi8", R"([{"x"}])", R"([{"x"}])"));
  ReshardPlan plan = optimal(problem);
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::CollectivePermute);
  EXPECT_EQ(plan.receivedBytes, 2);
  EXPECT_EQ(measure(problem, plan).receivedBytesTotal, 8);
  // Fully replicated afterwards: the order does not matter.
  problem = resolved(
      across(R"(["x"=4])", R"(["x"=4], device_ids=[3, 2, 1, 0])", "8xi8", R"([{}])", R"([{}])"));
  EXPECT_TRUE(optimal(problem).steps.empty());
}

TEST(AcrossMeshesTest, otherCountsAndDevices) {
  for (auto [mesh, toMesh] : {std::pair{R"(["x"=4])", R"(["x"=6])"},
                              {R"(["x"=6])", R"(["x"=4])"},
                              {R"(["x"=4])", R"(["x"=4], device_ids=[4, 5, 6, 7])"},
                              {R"(["x"=4])", R"(["x"=4], device_ids=[2, 3, 4, 5])"}}) {
    for (std::string shape : {"12x8xi8", "5x7xi8", "1x3xi8", "0x4xi8"}) {
      ReshardProblem problem =
          resolved(across(mesh, toMesh, shape, R"([{"x"}, {}])", R"([{}, {"x"}])"));
      ReshardPlan plan = optimal(problem);
      PlanBounds bounds = measureBounds(problem);
      EXPECT_EQ(plan.receivedBytes, bounds.receivedBytesMax);
      EXPECT_EQ(measure(problem, plan).receivedBytesTotal, bounds.receivedBytesTotal);
    }
  }
}

TEST(AcrossMeshesTest, sendersAreBalancedOverReplicas) {
  // Both replicas of every half send to one target device each.
  ReshardProblem problem =
      resolved(across(R"(["x"=2, "y"=2])", R"(["z"=4], device_ids=[4, 5, 6, 7])", "8xi8",
                      R"([{"x"}])", R"([{"z"}])"));
  std::vector<int> sent(4, 0);
  for (const Message &message :
       exchangeMessages(problem, Placement(problem, problem.source, OnMesh::Source),
                        Placement(problem, problem.target, OnMesh::Target))) {
    ++sent[message.source];
  }
  EXPECT_EQ(sent, (std::vector<int>{1, 1, 1, 1}));
}

TEST(AcrossMeshesTest, reducesFirst) {
  ReshardProblem problem = resolved(across(R"(["x"=2, "y"=2])", R"(["z"=3])", "8x6xi8",
                                           R"([{"x"}, {}], unreduced={"y"})", R"([{}, {"z"}])"));
  ReshardPlan plan = optimal(problem);
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::ReduceScatter);
  EXPECT_TRUE(plan.steps[1].changesMesh);
}

ReshardPlan verifiedBy(Strategy strategy, const ReshardProblem &problem) {
  PlanOptions options{.strategy = strategy, .jointAllToAll = JointAllToAll::AnyDims};
  options.localTranspose = true;
  Result<ReshardPlan> plan = planReshard(problem, options);
  EXPECT_TRUE(plan.ok()) << (plan ? "" : plan.error().message);
  if (!plan)
    return {};
  for (const Result<void> &verified :
       {verifyOnBoxes(problem, *plan), verifyOnElements(problem, *plan)}) {
    EXPECT_TRUE(verified.ok()) << (verified ? "" : verified.error().message);
  }
  return *plan;
}

TEST(AcrossMeshesTest, uniformStepsToAnotherOrderOfDevices) {
  // The move costs what it costs on one mesh; the new order is one permute more.
  ReshardProblem problem =
      resolved(across(R"(["x"=2, "y"=2])", R"(["x"=2, "y"=2], device_ids=[3, 2, 1, 0])", "8x8xi8",
                      R"([{"x"}, {"y"}])", R"([{}, {"y", "x"}])"));
  for (Strategy strategy : {Strategy::Uniform, Strategy::Greedy}) {
    ReshardPlan plan = verifiedBy(strategy, problem);
    int64_t crossings = 0;
    for (const ReshardStep &step : plan.steps) {
      EXPECT_NE(step.collective.kind, CollectiveKind::Exchange);
      crossings += step.changesMesh ? 1 : 0;
    }
    EXPECT_EQ(crossings, 1) << toString(strategy);
  }
  EXPECT_LE(verifiedBy(Strategy::Uniform, problem).receivedBytes, 16 + 8);
  // A permute before the gather moves less than one after it.
  problem = resolved(across(R"(["x"=4])", R"(["x"=4], device_ids=[3, 2, 1, 0])", "8xi8",
                            R"([{"x"}])", R"([{"x":(1)2}])"));
  ReshardPlan plan = verifiedBy(Strategy::Uniform, problem);
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::CollectivePermute);
  EXPECT_TRUE(plan.steps[0].changesMesh);
  EXPECT_EQ(plan.steps[1].collective.kind, CollectiveKind::AllGather);
}

TEST(AcrossMeshesTest, uniformStepsBetweenOtherAxes) {
  // Twelve devices as 3x4 and as 2x6, disjoint.
  ReshardProblem problem = resolved(
      across(R"(["x"=3, "y"=4])",
             R"(["u"=2, "v"=6], device_ids=[12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23])",
             "12x12xi8", R"([{"x"}, {"y"}])", R"([{"v"}, {"u"}])"));
  ReshardPlan plan = verifiedBy(Strategy::Uniform, problem);
  EXPECT_GE(plan.receivedBytes, plan.lowerBoundBytes);
  EXPECT_NE(plan.optimality, Optimality::NotSearched);
  // Other numbers of devices have no permute.
  problem = resolved(across(R"(["x"=4])", R"(["x"=6])", "12xi8", R"([{"x"}])", R"([{"x"}])"));
  Result<ReshardPlan> refused = planReshard(problem, {.strategy = Strategy::Uniform});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(refused.error().message.find("4 to 6 devices"), std::string::npos);
}

TEST(AcrossMeshesTest, equalBoxesNeedNoCrossing) {
  // The target's axes are others, its boxes are those after the steps on the source mesh.
  for (auto [from, strategy] : {std::pair{R"([{"x"}, {}])", Strategy::Uniform},
                                {R"([{"x"}, {}])", Strategy::Greedy},
                                {R"([{}, {}], unreduced={"x"})", Strategy::Optimal},
                                {R"([{}, {}], unreduced={"x"})", Strategy::Exchange}}) {
    ReshardProblem problem =
        resolved(across(R"(["x"=2])", R"(["u"=2, "v"=1])", "8x8xi8", from, R"([{}, {"v", "u"}])"));
    ReshardPlan plan = verifiedBy(strategy, problem);
    // Greedy gathers, then slices.
    EXPECT_EQ(plan.steps.size(), strategy == Strategy::Greedy ? 2U : 1U);
    for (const ReshardStep &step : plan.steps)
      EXPECT_FALSE(step.changesMesh);
    EXPECT_TRUE(contentsOf(problem, plan).ok());
  }
}

TEST(AcrossMeshesTest, linksFollowTheOrderOfDevices) {
  // Hosts of two; neighbours along "x" are on one host, or not.
  ReshardProblem problem = resolved(across(R"(["x"=2, "y"=2], device_ids=[0, 2, 1, 3])",
                                           R"(["x"=2, "y"=2])", "8xi8", R"([{"x"}])", R"([{}])"));
  problem.topology.devicesPerHost = 2;
  problem.topology.hostLink = {0, 1e9};
  EXPECT_EQ(linkAlong(problem, {0, 1, 2}), problem.topology.link);
  EXPECT_EQ(linkAlong(problem, {1, 1, 2}), problem.topology.hostLink);
  EXPECT_EQ(linkAlong(onTargetMesh(problem, problem.target), {0, 1, 2}), problem.topology.hostLink);
}

TEST(AcrossMeshesTest, memoryLimit) {
  ReshardProblem problem =
      resolved(across(R"(["x"=4])", R"(["u"=6])", "12x12xi8", R"([{"x"}, {}])", R"([{}, {"u"}])"));
  problem.memoryLimitBytes = 36 + 24;
  EXPECT_EQ(optimal(problem).peakBytes, 60);
  problem.memoryLimitBytes = 59;
  for (Strategy strategy : {Strategy::Optimal, Strategy::Exchange}) {
    Result<ReshardPlan> plan = planReshard(problem, {.strategy = strategy});
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().kind, ErrorKind::Infeasible);
  }
}

TEST(AcrossMeshesTest, memoryLimitIsKeptByADearerPlan) {
  // One exchange is the first candidate, and costs less than pieces that are gathered afterwards.
  ReshardProblem problem =
      resolved(across(R"(["x"=4])", R"(["a"=3])", "24x24xf32", R"([{}, {}])", R"([{}, {}])"));
  problem.topology.link = {1e-6, 1e9};
  ReshardPlan exchange = optimal(problem);
  ASSERT_EQ(exchange.steps.size(), 1U);
  problem.memoryLimitBytes = exchange.peakBytes - 1;
  ReshardPlan plan = verifiedBy(Strategy::Optimal, problem);
  EXPECT_EQ(plan.steps.size(), 2U);
  EXPECT_LT(plan.peakBytes, exchange.peakBytes);
  EXPECT_GT(measureSeconds(problem, plan), measureSeconds(problem, exchange));
  EXPECT_EQ(plan.optimality, Optimality::BudgetStop);
}

TEST(AcrossMeshesTest, reducesOverTheFewestBytes) {
  // Reduced where it can stay scattered: half a shard, not twice that; then each device of the
  // other mesh gets its quarter.
  ReshardProblem problem =
      resolved(across(R"(["x"=2, "y"=2])", R"(["z"=4], device_ids=[4, 5, 6, 7])", "8x8xi8",
                      R"([{"x"}, {}], unreduced={"y"})", R"([{"z"}, {}])"));
  ReshardPlan plan = verifiedBy(Strategy::Optimal, problem);
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].collective.kind, CollectiveKind::ReduceScatter);
  EXPECT_EQ(plan.steps[0].receivedBytes, 16);
  EXPECT_EQ(plan.steps[1].receivedBytes, 16);
  EXPECT_EQ(plan.steps[1].collective.kind, CollectiveKind::CollectivePermute);
}

TEST(AcrossMeshesTest, slowLinksAreCrossedOnce) {
  // Four devices of host 0 to four of host 1 that all want everything: pieces cross, then are
  // handed on inside the host.
  ReshardProblem problem = resolved(across(R"(["x"=4])", R"(["z"=4], device_ids=[4, 5, 6, 7])",
                                           "16x16xi8", R"([{"x"}, {}])", R"([{}, {}])"));
  problem.topology.devicesPerHost = 4;
  problem.topology.link = {0, 1e10};
  problem.topology.hostLink = {0, 1e9};
  ReshardPlan plan = verifiedBy(Strategy::Optimal, problem);
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_TRUE(plan.steps[0].changesMesh);
  EXPECT_EQ(plan.steps[1].collective.kind, CollectiveKind::AllGather);
  PlanMeasure cost = measure(problem, plan);
  EXPECT_EQ(cost.slowLinkBytes, 256);
  EXPECT_EQ(cost.slowLinkBytes, measureBounds(problem).slowLinkBytesTotal);
  EXPECT_EQ(plan.receivedBytes, plan.lowerBoundBytes);
  EXPECT_EQ(plan.optimality, Optimality::Proved);
  // On links of one speed nothing is gained by a second step.
  problem.topology = {};
  EXPECT_EQ(verifiedBy(Strategy::Optimal, problem).steps.size(), 1U);
}

TEST(AcrossMeshesTest, tilesAreCutWhereSomeSenderWouldSendMore) {
  // Three devices hold everything, four others want a part each: one would send two parts.
  ReshardProblem problem = resolved(across(R"(["x"=3])", R"(["z"=4], device_ids=[3, 4, 5, 6])",
                                           "12x6xi8", R"([{}, {}])", R"([{"z"}, {}])"));
  std::vector<int64_t> sent(3, 0);
  std::vector<int64_t> received(7, 0);
  for (const Message &message :
       exchangeMessages(problem, Placement(problem, problem.source, OnMesh::Source),
                        Placement(problem, problem.target, OnMesh::Target))) {
    sent[message.source] += message.box.numElements();
    received[message.target] += message.box.numElements();
  }
  EXPECT_EQ(sent, (std::vector<int64_t>{24, 24, 24}));
  EXPECT_EQ(received, (std::vector<int64_t>{0, 0, 0, 18, 18, 18, 18}));
  verifiedBy(Strategy::Exchange, problem);
}

TEST(AcrossMeshesTest, hostsImportTheirUnionOnce) {
  ReshardProblem problem =
      resolved(across(R"(["x"=4])", R"(["x"=4])", "8xi8", R"([{"x"}])", R"([{}])"));
  problem.targetMesh.reset();
  problem.topology.devicesPerHost = 2;
  PlanBounds bounds = measureBounds(problem);
  EXPECT_EQ(bounds.slowLinkBytesMax, 4);
  EXPECT_EQ(bounds.slowLinkBytesTotal, 8);
  EXPECT_EQ(bounds.receivedBytesTotal, 24);
}

TEST(RelabelTest, keepsMostElements) {
  // Against all orders of four devices.
  for (auto [from, to] : {std::pair{R"([{"x", "y"}, {}])", R"([{"y", "x"}, {}])"},
                          {R"([{"x"}, {"y"}])", R"([{"y"}, {"x"}])"},
                          {R"([{"x", "y"}, {}])", R"([{}, {"x"}])"}}) {
    WrittenProblem written;
    written.mesh = R"(["x"=2, "y"=2])";
    written.shape = "8x8xi8";
    written.from = from;
    written.to = to;
    ReshardProblem problem = resolved(written);
    Result<std::vector<core::DeviceId>> ids = relabelTargetDevices(problem);
    ASSERT_TRUE(ids.ok());
    auto totalWith = [&](std::vector<core::DeviceId> order) {
      ReshardProblem relabelled = problem;
      relabelled.targetMesh = problem.mesh;
      relabelled.targetDevices = std::move(order);
      return missingBetween(relabelled, Placement(relabelled, relabelled.source, OnMesh::Source),
                            Placement(relabelled, relabelled.target, OnMesh::Target))
          .total;
    };
    int64_t least = std::numeric_limits<int64_t>::max();
    std::vector<core::DeviceId> order = {0, 1, 2, 3};
    do {
      least = std::min(least, totalWith(order));
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(totalWith(*ids), least);
  }
}

} // namespace
} // namespace shardwise::planner
