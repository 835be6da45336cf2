// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every piece is done once, by whatever number of workers, and jobs follow each other.

#include "shardwise/runtime/WorkerThreads.h"

#include <gtest/gtest.h>

#include <numeric>

namespace shardwise::runtime {
namespace {

TEST(WorkerThreadsTest, everyPieceIsDoneOnce) {
  for (int64_t numWorkers : {1, 2, 3, 8}) {
    WorkerThreads workers(numWorkers);
    EXPECT_EQ(workers.size(), numWorkers);
    for (int64_t numPieces : {0, 1, 2, 7, 1'000}) {
      // Not atomic: pieces are nobody else's, and their results are visible afterwards.
      std::vector<int> counts(numPieces, 0);
      workers.run(numPieces, [&](int64_t piece, int64_t worker) {
        ++counts[piece];
        EXPECT_LT(worker, numWorkers);
      });
      EXPECT_EQ(counts, std::vector<int>(numPieces, 1));
    }
  }
}

TEST(WorkerThreadsTest, manySmallJobsFollowEachOther) {
  WorkerThreads workers(3);
  int64_t sum = 0;
  for (int64_t round = 0; round < 2'000; ++round) {
    std::vector<int64_t> values(5, 0);
    workers.run(5, [&](int64_t piece, int64_t) { values[piece] = round; });
    sum += std::accumulate(values.begin(), values.end(), int64_t{0});
  }
  EXPECT_EQ(sum, 5 * 2'000 * 1'999 / 2);
}

TEST(WorkerThreadsTest, callersTakeTurns) {
  WorkerThreads workers(2);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round)
        workers.run(3, [&](int64_t piece, int64_t) { sum += piece; });
    });
  }
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(sum, 4 * 100 * 3);
}

} // namespace
} // namespace shardwise::runtime
