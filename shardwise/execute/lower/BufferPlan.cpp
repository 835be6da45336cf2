// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lifetimes, unification of buffers, and the best-fit layout.
//
// 1. Every use widens the life of a buffer, [first, last] in positions of thunks. What is older
//    than a loop and used in it lives to the end of the loop: the next iteration reads it again.
// 2. *Replacements*: a result takes the place of an operand that dies at the thunk that makes it,
// if
//    no rank but those that share the result reads the operand. A collective that is started and
//    waited for makes its result from its start on and reads its operand to its wait.
// 3. *Merges*: what a loop body or branch returns is made in the buffer that the copy at its end
//    would go to.
// 4. The buffers that are left are placed in order of their first use, each in the smallest gap
//    that has room. A scalar in a gap that a large buffer left keeps the next large one out, so
//    small buffers may lie in a part of their own, behind the others; what takes less is taken.
//
// Example, with uses as [first, last]: %a [0, 2], %b [1, 2], %c [2, 3], %d [3, 4], of equal size,
// where %c may replace %a. %c and %a are one buffer [0, 3]; %d begins while %c is still read, and
// takes the place of %b, which has ended. The arena has room for two; without the replacement it
// would need three.
//
// Buffers that were united are one class of a union-find forest; the root has the life of all.

#include "shardwise/execute/lower/BufferPlan.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardwise::execute {
namespace {

constexpr int64_t kAlignment = 64;

int64_t aligned(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

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

/// A buffer of the arena is taken, or released.
struct Event {
  int64_t at;
  bool isRelease; // Taking comes first: buffers of one thunk must not share.
  BufferId buffer;
};

int64_t sizeIn(const Buffer &buffer) {
  return BufferPlan::arenaBytesOf(buffer);
}

/// Sets the offsets of the buffers of `events` by best fit, those that take up to `small` bytes in
/// a part of their own behind all others. Returns the size of both parts.
int64_t layOut(std::vector<Buffer> &buffers, const std::vector<Event> &events, int64_t small) {
  FreeList ofSmall, ofLarge;
  for (const Event &event : events) {
    Buffer &buffer = buffers[event.buffer];
    int64_t bytes = sizeIn(buffer);
    FreeList &list = bytes <= small ? ofSmall : ofLarge;
    if (event.isRelease)
      list.release(buffer.offset, bytes);
    else
      buffer.offset = list.take(bytes);
  }
  for (const Event &event : events)
    if (!event.isRelease && sizeIn(buffers[event.buffer]) <= small)
      buffers[event.buffer].offset += ofLarge.arenaBytes();
  return ofSmall.arenaBytes() + ofLarge.arenaBytes();
}

} // namespace

int64_t BufferPlan::arenaBytesOf(const Buffer &buffer) {
  return std::max(aligned(buffer.bytes), kAlignment);
}

BufferId BufferPlan::add(Buffer buffer) {
  auto id = static_cast<BufferId>(all.size());
  all.push_back(buffer);
  lives.push_back({});
  parents.push_back(id);
  return id;
}

void BufferPlan::use(BufferId buffer, int64_t at) {
  Life &life = lives[buffer];
  bool isOlderThanLoop = !loops.empty() && life.first < loops.back().begin;
  life.first = std::min(life.first, at);
  life.last = std::max(life.last, at);
  // Only the innermost loop is told; its end is a use in the next outer one.
  if (isOlderThanLoop)
    loops.back().older.push_back(buffer);
}

void BufferPlan::beginLoop() {
  loops.push_back({nextPosition(), {}});
}

void BufferPlan::endLoop() {
  Loop loop = std::move(loops.back());
  loops.pop_back();
  int64_t end = nextPosition();
  std::sort(loop.older.begin(), loop.older.end());
  loop.older.erase(std::unique(loop.older.begin(), loop.older.end()), loop.older.end());
  // Through `use`, so that an enclosing loop learns of them too.
  for (BufferId buffer : loop.older)
    use(buffer, end);
}

BufferId BufferPlan::rootOf(BufferId buffer) {
  while (parents[buffer] != buffer) {
    // Halving the path keeps later look-ups short.
    parents[buffer] = parents[parents[buffer]];
    buffer = parents[buffer];
  }
  return buffer;
}

void BufferPlan::unite(BufferId from, BufferId into) {
  parents[from] = into;
  lives[into].first = std::min(lives[into].first, lives[from].first);
  lives[into].last = std::max(lives[into].last, lives[from].last);
  all[into].bytes = std::max(all[into].bytes, all[from].bytes);
  homes[into] = homes[from];
}

void BufferPlan::applyReplacements() {
  for (const Replacement &replacement : replacements) {
    BufferId result = rootOf(replacement.result);
    BufferId operand = rootOf(replacement.operand);
    // The conditions: (1) two buffers, both in the arena; (2) the result fits; (3) the result is
    // first written and the operand last read by this very thunk (or collective); (4) not more
    // ranks share the operand than the result: they may read it after this rank has written. Lives
    // are those of the whole classes, so an operand that was itself replaced counts as long as any
    // of its class.
    if (result != operand && all[result].kind == BufferKind::Temporary &&
        all[operand].kind == BufferKind::Temporary && all[result].bytes <= all[operand].bytes &&
        lives[result].first == replacement.first && lives[operand].last == replacement.last &&
        mayTakePlace(result, operand))
      unite(result, operand);
  }
}

bool BufferPlan::isReplacement(BufferId result, BufferId operand, int64_t first, int64_t last) {
  // Replacements are recorded as thunks are emitted, hence sorted by their ends.
  auto before = [](const Replacement &a, int64_t position) { return a.last < position; };
  for (auto it = std::lower_bound(replacements.begin(), replacements.end(), last, before);
       it != replacements.end() && it->last == last; ++it)
    if (it->first == first && rootOf(it->result) == rootOf(result) &&
        rootOf(it->operand) == rootOf(operand))
      return true;
  return false;
}

void BufferPlan::applyMerges() {
  for (const Merge &merge : merges) {
    BufferId source = rootOf(merge.source);
    BufferId target = rootOf(merge.target);
    // The conditions: (1) two buffers, both in the arena, and the source fits; (2) the source is
    // made in this body and needed no longer than this hand-over.
    if (source == target || all[source].kind != BufferKind::Temporary ||
        all[target].kind != BufferKind::Temporary || all[source].bytes > all[target].bytes ||
        homes[source] != homes[target])
      continue;
    int64_t made = lives[source].first;
    if (made < merge.begin || lives[source].last > merge.at)
      continue;
    // (3) The old value in `target` must not be needed once the new one is there: its last reader
    // comes before the thunk that makes the new one, or is that thunk and may work in place.
    if (merge.targetLast < made ||
        isReplacement(merge.source, merge.target, made, merge.targetLast))
      unite(source, target);
  }
}

int64_t BufferPlan::assign() {
  homes.resize(all.size(), 0);
  applyReplacements();
  applyMerges();
  std::vector<Event> events;
  for (BufferId id = 0; id < static_cast<BufferId>(all.size()); ++id) {
    if (all[id].kind != BufferKind::Temporary || rootOf(id) != id || lives[id].last < 0)
      continue;
    events.push_back({lives[id].first, false, id});
    events.push_back({lives[id].last, true, id});
  }
  // Larger buffers first at one position, so that they get the better fits.
  std::sort(events.begin(), events.end(), [&](const Event &a, const Event &b) {
    if (a.at != b.at)
      return a.at < b.at;
    if (a.isRelease != b.isRelease)
      return b.isRelease;
    if (all[a.buffer].bytes != all[b.buffer].bytes)
      return all[a.buffer].bytes > all[b.buffer].bytes;
    return a.buffer < b.buffer;
  });
  int64_t best = 0, bestBytes = std::numeric_limits<int64_t>::max();
  for (int64_t small : {int64_t(0), kAlignment, 16 * kAlignment})
    if (int64_t bytes = layOut(all, events, small); bytes < bestBytes) {
      best = small;
      bestBytes = bytes;
    }
  layOut(all, events, best);
  for (BufferId id = 0; id < static_cast<BufferId>(all.size()); ++id)
    if (all[id].kind == BufferKind::Temporary)
      all[id].offset = all[rootOf(id)].offset;
  return bestBytes;
}

} // namespace shardwise::execute
