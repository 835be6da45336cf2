// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thunks of collectives: each finds its group, starts, waits, and notes what was received.

#pragma once

#include "shardwise/core/Collective.h"
#include "shardwise/core/ProcessGroups.h"
#include "shardwise/execute/thunks/CollectiveFold.h"
#include "shardwise/execute/thunks/Thunk.h"
#include "shardwise/runtime/Collectives.h"
#include "shardwise/runtime/StartCollectives.h"
#include "shardwise/runtime/TensorType.h"

#include <optional>

namespace shardwise::execute {

/// A meeting that has been started.
struct StartedMeeting {
  /// None if this rank has no part in it, and nothing to wait for.
  std::optional<runtime::PendingCollective> pending;
  /// The first rank of the group; -1 if it is not told.
  runtime::Rank group = -1;
};

/// What all collectives share: one execution is a meeting, or several, one after the other, and is
/// noted once. Run as a thunk, it waits for each.
class CollectiveThunk : public Thunk {
public:
  virtual core::CollectiveKind kind() const = 0;
  virtual size_t numMeetings() const { return 1; }
  /// Starts a meeting. Fails if the groups do not fit the number of ranks, or if communication
  /// does.
  virtual Result<StartedMeeting> start(Frame &frame, size_t meeting) const = 0;
  /// Notes one execution.
  void note(RankContext &context, const runtime::Traffic &traffic) const;

  Result<void> run(Frame &frame) const final;
  std::string name() const final { return std::string(toString(kind())); }
  bool isLocal() const final { return false; }

protected:
  /// The axes or groups that records name.
  virtual std::string axesText() const { return ""; }
  virtual size_t numTensors() const { return 1; }
};

/// A collective over groups: the parts are exchanged among the ranks of the group, in one meeting
/// if the runtime can, else one after the other.
class GroupThunk : public CollectiveThunk {
public:
  /// A tensor that takes part in a collective, and where the outcome goes.
  struct Part {
    BufferId input = -1, output = -1;
    runtime::TensorType type;
    runtime::TensorType resultType;

    runtime::InputBuffer inputBuffer(const Frame &frame) const {
      return {frame.at(input), type.shape, runtime::byteSize(type.type)};
    }
  };

  Result<StartedMeeting> start(Frame &frame, size_t meeting) const override;
  std::optional<RankClasses> resultClasses(const RankClasses &operands) const override;
  std::optional<JointResults> jointResults(int64_t numRanks) const override;

  core::ProcessGroups groups;
  std::vector<Part> parts;

protected:
  /// What ranks of a group get of equal operands of its members.
  enum class Outcome {
    Equal,      ///< All the same. The runtime lets outputs of several ranks be one.
    ByPosition, ///< What depends on the position in the group, and nothing else.
    ByRank,     ///< What depends on more than that.
  };
  virtual Outcome outcome() const { return Outcome::ByPosition; }

  std::string axesText() const override { return groups.axesText(); }
  size_t numTensors() const override { return parts.size(); }

  /// Starts a meeting of the group.
  virtual Result<runtime::PendingCollective> startIn(runtime::RankGroup group, Frame &frame,
                                                     size_t meeting) const = 0;

  /// Fails unless dimension `dim` grows or shrinks by the size of the group.
  Result<void> checkSize(int64_t larger, int64_t smaller, size_t groupSize, int64_t dim) const;
};

/// A collective whose parts meet by themselves.
class PartwiseThunk : public GroupThunk {
public:
  size_t numMeetings() const override { return parts.size(); }
};

/// Concatenates the parts of the group along `dim`. Of what is gathered, the first elements that a
/// part's result has room for are kept.
class AllGatherThunk final : public GroupThunk {
public:
  core::CollectiveKind kind() const override { return core::CollectiveKind::AllGather; }

  int64_t dim = 0;
  /// Elements along `dim` that are gathered, by part.
  std::vector<int64_t> gathered;

protected:
  Outcome outcome() const override { return Outcome::Equal; }
  Result<runtime::PendingCollective> startIn(runtime::RankGroup group, Frame &frame,
                                             size_t meeting) const override;
};

/// Folds the parts of the group element by element.
class AllReduceThunk final : public GroupThunk {
public:
  core::CollectiveKind kind() const override { return core::CollectiveKind::AllReduce; }

