// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transport under all collectives: ranks that show each other buffers.
//
// A collective runs in three phases on the ranks of a group: every rank publishes its buffers,
// reads those of the others, and releases them. In between it may have further barriers.

#pragma once

#include "shardwise/core/Collective.h"
#include "shardwise/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardwise::runtime {

using core::CollectiveKind;

/// Number of a running rank, 0..size-1.
using Rank = int64_t;

/// Ranks of one collective in group order; the order is that of concatenation and reduction.
/// Ranks that meet must pass the same list in the same order.
using RankGroup = std::span<const Rank>;

/// The memory of one tensor of a collective.
struct PublishedTensor {
  /// Input, read by the peers.
  const std::byte *input = nullptr;
  /// Output, where peers read finished parts; null if they do not.
  const std::byte *output = nullptr;
};

/// What a rank shows to its group for the time of one collective.
struct Publication : PublishedTensor {
  CollectiveKind collective = CollectiveKind::AllGather;
  /// Of the inputs of all tensors.
  int64_t inputBytes = 0;
  /// All tensors, of a collective of several; empty if `input` and `output` are the only one.
  std::span<const PublishedTensor> tensors;
  /// Digest of the parameters that must agree on all ranks.
  uint64_t parameters = 0;

  const PublishedTensor &tensor(size_t number) const {
    return tensors.empty() ? *this : tensors[number];
  }
};

/// One rank's connection to the others. Used by that rank's thread only.
///
/// Contract:
/// - All ranks of a group call publish, any number of barriers, and release, in the same order with
///   the same group. Groups may overlap; a rank is in one collective at a time.
/// - publish, barrier and release block until every rank of the group has made the same call.
/// - From publish to release the published memory stays valid and may be read by the group. Parts
///   written after publish may be read after the next barrier. After release it is the rank's own.
/// - Every wait ends after the timeout of the communicator: the rank fails with `Timeout`, naming
///   the ranks that are missing and what they are doing.
/// - A rank that fails, or whose function returns an error, stops all ranks: their waits end with
///   an error at once, as do all later calls. Before a failing call returns, no peer reads this
///   rank's memory any more, so it may be freed.
/// - A rank that has ended cannot be met any more: waiting for it fails at once.
class Communicator {
public:
  virtual ~Communicator() = default;

  virtual Rank rank() const = 0;
  virtual int64_t size() const = 0;

  /// Shows `own` to `group` and returns what all of the group show, in group order; valid until
  /// release. Fails if the group does not hold this rank exactly once or if publications disagree
  /// in kind, size or parameters.
  virtual Result<std::span<const Publication>> publish(RankGroup group, const Publication &own) = 0;
  /// Waits for the group between publish and release.
  virtual Result<void> barrier(RankGroup group) = 0;
  /// Ends what publish began.
  virtual Result<void> release(RankGroup group) = 0;
};

} // namespace shardwise::runtime
