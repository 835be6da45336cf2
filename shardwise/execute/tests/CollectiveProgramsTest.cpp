// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs with collectives on 2 to 8 ranks in one process.

#include "shardwise/execute/Program.h"

#include "shardwise/runtime/LocalCommunicator.h"
#include "test/support/evaluation/TestPrograms.h"

#include <gtest/gtest.h>

#include <mutex>

namespace shardwise::execute {
namespace {

using reference::TestPrograms;
using runtime::HostTensor;

struct Outcome {
  std::string error; ///< Of parsing, compiling or running.
  std::vector<RunOutput> ranks;
};

/// Runs `text` on one rank per entry of `inputs`; each entry has that rank's arguments as text.
Outcome runOn(TestPrograms &programs, const std::string &text,
              const std::vector<std::vector<std::string>> &inputs) {
  Outcome outcome;
  auto module = programs.parse(text);
  mlir::FailureOr<Program> program =
      module ? compile(*module) : mlir::FailureOr<Program>(mlir::failure());
  if (mlir::failed(program)) {
    outcome.error = programs.diagnostics();
    return outcome;
  }
  std::vector<std::vector<HostTensor>> arguments;
  for (const auto &rank : inputs) {
    arguments.emplace_back();
    for (const std::string &value : rank)
      arguments.back().push_back(programs.tensor(value));
  }
  outcome.ranks.resize(inputs.size());
  Result<void> done =
      runtime::runRanks(static_cast<int64_t>(inputs.size()), std::chrono::milliseconds(20'000),
                        [&](runtime::Communicator &communicator) -> Result<void> {
                          auto rank = static_cast<size_t>(communicator.rank());
                          auto output = runWithRecords(*program, communicator, arguments[rank]);
                          if (!output)
                            return output.error();
                          outcome.ranks[rank] = std::move(*output);
                          return {};
                        });
  if (!done)
    outcome.error = done.error().message;
  return outcome;
}

std::string moduleOf(const std::string &attributes, const std::string &argument,
                     const std::string &result, const std::string &op) {
  return "module attributes {" + attributes + "} {\n  func.func @main(%x: " + argument + ") -> " +
         result + " {\n    %0 = " + op + " : (" + argument + ") -> " + result +
         "\n    return %0 : " + result + "\n  }\n}\n";
}

TEST(CollectivesTest, allGatherFollowsGroupOrder) {
  TestPrograms programs;
  auto outcome = runOn(programs,
                       moduleOf("mhlo.num_replicas = 2 : i32", "tensor<1xi32>", "tensor<2xi32>",
                                "\"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, "
                                "replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}>"),
                       {{"dense<10> : tensor<1xi32>"}, {"dense<20> : tensor<1xi32>"}});
  ASSERT_EQ(outcome.error, "");
  for (const RunOutput &rank : outcome.ranks)
    EXPECT_EQ(rank.results[0], programs.tensor("dense<[20, 10]> : tensor<2xi32>"));
}

TEST(CollectivesTest, whatASliceLeavesOutIsNotGathered) {
  TestPrograms programs;
  auto text = [](const std::string &slice, const std::string &more) {
    return "module attributes {mhlo.num_replicas = 2 : i32} {\n"
           "  func.func @main(%x: tensor<1x512xi32>) -> tensor<1x600xi32> {\n"
           "    %0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 1 : i64, "
           "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1x512xi32>) -> "
           "tensor<1x1024xi32>\n    %1 = stablehlo.slice %0 " +
           slice + " : (tensor<1x1024xi32>) -> tensor<1x600xi32>\n" + more + "  }\n}\n";
  };
  std::string onlyFront = text("[0:1, 0:600]", "    return %1 : tensor<1x600xi32>\n");
  auto outcome = runOn(programs, onlyFront,
                       {{"dense<1> : tensor<1x512xi32>"}, {"dense<2> : tensor<1x512xi32>"}});
  ASSERT_EQ(outcome.error, "");
  for (const RunOutput &rank : outcome.ranks) {
    EXPECT_EQ(rank.results[0].shape, (std::vector<int64_t>{1, 600}));
    const auto *values = reinterpret_cast<const int32_t *>(rank.results[0].bytes.data());
    EXPECT_EQ(values[511], 1);
    EXPECT_EQ(values[512], 2);
    EXPECT_EQ(values[599], 2);
  }
  // The argument and 600 numbers; 1,024 more where the slice does not begin in front, and where
  // something else uses what is gathered.
  auto peakOf = [&](const std::string &program) {
    auto module = programs.parse(program);
    mlir::FailureOr<Program> compiled = compile(*module);
    return mlir::succeeded(compiled) ? compiled->peakBytes() : -1;
  };
  constexpr int64_t kLine = 64; // What buffers are aligned to.
  EXPECT_LE(peakOf(onlyFront), (512 + 600) * 4 + 2 * kLine);
  EXPECT_GE(peakOf(text("[0:1, 1:601]", "    return %1 : tensor<1x600xi32>\n")),
            (512 + 600 + 1024) * 4);
  EXPECT_GE(peakOf(text("[0:1, 0:600]",
                        "    %2 = stablehlo.slice %0 [0:1, 424:1024] : (tensor<1x1024xi32>) -> "
                        "tensor<1x600xi32>\n    %3 = stablehlo.add %1, %2 : tensor<1x600xi32>\n"
                        "    return %3 : tensor<1x600xi32>\n")),
            (512 + 600 + 1024) * 4);
}

TEST(CollectivesTest, allToAllSplitsAndConcatenates) {
  TestPrograms programs;
  auto outcome =
      runOn(programs,
            moduleOf("mhlo.num_replicas = 2 : i32", "tensor<2x2xi32>", "tensor<1x4xi32>",
                     "\"stablehlo.all_to_all\"(%x) <{split_dimension = 0 : i64, concat_dimension = "
                     "1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : "
                     "tensor<1x2xi64>}>"),
            {{"dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>"},
             {"dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>"}});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.ranks[0].results[0],
            programs.tensor("dense<[[1, 2, 5, 6]]> : tensor<1x4xi32>"));
  EXPECT_EQ(outcome.ranks[1].results[0],
            programs.tensor("dense<[[3, 4, 7, 8]]> : tensor<1x4xi32>"));
}

TEST(CollectivesTest, raggedAllToAllKeepsWhatNobodySends) {
  TestPrograms programs;
  const char *text = R"(module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%rows: tensor<3xi32>, %offsets: tensor<2xi32>, %sizes: tensor<2xui8>,
                  %places: tensor<2xi64>, %expected: tensor<2xui8>) -> tensor<4xi32> {
    %output = stablehlo.constant dense<9> : tensor<4xi32>
    %0 = stablehlo.custom_call @ragged_all_to_all(%rows, %output, %offsets, %sizes, %places, %expected) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<3xi32>, tensor<4xi32>, tensor<2xi32>, tensor<2xui8>, tensor<2xi64>, tensor<2xui8>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
})";
  std::string i32 = " : tensor<2xi32>", ui8 = " : tensor<2xui8>", i64 = " : tensor<2xi64>";
  auto outcome = runOn(programs, text,
                       {{"dense<[1, 2, 2]> : tensor<3xi32>", "dense<[0, 1]>" + i32,
                         "dense<[1, 2]>" + ui8, "dense<[0, 0]>" + i64, "dense<[1, 1]>" + ui8},
                        {"dense<[3, 4, 0]> : tensor<3xi32>", "dense<[0, 1]>" + i32,
                         "dense<[1, 1]>" + ui8, "dense<[1, 2]>" + i64, "dense<[2, 1]>" + ui8}});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.ranks[0].results[0], programs.tensor("dense<[1, 3, 9, 9]> : tensor<4xi32>"));
  EXPECT_EQ(outcome.ranks[1].results[0], programs.tensor("dense<[2, 2, 4, 9]> : tensor<4xi32>"));
  ASSERT_EQ(outcome.ranks[0].collectives.size(), 1u);
  EXPECT_EQ(outcome.ranks[0].collectives[0].bytesReceived, 4);
  EXPECT_EQ(outcome.ranks[1].collectives[0].bytesReceived, 8);
  EXPECT_EQ(core::toString(outcome.ranks[1].collectives[0].kind), "ragged_all_to_all");
}

