// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the layer's tests: problems from text, the buffers of their devices, and what must be in
// them.

#pragma once

#include "shardwise/core/Text.h"
#include "shardwise/planner/model/PlanText.h"
#include "shardwise/resharding/PlannedReshard.h"
#include "shardwise/runtime/LocalCommunicator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace shardwise::resharding::testing {

/// Returns the problem written as `8x8xf32 <["x"=4]> [{"x"}, {}] -> [{}, {"x"}]`.
inline planner::ReshardProblem problemOf(std::string_view text) {
  Result<planner::WrittenProblem> written = planner::parseProblem(text);
  EXPECT_TRUE(written.ok()) << text << ": " << (written.ok() ? "" : written.error().message);
  Result<planner::ReshardProblem> problem =
      written.ok() ? planner::resolve(*written) : Result<planner::ReshardProblem>(written.error());
  EXPECT_TRUE(problem.ok()) << text << ": " << (problem.ok() ? "" : problem.error().message);
  return problem.ok() ? *problem : planner::ReshardProblem();
}

inline std::string describe(const planner::ReshardProblem &problem) {
  const core::Mesh &targetMesh = planner::targetMeshOf(problem);
  return fmt::format("{}x{}B <{}> {} -> {}{}", fmt::join(problem.shape, "x"), problem.elementBytes,
                     core::toString(problem.mesh), core::toString(problem.source, problem.mesh),
                     problem.targetMesh ? "<" + core::toString(targetMesh) + "> " : "",
                     core::toString(problem.target, targetMesh));
}

/// Calls `visit(index, offset)` for every global index of the box, with its byte offset in the
/// buffer.
template <class Visit> void forEachElement(const ShardPlace &place, Visit visit) {
  std::vector<int64_t> index = place.box.start;
  for (int64_t i = 0; i < place.box.numElements(); ++i) {
    visit(index, place.offsetOf(index));
    for (size_t dim = index.size(); dim-- > 0;) {
      if (++index[dim] < place.box.start[dim] + place.box.size[dim])
        break;
      index[dim] = place.box.start[dim];
    }
  }
}

/// The row-major number of a global index.
inline int64_t numberOf(const std::vector<int64_t> &index, const core::Shape &shape) {
  int64_t number = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    number = number * shape[dim] + index[dim];
  return number;
}

/// Byte number `byte` of element `number`, as devices with partial value `partial` hold it.
inline std::byte byteOf(int64_t number, int64_t byte, int64_t partial) {
  uint64_t value = static_cast<uint64_t>(number) * 0x9e3779b97f4a7c15U;
  value += static_cast<uint64_t>(byte) * 0xbf58476d1ce4e5b9U;
  value += static_cast<uint64_t>(partial) * 0x94d049bb133111ebU;
  return static_cast<std::byte>(value >> 56);
}

/// The buffers of all devices of a state, by position.
struct DeviceBuffers {
  std::vector<std::vector<std::byte>> bytes;

  /// Buffers of garbage.
  DeviceBuffers(const ShardState &state, int64_t elementBytes) {
    for (const ShardPlace &place : state)
      bytes.emplace_back(place.bytes(elementBytes), std::byte{0xCD});
  }

  std::vector<const std::byte *> readable() const {
    std::vector<const std::byte *> result;
    for (const std::vector<std::byte> &buffer : bytes)
      result.push_back(buffer.data());
    return result;
  }
  std::vector<std::byte *> writable() {
    std::vector<std::byte *> result;
    for (std::vector<std::byte> &buffer : bytes)
      result.push_back(buffer.data());
    return result;
  }
};

/// Returns the source buffers, with bytes that differ for every element and partial value.
inline DeviceBuffers sourceBuffers(const PlannedReshard &planned) {
  int64_t elementBytes = planned.problem().elementBytes;
  DeviceBuffers buffers(planned.source(), elementBytes);
  for (size_t position = 0; position < buffers.bytes.size(); ++position) {
    const ShardPlace &place = planned.source()[position];
    forEachElement(place, [&](const std::vector<int64_t> &index, int64_t offset) {
      int64_t number = numberOf(index, planned.problem().shape);
      for (int64_t byte = 0; byte < elementBytes; ++byte)
        buffers.bytes[position][offset + byte] = byteOf(number, byte, place.partial);
    });
  }
  return buffers;
}

