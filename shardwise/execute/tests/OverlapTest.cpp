// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives that run while other ops do: what runs between start and wait, in which memory, and
// what becomes of a run that fails in between. That bits stay is SharedRunRandomTest's.

#include "shardwise/execute/CompiledProgram.h"
#include "shardwise/execute/Program.h"
#include "shardwise/execute/RunTrace.h"
#include "shardwise/runtime/LocalCommunicator.h"
#include "test/support/evaluation/TestPrograms.h"
#include "test/support/runtime/WrappedCommunicator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>

namespace shardwise::execute {
namespace {

using reference::TestPrograms;
using runtime::HostTensor;

const char *const kAllReduce = R"( ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}
        : (tensor<64x64xf32>) -> tensor<64x64xf32>
)";

std::string programOf(const std::string &arguments, const std::string &body) {
  return "module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {\n"
         "func.func @main(" +
         arguments + ") " + body + "}\n";
}

std::string dot(const std::string &name, const std::string &a, const std::string &b) {
  return "  %" + name + " = stablehlo.dot_general %" + a + ", %" + b +
         ", contracting_dims = [1] x [0]\n"
         "      : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n";
}

std::string allReduce(const std::string &name, const std::string &operand) {
  return "  %" + name + " = \"stablehlo.all_reduce\"(%" + operand + ")" + kAllReduce;
}

/// Of a backward pass: the sum of %dx is under way while %dw is computed.
std::string backward() {
  return programOf("%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %dy: tensor<64x64xf32>",
                   "-> (tensor<64x64xf32>, tensor<64x64xf32>) {\n" + dot("dw", "x", "dy") +
                       dot("dx", "dy", "w") + allReduce("sum", "dx") +
                       "  %t = stablehlo.transpose %sum, dims = [1, 0] : (tensor<64x64xf32>) -> "
                       "tensor<64x64xf32>\n"
                       "  return %t, %dw : tensor<64x64xf32>, tensor<64x64xf32>\n}\n");
}

/// How a product is listed.
const std::string kProduct = "gemm 1 x 64x64x64 f32\n";

HostTensor filled(const TensorType &type, int64_t seed) {
  HostTensor tensor = HostTensor::zeros(type.type, type.shape);
  auto *elements = reinterpret_cast<float *>(tensor.bytes.data());
  for (size_t i = 0; i < tensor.bytes.size() / sizeof(float); ++i)
    elements[i] = static_cast<float>((seed * 37 + static_cast<int64_t>(i) * 11) % 23) - 11.0F;
  return tensor;
}

/// The results of `program` by rank; notes of the run go to `traces`, if there are any.
Result<std::vector<RunOutput>> runOn(const Program &program, const RunLimits &limits = {},
                                     std::span<RankTrace> traces = {}) {
  std::vector<RunOutput> outputs(2);
  Result<void> done = runtime::runRanks(
      2, std::chrono::milliseconds(20'000),
      [&](runtime::Communicator &communicator) -> Result<void> {
        std::optional<TraceScope> scope;
        if (!traces.empty())
          scope.emplace(traces[communicator.rank()]);
        std::vector<HostTensor> inputs;
        for (const TensorType &type : program.argumentTypes())
          inputs.push_back(filled(type, communicator.rank() + 3 * std::ssize(inputs)));
        auto output = runWithRecords(program, communicator, inputs, limits);
        if (!output)
          return output.error();
        outputs[communicator.rank()] = std::move(*output);
        return {};
      });
  return done ? Result(std::move(outputs)) : done.error();
}

Program compiled(TestPrograms &programs, const std::string &text,
                 Overlapping overlapping = Overlapping::Allowed) {
  auto module = programs.parse(text);
  EXPECT_TRUE(module) << programs.diagnostics() << text;
  auto program = compile(*module, {}, overlapping);
  EXPECT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  return *program;
}

TEST(OverlapTest, workThatNeedsNoSumRunsWhileItIsUnderWay) {
  TestPrograms programs;
  Program program = compiled(programs, backward());
  EXPECT_EQ(program.describe(),
            kProduct + "all_reduce start\n" + kProduct + "all_reduce wait\ncopy\n");
  Program plain = compiled(programs, backward(), Overlapping::None);
  EXPECT_EQ(plain.describe(), kProduct + kProduct + "all_reduce\ncopy\n");
  auto actual = runOn(program), expected = runOn(plain);
  ASSERT_TRUE(actual && expected);
  for (size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ((*actual)[rank].results, (*expected)[rank].results);
    ASSERT_EQ((*actual)[rank].collectives.size(), 1u);
    EXPECT_EQ((*actual)[rank].collectives[0].count, 1);
    EXPECT_EQ((*actual)[rank].collectives[0].bytesReceived,
              (*expected)[rank].collectives[0].bytesReceived);
  }
}

TEST(OverlapTest, whatIsUsedAtOnceIsNotSplit) {
  TestPrograms programs;
  Program program = compiled(programs, programOf("%x: tensor<64x64xf32>",
                                                 "-> tensor<64x64xf32> {\n" +
                                                     allReduce("sum", "x") + dot("y", "sum", "x") +
                                                     "  return %y : tensor<64x64xf32>\n}\n"));
  EXPECT_EQ(program.describe(), "all_reduce\n" + kProduct);
}

/// Here %dw may not be made later: its operand %big would live beside the sum.
TEST(OverlapTest, memoryNeverGrows) {
  TestPrograms programs;
  std::string text =
      programOf("%x: tensor<64x64xf32>, %y: tensor<64x64xf32>",
                "-> (tensor<64x64xf32>, tensor<64x64xf32>) {\n"
                "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
                "  %big = stablehlo.pad %x, %c, low = [0, 0], high = [960, 0], interior = [0, 0]\n"
                "      : (tensor<64x64xf32>, tensor<f32>) -> tensor<1024x64xf32>\n"
                "  %dw = stablehlo.dot_general %big, %big, contracting_dims = [0] x [0]\n"
                "      : (tensor<1024x64xf32>, tensor<1024x64xf32>) -> tensor<64x64xf32>\n" +
                    dot("dx", "x", "y") + dot("dz", "dx", "y") + allReduce("sum", "dz") +
                    "  %t = stablehlo.transpose %sum, dims = [1, 0] : (tensor<64x64xf32>) -> "
                    "tensor<64x64xf32>\n"
                    "  return %t, %dw : tensor<64x64xf32>, tensor<64x64xf32>\n}\n");
  Program program = compiled(programs, text), plain = compiled(programs, text, Overlapping::None);
  EXPECT_LE(ProgramAccess::get(program).main->arenaBytes,
            ProgramAccess::get(plain).main->arenaBytes);
  EXPECT_EQ(program.peakBytes(), plain.peakBytes());
}

/// A collective in a loop ends in its iteration; one that is older than a loop before it.
TEST(OverlapTest, loopsWaitForWhatTheyStart) {
  TestPrograms programs;
  std::string text = programOf(
      "%x: tensor<64x64xf32>, %w: tensor<64x64xf32>",
      "-> (tensor<64x64xf32>, tensor<64x64xf32>) {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" +
          allReduce("first", "x") +
          "  %r:2 = stablehlo.while(%i = %zero, %v = %w) : tensor<i32>, tensor<64x64xf32>\n"
          "  cond {\n"
          "    %n = stablehlo.constant dense<3> : tensor<i32>\n"
          "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "    stablehlo.return %p : tensor<i1>\n"
          "  } do {\n"
          "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
          "    %next = stablehlo.add %i, %one : tensor<i32>\n" +
          allReduce("sum", "v") + dot("d", "x", "v") + dot("y", "sum", "d") +
          "    stablehlo.return %next, %y : tensor<i32>, tensor<64x64xf32>\n  }\n"
          "  return %r#1, %first : tensor<64x64xf32>, tensor<64x64xf32>\n}\n");
  Program program = compiled(programs, text, Overlapping::Always);
  std::string listing = program.describe();
  size_t loop = listing.find("while");
  ASSERT_NE(loop, std::string::npos) << listing;
  std::string before = listing.substr(0, loop), inside = listing.substr(loop);
  // Nothing runs while the first sum does, but it is not in flight in the loop.
  EXPECT_NE(before.find("all_reduce"), std::string::npos) << listing;
  EXPECT_LT(inside.find("all_reduce start"), inside.find("gemm")) << listing;
  EXPECT_LT(inside.find("gemm"), inside.find("all_reduce wait")) << listing;
  EXPECT_EQ(inside.find("all_reduce wait"), inside.rfind("all_reduce wait")) << listing;
  auto actual = runOn(program), expected = runOn(compiled(programs, text, Overlapping::None));
  ASSERT_TRUE(actual && expected);
  for (size_t rank = 0; rank < 2; ++rank)
    EXPECT_EQ((*actual)[rank].results, (*expected)[rank].results);
}

/// Stops the run of its rank when that has started a collective.
class StoppingCommunicator final : public runtime::testing::WrappedCommunicator {
public:
  StoppingCommunicator(runtime::Communicator &inner, std::atomic<bool> &isStopped)
      : WrappedCommunicator(inner), isStopped(isStopped) {}
  Result<runtime::PendingMeeting> publish(runtime::RankGroup group,
                                          const runtime::Publication &own) override {
    isStopped = true;
    return inner.publish(group, own);
  }

private:
  std::atomic<bool> &isStopped;
};

TEST(OverlapTest, aRankThatFailsInBetweenSaysWhy) {
  TestPrograms programs;
  Program program = compiled(programs, backward());
  std::atomic<bool> isStopped{false};
  Result<void> done = runtime::runRanks(
      2, std::chrono::milliseconds(20'000),
      [&](runtime::Communicator &communicator) -> Result<void> {
        std::vector<HostTensor> inputs;
        for (const TensorType &type : program.argumentTypes())
          inputs.push_back(filled(type, 1));
        StoppingCommunicator stopping(communicator, isStopped);
        auto output = communicator.rank() == 1
                          ? runWithRecords(program, stopping, inputs, {.isStopped = &isStopped})
                          : runWithRecords(program, communicator, inputs);
        return output ? Result<void>() : output.error();
      });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "rank 1: the run was stopped before its end");
}

TEST(OverlapTest, aTraceTellsHowLongItWasUnderWay) {
  TestPrograms programs;
  Program program = compiled(programs, backward());
  std::vector<RankTrace> traces(2);
  for (RankTrace &trace : traces)
    trace.mostEvents = 100;
  ASSERT_TRUE(runOn(program, {}, traces));
  for (const RankTrace &trace : traces) {
    ASSERT_EQ(trace.events.size(), 5u);
    const TraceEvent &start = trace.events[1], &product = trace.events[2], &wait = trace.events[3];
    EXPECT_TRUE(start.isStart);
    EXPECT_EQ(start.group, -1);
    EXPECT_EQ(start.receivedBytes, 0);
    EXPECT_FALSE(wait.isStart);
    EXPECT_EQ(wait.group, 0);
    EXPECT_EQ(wait.receivedBytes, 64 * 64 * 4);
    EXPECT_GE(wait.hidden, product.end - product.begin);
    EXPECT_EQ(trace.totals.at(wait.thunk).hidden, wait.hidden);
  }
}

} // namespace
} // namespace shardwise::execute