TEST(CollectivesTest, permuteGivesZerosToOthers) {
  TestPrograms programs;
  auto outcome = runOn(
      programs,
      moduleOf("mhlo.num_partitions = 2 : i32", "tensor<2xi32>", "tensor<2xi32>",
               "\"stablehlo.collective_permute\"(%x) <{channel_handle = "
               "#stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, "
               "1]]> : tensor<1x2xi64>}>"),
      {{"dense<[1, 2]> : tensor<2xi32>"}, {"dense<[5, 6]> : tensor<2xi32>"}});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.ranks[0].results[0], programs.tensor("dense<0> : tensor<2xi32>"));
  EXPECT_EQ(outcome.ranks[1].results[0], programs.tensor("dense<[1, 2]> : tensor<2xi32>"));
}

/// What `region` does to two values: rank 0 holds the first, rank 1 the second.
std::string reduced(const std::string &type, const std::string &result, const std::string &scalar,
                    const std::string &region) {
  return moduleOf("mhlo.num_replicas = 2 : i32", type, result,
                  "\"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1]]> : "
                  "tensor<1x2xi64>}> ({\n^bb0(%a: " +
                      scalar + ", %b: " + scalar + "):\n" + region +
                      "\nstablehlo.return %r : " + scalar + "\n})");
}

