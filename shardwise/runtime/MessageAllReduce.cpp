// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// all_reduce by messages: every rank gets its share of all inputs, folds it in group order and
// sends the outcome to all. Few elements go whole to every rank, which saves a round.
//
// 6 elements on 3 ranks (shares of 2):
//
//     round 0    rank 0 gets elements 0-1 of ranks 1 and 2, and folds 0, 1, 2;
//                rank 1 gets elements 2-3, rank 2 elements 4-5
//     round 1    rank 0 sends the outcome of 0-1 to ranks 1 and 2, and gets 2-3 and 4-5
//
// Round 0 is under way between start and finish, round 1 within finish. Large ones keep the rounds
// apart (AwaitPeers.h).
//
// Each rank sends and receives 2 * (g-1)/g of the elements: less is not possible, and every element
// is folded by one rank, so that all have the same bits. The shares are those of AllReduce.cpp.
// With several tensors a share is a run of each of some of them, and a run is a message.

#include "shardwise/runtime/AwaitPeers.h"
#include "shardwise/runtime/MessageCollectives.h"

#include <cstring>

namespace shardwise::runtime::messages {

AllReduce::AllReduce(const MessageGroup &group, int64_t position, const Reducer &reducer,
                     std::span<const ReducedTensor> tensors, uint64_t parameters)
    : group(group), position(position), reducer(reducer), tensors(tensors), parameters(parameters),
      round(group, 0, parameters) {
  for (const ReducedTensor &tensor : tensors)
    numElements += tensor.numElements;
}

Result<void> AllReduce::start() {
  if (numElements == 0)
    return {};
  return isDirect() ? startDirectly() : startShares();
}

Result<void> AllReduce::finish() {
  if (numElements == 0)
    return {};
  if (isDirect())
    return finishDirectly();
  if (Result<void> folded = foldShare(); !folded)
    return folded;
  if (Result<void> met = awaitSharesOfPeers(); !met)
    return met;
  return gatherShares();
}

Result<void> AllReduce::startDirectly() {
  // Row p is what position p has; all tensors lie behind each other, so that it is one message to
  // a peer. At most kDirectBytes for each rank.
  values.resize(bytesOf(numElements) * numRanks());
  std::byte *next = valuesOf(position);
  for (const ReducedTensor &tensor : tensors) {
    if (tensor.numElements > 0)
      std::memcpy(next, tensor.input, static_cast<size_t>(bytesOf(tensor.numElements)));
    next += bytesOf(tensor.numElements);
  }
  return forEachPeer([&](int64_t peer) -> Result<void> {
    if (Result<void> sent = round.send(peer, valuesOf(position), run(numElements)); !sent)
      return sent;
    return round.receive(peer, valuesOf(peer), run(numElements));
  });
}

Result<void> AllReduce::finishDirectly() {
  if (Result<void> done = round.finish(); !done)
    return done;
  for (int64_t peer = 1; peer < numRanks(); ++peer)
    reducer.fold(values.data(), valuesOf(peer), numElements);
  const std::byte *next = values.data();
  for (const ReducedTensor &tensor : tensors) {
    if (tensor.numElements > 0)
      std::memcpy(tensor.output, next, static_cast<size_t>(bytesOf(tensor.numElements)));
    next += bytesOf(tensor.numElements);
  }
  return {};
}

/// Calls `visit(peer)` for all other positions; ends with its first error.
template <class Visit> Result<void> AllReduce::forEachPeer(Visit visit) const {
  for (int64_t i = 1; i < numRanks(); ++i)
    if (Result<void> done = visit((position + i) % numRanks()); !done)
      return done;
  return {};
}

/// Calls `visit(tensor, offset, count)` for the runs of the share of the rank at `owner`, offsets
/// in bytes; ends with its first error.
template <class Visit> Result<void> AllReduce::forEachRunOf(int64_t owner, Visit visit) const {
  Result<void> outcome;
  forEachRun(tensors, shareOf(owner, numRanks(), numElements),
             [&](size_t tensor, int64_t first, int64_t count) {
               if (outcome)
                 outcome = visit(tensors[tensor], bytesOf(first), count);
             });
  return outcome;
}

Result<void> AllReduce::startShares() {
  Result<void> sent = forEachPeer([&](int64_t peer) {
    return forEachRunOf(peer, [&](const ReducedTensor &tensor, int64_t offset, int64_t count) {
      return round.send(peer, tensor.input + offset, run(count));
    });
  });
  if (!sent)
    return sent;
  // Input and output may be the same memory. The first operand, of position 0, is written to the
  // output as it comes, over what may be the own operand of this rank: so that is put aside.
  return forEachRunOf(
      position, [&](const ReducedTensor &tensor, int64_t offset, int64_t count) -> Result<void> {
        values.insert(values.end(), tensor.input + offset, tensor.input + offset + bytesOf(count));
        for (int64_t peer = 0; peer < numRanks(); ++peer)
          if (peer != position)
            if (Result<void> receive = round.receive(peer, tensor.output + offset, run(count),
                                                     peer == 0 ? nullptr : &reducer);
                !receive)
              return receive;
        return {};
      });
}

/// Sends have ended when it returns: outputs may be the inputs. Waits in the order in which the
/// receives were started: by run, then by position. Within a run that is the order of the fold.
Result<void> AllReduce::foldShare() {
  const std::byte *next = values.data();
  auto fold = [&](const ReducedTensor &tensor, int64_t offset, int64_t count) -> Result<void> {
    for (int64_t peer = 0; peer < numRanks(); ++peer) {
      if (peer != position) {
        if (Result<void> received = round.waitForNext(); !received)
          return received;
      } else if (peer == 0) {
        std::memcpy(tensor.output + offset, next, static_cast<size_t>(bytesOf(count)));
      } else {
        reducer.fold(tensor.output + offset, next, count);
      }
    }
    next += bytesOf(count);
    return {};
  };
  if (Result<void> folded = forEachRunOf(position, fold); !folded)
    return folded;
  return round.finish();
}

Result<void> AllReduce::awaitSharesOfPeers() {
  if (!areRoundsApart(bytesOf(shareOf(0, numRanks(), numElements).count)))
    return {};
  std::vector<MessageName> names;
  for (int64_t peer = 0; peer < numRanks(); ++peer)
    if (peer != position)
      names.push_back(
          {group.ranks[peer], toString(group.kind), /*number=*/2, parameters, group.numbers[peer]});
  return awaitPeers(group.communicator, names);
}

Result<void> AllReduce::gatherShares() {
  MessageRound gather(group, 1, parameters);
  Result<void> started = forEachPeer([&](int64_t peer) -> Result<void> {
    Result<void> sent =
        forEachRunOf(position, [&](const ReducedTensor &tensor, int64_t offset, int64_t count) {
          return gather.send(peer, tensor.output + offset, run(count));
        });
    if (!sent)
      return sent;
    return forEachRunOf(peer, [&](const ReducedTensor &tensor, int64_t offset, int64_t count) {
      return gather.receive(peer, tensor.output + offset, run(count));
    });
  });
  return started ? gather.finish() : started;
}

} // namespace shardwise::runtime::messages
