// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compilation promises beside values: memory, fusion, refusals.

#include "shardwise/execute/Program.h"

#include "shardwise/execute/tests/PathTesting.h"
#include "shardwise/execute/thunks/Blas.h"
#include "shardwise/execute/thunks/StridedCopy.h"
#include "shardwise/runtime/LocalCommunicator.h"
#include "test/support/evaluation/TestPrograms.h"

#include <gtest/gtest.h>

namespace shardwise::execute {
namespace {

using reference::TestPrograms;
using runtime::HostTensor;

TEST(ProgramTest, resultsAreMadeInMemoryThatWasGivenBack) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<1024x256xf32>) -> (tensor<1024x256xf32>, tensor<256xf32>) {
      %0 = stablehlo.add %x, %x : tensor<1024x256xf32>
      %1 = stablehlo.slice %0 [3:4, 0:256] : (tensor<1024x256xf32>) -> tensor<1x256xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x256xf32>) -> tensor<256xf32>
      return %0, %2 : tensor<1024x256xf32>, tensor<256xf32>
    })");
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  std::vector<float> values(1024 * 256);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % 1000);
  std::vector<HostTensor> inputs = {
      HostTensor::of<float>(runtime::DataType::F32, {1024, 256}, values)};
  auto first = runAlone(*program, inputs);
  auto other = runAlone(*program, inputs);
  ASSERT_TRUE(first.ok() && other.ok());
  const std::byte *place = first->front().bytes.data();
  EXPECT_NE(other->front().bytes.data(), place);
  recycle(*program, 1, std::move(*first));
  // No more than a run gives is kept.
  recycle(*program, 1, std::move(*other));
  inputs.front().elements<float>()[3 * 256] = -1;
  auto second = runAlone(*program, inputs);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->front().bytes.data(), place);
  EXPECT_EQ((*second)[1].elements<float>()[0], -2);
  EXPECT_EQ((*second)[0].elements<float>()[3 * 256], -2);
  EXPECT_EQ((*second)[0].elements<float>()[777], 2 * values[777]);
}

TEST(ProgramTest, chainOfElementwiseOpsIsOneThunkWithoutIntermediates) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<1024x256xf32>, %b: tensor<256xf32>) -> tensor<1024x256xf32> {
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %z = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
      %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<256xf32>) -> tensor<1024x256xf32>
      %1 = stablehlo.add %x, %0 : tensor<1024x256xf32>
      %2 = stablehlo.maximum %1, %z : tensor<1024x256xf32>
      %3 = stablehlo.exponential %2 : tensor<1024x256xf32>
      return %3 : tensor<1024x256xf32>
    })");
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  EXPECT_EQ(program->describe(), "fused 3 ops x 262144\n");
  int64_t matrix = 1024 * 256 * 4;
  EXPECT_EQ(program->memory().argumentBytes, matrix + 1024);
  EXPECT_EQ(program->memory().resultBytes, matrix);
  EXPECT_LT(program->memory().arenaBytes, matrix + 100'000);
  EXPECT_EQ(program->peakBytes(), program->memory().argumentBytes + program->memory().arenaBytes);
}

TEST(ProgramTest, longChainOfProductsReusesMemory) {
  TestPrograms programs;
  std::string body;
  for (int i = 0; i < 20; ++i)
    body += "%v" + std::to_string(i + 1) + " = stablehlo.dot_general %v" + std::to_string(i) +
            ", %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> "
            "tensor<64x64xf32>\n";
  auto module = programs.parse("func.func @main(%v0: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> "
                               "tensor<64x64xf32> {\n" +
                               body + "return %v20 : tensor<64x64xf32>\n}");
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  EXPECT_EQ(program->memory().arenaBytes, 2 * 64 * 64 * 4);
}

/// The second sort has its operand for itself, the first does not: its operand is an argument.
TEST(ProgramTest, sortTakesThePlaceOfAnOperandThatDies) {
  const std::string sort = R"( ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }) : (tensor<1024xf32>) -> tensor<1024xf32>)";
  TestPrograms programs;
  auto module = programs.parse("func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {\n" +
                               ("%0 = \"stablehlo.sort\"(%x)" + sort) + "\n" +
                               "%1 = stablehlo.reverse %0, dims = [0] : tensor<1024xf32>\n" +
                               ("%2 = \"stablehlo.sort\"(%1)" + sort) + "\n" +
                               "return %2 : tensor<1024xf32>\n}");
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  EXPECT_LT(program->memory().arenaBytes, 3 * 1024 * 4);
}

TEST(ProgramTest, ofRandomBitsOnlyTheSliceIsMade) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%state: tensor<2xui64>, %at: tensor<i32>) -> (tensor<8x16xui32>, tensor<2xui64>) {
      %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1024x16xui32>)
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.dynamic_slice %bits, %at, %c0, sizes = [8, 16] : (tensor<1024x16xui32>, tensor<i32>, tensor<i32>) -> tensor<8x16xui32>
      return %0, %next : tensor<8x16xui32>, tensor<2xui64>
    })");
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  EXPECT_LT(program->memory().arenaBytes, 2 * 8 * 16 * 4);
}

/// Tables as large as the data are not computed for a program that may not fit the memory.
TEST(ProgramTest, tablesOfTransformsAreCountedBeforeTheyAreMade) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<complex<f32>>) -> tensor<1xcomplex<f32>> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<complex<f32>>) -> tensor<1000000007xcomplex<f32>>
      %1 = stablehlo.fft %0, type = FFT, length = [1000000007] : (tensor<1000000007xcomplex<f32>>) -> tensor<1000000007xcomplex<f32>>
      %2 = stablehlo.slice %1 [0:1] : (tensor<1000000007xcomplex<f32>>) -> tensor<1xcomplex<f32>>
      return %2 : tensor<1xcomplex<f32>>
    })");
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  // The factors of the line, and of the cycle of 2^31 that it is convolved in.
  EXPECT_GT(program->memory().constantBytes, (int64_t(1000000007) + (int64_t(1) << 31)) * 8);
}