/// Returns a text that says where `buffers` are wrong, empty if nowhere. Of values that are only
/// moved; what is behind a box must be as it was.
inline std::string differenceOf(const PlannedReshard &planned, const DeviceBuffers &buffers) {
  int64_t elementBytes = planned.problem().elementBytes;
  DeviceBuffers expected(planned.target(), elementBytes);
  for (size_t position = 0; position < expected.bytes.size(); ++position) {
    const ShardPlace &place = planned.target()[position];
    forEachElement(place, [&](const std::vector<int64_t> &index, int64_t offset) {
      int64_t number = numberOf(index, planned.problem().shape);
      for (int64_t byte = 0; byte < elementBytes; ++byte)
        expected.bytes[position][offset + byte] = byteOf(number, byte, place.partial);
    });
    if (buffers.bytes[position] != expected.bytes[position])
      return fmt::format("the device at position {} holds something else", position);
  }
  return "";
}

/// Sums of I32 that are to be reduced: `planned` on I32 elements.
inline std::string differenceOfSums(const PlannedReshard &planned, const DeviceBuffers &sources,
                                    const DeviceBuffers &targets) {
  // What each element adds up to, for each partial value that stays: of the devices that hold it,
  // those with one coordinate along what stays, each coordinate along what is reduced once.
  const planner::ReshardProblem &problem = planned.problem();
  core::AxisList pending = planner::pendingAxes(problem);
  int64_t numPending = core::shardedSize(pending);
  core::AxisList kept = core::setDifference(problem.source.unreduced, pending);
  int64_t numKept = core::shardedSize(kept);
  int64_t numElements = core::numElements(problem.shape);
  std::vector<int32_t> sums(numElements * numKept, 0);
  std::vector<bool> seen(numElements * numKept * numPending, false);
  for (size_t position = 0; position < sources.bytes.size(); ++position) {
    auto at = static_cast<int64_t>(position);
    int64_t summand = core::coordinateAlong(pending, problem.mesh, at);
    int64_t stays = core::coordinateAlong(kept, problem.mesh, at);
    forEachElement(planned.source()[position], [&](const std::vector<int64_t> &index,
                                                   int64_t offset) {
      int64_t number = numberOf(index, problem.shape) * numKept + stays;
      if (seen[number * numPending + summand])
        return;
      seen[number * numPending + summand] = true;
      int32_t value = 0;
      std::memcpy(&value, sources.bytes[position].data() + offset, 4);
      sums[number] =
          static_cast<int32_t>(static_cast<uint32_t>(sums[number]) + static_cast<uint32_t>(value));
    });
  }
  const core::Mesh &targetMesh = planner::targetMeshOf(problem);
  std::string wrong;
  for (size_t position = 0; position < targets.bytes.size(); ++position) {
    int64_t stays =
        numKept == 1 ? 0 : core::coordinateAlong(kept, targetMesh, static_cast<int64_t>(position));
    forEachElement(planned.target()[position],
                   [&](const std::vector<int64_t> &index, int64_t offset) {
                     int32_t value = 0;
                     std::memcpy(&value, targets.bytes[position].data() + offset, 4);
                     if (value != sums[numberOf(index, problem.shape) * numKept + stays])
                       wrong = fmt::format("position {} has a wrong sum", position);
                   });
  }
  return wrong;
}

/// Executes on as many ranks as `rankOf` names, and returns the traffic of all together.
inline Result<ReshardTraffic> executeOnRanks(const PlannedReshard &planned,
                                             const DeviceBuffers &sources, DeviceBuffers &targets,
                                             int64_t numRanks, const RankOfDevice &rankOf) {
  std::vector<ReshardTraffic> traffic(numRanks);
  Result<void> done = runtime::runRanks(
      numRanks, std::chrono::seconds(30), [&](runtime::Communicator &communicator) -> Result<void> {
        auto from = sources.readable();
        auto to = targets.writable();
        for (size_t position = 0; position < from.size(); ++position)
          if (rankOf(planned.source()[position].device) != communicator.rank())
            from[position] = nullptr;
        for (size_t position = 0; position < to.size(); ++position)
          if (rankOf(planned.target()[position].device) != communicator.rank())
            to[position] = nullptr;
        Result<ReshardTraffic> own = planned.execute(communicator, from, to, rankOf);
        if (!own)
          return own.error();
        traffic[communicator.rank()] = std::move(*own);
        return {};
      });
  if (!done)
    return done.error();
  ReshardTraffic sum = traffic.front();
  for (size_t rank = 1; rank < traffic.size(); ++rank) {
    sum.writtenBytes += traffic[rank].writtenBytes;
    sum.scratchBytes += traffic[rank].scratchBytes;
    for (size_t step = 0; step < sum.receivedBytes.size(); ++step)
      for (size_t position = 0; position < sum.receivedBytes[step].size(); ++position)
        sum.receivedBytes[step][position] += traffic[rank].receivedBytes[step][position];
  }
  return sum;
}

} // namespace shardwise::resharding::testing