TEST(CollectivesTest, allReduceOfComplexNumbersAndOfMixedTypes) {
  TestPrograms programs;
  std::string type = "tensor<2xcomplex<f32>>";
  auto outcome = runOn(programs,
                       reduced(type, type, "tensor<complex<f32>>",
                               "%r = stablehlo.add %a, %b : tensor<complex<f32>>"),
                       {{"dense<[(1.0, 2.0), (3.0, 4.0)]> : " + type},
                        {"dense<[(0.5, -1.0), (0.0, 1.0)]> : " + type}});
  ASSERT_EQ(outcome.error, "");
  for (const RunOutput &rank : outcome.ranks)
    EXPECT_EQ(rank.results[0], programs.tensor("dense<[(1.5, 1.0), (3.0, 5.0)]> : " + type));
  // 1 + 2^-9 is no bf16.
  outcome = runOn(programs,
                  reduced("tensor<1xbf16>", "tensor<1xf32>", "tensor<f32>",
                          "%r = stablehlo.add %a, %b : tensor<f32>"),
                  {{"dense<1.0> : tensor<1xbf16>"}, {"dense<0.001953125> : tensor<1xbf16>"}});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.ranks[1].results[0], programs.tensor("dense<1.001953125> : tensor<1xf32>"));
}

TEST(CollectivesTest, severalOperandsMeetOnce) {
  TestPrograms programs;
  auto outcome = runOn(
      programs,
      "module attributes {mhlo.num_replicas = 2 : i32} {\n"
      "func.func @main(%x: tensor<2xi32>, %y: tensor<i32>) -> (tensor<2xi32>, tensor<i32>) {\n"
      "%0:2 = \"stablehlo.all_reduce\"(%x, %y) <{replica_groups = dense<[[0, 1]]> : "
      "tensor<1x2xi64>}> ({\n^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
      "%r = stablehlo.add %a, %b : tensor<i32>\nstablehlo.return %r : tensor<i32>\n})"
      " : (tensor<2xi32>, tensor<i32>) -> (tensor<2xi32>, tensor<i32>)\n"
      "return %0#0, %0#1 : tensor<2xi32>, tensor<i32>\n}\n}\n",
      {{"dense<[1, 2]> : tensor<2xi32>", "dense<3> : tensor<i32>"},
       {"dense<[10, 20]> : tensor<2xi32>", "dense<30> : tensor<i32>"}});
  ASSERT_EQ(outcome.error, "");
  for (const RunOutput &rank : outcome.ranks) {
    EXPECT_EQ(rank.results[0], programs.tensor("dense<[11, 22]> : tensor<2xi32>"));
    EXPECT_EQ(rank.results[1], programs.tensor("dense<33> : tensor<i32>"));
    ASSERT_EQ(rank.collectives.size(), 1U);
    EXPECT_EQ(rank.collectives[0].count, 1);
    EXPECT_EQ(rank.collectives[0].tensors, 2);
    EXPECT_EQ(rank.collectives[0].bytesReceived, 12);
  }
}

TEST(CollectivesTest, allReduceByAnyRegion) {
  TestPrograms programs;
  std::string type = "tensor<3xi32>";
  auto outcome = runOn(programs,
                       reduced(type, type, "tensor<i32>",
                               "%c = stablehlo.constant dense<100> : tensor<i32>\n"
                               "%0 = stablehlo.multiply %b, %c : tensor<i32>\n"
                               "%r = stablehlo.xor %a, %0 : tensor<i32>"),
                       {{"dense<[1, 2, 3]> : " + type}, {"dense<[4, 5, 6]> : " + type}});
  ASSERT_EQ(outcome.error, "");
  for (const RunOutput &rank : outcome.ranks)
    EXPECT_EQ(rank.results[0], programs.tensor("dense<[401, 502, 603]> : " + type));
}