  CollectiveFold fold;

protected:
  Outcome outcome() const override { return Outcome::Equal; }
  Result<runtime::PendingCollective> startIn(runtime::RankGroup group, Frame &frame,
                                             size_t meeting) const override;
};

/// Folds the parts of the group; each rank keeps its slice along `dim`.
class ReduceScatterThunk final : public PartwiseThunk {
public:
  core::CollectiveKind kind() const override { return core::CollectiveKind::ReduceScatter; }

  CollectiveFold fold;
  int64_t dim = 0;

protected:
  Result<runtime::PendingCollective> startIn(runtime::RankGroup group, Frame &frame,
                                             size_t meeting) const override;
};

/// Cuts each part into `splitCount` slices along `splitDim`, one per rank of the group; each rank
/// concatenates what it gets along `concatDim`.
class AllToAllThunk final : public PartwiseThunk {
public:
  core::CollectiveKind kind() const override { return core::CollectiveKind::AllToAll; }

  int64_t splitDim = 0, concatDim = 0, splitCount = 1;

protected:
  Result<runtime::PendingCollective> startIn(runtime::RankGroup group, Frame &frame,
                                             size_t meeting) const override;
};

/// Copies the part of the first rank of the group. A rank in no group gets zeros.
class CollectiveBroadcastThunk final : public PartwiseThunk {
public:
  Result<StartedMeeting> start(Frame &frame, size_t meeting) const override;
  core::CollectiveKind kind() const override { return core::CollectiveKind::CollectiveBroadcast; }

protected:
  Outcome outcome() const override { return Outcome::ByRank; }
  Result<runtime::PendingCollective> startIn(runtime::RankGroup group, Frame &frame,
                                             size_t meeting) const override;
};

/// Sends the rows that lists say to the ranks of the group. Its one part is the rows and the
/// result.
class RaggedAllToAllThunk final : public GroupThunk {
public:
  core::CollectiveKind kind() const override { return core::CollectiveKind::RaggedAllToAll; }

  /// What rows of the result are that nobody sends.
  BufferId initial = -1;
  /// Lists of `numSlices` i64 each.
  BufferId inputOffsets = -1, sendSizes = -1, outputOffsets = -1, recvSizes = -1;
  int64_t numSlices = 0;

protected:
  Outcome outcome() const override { return Outcome::ByRank; }
  Result<runtime::PendingCollective> startIn(runtime::RankGroup group, Frame &frame,
                                             size_t meeting) const override;
};

/// collective_permute. Pairs of ids become pairs of ranks when the number of ranks is known.
class PermuteThunk final : public CollectiveThunk {
public:
  Result<StartedMeeting> start(Frame &frame, size_t meeting) const override;
  core::CollectiveKind kind() const override { return core::CollectiveKind::CollectivePermute; }

  core::ProcessGrid grid;
  core::GroupStrategy strategy = core::GroupStrategy::FlattenedIds;
  std::vector<runtime::RankPair> pairs; ///< Of ids, as the strategy reads them.
  BufferId input = -1, output = -1;
  int64_t bytes = 0; ///< Of either.
};

/// An exchange of shards. What each rank sends is known when the program is compiled.
class ExchangeThunk final : public CollectiveThunk {
public:
  /// Whom a rank meets, and what it sends them.
  struct Member {
    size_t group = 0; ///< Number of its group.
    runtime::SentBoxes sent;
  };

  Result<StartedMeeting> start(Frame &frame, size_t meeting) const override;
  core::CollectiveKind kind() const override { return core::CollectiveKind::Exchange; }

  std::vector<Member> members; ///< By rank.
  /// Each once: a copy for every member is quadratic in the size of a group.
  std::vector<std::vector<runtime::Rank>> groups;
  std::string axes;
  runtime::TensorType type, resultType;
  BufferId input = -1, output = -1;

protected:
  std::string axesText() const override { return axes; }
};

/// partition_id or replica_id, as u32.
class IdThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return isPartition ? "partition_id" : "replica_id"; }
  bool isLocal() const override { return false; }
  std::optional<std::vector<std::byte>> valueOn(RankNumber rank, BufferId result,
                                                const KnownOperands &operands) const override;

  core::ProcessGrid grid;
  BufferId output = -1;
  bool isPartition = true;

private:
  Result<uint32_t> idOf(RankNumber of) const;
};

} // namespace shardwise::execute
