// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thunks that are shared out among threads give what one thread gives.

#include "shardwise/execute/thunks/RankWorkers.h"

#include "shardwise/execute/tests/PathTesting.h"
#include "shardwise/execute/thunks/Gemm.h"
#include "shardwise/runtime/TurnTaking.h"

#include <atomic>

namespace shardwise::execute {
namespace {

TEST(RankWorkersTest, piecesCoverAllOnce) {
  for (int64_t size : {0, 1, 31, 32, 33, 1000})
    for (int64_t numPieces : {1, 2, 3, 7})
      for (int64_t unit : {1, 32}) {
        int64_t next = 0;
        for (int64_t piece = 0; piece < numPieces; ++piece) {
          auto [begin, end] = pieceRange(size, piece, numPieces, unit);
          EXPECT_EQ(begin, next);
          EXPECT_TRUE(end == size || end % unit == 0) << size << " " << numPieces << " " << end;
          next = end;
        }
        EXPECT_EQ(next, size);
      }
}

TEST(RankWorkersTest, aRankWithoutWorkersIsAlone) {
  EXPECT_EQ(numWorkers(), 1);
  EXPECT_EQ(piecesFor(1e9, 100), 1);
  runtime::WorkerThreads workers(3);
  WorkersScope scope(&workers);
  EXPECT_EQ(numWorkers(), workers.size());
  EXPECT_EQ(piecesFor(1e9, 100), workers.size());
  EXPECT_EQ(piecesFor(1e9, 2), std::min<int64_t>(2, workers.size()));
  EXPECT_EQ(piecesFor(10, 100), 1) << "little work is not worth waking anybody";
}

/// A piece that asks for helpers gets none: it would wait for itself.
TEST(RankWorkersTest, jobsDoNotNest) {
  runtime::WorkerThreads workers(3);
  WorkersScope scope(&workers);
  std::atomic<int64_t> done{0};
  runPieces(8, [&](int64_t, int64_t) {
    EXPECT_EQ(numWorkers(), 1);
    runPieces(5, [&](int64_t, int64_t worker) {
      EXPECT_EQ(worker, 0);
      ++done;
    });
  });
  EXPECT_EQ(done, 40);
  EXPECT_EQ(numWorkers(), workers.size());
}

/// Functions that take turns on threads have their workers wherever they go on, the thread keeps
/// none of theirs, and none goes on in the middle of another one's job.
TEST(RankWorkersTest, turnsKeepTheirWorkers) {
  using Clock = runtime::WaitWord::Clock;
  constexpr int64_t kCount = 4, kRounds = 300;
  runtime::WorkerThreads workers(3);
  std::vector<runtime::WaitWord> words(kCount);
  std::atomic<int64_t> done{0}, wrong{0};
  bool ran = runtime::runInTurns(kCount, [&](int64_t index) {
    bool hasWorkers = index > 0;
    WorkersScope scope(hasWorkers ? &workers : nullptr);
    for (uint32_t round = 1; round <= kRounds; ++round) {
      wrong += numWorkers() != (hasWorkers ? workers.size() : 1);
      // Who helps is slow, so the caller has to wait for it.
      runPieces(6, [&](int64_t, int64_t worker) {
        auto end = Clock::now() + std::chrono::microseconds(worker == 0 ? 20 : 200);
        while (Clock::now() < end) {
        }
        ++done;
      });
      words[index].advanceAndWake();
      runtime::WaitWord &next = words[(index + 1) % kCount];
      for (uint32_t seen = next.load(); seen < round; seen = next.load())
        next.wait(seen, Clock::now() + std::chrono::seconds(60));
    }
  });
  if (!ran)
    GTEST_SKIP() << "turns cannot be taken here";
  EXPECT_EQ(done, 6 * kCount * kRounds);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(numWorkers(), 1);
}

/// Whole numbers, so that all orders of a sum give the same.
TEST(RankWorkersTest, productsByRowsAndByColumns) {
  runtime::WorkerThreads workers(3);
  for (auto [m, n] : {std::pair<int64_t, int64_t>(300, 70), {70, 300}, {1, 900}, {900, 1}}) {
    constexpr int64_t k = 120;
    std::vector<float> a(m * k), b(k * n), expected(m * n), actual(m * n);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<float>(i % 7) - 3;
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = static_cast<float>(i % 5) - 2;
    // Both transposed: rows of a lie m apart.
    MatrixBytes left = {a.data(), 1, m};
    MatrixBytes right = {b.data(), 1, k};
    for (ProductUse use : {ProductUse::Store, ProductUse::Add}) {
      multiplyMatrices(DataType::F32, m, n, k, left, right, expected.data(), use);
      WorkersScope scope(&workers);
      multiplyMatrices(DataType::F32, m, n, k, left, right, actual.data(), use);
      EXPECT_EQ(actual, expected) << m << "x" << n;
    }
    // Stored once, then added to.
    float first = 0;
    for (int64_t i = 0; i < k; ++i)
      first += a[i * m] * b[i];
    EXPECT_EQ(expected[0], 2 * first);
  }
}

/// Large enough to be shared out where there are two cores or more: batches of products, fused
/// regions with broadcasts and iotas, convolutions by rows and by terms.
TEST(RankWorkersTest, largeThunksOfOneRank) {
  comparePaths(function("%x: tensor<6x70x80xf32>, %y: tensor<6x80x90xf32>", "tensor<6x70x90xf32>",
                        R"(
    %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x70x80xf32>, tensor<6x80x90xf32>) -> tensor<6x70x90xf32>
    return %0 : tensor<6x70x90xf32>)"),
               1500, 200);
  comparePaths(function("%x: tensor<301x1000xf32>, %y: tensor<301xf32>", "tensor<301x1000xf32>", R"(
    %0 = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<301xf32>) -> tensor<301x1000xf32>
    %1 = stablehlo.iota dim = 1 : tensor<301x1000xf32>
    %2 = stablehlo.multiply %x, %0 : tensor<301x1000xf32>
    %3 = stablehlo.add %2, %1 : tensor<301x1000xf32>
    %4 = stablehlo.tanh %3 : tensor<301x1000xf32>
    %5 = stablehlo.add %4, %x : tensor<301x1000xf32>
    return %5 : tensor<301x1000xf32>)"),
               1510, 200);
  comparePaths(function("%x: tensor<2x20x20x8xf32>, %y: tensor<3x3x8x8xf32>, %z: "
                        "tensor<2x20x20x8xf32>",
                        "(tensor<2x20x20x8xf32>, tensor<3x3x8x8xf32>)", R"(
    %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x20x20x8xf32>, tensor<3x3x8x8xf32>) -> tensor<2x20x20x8xf32>
    %1 = stablehlo.convolution(%x, %z) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x20x20x8xf32>, tensor<2x20x20x8xf32>) -> tensor<3x3x8x8xf32>
    return %0, %1 : tensor<2x20x20x8xf32>, tensor<3x3x8x8xf32>)"),
               1520, 200);
  // Pooling and its gradient; windows overlap along the rows and columns of an image.
  comparePaths(function("%x: tensor<6x40x41x16xf32>, %d: tensor<6x20x21x16xf32>",
                        "(tensor<6x20x21x16xf32>, tensor<6x40x41x16xf32>)", R"(
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %low) <{padding = dense<[[0, 0], [0, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<6x40x41x16xf32>, tensor<f32>) -> tensor<6x20x21x16xf32>
    %1 = "stablehlo.select_and_scatter"(%x, %d, %zero) <{padding = dense<[[0, 0], [0, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %m : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<6x40x41x16xf32>, tensor<6x20x21x16xf32>, tensor<f32>) -> tensor<6x40x41x16xf32>
    return %0, %1 : tensor<6x20x21x16xf32>, tensor<6x40x41x16xf32>)"),
               1530, 16);
}

} // namespace
} // namespace shardwise::execute