TEST(ProgramTest, transformOfEndlessLinesIsRefused) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<complex<f32>>) -> tensor<1xcomplex<f32>> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<complex<f32>>) -> tensor<1099511627777xcomplex<f32>>
      %1 = stablehlo.fft %0, type = FFT, length = [1099511627777] : (tensor<1099511627777xcomplex<f32>>) -> tensor<1099511627777xcomplex<f32>>
      %2 = stablehlo.slice %1 [0:1] : (tensor<1099511627777xcomplex<f32>>) -> tensor<1xcomplex<f32>>
      return %2 : tensor<1xcomplex<f32>>
    })");
  EXPECT_TRUE(mlir::failed(compile(*module)));
  EXPECT_NE(programs.diagnostics().find("lines of 1099511627777 elements"), std::string::npos);
}

/// The stack of a scan is updated where it is: memory does not hold it twice.
TEST(ProgramTest, scanStackIsUpdatedInPlace) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<1x1024xf32>) -> tensor<100x1024xf32> {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.constant dense<100> : tensor<i32>
      %z = stablehlo.constant dense<0.0> : tensor<100x1024xf32>
      %0:2 = stablehlo.while(%i = %c, %ys = %z) : tensor<i32>, tensor<100x1024xf32>
      cond {
        %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %ys1 = stablehlo.dynamic_update_slice %ys, %x, %i, %c : (tensor<100x1024xf32>, tensor<1x1024xf32>, tensor<i32>, tensor<i32>) -> tensor<100x1024xf32>
        %i1 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %i1, %ys1 : tensor<i32>, tensor<100x1024xf32>
      }
      return %0#1 : tensor<100x1024xf32>
    })");
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  EXPECT_LT(program->memory().arenaBytes, 100 * 1024 * 4 + 4096);
}

TEST(ProgramTest, refusalsNameOpAndReason) {
  auto refuse = [](const std::string &text) {
    TestPrograms programs;
    auto module = programs.parse(text);
    EXPECT_TRUE(module) << programs.diagnostics();
    EXPECT_TRUE(mlir::failed(compile(*module)));
    return programs.diagnostics();
  };
  EXPECT_NE(refuse(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @mystery(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32> })")
                .find("custom call target 'mystery' is not supported"),
            std::string::npos);
  EXPECT_NE(refuse(R"(func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      return %x : tensor<?xf32> })")
                .find("tensor<?xf32>"),
            std::string::npos);
  EXPECT_NE(refuse(R"(func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>) {
      %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
      return %0#0, %0#1 : tensor<2x2xf32>, tensor<i32> })")
                .find("has no 'uplo' that is supported"),
            std::string::npos);
  EXPECT_NE(refuse(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = call @main(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32> })")
                .find("recursion is not supported"),
            std::string::npos);
}

TEST(ProgramTest, wrongInputsAreErrors) {
  TestPrograms programs;
  auto module = programs.parse("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : "
                               "tensor<2xf32> }");
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program));
  auto attempt = [&](std::vector<HostTensor> inputs) {
    return runtime::runRanks(1, runtime::kDefaultTimeout,
                             [&](runtime::Communicator &communicator) -> Result<void> {
                               auto output = run(*program, communicator, inputs);
                               return output ? Result<void>() : output.error();
                             })
        .error()
        .message;
  };
  EXPECT_NE(attempt({}).find("takes 1 arguments, but got 0"), std::string::npos);
  EXPECT_NE(attempt({HostTensor::zeros(runtime::DataType::F64, {2})})
                .find("takes tensor<2xf32> as argument 0, but got tensor<2xf64>"),
            std::string::npos);
}

TEST(BlasTest, libraryAndBuiltInAgree) {
  constexpr int64_t kM = 37, kN = 61, kK = 45;
  std::vector<float> a(kM * kK), b(kK * kN), viaLibrary(kM * kN), builtIn(kM * kN);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i % 17) - 8;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>(i % 13) - 6;
  for (bool transA : {false, true})
    for (bool transB : {false, true}) {
      MatrixView<float> left = {a.data(), transA ? 1 : kK, transA ? kM : 1};
      MatrixView<float> right = {b.data(), transB ? 1 : kN, transB ? kK : 1};
      multiply<float>(kM, kN, kK, left, right, {viaLibrary.data(), kN});
      multiplyPlain<float>(kM, kN, kK, left, right, {builtIn.data(), kN});
      EXPECT_EQ(viaLibrary, builtIn) << blasName();
    }
}

TEST(StridedReaderTest, blocksOfABroadcast) {
  std::vector<int32_t> source = {1, 2, 3};
  const int64_t sizes[] = {2, 3, 4};
  const int64_t strides[] = {0, 1, 0};
  StridedReader reader(4, sizes, strides);
  for (int64_t length : {1, 3, 5, 24}) {
    std::vector<int32_t> buffer(24);
    for (int64_t begin = 0; begin + length <= 24; begin += length) {
      const auto *block = static_cast<const int32_t *>(
          reader.read(reinterpret_cast<const std::byte *>(source.data()), begin, length,
                      reinterpret_cast<std::byte *>(buffer.data())));
      for (int64_t i = 0; i < length; ++i)
        EXPECT_EQ(block[i], source[(begin + i) / 4 % 3]) << begin + i;
    }
  }
}

} // namespace
} // namespace shardwise::execute
