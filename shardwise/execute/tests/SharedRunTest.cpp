// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that ranks would do alike is done once: who does it, and that all get the same bits.

#include "shardwise/execute/SharedRun.h"

#include "shardwise/execute/CompiledProgram.h"
#include "shardwise/runtime/LocalCommunicator.h"
#include "test/support/evaluation/TestPrograms.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace shardwise::execute {
namespace {

using reference::TestPrograms;
using runtime::HostTensor;

/// Data parallel on 2 x 2 ranks: %x is cut over the first axis, %w over the second. The products
/// are summed over the first, so that the step on %w is the same for {0, 2} and for {1, 3}.
constexpr const char *kStep = R"(
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>, %v: tensor<3x2xf32>)
      -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.dot_general %x, %0, contracting_dims = [0] x [0]
        : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
    %2 = "stablehlo.all_reduce"(%1) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}
        : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %3 = stablehlo.multiply %v, %2 : tensor<3x2xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %6 = stablehlo.subtract %w, %5 : tensor<3x2xf32>
    return %6, %3, %0 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>
  }
})";

HostTensor filled(const TensorType &type, int64_t seed) {
  HostTensor tensor = HostTensor::zeros(type.type, type.shape);
  auto *elements = reinterpret_cast<float *>(tensor.bytes.data());
  for (size_t i = 0; i < tensor.bytes.size() / sizeof(float); ++i)
    elements[i] = static_cast<float>((seed * 37 + static_cast<int64_t>(i) * 11) % 23) - 11.0F;
  return tensor;
}

/// Equal ranks have equal arguments.
std::vector<HostTensor> inputsOf(const Program &program, const std::vector<RankClasses> &classes,
                                 int64_t rank) {
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < classes.size(); ++i)
    inputs.push_back(
        filled(program.argumentTypes()[i], classes[i][rank] + static_cast<int64_t>(10 * i)));
  return inputs;
}

