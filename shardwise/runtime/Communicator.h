// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transport under all collectives. It has two halves.
//
// Messages between two ranks are started and waited for, any number at a time. This half says what
// goes where and leaves to the transport how: threads copy from the sender's memory to the
// receiver's; a network packs, sends and unpacks.
//
// Meetings are for ranks that can read each other's memory. A collective runs in three phases on
// the ranks of a group: every rank publishes its buffers, reads those of the others, and releases
// them. In between it may have further barriers. A rank may publish to further meetings before it
// comes to the first:
//
//     rank 0    publish A   compute   publish B   meet A   release A   meet B   release B
//     rank 1    publish A   publish B   meet A   release A   compute   meet B   release B

#pragma once

#include "shardwise/core/Collective.h"
#include "shardwise/runtime/Reducer.h"
#include "shardwise/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// How the elements of a message lie in memory. Sender and receiver have the same `size`, in
/// elements, and each its own strides, in bytes.
struct MessageBox {
  std::vector<int64_t> size;
  std::vector<int64_t> strides;
  int64_t elementBytes = 1;

  int64_t bytes() const;
};

/// What both ends of a message call it.
struct MessageName {
  /// Who sends it, or who is to receive it.
  Rank peer = 0;
  /// Of what it is a part, "all_gather". For errors; it must outlive the wait.
  std::string_view what;
  /// The same at both ends. Messages of one collective from one rank to another are received in the
  /// order in which they were sent; the number tells if the two do not mean the same one.
  int64_t number = 0;
  /// Digest of what else both ends must agree in.
  uint64_t parameters = 0;
  /// The collective of the two ranks that it is a part of, as `beginMessages` numbers them, 1 to
  /// kMostInFlight; 0 of messages in none. What is in flight of one collective never meets what is
  /// of another.
  int64_t collective = 0;
};

/// A message that has been started.
enum class PendingMessage : int64_t {};

/// A meeting that this rank has published to.
enum class PendingMeeting : int64_t {};

/// Collectives that one rank may have in flight.
inline constexpr int64_t kMostInFlight = 16;

/// One rank's connection to the others. Used by that rank's thread only.
///
/// Contract:
/// - All ranks of a group call publish, meet, any number of barriers, and release, in one order
///   with the same group. publish does not block; the others block until every rank of the group
///   has made the call before: meet until all have published, barrier and release until all have
///   come there too.
/// - Groups may overlap, and up to kMostInFlight meetings may be open. Two ranks publish to the
///   meetings that both belong to in one order, and release them in one, which may be another.
///   (Of all ranks there must be such orders: what A, B and C wait for must not be a circle.)
/// - From publish to release the published memory stays valid and as it is, and may be read by the
///   group. Parts written after meet may be read after the next barrier. After release it is the
///   rank's own.
/// - Every wait ends after the timeout of the communicator, counted from its own begin: the rank
///   fails with `Timeout`, naming the ranks that are missing and what they are doing.
/// - A rank that fails, or whose function returns an error, stops all ranks: their waits end with
///   an error at once, as do all later calls. Before a failing call returns, no peer reads this
///   rank's memory any more, of no meeting, so it may be freed.
/// - A rank that has ended cannot be met any more: waiting for it fails at once.
///
/// Of messages:
/// - startSend and startReceive do not block. From startSend until its wait has returned nobody
///   writes to the memory that is sent, from startReceive on nobody else touches what is to be
///   written.
/// - wait returns when the message has arrived, or when nobody reads the memory any more. Messages
///   may be waited for in any order but that of one sender to one receiver in one collective; sends
///   that the peer has not received yet do not end before it waits for them.
/// - Both ends must agree in number and size: the receiver fails if they do not.
/// - Every message that was started must be waited for, unless a call failed: that ends them all.
class Communicator {
public:
  virtual ~Communicator() = default;

  virtual Rank rank() const = 0;
  virtual int64_t size() const = 0;

  /// Whether the ranks of `group` can read each other's memory, and so may meet. The same on all of
  /// them. Groups that cannot have messages only.
  virtual bool canMeet(RankGroup group) const = 0;
  /// Shows `own` to `group`. Fails if the group does not hold this rank exactly once.
  virtual Result<PendingMeeting> publish(RankGroup group, const Publication &own) = 0;
  /// Returns what all of the group show, in group order; valid until release. Fails if publications
  /// disagree in kind, size or parameters.
  virtual Result<std::span<const Publication>> meet(PendingMeeting meeting) = 0;
  /// Waits for the group between meet and release.
  virtual Result<void> barrier(PendingMeeting meeting) = 0;
  /// Ends what publish began.
  virtual Result<void> release(PendingMeeting meeting) = 0;

  /// Begins a collective of `group` that is made of messages. Returns the number of the collective
  /// for the messages with each of the group, in group order: of 1 to kMostInFlight one that no
  /// other collective in flight between the two has, the same at both ends; 0 for this rank. Two
  /// ranks begin the collectives that both belong to in one order, and end them in one, which may
  /// be another. At most kMostInFlight are in flight.
  virtual Result<std::vector<int64_t>> beginMessages(RankGroup group) = 0;
  /// All messages of the collective of `group` that has these numbers have been waited for.
  virtual void endMessages(RankGroup group, std::span<const int64_t> numbers) = 0;

  /// Starts to send the elements of `box` at `data`.
  virtual Result<PendingMessage> startSend(const MessageName &name, const std::byte *data,
                                           MessageBox box) = 0;
  /// Starts to receive elements to `box` at `data`; with `combine`, which must outlive the wait,
  /// they are folded into what is there. Folds happen within `wait`, so in the order of waits.
  virtual Result<PendingMessage> startReceive(const MessageName &name, std::byte *data,
                                              MessageBox box, const Reducer *combine = nullptr) = 0;
  /// Waits for a message, and forgets it.
  virtual Result<void> wait(PendingMessage message) = 0;

  /// Gives up what is in flight, as a call that fails does: stops all ranks, and returns when
  /// nobody reads this rank's memory any more. `what` is left open: if the function of the rank
  /// returns success all the same, that is its error.
  virtual void abandon(const std::string &what) = 0;
};

} // namespace shardwise::runtime
