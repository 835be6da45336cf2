// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thunk that asks for a buffer that nobody saved ends the program, in builds with assertions:
// what stands before the first pointer once was read unseen.

#include "shardwise/execute/Program.h"
#include "shardwise/execute/RunLimits.h"
#include "shardwise/execute/thunks/CollectivesInFlight.h"
#include "shardwise/execute/thunks/Thunk.h"
#include "shardwise/runtime/LocalCommunicator.h"

#include <gtest/gtest.h>

namespace shardwise::execute {
namespace {

TEST(FrameTest, buffersThatNobodySavedAreNotRead) {
  CompiledFunction function;
  function.buffers.push_back({.kind = BufferKind::Temporary, .offset = 16});
  std::vector<std::byte> arena(32);
  Result<void> status = runtime::runRanks(
      1, std::chrono::seconds(60), [&](runtime::Communicator &communicator) -> Result<void> {
        std::vector<CollectiveRecord> records;
        RunLimits limits;
        CollectivesInFlight inFlight;
        RankContext context = {communicator, records, limits, inFlight};
        Frame frame(function, arena.data(), {}, context);
        EXPECT_EQ(frame.at(0), arena.data() + 16);
        frame.move(0, arena.data());
        EXPECT_EQ(frame.at(0), arena.data());
#ifndef NDEBUG
        EXPECT_DEATH(frame.at(-1), "nobody saved a buffer");
        EXPECT_DEATH(frame.at(1), "nobody saved a buffer");
        EXPECT_DEATH(frame.move(1, arena.data()), "nobody saved a buffer");
#endif
        return {};
      });
  EXPECT_TRUE(status.ok());
}

} // namespace
} // namespace shardwise::execute
