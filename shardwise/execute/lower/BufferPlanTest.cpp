// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arena layout: reuse over time, loops, and buffers that become one.

#include "shardwise/execute/lower/BufferPlan.h"

#include <gtest/gtest.h>

#include <random>

namespace shardwise::execute {
namespace {

TEST(BufferPlanTest, buffersThatDoNotMeetShareMemory) {
  BufferPlan plan;
  BufferId a = plan.addTemporary(100);
  BufferId b = plan.addTemporary(100);
  BufferId c = plan.addTemporary(100);
  plan.use(a, 0);
  plan.use(a, 1);
  plan.use(b, 1);
  plan.use(b, 2);
  plan.use(c, 2);
  EXPECT_EQ(plan.assign(), 256);
  EXPECT_EQ(plan.buffers()[a].offset, plan.buffers()[c].offset);
  EXPECT_NE(plan.buffers()[a].offset, plan.buffers()[b].offset);
}

/// %a [0, 1], %b [1, 4], a scalar [2, 4], %c [3, 4]: if the scalar lay in the gap that %a left,
/// there would be no room for %c.
TEST(BufferPlanTest, scalarsKeepNoLargeBufferOut) {
  BufferPlan plan;
  BufferId a = plan.addTemporary(1024);
  BufferId b = plan.addTemporary(1024);
  BufferId scalar = plan.addTemporary(4);
  BufferId c = plan.addTemporary(1024);
  plan.use(a, 0);
  plan.use(a, 1);
  plan.use(b, 1);
  plan.use(scalar, 2);
  plan.use(c, 3);
  for (BufferId buffer : {b, scalar, c})
    plan.use(buffer, 4);
  EXPECT_EQ(plan.assign(), 2 * 1024 + 64);
  EXPECT_EQ(plan.buffers()[c].offset, plan.buffers()[a].offset);
  EXPECT_EQ(plan.buffers()[scalar].offset, 2 * 1024);
}

TEST(BufferPlanTest, whatIsOlderThanALoopLivesToItsEnd) {
  BufferPlan plan;
  BufferId outer = plan.addTemporary(64);
  plan.use(outer, plan.nextPosition());
  plan.beginLoop();
  plan.use(outer, plan.nextPosition());
  BufferId inner = plan.addTemporary(64);
  plan.use(inner, plan.nextPosition());
  plan.endLoop();
  EXPECT_GT(plan.lastUse(outer), plan.lastUse(inner));
  EXPECT_EQ(plan.assign(), 128);
}

TEST(BufferPlanTest, nestedLoopsExtendToTheOutermostThatIsYounger) {
  BufferPlan plan;
  BufferId outer = plan.addTemporary(64);
  plan.use(outer, plan.nextPosition());
  plan.beginLoop();
  BufferId middle = plan.addTemporary(64);
  plan.use(middle, plan.nextPosition());
  plan.beginLoop();
  plan.use(outer, plan.nextPosition());
  plan.use(middle, plan.nextPosition());
  plan.endLoop();
  int64_t afterInner = plan.currentPosition();
  plan.endLoop();
  EXPECT_LT(plan.lastUse(middle), afterInner);
  EXPECT_GE(plan.lastUse(outer), afterInner);
}

TEST(BufferPlanTest, resultTakesThePlaceOfADyingOperand) {
  BufferPlan plan;
  BufferId a = plan.addTemporary(100);
  BufferId b = plan.addTemporary(100);
  plan.use(a, 0);
  plan.use(a, 1);
  plan.use(b, 1);
  plan.use(b, 2);
  plan.mayReplace(b, a, 1);
  EXPECT_EQ(plan.assign(), 128);
  EXPECT_EQ(plan.buffers()[a].offset, plan.buffers()[b].offset);
}

TEST(BufferPlanTest, operandThatIsReadLaterIsNotReplaced) {
  BufferPlan plan;
  BufferId a = plan.addTemporary(100);
  BufferId b = plan.addTemporary(100);
  plan.use(a, 0);
  plan.use(b, 1);
  plan.use(a, 2);
  plan.mayReplace(b, a, 1);
  EXPECT_EQ(plan.assign(), 256);
}

/// A collective that is started at 1 and waited for at 3, in place of %a; %c is made in between.
TEST(BufferPlanTest, whatIsInFlightKeepsItsPlaceFromStartToWait) {
  for (bool readsLater : {false, true}) {
    BufferPlan plan;
    BufferId a = plan.addTemporary(64);
    BufferId sum = plan.addTemporary(64);
    BufferId c = plan.addTemporary(64);
    plan.use(a, 0);
    for (int64_t at : {1, 3}) {
      plan.use(a, at);
      plan.use(sum, at);
    }
    plan.use(c, 2);
    if (readsLater)
      plan.use(a, 4);
    plan.mayReplace(sum, a, 1, 3);
    EXPECT_EQ(plan.assign(), readsLater ? 192 : 128);
    EXPECT_NE(plan.buffers()[c].offset, plan.buffers()[a].offset);
    EXPECT_NE(plan.buffers()[c].offset, plan.buffers()[sum].offset);
  }
}

TEST(BufferPlanTest, argumentsAreNeverReplaced) {
  BufferPlan plan;
  BufferId a = plan.addArgument(64, 0);
  BufferId b = plan.addTemporary(64);
  plan.use(a, 0);
  plan.use(b, 0);
  plan.mayReplace(b, a, 0);
  EXPECT_EQ(plan.assign(), 64);
  EXPECT_EQ(plan.buffers()[a].kind, BufferKind::Argument);
  EXPECT_EQ(plan.buffers()[b].kind, BufferKind::Temporary);
}

/// A loop state whose old value is last read by the op that makes the new one.
TEST(BufferPlanTest, loopStateIsUpdatedInPlace) {
  for (bool readsLater : {false, true}) {
    BufferPlan plan;
    BufferId state = plan.addTemporary(64);
    plan.use(state, plan.nextPosition());
    plan.beginLoop();
    int64_t begin = plan.currentPosition();
    BufferId next = plan.addTemporary(64);
    int64_t made = plan.nextPosition();
    plan.use(state, made);
    plan.use(next, made);
    plan.mayReplace(next, state, made);
    if (readsLater)
      plan.use(state, plan.nextPosition());
    int64_t handedOn = plan.nextPosition();
    plan.use(next, handedOn);
    plan.mayMerge(next, state, begin, handedOn, plan.lastUse(state));
    plan.use(state, handedOn);
    plan.endLoop();
    EXPECT_EQ(plan.assign(), readsLater ? 128 : 64);
  }
}

/// Random lifetimes: buffers alive at one time never overlap in the arena.
TEST(BufferPlanTest, liveBuffersAreDisjoint) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    BufferPlan plan;
    std::vector<BufferId> ids;
    std::vector<int64_t> bytes;
    for (int i = 0; i < 60; ++i) {
      bytes.push_back(1 + static_cast<int64_t>(random() % 1000));
      ids.push_back(plan.addTemporary(bytes.back()));
      int64_t first = static_cast<int64_t>(random() % 40);
      plan.use(ids.back(), first);
      plan.use(ids.back(), first + static_cast<int64_t>(random() % 10));
    }
    int64_t arena = plan.assign();
    for (size_t i = 0; i < ids.size(); ++i) {
      int64_t start = plan.buffers()[ids[i]].offset;
      EXPECT_EQ(start % 64, 0);
      EXPECT_LE(start + bytes[i], arena);
      for (size_t j = 0; j < i; ++j) {
        bool meet = plan.firstUse(ids[i]) <= plan.lastUse(ids[j]) &&
                    plan.firstUse(ids[j]) <= plan.lastUse(ids[i]);
        int64_t other = plan.buffers()[ids[j]].offset;
        bool overlap = start < other + bytes[j] && other < start + bytes[i];
        EXPECT_FALSE(meet && overlap) << i << " and " << j;
      }
    }
  }
}

