// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One collective on one rank, from its start to its wait: what all kinds have in common. Not seen
// outside of this folder.
//
//                  group that can meet                     any other group
//     begin        publish                                 start the first messages
//     complete     meet, read, release, afterRelease       wait for them, start and wait for others

#pragma once

#include "shardwise/runtime/MessageRound.h"
#include "shardwise/runtime/StartCollectives.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwise::runtime {

/// One collective on one rank. Lists and shapes are its own; buffers are the caller's. It stays at
/// one address, as peers look into it.
class RunningCollective {
public:
  RunningCollective(Communicator &communicator, CollectiveKind kind, RankGroup group)
      : communicator(communicator), kind(kind), group(group.begin(), group.end()) {}
  RunningCollective(const RunningCollective &) = delete;
  RunningCollective &operator=(const RunningCollective &) = delete;
  virtual ~RunningCollective() = default;

  /// Checks the parameters, and starts. Nothing is in flight if it fails.
  Result<void> begin();
  /// Does the rest. To be called once, when `begin` has succeeded.
  Result<Traffic> complete();
  /// Lets go of it without having waited, and says so: stops all ranks.
  void abandon();

protected:
  /// Checks what this rank can check by itself.
  virtual Result<void> check() { return {}; }
  /// Whether this rank has nothing to do with others.
  virtual bool isAlone() const { return false; }
  /// What the group is to see; the kind is filled in. What it points to stays.
  virtual Publication shown() = 0;
  /// Between meet and release. An error of this rank's own goes to `complaint`: peers may still
  /// read what it shows, so it leaves together with them, wrong or not.
  virtual Result<void> read(std::span<const Publication> peers) = 0;
  /// When nobody reads the inputs any more.
  virtual void afterRelease() {}

  virtual Result<void> startMessages() = 0;
  virtual Result<void> finishMessages() = 0;

  /// The publication of one input.
  static Publication showing(const std::byte *input, int64_t bytes, uint64_t parameters = 0) {
    Publication own;
    own.input = input;
    own.inputBytes = bytes;
    own.parameters = parameters;
    return own;
  }

  Result<void> barrier() { return communicator.barrier(meeting); }
  int64_t numRanks() const { return static_cast<int64_t>(group.size()); }
  int64_t position() const;
  MessageGroup messageGroup() { return {communicator, kind, group, numbers}; }

  Communicator &communicator;
  CollectiveKind kind;
  std::vector<Rank> group;
  Traffic traffic;
  std::optional<Error> complaint;

private:
  std::string description() const;

  enum class Road { Alone, Meeting, Messages } road = Road::Alone;
  PendingMeeting meeting{};
  /// By position: numbers for messages.
  std::vector<int64_t> numbers;
};

/// Runs a collective that is there for this one call.
inline Result<Traffic> runNow(RunningCollective &collective) {
  if (Result<void> begun = collective.begin(); !begun)
    return begun.error();
  return collective.complete();
}

/// Starts one, and hands it over.
Result<PendingCollective> startRunning(std::unique_ptr<RunningCollective> collective);

} // namespace shardwise::runtime
