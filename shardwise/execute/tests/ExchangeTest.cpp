// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges of random shards: every rank gets its new shard, and receives what the planner counts.

#include "shardwise/core/Text.h"
#include "shardwise/execute/Program.h"
#include "shardwise/planner/verify/MeasurePlan.h"
#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/LocalCommunicator.h"
#include "test/support/evaluation/TestPrograms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace shardwise::execute {
namespace {

using runtime::DataType;
using runtime::HostTensor;

struct RandomExchange {
  planner::ReshardProblem problem;
  DataType type = DataType::F32;
  std::string before, after;
};

/// Two random shardings of a shape that they need not divide.
RandomExchange randomExchange(std::mt19937 &random) {
  static const std::vector<std::string> kMeshes = {
      R"(["x"=2, "y"=3])", R"(["x"=4, "y"=2])", R"(["x"=2, "y"=2, "z"=2])", R"(["x"=5])",
      R"(["x"=2, "y"=3], device_ids=[4, 0, 5, 2, 1, 3])"};
  RandomExchange result;
  planner::ReshardProblem &problem = result.problem;
  problem.mesh = *core::parseMesh(kMeshes[random() % kMeshes.size()]);
  size_t rank = 1 + random() % 3;
  for (size_t dim = 0; dim < rank; ++dim)
    problem.shape.push_back(static_cast<int64_t>(random() % 10 == 0 ? 0 : 1 + random() % 9));
  auto randomSharding = [&] {
    core::Sharding sharding = core::replicatedSharding(static_cast<int64_t>(rank));
    core::AxisList axes;
    for (int64_t axis = 0; axis < problem.mesh.numAxes(); ++axis)
      axes.push_back(core::fullAxis(problem.mesh, axis));
    std::shuffle(axes.begin(), axes.end(), random);
    for (const core::Axis &axis : axes)
      if (random() % 4 != 0)
        core::appendOrMerge(sharding.dims[random() % rank].axes, axis);
    return sharding;
  };
  problem.source = randomSharding();
  problem.target = randomSharding();
  result.before = core::toString(problem.source, problem.mesh);
  result.after = core::toString(problem.target, problem.mesh);
  do {
    result.type = static_cast<DataType>(random() % runtime::kNumDataTypes);
  } while (runtime::isSmallInteger(result.type)); // Random values of these are not in range.
  problem.elementBytes = runtime::byteSize(result.type);
  return result;
}

std::string typeText(const core::Shape &shape, DataType type) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + std::string(runtime::toString(type)) + ">";
}

std::string textOf(const RandomExchange &exchange) {
  const planner::ReshardProblem &problem = exchange.problem;
  auto local = [&](const core::Sharding &sharding) {
    return typeText(core::localShape(problem.shape, sharding), exchange.type);
  };
  return fmt::format(
      "sdy.mesh @m = <{}>\nfunc.func @main(%a: {}) -> {} {{\n  %0 = sdy.exchange %a "
      "out_sharding=<@m, "
      "{}> {{sdy.in_sharding = #sdy.sharding<@m, {}>, shardwise.global_type = {}}} : ({}) -> {}\n  "
      "return %0 : {}\n}}\n",
      core::toString(problem.mesh), local(problem.source), local(problem.target), exchange.after,
      exchange.before, typeText(problem.shape, exchange.type), local(problem.source),
      local(problem.target), local(problem.target));
}

/// The box of a device in `whole`, behind it padding.
HostTensor shardOf(const HostTensor &whole, const planner::ReshardProblem &problem,
                   const core::Sharding &sharding, int64_t position) {
  HostTensor shard = HostTensor::zeros(whole.type, core::localShape(problem.shape, sharding));
  core::Box box = core::shardBox(problem.shape, sharding, problem.mesh, position);
  std::vector<int64_t> origin(box.start.size(), 0);
  runtime::copyBox(whole.bytes.data(), {whole.shape, box.start}, shard.bytes.data(),
                   {shard.shape, origin}, box.size, runtime::byteSize(whole.type));
  return shard;
}