TEST(CollectivesTest, broadcastFromTheFirstOfTheGroupAndZerosOutside) {
  TestPrograms programs;
  auto outcome =
      runOn(programs,
            moduleOf("mhlo.num_replicas = 3 : i32", "tensor<2xf32>", "tensor<2xf32>",
                     "\"stablehlo.collective_broadcast\"(%x) <{replica_groups = dense<[[2, 0]]> : "
                     "tensor<1x2xi64>}>"),
            {{"dense<1.0> : tensor<2xf32>"},
             {"dense<2.0> : tensor<2xf32>"},
             {"dense<3.0> : tensor<2xf32>"}});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.ranks[0].results[0], programs.tensor("dense<3.0> : tensor<2xf32>"));
  EXPECT_EQ(outcome.ranks[1].results[0], programs.tensor("dense<0.0> : tensor<2xf32>"));
  EXPECT_EQ(outcome.ranks[2].results[0], programs.tensor("dense<3.0> : tensor<2xf32>"));
  EXPECT_EQ(outcome.ranks[0].collectives[0].bytesReceived, 8);
  EXPECT_EQ(outcome.ranks[2].collectives[0].bytesReceived, 0);
}

/// Rank = 2 * replica + partition holds 10 * replica + partition.
TEST(CollectivesTest, replicasAndPartitionsTogether) {
  TestPrograms programs;
  auto outcome =
      runOn(programs,
            moduleOf("mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32", "tensor<1xi32>",
                     "tensor<4xi32>",
                     "\"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, channel_handle = "
                     "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, "
                     "1]]> : tensor<1x2xi64>}>"),
            {{"dense<0> : tensor<1xi32>"},
             {"dense<1> : tensor<1xi32>"},
             {"dense<10> : tensor<1xi32>"},
             {"dense<11> : tensor<1xi32>"}});
  ASSERT_EQ(outcome.error, "");
  for (const RunOutput &rank : outcome.ranks)
    EXPECT_EQ(rank.results[0], programs.tensor("dense<[0, 10, 1, 11]> : tensor<4xi32>"));
}

TEST(CollectivesTest, meshAxesInTheOrderListed) {
  const std::string mesh = "#stablehlo.mesh<axes=[<name = \"x\", size = 2>, <name = \"y\", size = "
                           "2>]>";
  for (bool isNamed : {false, true}) {
    TestPrograms programs;
    std::string text =
        "module {\n  sdy.mesh @grid = <[\"x\"=2, \"y\"=2]>\n  func.func @main() -> tensor<4xui32> "
        "{\n    %0 = stablehlo.partition_id : tensor<ui32>\n    %1 = stablehlo.reshape %0 : "
        "(tensor<ui32>) -> tensor<1xui32>\n    %2 = \"stablehlo.all_gather\"(%1) <{all_gather_dim "
        "= 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
        "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = " +
        (isNamed ? std::string("@grid") : mesh) +
        ", axes = [#stablehlo.axis_ref<name = \"y\">, #stablehlo.axis_ref<name = \"x\">]>, "
        "use_global_device_ids}> : (tensor<1xui32>) -> tensor<4xui32>\n    return %2 : "
        "tensor<4xui32>\n  }\n}\n";
    auto outcome = runOn(programs, text, {{}, {}, {}, {}});
    ASSERT_EQ(outcome.error, "");
    for (const RunOutput &rank : outcome.ranks) {
      EXPECT_EQ(rank.results[0], programs.tensor("dense<[0, 2, 1, 3]> : tensor<4xui32>"));
      ASSERT_EQ(rank.collectives.size(), 1U);
      EXPECT_EQ(rank.collectives[0].kind, core::CollectiveKind::AllGather);
      EXPECT_EQ(rank.collectives[0].axes, "{\"y\", \"x\"}");
      EXPECT_EQ(rank.collectives[0].count, 1);
      EXPECT_EQ(rank.collectives[0].bytesReceived, 12);
    }
  }
}

