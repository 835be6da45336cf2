// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ragged_all_to_all: every rank shows its rows and its lists, and copies the slices that its peers
// send it. What a peer sends and what the rank expects are compared slice by slice: programs say
// both, and a program in which they differ has no meaning.
//
// The lists have s slices for each of g ranks, by receiver (of recv_sizes: by sender):
//
//     slice number    0 .. s-1        s .. 2s-1       ...     of the sender's lists
//     goes to         position 0      position 1      ...
//
// So what position p gets from position q are the slices p*s .. p*s + s-1 of q's lists, and their
// sizes must be the numbers q*s .. q*s + s-1 of p's recv_sizes. Example of 2 ranks with 1 slice
// each:
//
//     rank 0 [1, 2, 2]    sends row 0 to row 0 of rank 0, rows 1-2 to rows 0-1 of rank 1
//     rank 1 [3, 4, 0]    sends row 0 to row 1 of rank 0, row 1 to row 2 of rank 1
//     outputs             [1, 3], [2, 2, 4]

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/MessageCollectives.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <vector>

namespace shardwise::runtime {
namespace {

/// Numbers of what a rank shows.
enum Shown : size_t { Rows, InputOffsets, SendSizes, OutputOffsets };

std::span<const int64_t> listOf(const Publication &peer, Shown which, size_t count) {
  return {reinterpret_cast<const int64_t *>(peer.tensor(which).input), count};
}

/// Whether rows [start, start + size) are rows of a buffer of `numRows`. Offsets are data of the
/// program, any numbers: nothing is added before it is known to fit.
bool isInside(int64_t start, int64_t size, int64_t numRows) {
  return start >= 0 && size >= 0 && size <= numRows && start <= numRows - size;
}

/// One slice as its sender has it.
struct Slice {
  int64_t size = 0, from = 0, to = 0;
};

/// One ragged_all_to_all on one rank.
struct RaggedExchange {
  Communicator &communicator;
  RankGroup group;
  const InputBuffer &input;
  const RaggedSlices &slices;
  int64_t outputRows;
  std::byte *output;

  int64_t position() const { return positionOf(communicator.rank(), group); }
  int64_t perRank() const { return std::ssize(slices.inputOffsets) / std::ssize(group); }
  int64_t rowBytes() const { return product(input.shape.subspan(1)) * input.elementBytes; }