/// Two branches, each `%b -> %c -> %r`, as big as each other: %b of the second one lies where the
/// first one wrote %r, which comes too late for it to be in the way.
TEST(BufferPlanTest, resultsOfBranchesHoldWhatABranchHasBefore) {
  BufferPlan plan;
  BufferId result = plan.addTemporary(1024);
  int64_t first = plan.currentPosition();
  std::vector<BufferId> starts, ends;
  for (int branch = 0; branch < 2; ++branch) {
    int64_t begin = plan.currentPosition();
    starts.push_back(plan.addTemporary(1024));
    BufferId middle = plan.addTemporary(1024);
    ends.push_back(plan.addTemporary(1024));
    plan.use(starts.back(), plan.nextPosition());
    int64_t at = plan.nextPosition();
    plan.use(starts.back(), at);
    plan.use(middle, at);
    at = plan.nextPosition();
    plan.use(middle, at);
    plan.use(ends.back(), at);
    at = plan.nextPosition();
    plan.handOn(ends.back(), result, first, begin, at);
    plan.use(ends.back(), at);
    plan.use(result, at);
  }
  plan.use(result, plan.nextPosition());
  EXPECT_EQ(plan.assign(), 2048);
  for (BufferId end : ends)
    EXPECT_EQ(plan.buffers()[end].offset, plan.buffers()[result].offset);
  EXPECT_EQ(plan.buffers()[starts[1]].offset, plan.buffers()[result].offset);
}

/// The result of the branches is the next state of a loop. The second branch reads the old one, so
/// nothing else may be in its place; and the same where only the first branch reads it.
TEST(BufferPlanTest, oldStatesThatBranchesReadStay) {
  for (int reader : {0, 1}) {
    BufferPlan plan;
    BufferId state = plan.addTemporary(1024);
    plan.use(state, plan.nextPosition());
    plan.beginLoop();
    int64_t body = plan.currentPosition();
    BufferId result = plan.addTemporary(1024);
    int64_t first = plan.currentPosition();
    BufferId before[2], made[2];
    int64_t lastRead = -1;
    for (int branch = 0; branch < 2; ++branch) {
      int64_t begin = plan.currentPosition();
      before[branch] = plan.addTemporary(1024);
      made[branch] = plan.addTemporary(1024);
      int64_t at = plan.nextPosition();
      plan.use(before[branch], at);
      at = plan.nextPosition();
      plan.use(before[branch], at);
      if (branch == reader)
        plan.use(state, lastRead = at);
      at = plan.nextPosition();
      plan.use(made[branch], at);
      at = plan.nextPosition();
      plan.handOn(made[branch], result, first, begin, at);
      plan.use(made[branch], at);
      plan.use(result, at);
    }
    int64_t at = plan.nextPosition();
    plan.mayMerge(result, state, body, at, lastRead);
    plan.use(result, at);
    plan.use(state, at);
    plan.endLoop();
    plan.assign();
    EXPECT_NE(plan.buffers()[before[reader]].offset, plan.buffers()[state].offset) << reader;
  }
}

} // namespace
} // namespace shardwise::execute
