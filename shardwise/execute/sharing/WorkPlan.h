// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who does what when several ranks run in one process.
//
// Ranks that hold equal operands compute equal results: an optimizer step on replicated parameters
// does the same on every device. In one process that work is done once, by the *leader* of the
// ranks whose operands are equal, into a buffer of its arena that the others read. Example, data
// parallel on 4 ranks:
//
//     thunk                        runs on        result
//     gemm       %x (cut), %w      all            each its own
//     all_reduce                   all            in the arena of rank 0, a part written by each
//     fused      %w, gradient      rank 0         in the arena of rank 0; ranks 1 to 3 read it
//     fused      %v, gradient      rank 1         in the arena of rank 1: leaders take turns
//
// Ranks go through the thunks of `main` in order, and each tells how far it is. Two kinds of wait
// keep order:
// 1. Who reads a shared buffer waits until its leader has passed the thunk that writes it.
// 2. Who writes to memory where others read something before waits until all have passed the last
//    thunk that reads it.
// Both are for thunks that come before the one that waits. So the rank that is farthest behind
// never waits for either, and all come to the end.
//
// What the members of a group write together, the result of an all_reduce or all_gather, they can
// read when they have passed it: the meeting ends when all parts are written. Nor do they write
// before all have come to it, the leader among them, who has no other use of that memory any more.

#pragma once

#include "shardwise/execute/sharing/RankClasses.h"

namespace shardwise::execute {

/// Whose arena a buffer is in, and who runs the thunks that write to it.
struct Home {
  /// Ranks of one class share it. `kApart`: every rank has its own.
  ClassesId classes = RankClassTable::kApart;
  /// Which member of the class is the leader, modulo the number of members.
  int32_t turn = 0;
  /// All members write to it, each a part, in a meeting; so all must be in one process.
  bool isJoint = false;

  bool isShared() const { return classes != RankClassTable::kApart; }
  auto operator<=>(const Home &) const = default;
};

/// The leader of `home` must have passed this many thunks.
struct AwaitedLeader {
  Home home;
  int64_t thunks = 0;
};

/// What one thunk of `main` needs.
struct WorkStep {
  Home home; ///< Who runs it.
  /// Of the first buffer that all write together.
  Home joint;
  std::vector<AwaitedLeader> leaders;
  /// All ranks must have passed this many thunks, as what they read there is overwritten.
  int64_t readers = 0;
};

/// The plan of a program for a number of ranks.
struct WorkPlan {
  /// Partitions of the ranks by `ClassesId`; empty if the ranks share nothing.
  std::vector<RankClasses> classes;
  std::vector<Home> buffers;   ///< By buffer of main.
  std::vector<WorkStep> steps; ///< By thunk of main.
  /// Before the results are read.
  std::vector<AwaitedLeader> resultLeaders;

  bool sharesWork() const { return !classes.empty(); }
};

} // namespace shardwise::execute
