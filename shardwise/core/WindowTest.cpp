// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows: which interval a block reads, and that plans of fetches bring it there.

#include "shardwise/core/Window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace shardwise::core {
namespace {

/// The elements that indices [first, first + count) read, one by one.
std::set<int64_t> elementsRead(const Window &window, int64_t first, int64_t count) {
  std::set<int64_t> elements;
  for (int64_t index = first; index < first + count; ++index)
    for (int64_t tap = 0; tap < window.span; ++tap) {
      int64_t position = window.stride * index - window.low + tap;
      if (position % window.dilation == 0)
        elements.insert(position / window.dilation);
    }
  return elements;
}

TEST(BlockIntervalTest, holdsWhatTheBlockReads) {
  for (int64_t stride : {-2, -1, 1, 2, 3})
    for (int64_t low : {-3, 0, 1, 5})
      for (int64_t span : {1, 2, 3, 7})
        for (int64_t dilation : {1, 2, 3})
          for (int64_t parts : {2, 3, 4}) {
            Window window{stride, low, span, dilation};
            std::optional<BlockInterval> interval = blockInterval(window, 12, parts);
            if (!interval)
              continue;
            for (int64_t block = 0; block < parts; ++block) {
              std::set<int64_t> read = elementsRead(window, block * 12 / parts, 12 / parts);
              int64_t start = interval->start + interval->step * block;
              for (int64_t element : read) {
                EXPECT_GE(element, start);
                EXPECT_LT(element, start + interval->extent);
              }
              // It begins and ends at most one dilation beyond the first and the last position.
              EXPECT_LT(interval->lowRest, dilation);
              EXPECT_LT(interval->highRest, dilation);
              EXPECT_GE(std::min(interval->lowRest, interval->highRest), 0);
            }
          }
}

TEST(BlockIntervalTest, isThatOfTheConvolutionsOfTheManual) {
  // 3 taps, stride 1, one of padding: one more on both sides.
  EXPECT_EQ(blockInterval({1, 1, 3, 1}, 64, 8), (BlockInterval{-1, 8, 10, 0, 0}));
  // Stride 2, padding 0 and 1: one more behind.
  EXPECT_EQ(blockInterval({2, 0, 3, 1}, 32, 8), (BlockInterval{0, 8, 9, 0, 0}));
  // Transposed, 32 to 64: one of two positions has an element.
  EXPECT_EQ(blockInterval({1, 1, 3, 2}, 64, 8), (BlockInterval{0, 4, 5, 1, 0}));
  // Reversed.
  EXPECT_EQ(blockInterval({-1, -63, 1, 1}, 64, 8), (BlockInterval{56, -8, 8, 0, 0}));
}

TEST(BlockIntervalTest, isThatOfPaddedBlocksWherePartsDoNotDivide) {
  // 10 indices in 4 blocks of 3.
  EXPECT_EQ(blockInterval({1, 1, 3, 1}, 10, 4), (BlockInterval{-1, 3, 5, 0, 0}));
  EXPECT_EQ(blockInterval({-1, -9, 1, 1}, 10, 4), (BlockInterval{7, -3, 3, 0, 0}));
  for (int64_t stride : {-2, -1, 1, 3})
    for (int64_t span : {1, 4})
      for (int64_t numIndices = 1; numIndices < 14; ++numIndices) {
        Window window{stride, 2, span, 1};
        std::optional<BlockInterval> interval = blockInterval(window, numIndices, 4);
        ASSERT_TRUE(interval);
        int64_t width = (numIndices + 3) / 4;
        for (int64_t index = 0; index < numIndices; ++index)
          for (int64_t element : elementsRead(window, index, 1)) {
            int64_t start = interval->start + interval->step * (index / width);
            EXPECT_GE(element, start);
            EXPECT_LT(element, start + interval->extent);
          }
      }
}

TEST(ReadsBehindTest, isWhetherAnIndexReadsBehindTheLastElement) {
  for (int64_t stride : {-2, -1, 1, 2})
    for (int64_t low : {-3, 0, 2})
      for (int64_t span : {1, 3})
        for (int64_t dilation : {1, 2})
          for (int64_t size = 1; size < 9; ++size) {
            Window window{stride, low, span, dilation};
            int64_t last = dilation * (size - 1);
            bool reads = false;
            for (int64_t index = 0; index < 5; ++index)
              reads |= stride * index - low + span - 1 > last;
            EXPECT_EQ(readsBehind(window, 5, size), reads);
          }
}

TEST(BlockIntervalTest, isNotThereWhereBlocksDiffer) {
  // Blocks of 3 positions begin at an element and between elements in turn.
  EXPECT_EQ(blockInterval({1, 0, 1, 2}, 12, 4), std::nullopt);
  EXPECT_EQ(blockInterval({1, 0, 1, 1}, 0, 4), std::nullopt);
  // Only positions between elements.
  EXPECT_EQ(blockInterval({2, 1, 1, 2}, 4, 4), std::nullopt);
}

TEST(BlockIntervalTest, driftsWhereBlocksBeginBetweenElements) {
  // Blocks of 3 positions, of which every second has an element.
  OperandWindow use{0, 0, 0, 12, {1, 0, 1, 2}};
  EXPECT_EQ(blockInterval(use, 4), std::nullopt);
  use.mayDrift = true;
  std::optional<BlockInterval> interval = blockInterval(use, 4);
  ASSERT_TRUE(interval);
  EXPECT_EQ(*interval, (BlockInterval{1, 3, 2, 1, 0, 2}));
  std::vector<int64_t> begins;
  for (int64_t block = 0; block < 4; ++block)
    begins.push_back(interval->begin(block));
  EXPECT_EQ(begins, (std::vector<int64_t>{0, 2, 3, 5}));
  // Blocks of 2 begin at elements.
  use.numIndices = 8;
  EXPECT_EQ(blockInterval(use, 4), blockInterval(use.window, 8, 4));
}

TEST(BlockIntervalTest, holdsWhatAreReadThroughInnerWindows) {
  for (int64_t stride : {1, 2, 3, 4})
    for (int64_t size : {1, 2, 3, 5})
      for (int64_t low = 0; low < size; ++low)
        for (int64_t numIndices : {1, 5, 8, 12, 13})
          for (int64_t parts : {2, 3, 4}) {
            // As the elements of a max pool: the windows over them, and what these cover.
            OperandWindow use{0, 0, 0, numIndices, {1, size - 1 - low, size, stride}, true};
            std::optional<BlockInterval> windows = blockInterval(use, parts);
            use.inner = Window{stride, low, size, 1};
            std::optional<BlockInterval> elements = blockInterval(use, parts);
            EXPECT_EQ(windows.has_value(), elements.has_value());
            if (!windows)
              continue;
            int64_t width = (numIndices + parts - 1) / parts;
            for (int64_t index = 0; index < numIndices; ++index)
              for (int64_t window : elementsRead(use.window, index, 1)) {
                int64_t block = index / width;
                EXPECT_GE(window, windows->begin(block));
                EXPECT_LT(window, windows->begin(block) + windows->extent);
                for (int64_t element : elementsRead(*use.inner, window, 1)) {
                  EXPECT_GE(element, elements->begin(block));
                  EXPECT_LT(element, elements->begin(block) + elements->extent);
                }
              }
          }
}

/// Carries out a plan on numbered elements; -1 is what nobody sent.
std::vector<std::vector<int64_t>> fetched(const FetchProblem &problem, const FetchPlan &plan) {
  std::vector<std::vector<int64_t>> intervals(problem.parts,
                                              std::vector<int64_t>(problem.interval.extent, -1));
  auto run = [&](const FetchStep &step) {
    std::set<int64_t> sources, targets;
    for (const FetchMove &move : step.moves) {
      EXPECT_TRUE(sources.insert(move.source).second);
      EXPECT_TRUE(targets.insert(move.target).second);
      EXPECT_GE(move.sourceStart, 0);
      EXPECT_LE(move.sourceStart + step.length, problem.width());
      for (int64_t i = 0; i < step.length; ++i) {
        int64_t place = move.targetStart + i;
        if (place >= 0 && place < problem.interval.extent)
          intervals[move.target][place] = move.source * problem.width() + move.sourceStart + i;
      }
    }
  };
  run(plan.own);
  for (const FetchStep &step : plan.steps)
    run(step);
  return intervals;
}

void expectRight(const FetchProblem &problem) {
  FetchPlan plan = planFetch(problem);
  int64_t all = (problem.parts - 1) * problem.width();
  if (plan.way == FetchPlan::Way::Gather) {
    EXPECT_EQ(receivedElements(problem), all);
    return;
  }
  EXPECT_EQ(receivedElements(problem), receivedElements(plan.steps, problem.parts));
  EXPECT_LE(receivedElements(problem), all);
  std::vector<std::vector<int64_t>> intervals = fetched(problem, plan);
  for (int64_t block = 0; block < problem.parts; ++block)
    for (int64_t i = 0; i < problem.interval.extent; ++i) {
      int64_t element = problem.interval.begin(block) + i;
      bool isInside = element >= 0 && element < problem.size;
      EXPECT_EQ(intervals[block][i], isInside ? element : -1)
          << "size " << problem.size << " parts " << problem.parts << " start "
          << problem.interval.start << " step " << problem.interval.step << " extent "
          << problem.interval.extent << " block " << block;
    }
}

TEST(PlanFetchTest, bringsEveryBlockItsInterval) {
  for (int64_t parts : {2, 3, 4, 6})
    for (int64_t width : {1, 2, 3})
      for (int64_t step = -width - 1; step <= 2 * width + 1; ++step)
        for (int64_t start = -parts * width - 2; start <= parts * width + 2; ++start)
          for (int64_t extent : {1, 2, 3, 5, 8})
            expectRight({parts * width, parts, {start, step, extent, 0, 0}});
}

TEST(PlanFetchTest, bringsEveryBlockAnIntervalThatDrifts) {
  for (int64_t parts : {2, 3, 4, 6})
    for (int64_t width : {1, 2, 3})
      for (int64_t divisor : {2, 3})
        for (int64_t step = 1; step <= 3 * width; ++step)
          for (int64_t start = -4; start <= 4; ++start)
            for (int64_t extent : {1, 2, 4})
              expectRight({parts * width, parts, {start, step, extent, 0, 0, divisor}});
}

TEST(FetchProblemTest, bringsWhatIndicesThatExistRead) {
  for (int64_t parts : {2, 3, 4})
    for (int64_t size : {1, 2, 5, 7, 10})
      for (int64_t numIndices : {1, 3, 5, 8, 11})
        for (int64_t stride : {-1, 1, 2})
          for (int64_t low : {-2, 0, 1, 4})
            for (int64_t dilation : {1, 2}) {
              OperandWindow use{0, 0, 0, numIndices, {stride, low, 3, dilation}};
              std::optional<FetchProblem> problem = fetchProblem(use, size, parts);
              if (!problem || planFetch(*problem).way == FetchPlan::Way::Gather)
                continue;
              std::vector<std::vector<int64_t>> intervals = fetched(*problem, planFetch(*problem));
              int64_t width = (numIndices + parts - 1) / parts;
              for (int64_t index = 0; index < numIndices; ++index)
                for (int64_t element : elementsRead(use.window, index, 1)) {
                  int64_t start =
                      problem->interval.start + problem->interval.step * (index / width);
                  if (element >= 0 && element < size) {
                    EXPECT_EQ(intervals[index / width][element - start], element);
                  }
                }
            }
}

TEST(FetchProblemTest, leavesWhatNobodyWants) {
  // 9 of 10 elements, blocks of 3 of both: the last block wants nothing of what it has.
  FetchProblem front = fetchProblem({0, 0, 0, 9, {1, 0, 1, 1}}, 10, 4).value();
  EXPECT_EQ(front, (FetchProblem{12, 4, {0, 3, 3, 0, 0}, 3}));
  EXPECT_EQ(receivedElements(front), 0);
  // 10 of 16: blocks of 3 of blocks of 4. The third has one of its three, the last wants one only.
  FetchProblem part = fetchProblem({0, 0, 0, 10, {1, 0, 1, 1}}, 16, 4).value();
  EXPECT_EQ(part.unwanted, 6);
  EXPECT_EQ(receivedElements(part), 2);
}

TEST(PlanFetchTest, shiftsWhereIntervalsMoveWithTheBlocks) {
  FetchPlan plan = planFetch({8, 4, {-1, 2, 4, 0, 0}});
  EXPECT_EQ(plan.way, FetchPlan::Way::Shift);
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].length, 1);
  EXPECT_EQ(plan.steps[0].moves,
            (std::vector<FetchMove>{{0, 1, 1, 0}, {1, 2, 1, 0}, {2, 3, 1, 0}}));
  EXPECT_EQ(plan.steps[1].moves,
            (std::vector<FetchMove>{{1, 0, 0, 3}, {2, 1, 0, 3}, {3, 2, 0, 3}}));
}

