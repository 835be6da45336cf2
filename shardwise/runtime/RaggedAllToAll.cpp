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
#include "shardwise/runtime/RunningCollective.h"

#include <fmt/format.h>

#include <array>
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

class RaggedExchange final : public RunningCollective {
public:
  RaggedExchange(Communicator &communicator, RankGroup group, const InputBuffer &given,
                 const RaggedSlices &slices, int64_t outputRows, std::byte *output)
      : RunningCollective(communicator, CollectiveKind::RaggedAllToAll, group),
        shape(given.shape.begin(), given.shape.end()), input{given.data, shape, given.elementBytes},
        slices(slices), outputRows(outputRows), output(output),
        shownTensors{PublishedTensor{input.data}, shownList(slices.inputOffsets),
                     shownList(slices.sendSizes), shownList(slices.outputOffsets)} {}

private:
  static PublishedTensor shownList(std::span<const int64_t> list) {
    return {reinterpret_cast<const std::byte *>(list.data())};
  }
  int64_t numSlices() const { return std::ssize(slices.inputOffsets); }
  int64_t perRank() const { return numSlices() / numRanks(); }
  int64_t rowBytes() const { return product(input.shape.subspan(1)) * input.elementBytes; }

  Slice sentSlice(int64_t number) const {
    return {slices.sendSizes[number], slices.inputOffsets[number], slices.outputOffsets[number]};
  }
  bool isThere(const Slice &slice) const {
    return isInside(slice.from, slice.size, input.shape[0]) &&
           isInside(slice.to, slice.size, outputRows);
  }
  std::optional<Error> checkSlice(int64_t peer, const Slice &slice, int64_t expected) const;
  void count(int64_t peer, int64_t received) {
    if (peer == position() || received == 0)
      return;
    traffic.receivedBytes += received;
    ++traffic.messages;
  }

  Result<void> check() override;
  Publication shown() override;
  Result<void> read(std::span<const Publication> peers) override;
  Result<void> startMessages() override;
  Result<void> finishMessages() override;
  Result<std::vector<std::vector<Slice>>> hearSlices();
  Result<void> checkHeard(const std::vector<std::vector<Slice>> &heard) const;
  Result<void> sendRows(MessageRound &round) const;
  Result<void> receiveRows(MessageRound &round, const std::vector<std::vector<Slice>> &heard);

  std::vector<int64_t> shape;
  InputBuffer input;
  RaggedSlices slices;
  int64_t outputRows;
  std::byte *output;
  std::array<PublishedTensor, 4> shownTensors;
  std::optional<messages::NumberRound> told;
};

Result<void> RaggedExchange::check() {
  if (Result<void> checked = checkDim(kind, input, 0); !checked)
    return checked;
  // No group at all is refused later.
  if (!group.empty() && numSlices() % numRanks() != 0)
    return invalid(fmt::format("ragged_all_to_all: lists of {} slices in a group of {} ranks; "
                               "expected as many for each",
                               numSlices(), numRanks()));
  return {};
}

Publication RaggedExchange::shown() {
  Publication own;
  own.tensors = shownTensors;
  own.inputBytes = byteSize(input);
  own.parameters = digest(input.shape, {numSlices(), outputRows, input.elementBytes});
  return own;
}