/// Sets what is behind the box of a device to zero.
HostTensor withoutPadding(const HostTensor &shard, const planner::ReshardProblem &problem,
                          int64_t position) {
  HostTensor result = HostTensor::zeros(shard.type, shard.shape);
  core::Box box = core::shardBox(problem.shape, problem.target, problem.mesh, position);
  std::vector<int64_t> origin(box.start.size(), 0);
  runtime::copyBox(shard.bytes.data(), {shard.shape, origin}, result.bytes.data(),
                   {result.shape, origin}, box.size, runtime::byteSize(shard.type));
  return result;
}

TEST(ExchangeTest, ranksGetTheirNewShardsAndReceiveWhatThePlannerCounts) {
  constexpr unsigned kSeed = 20'260'731;
  std::mt19937 random(kSeed);
  reference::TestPrograms programs;
  for (int trial = 0; trial < 300; ++trial) {
    RandomExchange exchange = randomExchange(random);
    const planner::ReshardProblem &problem = exchange.problem;
    std::string text = textOf(exchange);
    SCOPED_TRACE(fmt::format("seed {}, trial {}\n{}", kSeed, trial, text));
    auto module = programs.parse(text);
    ASSERT_TRUE(module) << programs.diagnostics();
    auto program = compile(*module);
    ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
    HostTensor whole = reference::randomTensor(random, exchange.type, problem.shape);
    int64_t numDevices = problem.mesh.numDevices();
    std::vector<RunOutput> outputs(numDevices);
    std::vector<HostTensor> expected(numDevices), shards(numDevices);
    for (int64_t position = 0; position < numDevices; ++position) {
      int64_t device = problem.mesh.deviceAt(position);
      shards[device] = shardOf(whole, problem, problem.source, position);
      expected[device] = shardOf(whole, problem, problem.target, position);
    }
    Result<void> done = runtime::runRanks(
        numDevices, std::chrono::seconds(20),
        [&](runtime::Communicator &communicator) -> Result<void> {
          auto output = runWithRecords(*program, communicator, {&shards[communicator.rank()], 1});
          if (!output)
            return output.error();
          outputs[communicator.rank()] = std::move(*output);
          return {};
        });
    ASSERT_TRUE(done.ok()) << done.error().message;
    int64_t largest = 0, total = 0;
    for (int64_t position = 0; position < numDevices; ++position) {
      int64_t device = problem.mesh.deviceAt(position);
      ASSERT_EQ(withoutPadding(outputs[device].results[0], problem, position), expected[device]);
      ASSERT_EQ(outputs[device].collectives.size(), 1U);
      const CollectiveRecord &record = outputs[device].collectives.front();
      EXPECT_EQ(record.kind, core::CollectiveKind::Exchange);
      largest = std::max(largest, record.bytesReceived);
      total += record.bytesReceived;
    }
    planner::MissingBytes missing = planner::missingBetween(
        problem, planner::Placement(problem, problem.source, planner::OnMesh::Source),
        planner::Placement(problem, problem.target, planner::OnMesh::Target));
    EXPECT_EQ(largest, missing.largest);
    EXPECT_EQ(total, missing.total);
    if (::testing::Test::HasFailure())
      return;
  }
}

TEST(ExchangeTest, globalOnesAreRefusedAndMeshesMustFit) {
  reference::TestPrograms programs;
  auto module = programs.parse(
      "sdy.mesh @m = <[\"x\"=2]>\nfunc.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = sdy.exchange %a out_sharding=<@m, [{\"x\"}]> {sdy.in_sharding = #sdy.sharding<@m, "
      "[{}]>} : (tensor<4xf32>) -> tensor<2xf32>\n"
      "  %1 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> "
      "tensor<4xf32>\n  return %1 : tensor<4xf32>\n}\n");
  ASSERT_TRUE(module) << programs.diagnostics();
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  std::vector<HostTensor> inputs = {HostTensor::zeros(DataType::F32, {4})};
  Result<void> done = runtime::runRanks(
      3, std::chrono::seconds(20), [&](runtime::Communicator &communicator) -> Result<void> {
        auto output = run(*program, communicator, inputs);
        return output ? Result<void>() : Result<void>(output.error());
      });
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message.find("its mesh has 2 devices, but 3 ranks run"),
            std::string::npos);
}

} // namespace
} // namespace shardwise::execute