TEST(PlanFetchTest, reversesInOneStep) {
  EXPECT_EQ(planFetch({64, 8, {56, -8, 8, 0, 0}}).steps.size(), 1U);
  EXPECT_EQ(receivedElements(FetchProblem{64, 8, {56, -8, 8, 0, 0}}), 8);
  // The block in the middle keeps what it has.
  EXPECT_EQ(planFetch({9, 3, {6, -3, 3, 0, 0}}).steps.size(), 1U);
}

TEST(PlanFetchTest, gathersWhatIsWantedByAll) {
  EXPECT_EQ(planFetch({64, 8, {-56, 8, 64, 0, 0}}).way, FetchPlan::Way::Gather);
  EXPECT_EQ(receivedElements(FetchProblem{64, 8, {-56, 8, 64, 0, 0}}), 56);
  // One block has what 31 others want.
  EXPECT_EQ(planFetch({1024, 32, {0, 1, 1, 0, 0}}).way, FetchPlan::Way::Gather);
}

TEST(ReceivedElementsTest, costsNoMoreOnManyDevices) {
  EXPECT_EQ(
      receivedElements(FetchProblem{int64_t(1) << 40, int64_t(1) << 30, {-1, 1024, 1026, 0, 0}}),
      2);
  // Half of the elements, from a quarter on: blocks of two from blocks of four.
  EXPECT_EQ(receivedElements(
                FetchProblem{int64_t(1) << 32, int64_t(1) << 30, {int64_t(1) << 30, 2, 2, 0, 0}}),
            2);
  // Reversed.
  EXPECT_EQ(receivedElements(FetchProblem{
                int64_t(1) << 32, int64_t(1) << 30, {(int64_t(1) << 32) - 4, -4, 4, 0, 0}}),
            4);
  // Everything: to all of the many, not to those that were looked at.
  EXPECT_EQ(receivedElements(FetchProblem{4096, 1024, {0, 0, 4096, 0, 0}}), 4092);
}

TEST(ReceivedElementsTest, priceOfManyBlocksIsThatOfThePlan) {
  for (int64_t parts : {128, 256})
    for (int64_t step : {-8, -4, 2, 4, 6, 7, 9, 12, 16})
      for (int64_t quarter : {0, 1, 2, 3}) {
        int64_t size = 8 * parts, extent = std::abs(step) + 1;
        FetchProblem problem{size, parts, {quarter * size / 4 + 1, step, extent, 0, 0}};
        FetchPlan plan = planFetch(problem);
        EXPECT_EQ(wayOfFetch(problem), plan.way) << parts << ' ' << step << ' ' << quarter;
        if (plan.way == FetchPlan::Way::Place)
          EXPECT_EQ(receivedElements(problem), receivedElements(plan.steps, parts))
              << parts << ' ' << step << ' ' << quarter;
      }
}

} // namespace
} // namespace shardwise::core
