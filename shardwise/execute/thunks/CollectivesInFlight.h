// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives that run while other thunks do: one thunk starts, another one waits. What lies
// between them is planned when the program is compiled (lower/OpOrder.h).

#pragma once

#include "shardwise/execute/thunks/CollectiveThunks.h"

#include <memory>
#include <vector>

namespace shardwise::execute {

/// What a rank has started and not waited for. A thunk is in it once at most: loops and branches
/// wait for what they start.
class CollectivesInFlight {
public:
  struct One {
    const CollectiveThunk *thunk = nullptr;
    StartedMeeting started;
    /// When it was under way, if the run is traced.
    int64_t since = 0;
  };

  void add(One one) { all.push_back(std::move(one)); }
  One take(const CollectiveThunk &thunk);

private:
  std::vector<One> all;
};

/// Starts a collective.
class StartThunk final : public Thunk {
public:
  explicit StartThunk(std::unique_ptr<CollectiveThunk> collective)
      : collective(std::move(collective)) {}

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return collective->name() + " start"; }
  bool isLocal() const override { return false; }
  std::optional<RankClasses> resultClasses(const RankClasses &operands) const override {
    return collective->resultClasses(operands);
  }
  std::optional<JointResults> jointResults(int64_t numRanks) const override {
    return collective->jointResults(numRanks);
  }

  const std::unique_ptr<CollectiveThunk> collective;
};

/// Waits for what a start of the same frame has begun: then the results are there, and the operands
/// may change.
class WaitThunk final : public Thunk {
public:
  explicit WaitThunk(const StartThunk &start) : start(start) {}

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return start.collective->name() + " wait"; }
  bool isLocal() const override { return false; }
  std::optional<RankClasses> resultClasses(const RankClasses &operands) const override {
    return start.resultClasses(operands);
  }
  const Thunk *startedBy() const override { return &start; }

private:
  const StartThunk &start;
};

} // namespace shardwise::execute