/// Says what is wrong with a slice that the rank at position `peer` sends to this one.
std::optional<Error> RaggedExchange::checkSlice(int64_t peer, const Slice &slice,
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

Result<void> RaggedExchange::read(std::span<const Publication> peers) {
  auto listSize = static_cast<size_t>(numSlices());
  // In group order: where slices overlap, the last stands.
  for (int64_t peer = 0; peer < numRanks() && !complaint; ++peer) {
    const Publication &sender = peers[peer];
    int64_t received = 0;
    for (int64_t i = 0; i < perRank() && !complaint; ++i) {
      int64_t sent = position() * perRank() + i;
      Slice slice{listOf(sender, SendSizes, listSize)[sent],
                  listOf(sender, InputOffsets, listSize)[sent],
                  listOf(sender, OutputOffsets, listSize)[sent]};
      complaint = checkSlice(peer, slice, slices.recvSizes[peer * perRank() + i]);
      if (!complaint && slice.size * rowBytes() > 0)
        std::memcpy(output + slice.to * rowBytes(),
                    sender.tensor(Rows).input + slice.from * rowBytes(),
                    static_cast<size_t>(slice.size * rowBytes()));
      received += slice.size * rowBytes();
    }
    count(peer, received);
  }
  return {};
}

/// In two rounds: first what the slices are, then their rows. Only the sender knows where its rows
/// go, and a receive names its place when it is started. Both ends start the messages between them
/// in the order of the slices, without those that are empty.
Result<void> RaggedExchange::startMessages() {
  std::vector<std::vector<int64_t>> own(group.size());
  for (int64_t i = 0; i < numSlices(); ++i) {
    Slice slice = sentSlice(i);
    std::vector<int64_t> &numbers = own[i / perRank()];
    numbers.insert(numbers.end(), {slice.size, slice.from, slice.to});
  }
  told.emplace(messageGroup(), 0);
  return told->start(std::move(own), std::vector<int64_t>(group.size(), 3 * perRank()));
}

/// Returns what the ranks send, by sender.
Result<std::vector<std::vector<Slice>>> RaggedExchange::hearSlices() {
  Result<std::vector<std::vector<int64_t>>> numbers = told->finish();
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
      if (auto wrong = checkSlice(peer, heard[peer][i], slices.recvSizes[peer * perRank() + i]))
        return *wrong;
  return {};
}

Result<void> RaggedExchange::sendRows(MessageRound &round) const {
  for (int64_t i = 0; i < numSlices(); ++i) {
    // Rows that are not there cannot be offered: the receiver, who knows the slice, refuses it.
    Slice slice = sentSlice(i);
    int64_t peer = i / perRank();
    if (peer != position() && slice.size > 0 && isThere(slice))
      if (Result<void> sent = round.send(peer, input.data + slice.from * rowBytes(),
                                         denseRun(slice.size * rowBytes(), 1));
          !sent)
        return sent;
  }
  return {};
}

Result<void> RaggedExchange::receiveRows(MessageRound &round,
                                         const std::vector<std::vector<Slice>> &heard) {
  for (int64_t peer = 0; peer < numRanks(); ++peer) {
    int64_t received = 0;
    for (const Slice &slice : heard[peer]) {
      received += slice.size * rowBytes();
      if (peer != position() && slice.size > 0)
        if (Result<void> started = round.receive(peer, output + slice.to * rowBytes(),
                                                 denseRun(slice.size * rowBytes(), 1));
            !started)
          return started;
    }
    count(peer, received);
  }
  return {};
}

Result<void> RaggedExchange::finishMessages() {
  Result<std::vector<std::vector<Slice>>> heard = hearSlices();
  if (!heard)
    return heard.error();
  // Before any message is started: a rank that returns an error of its own must not have rows on
  // offer that a peer may still read.
  if (Result<void> checked = checkHeard(*heard); !checked)
    return checked;
  MessageRound round(messageGroup(), 1);
  if (Result<void> sent = sendRows(round); !sent)
    return sent;
  if (Result<void> started = receiveRows(round, *heard); !started)
    return started;
  for (const Slice &slice : (*heard)[position()])
    if (slice.size * rowBytes() > 0)
      std::memcpy(output + slice.to * rowBytes(), input.data + slice.from * rowBytes(),
                  static_cast<size_t>(slice.size * rowBytes()));
  return round.finish();
}

} // namespace

Result<Traffic> raggedAllToAll(Communicator &communicator, RankGroup group,
                               const InputBuffer &input, const RaggedSlices &slices,
                               int64_t outputRows, std::byte *output) {
  RaggedExchange collective(communicator, group, input, slices, outputRows, output);
  return runNow(collective);
}

Result<PendingCollective> startRaggedAllToAll(Communicator &communicator, RankGroup group,
                                              const InputBuffer &input, const RaggedSlices &slices,
                                              int64_t outputRows, std::byte *output) {
  return startRunning(
      std::make_unique<RaggedExchange>(communicator, group, input, slices, outputRows, output));
}

} // namespace shardwise::runtime
