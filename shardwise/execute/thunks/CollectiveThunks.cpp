// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled program does not know how many ranks will run it. Groups and pairs are therefore kept
// in the terms of the op (replica ids, partition ids or ranks, as its strategy says) and become
// ranks when a thunk runs. What has to agree with the size of the group, e.g. that an all_gather of
// tensor<2x3> to tensor<8x3> runs in groups of 4, is checked here, not at compile time.
//
// With P partitions per replica, rank r is partition r mod P of replica r div P. Example: 2
// replicas of 3 partitions; the pair (0, 2) of a permute across partitions is 0 to 2 on the ranks
// of replica 0, and 3 to 5 on those of replica 1.
//
// To start and to wait are apart, so that CollectivesInFlight.h can run other thunks in between.
// `run` does one after the other.

#include "shardwise/execute/thunks/CollectiveThunks.h"

#include "shardwise/execute/CollectiveRecord.h"
#include "shardwise/execute/thunks/RunThunk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace shardwise::execute {
using core::CollectiveKind;
using runtime::PendingCollective;
using runtime::Rank;
using runtime::Traffic;

void CollectiveThunk::note(RankContext &context, const Traffic &traffic) const {
  auto tensors = static_cast<int64_t>(numTensors());
  // Linear: a program has a handful of kinds and axes, and runs many collectives of each.
  std::string axes = axesText();
  for (CollectiveRecord &record : context.records)
    if (record.kind == kind() && record.axes == axes) {
      ++record.count;
      record.tensors += tensors;
      record.bytesReceived += traffic.receivedBytes;
      return;
    }
  context.records.push_back({kind(), axes, 1, tensors, traffic.receivedBytes});
}

Result<void> CollectiveThunk::run(Frame &frame) const {
  Traffic all;
  for (size_t meeting = 0; meeting < numMeetings(); ++meeting) {
    Result<StartedMeeting> started = start(frame, meeting);
    if (!started)
      return started.error();
    // Who takes no part has received nothing, and records nothing.
    if (!started->pending)
      continue;
    noteGroup(started->group);
    Result<Traffic> traffic = started->pending->wait();
    if (!traffic)
      return traffic.error();
    all += *traffic;
    if (meeting + 1 == numMeetings())
      note(frame.context(), all);
  }
  return {};
}

Result<StartedMeeting> GroupThunk::start(Frame &frame, size_t meeting) const {
  runtime::Communicator &communicator = frame.context().communicator;
  // Looked up in every run: thunks are shared by all ranks, and keep nothing.
  Result<std::vector<Rank>> group = groups.groupOf(communicator.rank(), communicator.size());
  if (!group)
    return Error{group.error().kind, fmt::format("{}: {}", name(), group.error().message)};
  Result<PendingCollective> pending = startIn(*group, frame, meeting);
  if (!pending)
    return pending.error();
  return StartedMeeting{std::move(*pending), group->front()};
}

// Two groups whose members have equal operands, in group order, have equal results. So a group is
// known by the classes of its members, and a result by these and, where it matters, the position.
// A class is named by its first rank. Example: operands of the classes {0, 0, 2, 2} (ranks 0 and 1
// hold the same, so do 2 and 3), groups {0, 2} and {1, 3}. Both groups are of classes (0, 2):
//   all_reduce       {0, 0, 0, 0}: all four ranks get the same
//   reduce_scatter   {0, 0, 2, 2}: ranks 0 and 1 are first in their groups, ranks 2 and 3 second
std::optional<RankClasses> GroupThunk::resultClasses(const RankClasses &operands) const {
  auto numRanks = static_cast<int64_t>(operands.size());
  if (outcome() == Outcome::ByRank)
    return std::nullopt;
  RankClasses results(operands.size(), -1);
  std::map<std::pair<std::vector<int32_t>, size_t>, int32_t> firstOf;
  for (Rank rank = 0; rank < numRanks; ++rank) {
    if (results[rank] >= 0)
      continue;
    Result<std::vector<Rank>> group = groups.groupOf(rank, numRanks);
    if (!group)
      return std::nullopt; // Running it will say what is wrong.
    std::vector<int32_t> members;
    for (Rank member : *group)
      members.push_back(operands[member]);
    for (size_t position = 0; position < group->size(); ++position) {
      size_t key = outcome() == Outcome::Equal ? 0 : position;
      Rank member = (*group)[position];
      results[member] =
          firstOf.emplace(std::pair(members, key), static_cast<int32_t>(member)).first->second;
    }
  }
  return results;
}

