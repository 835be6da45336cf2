// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two ways to lay out, of which the one that takes less is taken.
//
// 1. *In order of time.* Each block goes, at its first use, into the smallest gap that has room,
//    and leaves one after its last. A scalar in a gap that a large block left keeps the next large
//    one out, so small blocks may lie in a part of their own, behind the others.
// 2. *In order of size.* The largest first, each at the lowest place where nothing lies that lives
//    at the same time. It knows what comes later, and of 14 programs of real size it found the
//    least for 13, where the first way needed up to 1.2 times as much. But it has to look at all
//    that lives beside a block, which are hundreds in a long program. So it is tried for large
//    blocks first, with small ones in a part of their own; and for all where gaps are worth it.
//
// No arena is smaller than the most that lives at one time: what needs no more is not improved.
//
//     first, last   0 1 2 3            in order of time       in order of size
//     %a [0, 1], 2  a a                | a a . . |            | d d d |
//     %b [0, 3], 1  b b b b            | a | b | d d d |      | a a . | b |   4 instead of 6 places
//     %d [2, 3], 3      d d

#include "shardwise/execute/lower/ArenaLayout.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace shardwise::execute {
namespace {

constexpr int64_t kAlignment = 64;

/// Free ranges of the arena, by place and by size. The arena grows at its end.
class FreeList {
public:
  /// Takes `bytes` from the smallest range that has them, growing the arena if none does.
  int64_t take(int64_t bytes) {
    auto fit = bySize.lower_bound({bytes, -1});
    if (fit == bySize.end())
      return grow(bytes);
    auto [size, offset] = *fit;
    erase(offset, size);
    if (size > bytes)
      insert(offset + bytes, size - bytes);
    return offset;
  }

  /// Gives a range back and joins it with free neighbours, so that no two free ranges touch.
  void release(int64_t offset, int64_t bytes) {
    auto next = byOffset.lower_bound(offset);
    if (next != byOffset.end() && offset + bytes == next->first) {
      int64_t size = next->second;
      erase(next->first, size);
      bytes += size;
    }
    auto after = byOffset.lower_bound(offset);
    if (after != byOffset.begin()) {
      auto before = std::prev(after);
      if (before->first + before->second == offset) {
        auto [start, size] = *before;
        erase(start, size);
        offset = start;
        bytes += size;
      }
    }
    insert(offset, bytes);
  }

  int64_t arenaBytes() const { return end; }

private:
  /// Extends a free range at the end of the arena, or starts a new one there.
  int64_t grow(int64_t bytes) {
    if (!byOffset.empty()) {
      auto [start, size] = *std::prev(byOffset.end());
      if (start + size == end) {
        erase(start, size);
        end = start + bytes;
        return start;
      }
    }
    int64_t offset = end;
    end += bytes;
    return offset;
  }
  void insert(int64_t offset, int64_t size) {
    byOffset.emplace(offset, size);
    bySize.insert({size, offset});
  }
  void erase(int64_t offset, int64_t size) {
    byOffset.erase(offset);
    bySize.erase({size, offset});
  }

