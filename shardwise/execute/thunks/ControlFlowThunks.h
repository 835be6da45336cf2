// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thunks that run sequences of thunks: loops, branches, calls; and the moves that hand values from
// one sequence to the next. Sequences of loops and branches share the frame of their function.

#pragma once

#include "shardwise/execute/thunks/Thunk.h"

namespace shardwise::execute {

/// Copies several buffers as if at once: sources that another copy overwrites are saved first.
class MoveThunk final : public Thunk {
public:
  struct Move {
    BufferId source, target;
    int64_t bytes;
    int64_t savedAt = -1; ///< Offset in the scratch buffer, if the source must be saved.
  };

  /// `scratch` has room for what is saved; -1 if that is nothing.
  MoveThunk(std::vector<Move> moves, BufferId scratch)
      : moves(std::move(moves)), scratch(scratch) {}

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "move"; }

private:
  std::vector<Move> moves;
  BufferId scratch;
};

/// Runs `condition`, and `body` as long as the condition leaves a true predicate. The last thunk of
/// the body moves what it made to the loop's state. Fails at the limit of iterations of the run.
class WhileThunk final : public Thunk {
public:
  Sequence condition, body;
  BufferId predicate = -1; ///< An i1 that the condition writes.
  std::string place;       ///< In the program text.

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "while"; }
  std::vector<const Sequence *> parts() const override { return {&condition, &body}; }
};

/// Runs `body` a known number of times, for indices that ascend from 0 or descend to it.
class CountedLoopThunk final : public Thunk {
public:
  Sequence body;
  BufferId index = -1; ///< An i64 that the body reads.
  int64_t count = 0;
  bool isReverse = false;

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "loop"; }
  std::vector<const Sequence *> parts() const override { return {&body}; }
};

/// Runs one of several branches, each of which writes the results of all. An index that is out of
/// range chooses the last branch.
class CaseThunk final : public Thunk {
public:
  std::vector<Sequence> branches;
  BufferId index = -1;      ///< An i32, unless `isPredicate`.
  bool isPredicate = false; ///< `index` is an i1: true is branch 0.

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "case"; }
  std::vector<const Sequence *> parts() const override;
};

/// Runs another function in a frame inside this one's arena.
class CallThunk final : public Thunk {
public:
  /// `arguments` and `results` are as many as those of the callee; `arena` has its arena's bytes.
  CallThunk(const CompiledFunction &callee, std::vector<BufferId> arguments,
            std::vector<BufferId> results, BufferId arena)
      : callee(callee), arguments(std::move(arguments)), results(std::move(results)), arena(arena) {
  }

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "call @" + callee.name; }
  bool isLocal() const override { return callee.isLocal(); }

private:
  const CompiledFunction &callee;
  std::vector<BufferId> arguments, results;
  BufferId arena;
};

} // namespace shardwise::execute