// Groups are told apart by their first ranks.
std::optional<JointResults> GroupThunk::jointResults(int64_t numRanks) const {
  if (outcome() != Outcome::Equal)
    return std::nullopt;
  JointResults joint;
  for (const Part &part : parts)
    joint.buffers.push_back(part.output);
  for (Rank rank = 0; rank < numRanks; ++rank) {
    Result<std::vector<Rank>> group = groups.groupOf(rank, numRanks);
    if (!group)
      return std::nullopt; // Running it will say what is wrong.
    joint.groups.push_back(static_cast<int32_t>(group->front()));
  }
  return joint;
}

Result<void> GroupThunk::checkSize(int64_t larger, int64_t smaller, size_t groupSize,
                                   int64_t dim) const {
  if (larger == smaller * static_cast<int64_t>(groupSize))
    return {};
  return invalid(fmt::format("{}: dimension {} has {} and {} elements, which does not fit a "
                             "group of {} ranks",
                             name(), dim, larger, smaller, groupSize));
}

Result<PendingCollective> AllGatherThunk::startIn(runtime::RankGroup group, Frame &frame,
                                                  size_t) const {
  std::vector<runtime::GatheredTensor> tensors;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part &part = parts[i];
    if (Result<void> fits = checkSize(gathered[i], part.type.shape[dim], group.size(), dim); !fits)
      return fits.error();
    tensors.push_back({part.inputBuffer(frame), frame.at(part.output), part.resultType.shape[dim]});
  }
  return runtime::startAllGather(frame.context().communicator, group, tensors, dim);
}

Result<PendingCollective> AllReduceThunk::startIn(runtime::RankGroup group, Frame &frame,
                                                  size_t) const {
  std::vector<runtime::ReducedTensor> tensors;
  for (const Part &part : parts)
    tensors.push_back({frame.at(part.input), part.type.bytes() / runtime::byteSize(part.type.type),
                       frame.at(part.output)});
  return runtime::startAllReduce(frame.context().communicator, group, fold.reducer(frame), tensors);
}

Result<PendingCollective> ReduceScatterThunk::startIn(runtime::RankGroup group, Frame &frame,
                                                      size_t meeting) const {
  const Part &part = parts[meeting];
  if (Result<void> fits =
          checkSize(part.type.shape[dim], part.resultType.shape[dim], group.size(), dim);
      !fits)
    return fits.error();
  return runtime::startReduceScatter(frame.context().communicator, group, fold.reducer(frame),
                                     part.inputBuffer(frame), dim, frame.at(part.output));
}

Result<PendingCollective> AllToAllThunk::startIn(runtime::RankGroup group, Frame &frame,
                                                 size_t meeting) const {
  const Part &part = parts[meeting];
  if (static_cast<int64_t>(group.size()) != splitCount)
    return invalid(fmt::format("all_to_all: split_count is {}, but the group has {} ranks",
                               splitCount, group.size()));
  return runtime::startAllToAll(frame.context().communicator, group, part.inputBuffer(frame),
                                splitDim, concatDim, frame.at(part.output));
}

Result<StartedMeeting> CollectiveBroadcastThunk::start(Frame &frame, size_t meeting) const {
  runtime::Communicator &communicator = frame.context().communicator;
  if (groups.hasGroup(communicator.rank(), communicator.size()))
    return GroupThunk::start(frame, meeting);
  const Part &part = parts[meeting];
  if (part.type.bytes() > 0)
    std::memset(frame.at(part.output), 0, static_cast<size_t>(part.type.bytes()));
  return StartedMeeting{};
}