  Slice sentSlice(int64_t number) const {
    return {slices.sendSizes[number], slices.inputOffsets[number], slices.outputOffsets[number]};
  }
  bool isThere(const Slice &slice) const {
    return isInside(slice.from, slice.size, input.shape[0]) &&
           isInside(slice.to, slice.size, outputRows);
  }
  std::optional<Error> check(int64_t peer, const Slice &slice, int64_t expected) const;
  void count(int64_t peer, int64_t received, Traffic &traffic) const {
    if (peer == position() || received == 0)
      return;
    traffic.receivedBytes += received;
    ++traffic.messages;
  }
  Result<void> checkHeard(const std::vector<std::vector<Slice>> &heard) const;
  Result<std::vector<std::vector<Slice>>> tellSlices() const;
  Result<Traffic> meet(const Publication &own) const;
  Result<Traffic> sendMessages() const;
};

/// Says what is wrong with a slice that the rank at position `peer` sends to this one.
std::optional<Error> RaggedExchange::check(int64_t peer, const Slice &slice,
                                           int64_t expected) const {
  if (slice.size != expected)
    return invalid(fmt::format("ragged_all_to_all: rank {} sends {} rows to rank {}, which "
                               "expects {} by its recv_sizes",
                               group[peer], slice.size, communicator.rank(), expected));
  if (isThere(slice))
    return std::nullopt;
  return invalid(fmt::format(
      "ragged_all_to_all: rank {} sends rows [{}, {} + {}) of {} to rows [{}, {} + {}) of "
      "{} on rank {}; expected rows that are there",
      group[peer], slice.from, slice.from, slice.size, input.shape[0], slice.to, slice.to,
      slice.size, outputRows, communicator.rank()));
}

Result<Traffic> RaggedExchange::meet(const Publication &own) const {
  Result<std::span<const Publication>> peers = communicator.publish(group, own);
  if (!peers)
    return peers.error();
  auto count = slices.inputOffsets.size();
  Traffic traffic;
  // Peers may still read what this rank shows, so it leaves together with them, wrong or not.
  std::optional<Error> wrong;
  // In group order: where slices overlap, the last stands.
  for (int64_t peer = 0; peer < std::ssize(group) && !wrong; ++peer) {
    const Publication &sender = (*peers)[peer];
    int64_t received = 0;
    for (int64_t i = 0; i < perRank() && !wrong; ++i) {
      int64_t sent = position() * perRank() + i;
      Slice slice{listOf(sender, SendSizes, count)[sent], listOf(sender, InputOffsets, count)[sent],
                  listOf(sender, OutputOffsets, count)[sent]};
      wrong = check(peer, slice, slices.recvSizes[peer * perRank() + i]);
      if (!wrong && slice.size * rowBytes() > 0)
        std::memcpy(output + slice.to * rowBytes(),
                    sender.tensor(Rows).input + slice.from * rowBytes(),
                    static_cast<size_t>(slice.size * rowBytes()));
      received += slice.size * rowBytes();
    }
    this->count(peer, received, traffic);
  }
  Result<void> released = communicator.release(group);
  if (wrong)
    return *wrong;
  if (!released)
    return released.error();
  return traffic;
}

/// Tells every rank what this one sends it. Returns what the others send, by sender.
Result<std::vector<std::vector<Slice>>> RaggedExchange::tellSlices() const {
  std::vector<std::vector<int64_t>> told(group.size());
  for (int64_t i = 0; i < std::ssize(slices.inputOffsets); ++i) {
    Slice slice = sentSlice(i);
    std::vector<int64_t> &numbers = told[i / perRank()];
    numbers.insert(numbers.end(), {slice.size, slice.from, slice.to});
  }
  Result<std::vector<std::vector<int64_t>>> numbers =
      messages::exchangeNumbers(communicator, group, CollectiveKind::RaggedAllToAll, 0, told,
                                std::vector<int64_t>(group.size(), 3 * perRank()));
  if (!numbers)
    return numbers.error();
  std::vector<std::vector<Slice>> heard(group.size());
  for (size_t peer = 0; peer < group.size(); ++peer)
    for (int64_t i = 0; i < perRank(); ++i) {
      const int64_t *slice = (*numbers)[peer].data() + 3 * i;
      heard[peer].push_back({slice[0], slice[1], slice[2]});
    }
  return heard;
}

Result<void> RaggedExchange::checkHeard(const std::vector<std::vector<Slice>> &heard) const {
  for (int64_t peer = 0; peer < std::ssize(heard); ++peer)
    for (int64_t i = 0; i < perRank(); ++i)
      if (auto wrong = check(peer, heard[peer][i], slices.recvSizes[peer * perRank() + i]))
        return *wrong;
  return {};
}

/// In two rounds: first what the slices are, then their rows. Only the sender knows where its rows
/// go, and a receive names its place when it is started. Both ends start the messages between them
/// in the order of the slices, without those that are empty.
Result<Traffic> RaggedExchange::sendMessages() const {
  Result<std::vector<std::vector<Slice>>> heard = tellSlices();
  if (!heard)
    return heard.error();
  // Before any message is started: a rank that returns an error of its own must not have rows on
  // offer that a peer may still read.
  if (Result<void> checked = checkHeard(*heard); !checked)
    return checked.error();
  MessageRound round(communicator, CollectiveKind::RaggedAllToAll, 1);
  for (int64_t i = 0; i < std::ssize(slices.inputOffsets); ++i) {
    // Rows that are not there cannot be offered: the receiver, who knows the slice, refuses it.
    Slice slice = sentSlice(i);
    Rank peer = group[i / perRank()];
    if (peer != communicator.rank() && slice.size > 0 && isThere(slice))
      if (Result<void> sent = round.send(peer, input.data + slice.from * rowBytes(),
                                         denseRun(slice.size * rowBytes(), 1));
          !sent)
        return sent.error();
  }
  Traffic traffic;
  for (int64_t peer = 0; peer < std::ssize(group); ++peer) {
    int64_t received = 0;
    for (const Slice &slice : (*heard)[peer]) {
      received += slice.size * rowBytes();
      if (peer != position() && slice.size > 0)
        if (Result<void> started = round.receive(group[peer], output + slice.to * rowBytes(),
                                                 denseRun(slice.size * rowBytes(), 1));
            !started)
          return started.error();
    }
    count(peer, received, traffic);
  }
  for (const Slice &slice : (*heard)[position()])
    if (slice.size * rowBytes() > 0)
      std::memcpy(output + slice.to * rowBytes(), input.data + slice.from * rowBytes(),
                  static_cast<size_t>(slice.size * rowBytes()));
  if (Result<void> done = round.finish(); !done)
    return done.error();
  return traffic;
}

} // namespace

Result<Traffic> raggedAllToAll(Communicator &communicator, RankGroup group,
                               const InputBuffer &input, const RaggedSlices &slices,
                               int64_t outputRows, std::byte *output) {
  auto numRanks = static_cast<int64_t>(group.size());
  auto numSlices = std::ssize(slices.inputOffsets);
  if (Result<void> checked = checkDim(CollectiveKind::RaggedAllToAll, input, 0); !checked)
    return checked.error();
  if (numSlices % numRanks != 0)
    return invalid(fmt::format("ragged_all_to_all: lists of {} slices in a group of {} ranks; "
                               "expected as many for each",
                               numSlices, numRanks));
  const PublishedTensor shown[] = {
      {input.data},
      {reinterpret_cast<const std::byte *>(slices.inputOffsets.data())},
      {reinterpret_cast<const std::byte *>(slices.sendSizes.data())},
      {reinterpret_cast<const std::byte *>(slices.outputOffsets.data())}};
  Publication own;
  own.collective = CollectiveKind::RaggedAllToAll;
  own.tensors = shown;
  own.inputBytes = byteSize(input);
  own.parameters = digest(input.shape, {numSlices, outputRows, input.elementBytes});
  RaggedExchange exchange{communicator, group, input, slices, outputRows, output};
  return communicator.canMeet(group) ? exchange.meet(own) : exchange.sendMessages();
}

} // namespace shardwise::runtime
