// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory plan of one function: which buffers exist, when they live, and where in the arena they
// lie.
//
// Time is the position of a thunk in the linear order in which thunks are emitted; the bodies of
// loops and branches are part of that order. A buffer lives from its first to its last use. A
// buffer that is older than a loop and used in it lives until the loop ends.

#pragma once

#include "shardwise/execute/thunks/Buffer.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace shardwise::execute {

/// Collects buffers and their uses while thunks are emitted, then lays the arena out.
class BufferPlan {
public:
  BufferId addTemporary(int64_t bytes) { return add({BufferKind::Temporary, bytes, 0}); }
  BufferId addArgument(int64_t bytes, int64_t number) {
    return add({BufferKind::Argument, bytes, number});
  }
  BufferId addConstant(int64_t bytes, int64_t number) {
    return add({BufferKind::Constant, bytes, number});
  }

  /// The position of the next thunk; each call moves time on by one.
  int64_t nextPosition() { return position++; }
  int64_t currentPosition() const { return position; }
  /// Records a use of `buffer` at `at`.
  void use(BufferId buffer, int64_t at);
  int64_t lastUse(BufferId buffer) const { return lives[buffer].last; }
  int64_t firstUse(BufferId buffer) const { return lives[buffer].first; }

  void beginLoop();
  void endLoop();

  /// The thunk at `at` may compute `result` in place of `operand`, if that dies there.
  void mayReplace(BufferId result, BufferId operand, int64_t at) {
    mayReplace(result, operand, at, at);
  }
  /// The same of what is begun at `first` and ends at `last`. Both forms are called in the order of
  /// ends.
  void mayReplace(BufferId result, BufferId operand, int64_t first, int64_t last) {
    replacements.push_back({result, operand, first, last});
  }
  /// At `at` the value in `source`, made after `begin`, is handed on in `target` (a loop-carried
  /// buffer last used at `targetLast` within this span). If nothing else needs either, they become
  /// one buffer and the copy vanishes.
  void mayMerge(BufferId source, BufferId target, int64_t begin, int64_t at, int64_t targetLast) {
    merges.push_back({source, target, begin, at, targetLast, at});
  }

  /// A branch that began at `begin`, the first one of the op at `first`, hands `source` on in
  /// `result` at `at`: `mayMerge`, and until then `result` is of no use in this branch, whatever
  /// branches before it wrote. Its place may be that of what the branch has in between.
  void handOn(BufferId source, BufferId result, int64_t first, int64_t begin, int64_t at) {
    mayMerge(source, result, begin, at, /*targetLast=*/-1);
    merges.back().firstBranch = first;
  }

  /// Says which buffers ranks share: a number per buffer, 0 if every rank has its own, else that of
  /// those who share it; negative if it may turn out that each of these has its own (ranks of
  /// several processes). To be called once, when all buffers are there; else all are 0.
  void setHomes(std::vector<int32_t> numbers) { homes = std::move(numbers); }

  /// Lays out the arena (ArenaLayout.h). Returns its size in bytes.
  int64_t assign();

  const std::vector<Buffer> &buffers() const { return all; }
  /// Buffers that share a place have one root, whose life is that of all, after `assign`.
  BufferId rootOf(BufferId buffer);
  /// Returns what a buffer takes in the arena.
  static int64_t arenaBytesOf(const Buffer &buffer);

private:
  struct Life {
    int64_t first = std::numeric_limits<int64_t>::max();
    int64_t last = -1;
  };
  struct Replacement {
    BufferId result, operand;
    int64_t first, last;
  };
  struct Merge {
    BufferId source, target;
    int64_t begin, at, targetLast;
    int64_t written;          ///< When `target` is written, after `applyMerges`.
    int64_t firstBranch = -1; ///< Where the first branch begins, if a branch hands on.
  };
  struct Loop {
    int64_t begin;
    std::vector<BufferId> older;
  };

  BufferId add(Buffer buffer);
  void unite(BufferId from, BufferId into);
  void applyReplacements();
  void applyMerges();
  void fillResultsOfBranches();
  bool mayTakePlace(BufferId result, BufferId operand) const {
    // Those who may each have a result of their own must not write it over what others read.
    return homes[operand] == 0 || homes[operand] == homes[result] ||
           (homes[operand] < 0 && homes[operand] == -homes[result]);
  }
  bool isReplacement(BufferId result, BufferId operand, int64_t first, int64_t last);

  std::vector<Buffer> all;
  std::vector<Life> lives;
  std::vector<BufferId> parents;
  std::vector<Replacement> replacements;
  std::vector<Merge> merges;
  std::vector<Loop> loops;
  std::vector<int32_t> homes; ///< By buffer; of a root, that of who was united with it last.
  int64_t position = 0;
};

} // namespace shardwise::execute