  std::map<int64_t, int64_t> byOffset;
  std::set<std::pair<int64_t, int64_t>> bySize;
  int64_t end = 0;
};

/// A block is taken, or released.
struct Event {
  int64_t at;
  bool isRelease; // Taking comes first: what is used at one time must not share a place.
  size_t block;
};

std::vector<Event> eventsOf(const std::vector<ArenaBlock> &blocks) {
  std::vector<Event> events;
  for (size_t i = 0; i < blocks.size(); ++i) {
    events.push_back({blocks[i].first, false, i});
    events.push_back({blocks[i].last, true, i});
  }
  // Larger blocks first at one position, so that they get the better fits.
  std::sort(events.begin(), events.end(), [&](const Event &a, const Event &b) {
    if (a.at != b.at)
      return a.at < b.at;
    if (a.isRelease != b.isRelease)
      return b.isRelease;
    if (blocks[a.block].bytes != blocks[b.block].bytes)
      return blocks[a.block].bytes > blocks[b.block].bytes;
    return a.block < b.block;
  });
  return events;
}

/// Returns the most bytes that live at one time.
int64_t mostAlive(const std::vector<ArenaBlock> &blocks, const std::vector<Event> &events) {
  int64_t alive = 0, most = 0;
  for (const Event &event : events) {
    alive += event.isRelease ? -blocks[event.block].bytes : blocks[event.block].bytes;
    most = std::max(most, alive);
  }
  return most;
}

/// Sets the offsets in order of time, of blocks of up to `small` bytes in a part of their own
/// behind all others. Returns the size of both parts.
int64_t layOutByTime(std::vector<ArenaBlock> &blocks, const std::vector<Event> &events,
                     int64_t small) {
  FreeList ofSmall, ofLarge;
  for (const Event &event : events) {
    ArenaBlock &block = blocks[event.block];
    FreeList &list = block.bytes <= small ? ofSmall : ofLarge;
    if (event.isRelease)
      list.release(block.offset, block.bytes);
    else
      block.offset = list.take(block.bytes);
  }
  for (ArenaBlock &block : blocks)
    if (block.bytes <= small)
      block.offset += ofLarge.arenaBytes();
  return ofSmall.arenaBytes() + ofLarge.arenaBytes();
}

/// The blocks that have a place, to be asked which of them live within a time. A complete binary
/// tree over all blocks by first use, each node with the last use of those below that have a place:
/// what ended before, or begins behind, is passed over whole.
class PlacedBlocks {
public:
  explicit PlacedBlocks(const std::vector<ArenaBlock> &blocks)
      : blocks(blocks), order(blocks.size()), places(blocks.size()) {
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(blocks[a].first, a) < std::pair(blocks[b].first, b);
    });
    for (size_t place = 0; place < order.size(); ++place)
      places[order[place]] = place;
    while (numLeaves < order.size())
      numLeaves *= 2;
    lastUses.assign(2 * numLeaves, -1);
  }

  void add(size_t block) {
    for (size_t node = numLeaves + places[block]; node > 0; node /= 2)
      lastUses[node] = std::max(lastUses[node], blocks[block].last);
  }

  /// Appends those that live at some time from `first` to `last`.
  void collect(int64_t first, int64_t last, std::vector<size_t> &found) const {
    collect(1, 0, numLeaves, first, last, found);
  }

private:
  /// Of `node`, which stands for the places [begin, begin + count).
  void collect(size_t node, size_t begin, size_t count, int64_t first, int64_t last,
               std::vector<size_t> &found) const {
    if (lastUses[node] < first || blocks[order[begin]].first > last)
      return;
    if (count == 1) {
      found.push_back(order[begin]);
      return;
    }
    collect(2 * node, begin, count / 2, first, last, found);
    collect(2 * node + 1, begin + count / 2, count / 2, first, last, found);
  }

  const std::vector<ArenaBlock> &blocks;
  std::vector<size_t> order, places; ///< Blocks by first use; where each stands in that.
  size_t numLeaves = 1;
  std::vector<int64_t> lastUses; ///< Node 1 is the root, those below n are 2 n and 2 n + 1.
};

/// Returns how many pairs of `blocks` live at one time.
int64_t countPairs(const std::vector<ArenaBlock> &blocks) {
  std::vector<int64_t> firsts, lasts;
  for (const ArenaBlock &block : blocks) {
    firsts.push_back(block.first);
    lasts.push_back(block.last);
  }
  std::sort(firsts.begin(), firsts.end());
  std::sort(lasts.begin(), lasts.end());
  // Of each block: those that began before it ends, without those that ended before it begins, and
  // without itself. So each pair is counted twice.
  int64_t pairs = 0;
  for (const ArenaBlock &block : blocks)
    pairs += (std::upper_bound(firsts.begin(), firsts.end(), block.last) - firsts.begin()) -
             (std::lower_bound(lasts.begin(), lasts.end(), block.first) - lasts.begin()) - 1;
  return pairs / 2;
}