Result<PendingCollective> CollectiveBroadcastThunk::startIn(runtime::RankGroup group, Frame &frame,
                                                            size_t meeting) const {
  const Part &part = parts[meeting];
  return runtime::startBroadcast(frame.context().communicator, group, frame.at(part.input),
                                 part.type.bytes(), frame.at(part.output));
}

Result<PendingCollective> RaggedAllToAllThunk::startIn(runtime::RankGroup group, Frame &frame,
                                                       size_t) const {
  const Part &part = parts.front();
  std::byte *output = frame.at(part.output);
  // Before the meeting: the others write their rows into the output from then on. In place there is
  // nothing to copy.
  if (frame.at(initial) != output && part.resultType.bytes() > 0)
    std::memcpy(output, frame.at(initial), static_cast<size_t>(part.resultType.bytes()));
  auto list = [&](BufferId buffer) {
    return std::span<const int64_t>(frame.as<int64_t>(buffer), static_cast<size_t>(numSlices));
  };
  return runtime::startRaggedAllToAll(
      frame.context().communicator, group, part.inputBuffer(frame),
      {list(inputOffsets), list(sendSizes), list(outputOffsets), list(recvSizes)},
      part.resultType.shape[0], output);
}

Result<StartedMeeting> PermuteThunk::start(Frame &frame, size_t) const {
  runtime::Communicator &communicator = frame.context().communicator;
  Result<int64_t> partitions = grid.numPartitions(communicator.size());
  if (!partitions)
    return Error{partitions.error().kind,
                 fmt::format("collective_permute: {}", partitions.error().message)};
  // All ranks map all pairs, also those of others: who sends to this rank is among them.
  std::vector<runtime::RankPair> mapped;
  for (const runtime::RankPair &pair : pairs) {
    auto rankOf = [&](int64_t id) {
      return core::rankOfId(id, strategy, communicator.rank(), *partitions);
    };
    mapped.push_back({rankOf(pair.source), rankOf(pair.target)});
    if (std::max(mapped.back().source, mapped.back().target) >= communicator.size())
      return invalid(fmt::format("collective_permute: the pair ({}, {}) names a rank that is "
                                 "not there: {} ranks run",
                                 pair.source, pair.target, communicator.size()));
  }
  Result<PendingCollective> pending = runtime::startCollectivePermute(
      communicator, mapped, frame.at(input), bytes, frame.at(output));
  if (!pending)
    return pending.error();
  return StartedMeeting{std::move(*pending)};
}

Result<StartedMeeting> ExchangeThunk::start(Frame &frame, size_t) const {
  runtime::Communicator &communicator = frame.context().communicator;
  if (communicator.size() != std::ssize(members))
    return invalid(fmt::format("exchange: its mesh has {} devices, but {} ranks run",
                               members.size(), communicator.size()));
  const Member &own = members[communicator.rank()];
  runtime::InputBuffer from{frame.at(input), type.shape, runtime::byteSize(type.type)};
  Result<PendingCollective> pending = runtime::startExchange(
      communicator, groups[own.group], from, own.sent, {frame.at(output), resultType.shape});
  if (!pending)
    return pending.error();
  return StartedMeeting{std::move(*pending)};
}

Result<uint32_t> IdThunk::idOf(RankNumber of) const {
  Result<int64_t> partitions = grid.numPartitions(of.numRanks);
  if (!partitions)
    return partitions.error();
  return static_cast<uint32_t>(isPartition ? of.rank % *partitions : of.rank / *partitions);
}

Result<void> IdThunk::run(Frame &frame) const {
  runtime::Communicator &communicator = frame.context().communicator;
  Result<uint32_t> id = idOf({communicator.rank(), communicator.size()});
  if (!id)
    return id.error();
  *frame.as<uint32_t>(output) = *id;
  return {};
}

std::optional<std::vector<std::byte>> IdThunk::valueOn(RankNumber rank, BufferId,
                                                       const KnownOperands &) const {
  Result<uint32_t> id = idOf(rank);
  if (!id)
    return std::nullopt;
  std::vector<std::byte> bytes(sizeof(*id));
  std::memcpy(bytes.data(), &*id, sizeof(*id));
  return bytes;
}

} // namespace shardwise::execute
