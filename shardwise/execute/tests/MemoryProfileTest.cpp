// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The profile has the memory of a compiled program, and says what lies where.

#include "shardwise/execute/MemoryProfile.h"
#include "shardwise/execute/Program.h"
#include "test/support/evaluation/TestPrograms.h"

#include <gtest/gtest.h>

namespace shardwise::execute {
namespace {

using reference::TestPrograms;

/// Bytes of the buffers that live at each step.
std::vector<int64_t> liveBytes(const MemoryProfile &profile) {
  std::vector<int64_t> bytes(profile.steps.size());
  for (const ProfiledBuffer &buffer : profile.buffers)
    for (int64_t step = buffer.first; step <= buffer.last; ++step)
      bytes[step] += buffer.bytes;
  return bytes;
}

TEST(MemoryProfileTest, isThatOfTheCompiledProgram) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<64x64xf32>, %n: tensor<i32>) -> tensor<64x64xf32> {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<64x64xf32>
        cond {
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %next = stablehlo.add %i, %one : tensor<i32>
          %w = stablehlo.dot_general %v, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
          %t = stablehlo.tanh %w : tensor<64x64xf32>
          stablehlo.return %next, %t : tensor<i32>, tensor<64x64xf32>
        }
      %s = stablehlo.transpose %r#1, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
      return %s : tensor<64x64xf32>
    })");
  auto program = compile(*module);
  auto profile = profileMemory(*module);
  ASSERT_TRUE(mlir::succeeded(program) && mlir::succeeded(profile)) << programs.diagnostics();
  EXPECT_EQ(profile->use.peakBytes(), program->memory().peakBytes());
  EXPECT_EQ(profile->use.arenaBytes, program->memory().arenaBytes);
  // The layout has no gaps here.
  std::vector<int64_t> bytes = liveBytes(*profile);
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), profile->use.arenaBytes);
  int64_t numResults = 0;
  for (const ProfiledBuffer &buffer : profile->buffers)
    if (buffer.isResult) {
      ++numResults;
      EXPECT_EQ(buffer.values.size(), 1u);
      EXPECT_EQ(buffer.values[0].getDefiningOp()->getName().getStringRef(), "stablehlo.transpose");
      EXPECT_EQ(profile->steps[buffer.first], buffer.values[0].getDefiningOp());
    }
  EXPECT_EQ(numResults, 1);
}

TEST(MemoryProfileTest, opsThatCannotBeRunNeedWhatTheyTakeAndGive) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<1024xf32>) -> tensor<2048xf32> {
      %y = stablehlo.custom_call @flash_kernel(%x) : (tensor<1024xf32>) -> tensor<2048xf32>
      return %y : tensor<2048xf32>
    })");
  EXPECT_TRUE(mlir::failed(compile(*module)));
  auto profile = profileMemory(*module);
  ASSERT_TRUE(mlir::succeeded(profile));
  EXPECT_EQ(profile->use.argumentBytes, 4096);
  EXPECT_EQ(profile->use.arenaBytes, 8192);
}

} // namespace
} // namespace shardwise::execute
