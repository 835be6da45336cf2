// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lifetimes and unification of buffers; ArenaLayout.cpp gives them their places.
//
// 1. Every use widens the life of a buffer, [first, last] in positions of thunks. What is older
//    than a loop and used in it lives to the end of the loop: the next iteration reads it again.
// 2. *Replacements*: a result takes the place of an operand that dies at the thunk that makes it,
//    if no rank but those that share the result reads the operand. A collective that is started and
//    waited for makes its result from its start on and reads its operand to its wait.
// 3. *Merges*: what a loop body or branch returns is made in the buffer that the copy at its end
//    would go to.
// 4. *Results of branches* have one place, which the first branch writes: from there on it is kept
//    free through all others, though nothing is in it until they write it. What such a branch has
//    before that, and not later, may be there.
//
//        branch 0: %a -> %r        branch 1: %b -> %c -> %r        %r is [2, 5], %b is [3, 4]
//
//    Here %b may lie where %r is, if %c does not: %b ends before %r is written.
//
// Example, with uses as [first, last]: %a [0, 2], %b [1, 2], %c [2, 3], %d [3, 4], of equal size,
// where %c may replace %a. %c and %a are one buffer [0, 3]; %d begins while %c is still read, and
// takes the place of %b, which has ended. The arena has room for two; without the replacement it
// would need three.
//
// Buffers that were united are one class of a union-find forest; the root has the life of all.

#include "shardwise/execute/lower/BufferPlan.h"

#include "shardwise/execute/lower/ArenaLayout.h"

#include <algorithm>

namespace shardwise::execute {

int64_t BufferPlan::arenaBytesOf(const Buffer &buffer) {
  return alignedInArena(std::max<int64_t>(buffer.bytes, 1));
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
  for (Merge &merge : merges) {
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
        isReplacement(merge.source, merge.target, made, merge.targetLast)) {
      merge.written = made;
      unite(source, target);
    }
  }
}

void BufferPlan::fillResultsOfBranches() {
  auto isOfBranch = [](const Merge &merge) { return merge.firstBranch >= 0; };
  if (std::none_of(merges.begin(), merges.end(), isOfBranch))
    return;
  // Roots by first use.
  std::vector<BufferId> roots;
  for (BufferId id = 0; id < static_cast<BufferId>(all.size()); ++id)
    if (all[id].kind == BufferKind::Temporary && rootOf(id) == id && lives[id].last >= 0)
      roots.push_back(id);
  auto byFirst = [&](BufferId a, BufferId b) { return lives[a].first < lives[b].first; };
  std::stable_sort(roots.begin(), roots.end(), byFirst);
  for (const Merge &merge : merges) {
    BufferId result = rootOf(merge.target);
    // What is older than the op may be read in a branch: the old state of a loop, in whose place
    // the result is made.
    if (!isOfBranch(merge) || all[result].kind != BufferKind::Temporary ||
        lives[result].first < merge.firstBranch || lives[result].first >= merge.begin)
      continue;
    auto begin = std::lower_bound(
        roots.begin(), roots.end(), merge.begin,
        [&](BufferId root, int64_t position) { return lives[root].first < position; });
    // The largest that is over before the result is written; a little larger than it at most, as
    // it keeps the place for long. What was united with the result is not of this branch.
    BufferId best = -1;
    for (auto it = begin; it != roots.end() && lives[*it].first < merge.written; ++it)
      if (rootOf(*it) == *it && *it != result && lives[*it].last < merge.written &&
          homes[*it] == homes[result] && all[*it].bytes <= all[result].bytes / 4 * 5 &&
          (best < 0 || all[*it].bytes > all[best].bytes))
        best = *it;
    if (best >= 0)
      unite(best, result);
  }
}

int64_t BufferPlan::assign() {
  homes.resize(all.size(), 0);
  applyReplacements();
  applyMerges();
  fillResultsOfBranches();
  std::vector<ArenaBlock> blocks;
  std::vector<BufferId> roots;
  for (BufferId id = 0; id < static_cast<BufferId>(all.size()); ++id) {
    if (all[id].kind != BufferKind::Temporary || rootOf(id) != id || lives[id].last < 0)
      continue;
    blocks.push_back({arenaBytesOf(all[id]), lives[id].first, lives[id].last, 0});
    roots.push_back(id);
  }
  int64_t arenaBytes = layOutArena(blocks);
  for (size_t i = 0; i < roots.size(); ++i)
    all[roots[i]].offset = blocks[i].offset;
  for (BufferId id = 0; id < static_cast<BufferId>(all.size()); ++id)
    if (all[id].kind == BufferKind::Temporary)
      all[id].offset = all[rootOf(id)].offset;
  return arenaBytes;
}

} // namespace shardwise::execute