TEST(CollectivesTest, subAxesAndDeviceOrder) {
  TestPrograms programs;
  std::string text =
      "module {\n  sdy.mesh @grid = <[\"x\"=4], device_ids=[3, 2, 1, 0]>\n  func.func @main() -> "
      "tensor<2xui32> {\n    %0 = stablehlo.partition_id : tensor<ui32>\n    %1 = "
      "stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>\n    %2 = "
      "\"stablehlo.all_gather\"(%1) <{all_gather_dim = 0 : i64, replica_groups = "
      "#stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = \"x\", "
      "sub_axis_info = (1)2>]>}> : (tensor<1xui32>) -> tensor<2xui32>\n    return %2 : "
      "tensor<2xui32>\n  }\n}\n";
  auto outcome = runOn(programs, text, {{}, {}, {}, {}});
  ASSERT_EQ(outcome.error, "");
  // Position p has device 3 - p; the major half of x pairs positions 0 with 2 and 1 with 3.
  EXPECT_EQ(outcome.ranks[3].results[0], programs.tensor("dense<[3, 1]> : tensor<2xui32>"));
  EXPECT_EQ(outcome.ranks[1].results[0], programs.tensor("dense<[3, 1]> : tensor<2xui32>"));
  EXPECT_EQ(outcome.ranks[0].results[0], programs.tensor("dense<[2, 0]> : tensor<2xui32>"));
}

/// A partitioned matrix product inside a loop: all_reduce of partial sums, reduce_scatter, and what
/// they count.
TEST(CollectivesTest, reductionsInsideALoopOnEightRanks) {
  TestPrograms programs;
  const std::string sum = "({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n %s = stablehlo.add %a, %b "
                          ": tensor<f32>\n stablehlo.return %s : tensor<f32> })";
  const std::string groups = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
                             "replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : "
                             "tensor<2x4xi64>, use_global_device_ids";
  std::string text = R"(
    module attributes {mhlo.num_partitions = 8 : i32} {
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<1xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %n = stablehlo.constant dense<3> : tensor<i32>
      %0:2 = stablehlo.while(%i = %c, %v = %x) : tensor<i32>, tensor<4xf32>
      cond {
        %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %i1 = stablehlo.add %i, %one : tensor<i32>
        %r = "stablehlo.all_reduce"(%v) <{)" +
                     groups + "}> " + sum + R"( : (tensor<4xf32>) -> tensor<4xf32>
        stablehlo.return %i1, %r : tensor<i32>, tensor<4xf32>
      }
      %1 = "stablehlo.reduce_scatter"(%0#1) <{)" +
                     groups + ", scatter_dimension = 0 : i64}> " + sum +
                     R"( : (tensor<4xf32>) -> tensor<1xf32>
      return %0#1, %1 : tensor<4xf32>, tensor<1xf32>
    }
    })";
  std::vector<std::vector<std::string>> inputs(8, {"dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>"});
  auto outcome = runOn(programs, text, inputs);
  ASSERT_EQ(outcome.error, "");
  for (size_t rank = 0; rank < 8; ++rank) {
    const RunOutput &output = outcome.ranks[rank];
    // Three sums over four ranks: times 64.
    EXPECT_EQ(output.results[0],
              programs.tensor("dense<[64.0, 128.0, 192.0, 256.0]> : tensor<4xf32>"));
    float part = 4 * 64.0F * static_cast<float>(rank % 4 + 1);
    EXPECT_EQ(output.results[1].elements<float>()[0], part);
    ASSERT_EQ(output.collectives.size(), 2U);
    EXPECT_EQ(output.collectives[0].kind, core::CollectiveKind::AllReduce);
    EXPECT_EQ(output.collectives[0].count, 3);
    EXPECT_GT(output.collectives[0].bytesReceived, 0);
    EXPECT_EQ(output.collectives[1].kind, core::CollectiveKind::ReduceScatter);
    EXPECT_EQ(output.collectives[1].bytesReceived, 12);
  }
}

TEST(CollectivesTest, errorsNameTheCollective) {
  TestPrograms programs;
  auto gather = [&](const std::string &groups, const std::string &result) {
    return moduleOf("mhlo.num_partitions = 2 : i32", "tensor<1xi32>", result,
                    "\"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, channel_handle = "
                    "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = " +
                        groups + ", use_global_device_ids}>");
  };
  std::vector<std::vector<std::string>> inputs(2, {"dense<10> : tensor<1xi32>"});
  auto wrongSize =
      runOn(programs, gather("dense<[[0, 1]]> : tensor<1x2xi64>", "tensor<3xi32>"), inputs);
  EXPECT_NE(wrongSize.error.find("all_gather: dimension 0 has 3 and 1 elements"), std::string::npos)
      << wrongSize.error;
  auto wrongGrid =
      runOn(programs, gather("dense<[[0, 1]]> : tensor<1x2xi64>", "tensor<2xi32>"), {inputs[0]});
  EXPECT_NE(wrongGrid.error.find("all_gather"), std::string::npos) << wrongGrid.error;
}

} // namespace
} // namespace shardwise::execute