/// Sets the offsets in order of size. Returns the size of the arena. Costs O(n log n) and a step
/// for each pair of blocks that live at one time.
int64_t layOutBySize(std::vector<ArenaBlock> &blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t(0));
  // Of equal size, what lives longer is harder to place.
  auto rank = [&](size_t number) {
    const ArenaBlock &block = blocks[number];
    return std::tuple(-block.bytes, block.first - block.last, number);
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
  PlacedBlocks placed(blocks);
  std::vector<size_t> beside;
  int64_t arenaBytes = 0;
  for (size_t number : order) {
    ArenaBlock &block = blocks[number];
    beside.clear();
    placed.collect(block.first, block.last, beside);
    std::sort(beside.begin(), beside.end(),
              [&](size_t a, size_t b) { return blocks[a].offset < blocks[b].offset; });
    block.offset = 0;
    for (size_t other : beside) {
      if (blocks[other].offset >= block.offset + block.bytes)
        break;
      block.offset = std::max(block.offset, blocks[other].offset + blocks[other].bytes);
    }
    arenaBytes = std::max(arenaBytes, block.offset + block.bytes);
    placed.add(number);
  }
  return arenaBytes;
}

/// Keeps of several layouts that which takes least.
class Layouts {
public:
  explicit Layouts(std::vector<ArenaBlock> &blocks)
      : blocks(blocks), events(eventsOf(blocks)), least(mostAlive(blocks, events)) {}

  void tryByTime(int64_t small) {
    if (bestBytes > least)
      offer(layOutByTime(blocks, events, small));
  }

  /// Blocks above `small` in order of size, others in order of time in a part behind them; if that
  /// is worth the work.
  void tryBySize(int64_t small) {
    if (bestBytes <= least)
      return;
    std::vector<ArenaBlock> sizes[2];
    for (const ArenaBlock &block : blocks)
      sizes[block.bytes > small].push_back(block);
    auto &[ofSmall, ofLarge] = sizes;
    double gaps = static_cast<double>(bestBytes - least) / static_cast<double>(least);
    if (static_cast<double>(countPairs(ofLarge)) >
        kFreePairs + gaps * kPairsPerBlock * static_cast<double>(blocks.size()))
      return;
    int64_t largeBytes = layOutBySize(ofLarge);
    int64_t smallBytes = layOutByTime(ofSmall, eventsOf(ofSmall), 0);
    size_t next[2] = {0, 0};
    for (ArenaBlock &block : blocks) {
      bool isLarge = block.bytes > small;
      block.offset = sizes[isLarge][next[isLarge]++].offset + (isLarge ? 0 : largeBytes);
    }
    offer(largeBytes + smallBytes);
  }

  /// Sets the offsets of the best, and returns the size of its arena.
  int64_t finish() {
    blocks = std::move(best);
    return bestBytes;
  }

  int64_t leastBytes() const { return least; }

private:
  // A pair takes some 30 ns. So many are looked at whatever there is to win; and for each block so
  // many, times the share of the arena that is gaps: 100 at 1 %.
  static constexpr double kFreePairs = 100'000, kPairsPerBlock = 10'000;

  void offer(int64_t bytes) {
    if (bytes >= bestBytes)
      return;
    best = blocks;
    bestBytes = bytes;
  }

  std::vector<ArenaBlock> &blocks;
  std::vector<Event> events;
  int64_t least;
  std::vector<ArenaBlock> best;
  int64_t bestBytes = std::numeric_limits<int64_t>::max();
};

} // namespace

int64_t alignedInArena(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

int64_t layOutArena(std::vector<ArenaBlock> &blocks) {
  Layouts layouts(blocks);
  for (int64_t small : {int64_t(0), kAlignment, 16 * kAlignment})
    layouts.tryByTime(small);
  // In an arena of less than 64 KiB no block is small.
  if (int64_t small = layouts.leastBytes() / 1024; small >= kAlignment)
    layouts.tryBySize(small);
  layouts.tryBySize(0);
  return layouts.finish();
}

} // namespace shardwise::execute
