// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks are handed out once, come back for the next that fits, and are nobody's in between.

#include "shardwise/host/HostHeap.h"
#include "shardwise/host/HostProcesses.h"

#include <gtest/gtest.h>

namespace shardwise::host {
namespace {

TEST(HostHeapTest, blocksComeBackBySize) {
  HostProcesses processes(1, 0);
  SharedArea *area = processes.areas().areaOf(0);
  if (!area)
    GTEST_SKIP() << "this system shares no memory";
  HostHeap heap(area);
  std::byte *small = heap.allocate(100);
  std::byte *large = heap.allocate(10'000); // A block of 16 KiB.
  ASSERT_TRUE(small && large);
  EXPECT_EQ(heap.offsetOf(small), 0);
  EXPECT_EQ(heap.offsetOf(large), 4'096);
  EXPECT_NE(heap.allocate(4'096), small);
  heap.release(small);
  EXPECT_NE(heap.allocate(5'000), small);
  EXPECT_EQ(heap.allocate(0), small);
  heap.release(large);
  EXPECT_EQ(heap.allocate(16'384), large);
}

TEST(HostHeapTest, onlyWhatIsHandedOutIsReleased) {
  HostProcesses processes(1, 0);
  if (!processes.areas().areaOf(0))
    GTEST_SKIP() << "this system shares no memory";
  HostHeap heap(processes.areas().areaOf(0));
  std::byte *block = heap.allocate(10'000);
  ASSERT_TRUE(block);
  std::byte other{};
  for (std::byte *wrong :
       {static_cast<std::byte *>(nullptr), &other, block + 4'096, block + (int64_t{1} << 30)})
    heap.release(wrong);
  heap.release(block);
  heap.release(block);
  std::byte *first = heap.allocate(10'000);
  EXPECT_EQ(first, block);
  EXPECT_NE(heap.allocate(10'000), first);
}

TEST(HostHeapTest, withoutMemoryThereAreNoBlocks) {
  HostHeap heap(nullptr);
  EXPECT_EQ(heap.allocate(1), nullptr);
  EXPECT_EQ(heap.share(1), nullptr);
  heap.release(nullptr);
}

} // namespace
} // namespace shardwise::host
