// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/ListSchedule.h"

#include <gtest/gtest.h>

#include <random>

namespace shardwise::explain {
namespace {

ScheduledTask work(double seconds) {
  return {.lanes = {0}, .seconds = seconds};
}
ScheduledTask transfer(double seconds, std::vector<int32_t> lanes = {1}) {
  return {.transfer = 0, .lanes = std::move(lanes), .seconds = seconds};
}

/// Layers that gather their weights, of which nothing is known before, and compute.
double secondsOfLayers(int layers, double gather, double compute) {
  ListSchedule list(2);
  int64_t before = -1;
  for (int layer = 0; layer < layers; ++layer) {
    int64_t weights = list.add(transfer(gather), {});
    int64_t needs[] = {before, weights};
    before = list.add(work(compute), needs);
  }
  return list.take().seconds();
}

TEST(ListScheduleTest, weightsAreGatheredBesideTheLayerBefore) {
  EXPECT_NEAR(secondsOfLayers(32, 1.316, 2.0), 1.316 + 32 * 2.0, 1e-9);
  // Bound by the link; the last layer has nothing to hide behind.
  EXPECT_NEAR(secondsOfLayers(32, 2.0, 1.0), 32 * 2.0 + 1.0, 1e-9);
}

TEST(ListScheduleTest, atMostOneTransferIsAhead) {
  ListSchedule list(2);
  int64_t first = list.add(transfer(1), {});
  int64_t second = list.add(transfer(1), {});
  int64_t product = list.add(work(10), {&first, 1});
  int64_t third = list.add(transfer(1), {});
  list.add(work(1), {&second, 1});
  Schedule schedule = list.take();
  // The first is in flight until the product, which uses it, has ended.
  EXPECT_EQ(schedule.tasks[product].start, 1);
  EXPECT_EQ(schedule.tasks[third].start, 11);
}

TEST(ListScheduleTest, aSumGoesIntoAHoleThatLaterTransfersLeft) {
  ListSchedule list(2);
  int64_t weights = list.add(transfer(1), {});
  int64_t gradient = list.add(work(4), {&weights, 1}); // 1 to 5
  int64_t more = list.add(work(4), {&gradient, 1});    // 5 to 9
  int64_t late = list.add(transfer(1), {&more, 1});    // 9 to 10
  int64_t sum = list.add(transfer(3), {&gradient, 1});
  Schedule schedule = list.take();
  EXPECT_EQ(schedule.tasks[late].start, 9);
  EXPECT_EQ(schedule.tasks[sum].start, 5);
}

TEST(ListScheduleTest, aJointTransferWaitsForAllItsAxes) {
  ListSchedule list(3);
  list.add(transfer(2, {1}), {});
  list.add(transfer(5, {2}), {});
  int64_t joint = list.add(transfer(1, {1, 2}), {});
  EXPECT_EQ(list.take().tasks[joint].start, 5);
}

TEST(ListScheduleTest, dependencesAreThoseOfTransfers) {
  ListSchedule list(2);
  int64_t first = list.add(work(1), {});
  int64_t second = list.add(work(1), {&first, 1});
  int64_t moved = list.add(transfer(1), {&second, 1});
  int64_t needs[] = {first, moved, moved};
  int64_t last = list.add(work(1), needs);
  Schedule schedule = list.take();
  EXPECT_TRUE(schedule.tasks[second].after.empty());
  EXPECT_EQ(schedule.tasks[moved].after, std::vector<int64_t>{second});
  EXPECT_EQ(schedule.tasks[last].after, std::vector<int64_t>{moved});
}

/// Of random programs: no lane has two tasks at once, nothing starts before what it needs, and the
/// whole takes at least what each lane does, at most what all tasks do one after the other.
TEST(ListScheduleTest, randomSchedulesKeepTheRules) {
  std::mt19937 random(7);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    ListSchedule list(4);
    std::vector<std::vector<int64_t>> needs;
    double sum = 0;
    for (int i = 0; i < 60; ++i) {
      std::vector<int64_t> before;
      for (int k = below(3); k > 0 && i > 0; --k)
        before.push_back(below(i));
      double seconds = 1 + below(9);
      sum += seconds;
      std::vector<int32_t> lanes =
          below(4) == 0 ? std::vector<int32_t>{1, 3} : std::vector<int32_t>{1 + below(3)};
      list.add(below(2) == 0 ? work(seconds) : transfer(seconds, lanes), before);
      needs.push_back(before);
    }
    Schedule schedule = list.take();
    for (size_t i = 0; i < needs.size(); ++i) {
      for (int64_t need : needs[i])
        EXPECT_GE(schedule.tasks[i].start, schedule.tasks[need].end());
      for (size_t k = 0; k < i; ++k)
        for (int32_t lane : schedule.tasks[i].lanes)
          for (int32_t other : schedule.tasks[k].lanes)
            EXPECT_TRUE(lane != other || schedule.tasks[i].start >= schedule.tasks[k].end() ||
                        schedule.tasks[k].start >= schedule.tasks[i].end());
    }
    EXPECT_LE(schedule.seconds(), sum);
    for (int32_t lane = 0; lane < 4; ++lane)
      EXPECT_GE(schedule.seconds(), schedule.laneSeconds(lane));
  }
}

} // namespace
} // namespace shardwise::explain