/// The results of `program` by rank, equal ranks with equal arguments.
std::vector<std::vector<HostTensor>> runOn(const Program &program,
                                           const std::vector<RankClasses> &classes, bool isShared) {
  auto numRanks = static_cast<int64_t>(classes.front().size());
  std::vector<std::vector<HostTensor>> results(numRanks);
  SharedRun shared(program, numRanks);
  Result<void> done =
      runtime::runRanks(numRanks, std::chrono::milliseconds(20'000),
                        [&](runtime::Communicator &communicator) -> Result<void> {
                          int64_t rank = communicator.rank();
                          std::vector<HostTensor> inputs = inputsOf(program, classes, rank);
                          auto output = runWithRecords(program, communicator, inputs, {},
                                                       isShared ? &shared : nullptr);
                          if (!output)
                            return output.error();
                          results[rank] = std::move(output->results);
                          return {};
                        });
  EXPECT_TRUE(done) << done.error().message;
  return results;
}

TEST(SharedRunTest, stepOnReplicatedParametersRunsOncePerClass) {
  TestPrograms programs;
  auto module = programs.parse(kStep);
  ASSERT_TRUE(module) << programs.diagnostics();
  std::vector<RankClasses> classes = {{0, 0, 2, 2}, {0, 1, 0, 1}, {0, 1, 0, 1}};
  auto program = compile(*module, {classes, 0});
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  // Both products differ between ranks; the sum is there once for two, and all behind it is done by
  // one of them.
  EXPECT_EQ(program->describe(), "gemm 1 x 2x2x3 f32\n"
                                 "gemm 1 x 3x2x2 f32\n"
                                 "all_reduce (to rank 0 for {0, 2})\n"
                                 "fused 1 ops x 6 (rank 0 for {0, 2})\n"
                                 "copy (rank 0 for {0, 2})\n"
                                 "copy (rank 0 for {0, 2})\n"
                                 "fused 1 ops x 6 (rank 0 for {0, 2})\n");
  auto alone = compile(*module);
  ASSERT_TRUE(mlir::succeeded(alone));
  auto expected = runOn(*alone, classes, false);
  for (int repeat = 0; repeat < 50; ++repeat) {
    auto results = runOn(*program, classes, true);
    for (size_t rank = 0; rank < results.size(); ++rank)
      for (size_t i = 0; i < results[rank].size(); ++i)
        EXPECT_EQ(results[rank][i].bytes, expected[rank][i].bytes) << rank << " " << i;
  }
}

/// %a and %b are made by one thunk, though only %b differs between ranks: what is made of %a is the
/// same on all.
TEST(SharedRunTest, resultsOfAFusedThunkDifferOnlyIfTheirOperandsDo) {
  TestPrograms programs;
  auto module = programs.parse(R"(
module {
  func.func @main(%w: tensor<4x4xf32>, %s: tensor<f32>, %own: tensor<f32>)
      -> (tensor<4x4xf32>, tensor<f32>) {
    %a = stablehlo.add %s, %s : tensor<f32>
    %b = stablehlo.multiply %own, %s : tensor<f32>
    %m = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %p = stablehlo.multiply %w, %m : tensor<4x4xf32>
    return %p, %b : tensor<4x4xf32>, tensor<f32>
  }
})");
  ASSERT_TRUE(module) << programs.diagnostics();
  std::vector<RankClasses> classes = {together(2), together(2), apart(2)};
  auto program = compile(*module, {classes, 0});
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  EXPECT_EQ(program->describe(), "fused 2 ops x 1\n"
                                 "fused 1 ops x 16 (rank 0 for {0, 1})\n");
  auto shared = runOn(*program, classes, true);
  auto apart = runOn(*program, classes, false);
  EXPECT_NE(shared[0][1].bytes, shared[1][1].bytes);
  for (size_t rank = 0; rank < shared.size(); ++rank)
    for (size_t i = 0; i < shared[rank].size(); ++i)
      EXPECT_EQ(shared[rank][i].bytes, apart[rank][i].bytes) << rank << " " << i;
}

/// Ranks 0 and 1 read the first row of %x, ranks 2 and 3 the second one: what is made of it is the
/// same for two.
TEST(SharedRunTest, rowsFoundByTheNumberOfARankAreCommonToSome) {
  TestPrograms programs;
  auto module = programs.parse(R"(
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<2x8xf32>) -> tensor<8x1xf32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %row = stablehlo.divide %id, %two : tensor<ui32>
    %zero = stablehlo.constant dense<0> : tensor<ui32>
    %own = stablehlo.dynamic_slice %x, %row, %zero, sizes = [1, 8]
        : (tensor<2x8xf32>, tensor<ui32>, tensor<ui32>) -> tensor<1x8xf32>
    %r = stablehlo.reverse %own, dims = [1] : tensor<1x8xf32>
    %t = stablehlo.transpose %r, dims = [1, 0] : (tensor<1x8xf32>) -> tensor<8x1xf32>
    return %t : tensor<8x1xf32>
  }
})");
  ASSERT_TRUE(module) << programs.diagnostics();
  std::vector<RankClasses> classes = {together(4)};
  auto program = compile(*module, {classes, 0});
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  std::string text = program->describe();
  EXPECT_NE(text.find("dynamic_slice (rank 1 for {0, 1})\n"), std::string::npos) << text;
  auto shared = runOn(*program, classes, true);
  auto apart = runOn(*program, classes, false);
  EXPECT_NE(shared[0][0].bytes, shared[2][0].bytes);
  for (size_t rank = 0; rank < shared.size(); ++rank)
    EXPECT_EQ(shared[rank][0].bytes, apart[rank][0].bytes) << rank;
}

