// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times that the model makes of a link lead back to the link; times that contradict each other lead
// to one that a machine can have.

#include "shardwise/planner/model/FitLink.h"

#include "shardwise/planner/model/CostModel.h"

#include <gtest/gtest.h>

namespace shardwise::planner {
namespace {

CollectiveTimes modelledTimes(int64_t numDevices, double start, Link link, int64_t bytes) {
  LinkLevel level{numDevices, link};
  auto seconds = [&](CollectiveKind kind, int64_t localBytes) {
    return start + collectiveSeconds(kind, localBytes, {&level, 1});
  };
  return {seconds(CollectiveKind::CollectivePermute, 4), seconds(CollectiveKind::AllReduce, 4),
          seconds(CollectiveKind::AllReduce, bytes), bytes};
}

TEST(FitLinkTest, timesOfALinkLeadBackToIt) {
  for (int64_t numDevices : {2, 3, 8, 12, 64}) {
    const Link link{3e-6, 2e9};
    FittedLink fitted = fitLink(numDevices, modelledTimes(numDevices, 5e-6, link, 1 << 24));
    // A few bytes of the small ones count as latency.
    EXPECT_NEAR(fitted.link.latencySeconds, link.latencySeconds, 1e-8) << numDevices;
    EXPECT_NEAR(fitted.startSeconds, 5e-6, 1e-8) << numDevices;
    EXPECT_NEAR(fitted.link.bytesPerSecond, link.bytesPerSecond, 1e-3 * link.bytesPerSecond)
        << numDevices;
  }
}

TEST(FitLinkTest, theExampleOfTheHeader) {
  FittedLink fitted = fitLink(2, {3e-6, 5e-6, 1e-3, 1 << 20});
  EXPECT_NEAR(fitted.link.latencySeconds, 2e-6, 1e-12);
  EXPECT_NEAR(fitted.startSeconds, 1e-6, 1e-12);
}

TEST(FitLinkTest, aSmallCollectiveThatTookLongerThanALargeOneGivesNoFreeLink) {
  // What the small one took was something else: two bytes a byte over 1 ms, as if nothing started.
  FittedLink fitted = fitLink(2, {1e-3, 5e-3, 1e-3, 1 << 20});
  EXPECT_LE(fitted.link.bytesPerSecond, 2 * (1 << 20) / 0.5e-3);
  EXPECT_GT(fitted.link.bytesPerSecond, 0);
  EXPECT_EQ(fitted.link.latencySeconds, 1e-3) << "a permute has one round";
  EXPECT_EQ(fitted.startSeconds, 0);
}

TEST(FitLinkTest, aPermuteThatTookLongerThanAnAllReduceGivesNoLatency) {
  FittedLink fitted = fitLink(4, {9e-6, 5e-6, 1e-3, 1 << 20});
  EXPECT_EQ(fitted.link.latencySeconds, 0);
  EXPECT_EQ(fitted.startSeconds, 9e-6);
}

} // namespace
} // namespace shardwise::planner
