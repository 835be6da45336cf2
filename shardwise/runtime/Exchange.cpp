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
#include "shardwise/runtime/RunningCollective.h"

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

class Exchange final : public RunningCollective {
public:
  Exchange(Communicator &communicator, RankGroup group, const InputBuffer &givenInput,
           const SentBoxes &sent, const OutputBuffer &givenOutput)
      : RunningCollective(communicator, CollectiveKind::Exchange, group),
        inputShape(givenInput.shape.begin(), givenInput.shape.end()),
        outputShape(givenOutput.shape.begin(), givenOutput.shape.end()),
        input{givenInput.data, inputShape, givenInput.elementBytes},
        output{givenOutput.data, outputShape}, numbers(ShownList::of(sent, inputShape)),
        shownTensors{PublishedTensor{input.data},
                     PublishedTensor{reinterpret_cast<const std::byte *>(numbers.data())}} {}

private:
  size_t numDims() const { return outputShape.size(); }
  ShownList list() const { return {shownTensors[1].input, inputShape.size()}; }

  Result<void> check() override {
    if (inputShape.size() != outputShape.size())
      return invalid(fmt::format("exchange from a buffer of {} to one of {}; expected as many "
                                 "dimensions",
                                 inputShape, outputShape));
    return checkSent(list(), group.size());
  }

  Publication shown() override {
    Publication own;
    own.tensors = shownTensors;
    // Lists and sizes may differ between ranks, and `inputBytes` stays 0; these two numbers may
    // not, or the lists could not be read.
    own.parameters = digest({}, {static_cast<int64_t>(numDims()), input.elementBytes});
    return own;
  }

  Result<void> read(std::span<const Publication> peers) override {
    for (size_t source = 0; source < group.size(); ++source)
      if (Result<void> received = receive(peers[source], static_cast<int64_t>(source), position(),
                                          input.elementBytes, output, traffic);
          !received) {
        complaint = received.error();
        break;
      }
    return {};
  }

  Result<void> startMessages() override;
  Result<void> finishMessages() override;
  Result<void> sendBoxes(MessageRound &round) const;
  Result<void> receiveBoxes(MessageRound &round, const std::vector<std::vector<int64_t>> &numBoxes,
                            const std::vector<std::vector<int64_t>> &received);

  std::vector<int64_t> inputShape, outputShape;
  InputBuffer input;
  OutputBuffer output;
  std::vector<int64_t> numbers; ///< What `list` reads.
  std::array<PublishedTensor, 2> shownTensors;
  /// By position: of each box that goes there, to and size.
  std::vector<std::vector<int64_t>> places;
  std::optional<messages::NumberRound> counts;
};

/// Without a meeting there are three rounds: how many boxes each rank sends, where these go, and
/// what is in them. The first is needed as a message has a length that both ends know; it is under
/// way between start and wait.
Result<void> Exchange::startMessages() {
  places.resize(group.size());
  std::vector<std::vector<int64_t>> sent(group.size(), {0});
  for (int64_t index = 0; index < list().count(); ++index) {
    SentBox box = list().box(index);
    ++sent[box.target].front();
    std::vector<int64_t> &place = places[box.target];
    place.insert(place.end(), box.to.begin(), box.to.end());
    place.insert(place.end(), box.size.begin(), box.size.end());
  }
  counts.emplace(messageGroup(), 0);
  return counts->start(std::move(sent), std::vector<int64_t>(group.size(), 1));
}

Result<void> Exchange::sendBoxes(MessageRound &round) const {
  for (int64_t index = 0; index < list().count(); ++index) {
    SentBox box = list().box(index);
    if (box.target == position() || product(box.size) == 0)
      continue;
    BufferPart part = partOf(inputShape, box.from, box.size, input.elementBytes);
    if (Result<void> sent = round.send(box.target, input.data + part.offset, std::move(part.box));
        !sent)
      return sent;
  }
  return {};
}

Result<void> Exchange::receiveBoxes(MessageRound &round,
                                    const std::vector<std::vector<int64_t>> &numBoxes,
                                    const std::vector<std::vector<int64_t>> &received) {
  for (int64_t source = 0; source < numRanks(); ++source) {
    if (source == position())
      continue;
    int64_t bytes = 0;
    // By their number: a scalar's box has no numbers.
    for (int64_t index = 0; index < numBoxes[source].front(); ++index) {
      size_t at = static_cast<size_t>(index) * 2 * numDims();
      std::span<const int64_t> to = std::span(received[source]).subspan(at, numDims());
      std::span<const int64_t> size =
          std::span(received[source]).subspan(at + numDims(), numDims());
      if (product(size) == 0)
        continue;
      BufferPart part = partOf(outputShape, to, size, input.elementBytes);
      bytes += part.box.bytes();
      if (Result<void> started =
              round.receive(source, output.data + part.offset, std::move(part.box));
          !started)
        return started;
    }
    traffic.receivedBytes += bytes;
    traffic.messages += bytes > 0 ? 1 : 0;
  }
  return {};
}

Result<void> Exchange::finishMessages() {
  Result<std::vector<std::vector<int64_t>>> heard = counts->finish();
  if (!heard)
    return heard.error();
  std::vector<int64_t> lengths;
  for (const std::vector<int64_t> &count : *heard)
    lengths.push_back(count.front() * 2 * static_cast<int64_t>(numDims()));
  messages::NumberRound placeRound(messageGroup(), 1);
  if (Result<void> started = placeRound.start(std::move(places), lengths); !started)
    return started;
  Result<std::vector<std::vector<int64_t>>> received = placeRound.finish();
  if (!received)
    return received.error();
  // Before any element is on its way: a rank that returns an error of its own must not have memory
  // on offer that a peer may still read.
  if (Result<void> checked = checkPlaces(*received, output); !checked)
    return checked;
  MessageRound round(messageGroup(), 2);
  if (Result<void> sent = sendBoxes(round); !sent)
    return sent;
  if (Result<void> started = receiveBoxes(round, *heard, *received); !started)
    return started;
  for (int64_t index = 0; index < list().count(); ++index)
    if (SentBox box = list().box(index); box.target == position())
      copyBox(input.data, {inputShape, box.from}, output.data, {outputShape, box.to}, box.size,
              input.elementBytes);
  return round.finish();
}

} // namespace

Result<Traffic> exchange(Communicator &communicator, RankGroup group, const InputBuffer &input,
                         const SentBoxes &sent, const OutputBuffer &output) {
  Exchange collective(communicator, group, input, sent, output);
  return runNow(collective);
}

Result<PendingCollective> startExchange(Communicator &communicator, RankGroup group,
                                        const InputBuffer &input, const SentBoxes &sent,
                                        const OutputBuffer &output) {
  return startRunning(std::make_unique<Exchange>(communicator, group, input, sent, output));
}

} // namespace shardwise::runtime
