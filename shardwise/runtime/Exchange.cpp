// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exchange: a rank shows its buffer and the list of its boxes, and takes from the others' buffers
// what their lists say is for it.
//
// What is shown is two tensors: the input, and a list of numbers,
//   number of boxes, shape of the input, then for each box: target, from, to, size.
//
// Example: ranks 0 and 1 with inputs of 3 and 1 elements, outputs of 2; [0 1 2] and [9]:
//   list of 0:  2 | 3 | 0, 0, 0, 1 | 1, 1, 1, 1      element 0 stays, 1 goes to 1
//   list of 1:  2 | 1 | 0, 0, 1, 1 | 1, 0, 0, 1      9 goes to 0, and stays
//   outputs:    [0 9], [9 1]

#include "shardwise/runtime/Exchange.h"

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/MessageCollectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cassert>

namespace shardwise::runtime {

void SentBoxes::add(int64_t target, std::span<const int64_t> from, std::span<const int64_t> to,
                    std::span<const int64_t> size) {
  numbers.push_back(target);
  for (std::span<const int64_t> part : {from, to, size}) {
    assert(static_cast<int64_t>(part.size()) == numDims && "a number for each dimension");
    numbers.insert(numbers.end(), part.begin(), part.end());
  }
  ++numBoxes;
}

namespace {

/// A box of a list.
struct SentBox {
  int64_t target;
  std::span<const int64_t> from, to, size;
};

/// What a rank shows.
class ShownList {
public:
  ShownList(const std::byte *numbers, size_t numDims)
      : numbers(reinterpret_cast<const int64_t *>(numbers)), numDims(numDims) {}

  int64_t count() const { return numbers[0]; }
  std::span<const int64_t> inputShape() const { return {numbers + 1, numDims}; }
  SentBox box(int64_t index) const {
    const int64_t *at = numbers + 1 + numDims + static_cast<size_t>(index) * (1 + 3 * numDims);
    return {at[0], {at + 1, numDims}, {at + 1 + numDims, numDims}, {at + 1 + 2 * numDims, numDims}};
  }