/// Hands out memory of its own, and counts what is taken.
class CountingProcesses final : public runtime::Processes {
public:
  int64_t index() const override { return 0; }
  int64_t count() const override { return 1; }
  std::byte *allocate(int64_t bytes) override {
    constexpr size_t kAlignment = 64;
    ++taken;
    auto rounded = (static_cast<size_t>(bytes) / kAlignment + 1) * kAlignment;
    return static_cast<std::byte *>(std::aligned_alloc(kAlignment, rounded));
  }
  void release(std::byte *block) override {
    --taken;
    std::free(block);
  }
  Result<void> runRanks(int64_t numRanks, std::chrono::milliseconds timeout,
                        const runtime::RankFunction &function) override {
    return runtime::runRanks(numRanks, timeout, function);
  }

  int64_t taken = 0;
};

/// Collectives send from arenas in shared memory as they are; the memory goes back behind the run.
TEST(SharedRunTest, arenasAreWhereOtherProcessesReadThem) {
  TestPrograms programs;
  auto module = programs.parse(kStep);
  ASSERT_TRUE(module) << programs.diagnostics();
  std::vector<RankClasses> classes = {{0, 0, 2, 2}, {0, 1, 0, 1}, {0, 1, 0, 1}};
  auto program = compile(*module, {classes, 0});
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  auto expected = runOn(*program, classes, true);
  CountingProcesses processes;
  {
    SharedRun shared(*program, 4, {0, 1, 2, 3}, &processes);
    EXPECT_EQ(processes.taken, 4);
    Result<void> done = processes.runRanks(
        4, std::chrono::milliseconds(20'000),
        [&](runtime::Communicator &communicator) -> Result<void> {
          int64_t rank = communicator.rank();
          std::vector<HostTensor> inputs = inputsOf(*program, classes, rank);
          auto output = runWithRecords(*program, communicator, inputs, {}, &shared);
          if (!output)
            return output.error();
          bool isSame = output->results == expected[rank];
          return isSame ? Result<void>() : Error{ErrorKind::Internal, "other results"};
        });
    EXPECT_TRUE(done) << done.error().message;
  }
  EXPECT_EQ(processes.taken, 0);
}

/// Who reads a result elsewhere names the rank that has it, and has no bytes.
TEST(SharedRunTest, resultsAreGivenOnce) {
  TestPrograms programs;
  auto module = programs.parse(kStep);
  ASSERT_TRUE(module) << programs.diagnostics();
  std::vector<RankClasses> classes = {{0, 0, 2, 2}, {0, 1, 0, 1}, {0, 1, 0, 1}};
  auto program = compile(*module, {classes, 0});
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  auto expected = runOn(*program, classes, true);
  std::vector<RunOutput> outputs(4);
  SharedRun shared(*program, 4);
  shared.keepResultsOnce();
  Result<void> done =
      runtime::runRanks(4, std::chrono::milliseconds(20'000),
                        [&](runtime::Communicator &communicator) -> Result<void> {
                          int64_t rank = communicator.rank();
                          std::vector<HostTensor> inputs = inputsOf(*program, classes, rank);
                          auto output = runWithRecords(*program, communicator, inputs, {}, &shared);
                          if (!output)
                            return output.error();
                          outputs[rank] = std::move(*output);
                          return {};
                        });
  ASSERT_TRUE(done) << done.error().message;
  for (int64_t rank = 0; rank < 4; ++rank) {
    // The new weights and the step are common to {0, 2} and {1, 3}, the product is each rank's own.
    EXPECT_EQ(outputs[rank].holders, (std::vector<int64_t>{rank % 2, rank % 2, rank}));
    for (size_t i = 0; i < 3; ++i) {
      int64_t holder = outputs[rank].holders[i];
      EXPECT_EQ(outputs[rank].results[i].bytes.empty(), holder != rank) << rank << " " << i;
      EXPECT_EQ(outputs[holder].results[i].bytes, expected[rank][i].bytes) << rank << " " << i;
    }
  }
}

TEST(SharedRunTest, smallWorkIsNotShared) {
  TestPrograms programs;
  auto module = programs.parse(kStep);
  auto program = compile(*module, {{together(4), together(4), together(4)}});
  ASSERT_TRUE(mlir::succeeded(program));
  EXPECT_EQ(program->describe().find("rank"), std::string::npos);
}

TEST(SharedRunTest, withoutASharedRunEveryRankWorks) {
  TestPrograms programs;
  auto module = programs.parse(kStep);
  std::vector<RankClasses> classes = {{0, 0, 2, 2}, {0, 1, 0, 1}, {0, 1, 0, 1}};
  auto program = compile(*module, {classes, 0});
  ASSERT_TRUE(mlir::succeeded(program));
  auto shared = runOn(*program, classes, true);
  auto apart = runOn(*program, classes, false);
  for (size_t rank = 0; rank < shared.size(); ++rank)
    for (size_t i = 0; i < shared[rank].size(); ++i)
      EXPECT_EQ(shared[rank][i].bytes, apart[rank][i].bytes) << rank << " " << i;
}

/// %s is made by one rank for all. Both read it in the branch, which neither of them does for the
/// other as it also reads %own; the rank that is ahead must not put %b or %c in the place of %s,
/// whose last reader is in the middle of the branch.
TEST(SharedRunTest, whatABranchReadsOfAnotherRankLivesToItsEnd) {
  TestPrograms programs;
  auto module = programs.parse(R"(
module {
  func.func @main(%p: tensor<i1>, %x: tensor<64xf32>, %own: tensor<64xf32>) -> tensor<64xf32> {
    %s = stablehlo.reverse %x, dims = [0] : tensor<64xf32>
    %r = "stablehlo.if"(%p) ({
      %a = stablehlo.add %s, %own : tensor<64xf32>
      %b = stablehlo.reverse %a, dims = [0] : tensor<64xf32>
      %c = stablehlo.reverse %b, dims = [0] : tensor<64xf32>
      %d = stablehlo.multiply %c, %b : tensor<64xf32>
      stablehlo.return %d : tensor<64xf32>
    }, {
      stablehlo.return %own : tensor<64xf32>
    }) : (tensor<i1>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
})");
  ASSERT_TRUE(module) << programs.diagnostics();
  std::vector<RankClasses> classes = {together(2), together(2), apart(2)};
  auto program = compile(*module, {classes, 0});
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  const CompiledFunction &main = *ProgramAccess::get(*program).main;
  const WorkPlan &work = ProgramAccess::get(*program).work;
  ASSERT_TRUE(work.sharesWork());
  for (size_t id = 0; id < main.buffers.size(); ++id)
    for (size_t other = 0; other < main.buffers.size(); ++other)
      if (work.buffers[id].isShared() && !work.buffers[other].isShared() &&
          main.buffers[other].kind == BufferKind::Temporary)
        EXPECT_NE(main.buffers[id].offset, main.buffers[other].offset) << id << " " << other;
}

/// One device stops the others, and its reason is the one that is told.
TEST(SharedRunTest, failureOfALeaderEndsAll) {
  TestPrograms programs;
  auto module = programs.parse(R"(
module {
  func.func @main(%n: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.while(%i = %n) : tensor<i32>
      cond {
        %c = stablehlo.constant dense<100> : tensor<i32>
        %p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next : tensor<i32>
      }
    return %0 : tensor<i32>
  }
})");
  ASSERT_TRUE(module) << programs.diagnostics();
  auto program = compile(*module, {{together(4)}, 0});
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  SharedRun shared(*program, 4);
  Result<void> done =
      runtime::runRanks(4, std::chrono::milliseconds(20'000),
                        [&](runtime::Communicator &communicator) -> Result<void> {
                          HostTensor start = HostTensor::zeros(runtime::DataType::I32, {});
                          auto output = runWithRecords(*program, communicator, {start},
                                                       {.loopIterations = 5}, &shared);
                          return output ? Result<void>() : output.error();
                        });
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("has not ended after 5 iterations"), std::string::npos)
      << done.error().message;
}

} // namespace
} // namespace shardwise::execute