  /// Returns the list of boxes of an input of `shape`.
  static std::vector<int64_t> of(const SentBoxes &sent, std::span<const int64_t> shape) {
    std::vector<int64_t> numbers = {sent.count()};
    numbers.insert(numbers.end(), shape.begin(), shape.end());
    numbers.insert(numbers.end(), sent.list().begin(), sent.list().end());
    return numbers;
  }

private:
  const int64_t *numbers;
  size_t numDims;
};

bool isInside(std::span<const int64_t> start, std::span<const int64_t> size,
              std::span<const int64_t> shape) {
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (size[dim] < 0 || start[dim] < 0 || start[dim] > shape[dim] - size[dim])
      return false;
  return true;
}

/// Checks the own boxes before anybody sees them. Where they go is checked by who gets them, as
/// only that rank knows the shape of its output.
Result<void> checkSent(const ShownList &own, size_t groupSize) {
  for (int64_t index = 0; index < own.count(); ++index) {
    SentBox box = own.box(index);
    if (box.target < 0 || box.target >= static_cast<int64_t>(groupSize)) {
      return invalid(fmt::format("exchange sends to position {} of a group of {}; expected 0 to {}",
                                 box.target, groupSize, groupSize - 1));
    }
    if (!isInside(box.from, box.size, own.inputShape())) {
      return invalid(fmt::format("exchange sends a box of {} at {}, which is not in an input of {}",
                                 box.size, box.from, own.inputShape()));
    }
  }
  return {};
}

Result<void> checkReceived(int64_t source, std::span<const int64_t> to,
                           std::span<const int64_t> size, const OutputBuffer &output) {
  if (isInside(to, size, output.shape))
    return {};
  return invalid(
      fmt::format("exchange: position {} sends a box of {} to {}, which is not in an output of {}",
                  source, size, to, output.shape));
}

/// Takes from the input of the peer at position `source` what it sends to `position`.
Result<void> receive(const Publication &peer, int64_t source, int64_t position,
                     int64_t elementBytes, const OutputBuffer &output, Traffic &traffic) {
  ShownList list(peer.tensor(1).input, output.shape.size());
  bool isMessage = false;
  for (int64_t index = 0; index < list.count(); ++index) {
    SentBox box = list.box(index);
    if (box.target != position)
      continue;
    if (Result<void> checked = checkReceived(source, box.to, box.size, output); !checked)
      return checked;
    copyBox(peer.tensor(0).input, {list.inputShape(), box.from}, output.data,
            {output.shape, box.to}, box.size, elementBytes);
    if (int64_t bytes = product(box.size) * elementBytes; source != position && bytes > 0) {
      traffic.receivedBytes += bytes;
      isMessage = true;
    }
  }
  traffic.messages += isMessage ? 1 : 0;
  return {};
}

/// Checks what all ranks say that they send to this one; `places` are by sender: to, size of each
/// box.
Result<void> checkPlaces(const std::vector<std::vector<int64_t>> &places,
                         const OutputBuffer &output) {
  size_t numDims = output.shape.size();
  for (size_t source = 0; source < places.size(); ++source)
    for (size_t at = 0; at < places[source].size(); at += 2 * numDims) {
      std::span<const int64_t> numbers(places[source]);
      if (Result<void> checked =
              checkReceived(static_cast<int64_t>(source), numbers.subspan(at, numDims),
                            numbers.subspan(at + numDims, numDims), output);
          !checked)
        return checked;
    }
  return {};
}

/// The same without a meeting, in three rounds: how many boxes each rank sends, where these go, and
/// what is in them. The first is needed as a message has a length that both ends know.
Result<Traffic> exchangeByMessages(Communicator &communicator, RankGroup group,
                                   const InputBuffer &input, const ShownList &own,
                                   const OutputBuffer &output) {
  constexpr auto kKind = CollectiveKind::Exchange;
  size_t numDims = output.shape.size();
  int64_t position = positionOf(communicator.rank(), group);
  std::vector<std::vector<int64_t>> places(group.size());
  std::vector<std::vector<int64_t>> counts(group.size(), {0});
  MessageRound round(communicator, kKind, 2);
  for (int64_t index = 0; index < own.count(); ++index) {
    SentBox box = own.box(index);
    ++counts[box.target].front();
    std::vector<int64_t> &place = places[box.target];
    place.insert(place.end(), box.to.begin(), box.to.end());
    place.insert(place.end(), box.size.begin(), box.size.end());
  }
  auto heard = messages::exchangeNumbers(communicator, group, kKind, 0, counts,
                                         std::vector<int64_t>(group.size(), 1));
  if (!heard)
    return heard.error();
  std::vector<int64_t> lengths;
  for (const std::vector<int64_t> &count : *heard)
    lengths.push_back(count.front() * 2 * static_cast<int64_t>(numDims));
  auto received = messages::exchangeNumbers(communicator, group, kKind, 1, places, lengths);
  if (!received)
    return received.error();
  // Before any element is on its way: a rank that returns an error of its own must not have memory
  // on offer that a peer may still read.
  if (Result<void> checked = checkPlaces(*received, output); !checked)
    return checked.error();
  for (int64_t index = 0; index < own.count(); ++index) {
    SentBox box = own.box(index);
    if (box.target == position || product(box.size) == 0)
      continue;
    BufferPart part = partOf(input.shape, box.from, box.size, input.elementBytes);
    if (Result<void> sent =
            round.send(group[box.target], input.data + part.offset, std::move(part.box));
        !sent)
      return sent.error();
  }
  Traffic traffic;
  for (size_t source = 0; source < group.size(); ++source) {
    int64_t bytes = 0;
    for (int64_t index = 0; index < (*heard)[source].front(); ++index) {
      const int64_t *at = (*received)[source].data() + static_cast<size_t>(index) * 2 * numDims;
      std::span<const int64_t> to(at, numDims);
      std::span<const int64_t> size(at + numDims, numDims);
      if (group[source] == communicator.rank() || product(size) == 0)
        continue;
      BufferPart part = partOf(output.shape, to, size, input.elementBytes);
      bytes += part.box.bytes();
      if (Result<void> started =
              round.receive(group[source], output.data + part.offset, std::move(part.box));
          !started)
        return started.error();
    }
    traffic.receivedBytes += bytes;
    traffic.messages += bytes > 0 ? 1 : 0;
  }
  for (int64_t index = 0; index < own.count(); ++index)
    if (SentBox box = own.box(index); box.target == position)
      copyBox(input.data, {input.shape, box.from}, output.data, {output.shape, box.to}, box.size,
              input.elementBytes);
  if (Result<void> done = round.finish(); !done)
    return done.error();
  return traffic;
}

Result<Traffic> exchangeInMeeting(Communicator &communicator, RankGroup group,
                                  const InputBuffer &input, const Publication &own,
                                  const OutputBuffer &output) {
  Result<std::span<const Publication>> peers = communicator.publish(group, own);
  if (!peers)
    return peers.error();
  int64_t position = positionOf(communicator.rank(), group);
  Traffic traffic;
  // A box that does not fit ends this rank only behind the release: until then peers read its list.
  Result<void> received;
  for (size_t source = 0; received && source < group.size(); ++source)
    received = receive((*peers)[source], static_cast<int64_t>(source), position, input.elementBytes,
                       output, traffic);
  if (Result<void> released = communicator.release(group); !released)
    return released.error();
  if (!received)
    return received.error();
  return traffic;
}

} // namespace

Result<Traffic> exchange(Communicator &communicator, RankGroup group, const InputBuffer &input,
                         const SentBoxes &sent, const OutputBuffer &output) {
  if (input.shape.size() != output.shape.size()) {
    return invalid(fmt::format("exchange from a buffer of {} to one of {}; expected as many "
                               "dimensions",
                               input.shape, output.shape));
  }
  std::vector<int64_t> numbers = ShownList::of(sent, input.shape);
  const auto *list = reinterpret_cast<const std::byte *>(numbers.data());
  if (Result<void> checked = checkSent(ShownList(list, input.shape.size()), group.size()); !checked)
    return checked.error();
  std::array<PublishedTensor, 2> shown = {PublishedTensor{input.data}, PublishedTensor{list}};
  Publication own;
  own.collective = CollectiveKind::Exchange;
  own.tensors = shown;
  // Lists and sizes may differ between ranks, and `inputBytes` stays 0; these two numbers may not,
  // or the lists could not be read.
  own.parameters = digest({}, {static_cast<int64_t>(input.shape.size()), input.elementBytes});
  return communicator.canMeet(group)
             ? exchangeInMeeting(communicator, group, input, own, output)
             : exchangeByMessages(communicator, group, input, ShownList(list, input.shape.size()),
                                  output);
}

} // namespace shardwise::runtime
