// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// all_reduce by messages: every rank gets its share of all inputs, folds it in group order and
// sends the outcome to all. Few elements go whole to every rank, which saves a round.
//
// 6 elements on 3 ranks (shares of 2):
//
//     round 0    rank 0 gets elements 0-1 of ranks 1 and 2, and folds 0, 1, 2; rank 1 elements 2-3,
//     ... round 1    rank 0 sends the outcome of 0-1 to ranks 1 and 2, and gets 2-3 and 4-5
//
// Each rank sends and receives 2 * (g-1)/g of the elements: less is not possible, and every element
// is folded by one rank, so that all have the same bits. The shares are those of AllReduce.cpp.
// With several tensors a share is a run of each of some of them, and a run is a message.

#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/MessageCollectives.h"
#include "shardwise/runtime/ReductionShares.h"

#include <array>
#include <cstring>

namespace shardwise::runtime::messages {
namespace {

/// One all_reduce on one rank.
struct Reduction {
  Communicator &communicator;
  RankGroup group;
  const Reducer &reducer;
  std::span<const ReducedTensor> tensors;
  int64_t numElements;
  int64_t position;
  uint64_t parameters;

  int64_t numRanks() const { return static_cast<int64_t>(group.size()); }
  int64_t bytesOf(int64_t count) const { return count * reducer.elementBytes; }
  MessageBox run(int64_t count) const { return denseRun(count, reducer.elementBytes); }

  Result<void> runDirectly() const {
    // Row p is what position p has; all tensors lie behind each other, so that it is one message to
    // a peer. At most kDirectBytes for each rank.
    std::vector<std::byte> values(bytesOf(numElements) * numRanks());
    auto valuesOf = [&](int64_t peer) { return values.data() + peer * bytesOf(numElements); };
    std::byte *next = valuesOf(position);
    for (const ReducedTensor &tensor : tensors) {
      if (tensor.numElements > 0)
        std::memcpy(next, tensor.input, static_cast<size_t>(bytesOf(tensor.numElements)));
      next += bytesOf(tensor.numElements);
    }
    MessageRound round(communicator, CollectiveKind::AllReduce, 0, parameters);
    for (int64_t i = 1; i < numRanks(); ++i) {
      int64_t peer = (position + i) % numRanks();
      if (Result<void> sent = round.send(group[peer], valuesOf(position), run(numElements)); !sent)
        return sent;
      if (Result<void> started = round.receive(group[peer], valuesOf(peer), run(numElements));
          !started)
        return started;
    }
    if (Result<void> done = round.finish(); !done)
      return done;
    for (int64_t peer = 1; peer < numRanks(); ++peer)
      reducer.fold(values.data(), valuesOf(peer), numElements);
    next = values.data();
    for (const ReducedTensor &tensor : tensors) {
      if (tensor.numElements > 0)
        std::memcpy(tensor.output, next, static_cast<size_t>(bytesOf(tensor.numElements)));
      next += bytesOf(tensor.numElements);
    }
    return {};
  }

  /// Calls `visit(peer)` for all other positions; ends with its first error.
  template <class Visit> Result<void> forEachPeer(Visit visit) const {
    for (int64_t i = 1; i < numRanks(); ++i)
      if (Result<void> done = visit((position + i) % numRanks()); !done)
        return done;
    return {};
  }

  /// Calls `visit(tensor, offset, count)` for the runs of the share of the rank at `owner`, offsets
  /// in bytes; ends with its first error.
  template <class Visit> Result<void> forEachRunOf(int64_t owner, Visit visit) const {
    Result<void> outcome;
    forEachRun(tensors, shareOf(owner, numRanks(), numElements),
               [&](size_t tensor, int64_t first, int64_t count) {
                 if (outcome)
                   outcome = visit(tensors[tensor], bytesOf(first), count);
               });
    return outcome;
  }

  /// Folds this rank's share. Sends have ended when it returns: outputs may be the inputs.
  Result<void> foldShare() const {
    MessageRound round(communicator, CollectiveKind::AllReduce, 0, parameters);
    Result<void> sent = forEachPeer([&](int64_t peer) {
      return forEachRunOf(peer, [&](const ReducedTensor &tensor, int64_t offset, int64_t count) {
        return round.send(group[peer], tensor.input + offset, run(count));
      });
    });
    if (!sent)
      return sent;
    // Input and output may be the same memory. The first operand, of position 0, is written to the
    // output as it comes, over what may be the own operand of this rank: so that is put aside.
    std::vector<std::byte> own;
    auto started = [&](const ReducedTensor &tensor, int64_t offset, int64_t count) -> Result<void> {
      own.insert(own.end(), tensor.input + offset, tensor.input + offset + bytesOf(count));
      for (int64_t peer = 0; peer < numRanks(); ++peer)
        if (peer != position)
          if (Result<void> receive = round.receive(group[peer], tensor.output + offset, run(count),
                                                   peer == 0 ? nullptr : &reducer);
              !receive)
            return receive;
      return {};
    };
    if (Result<void> all = forEachRunOf(position, started); !all)
      return all;
    // Waits in the order in which the receives were started: by run, then by position. Within a run
    // that is the order of the fold.
    const std::byte *next = own.data();
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

  Result<void> gatherShares() const {
    MessageRound round(communicator, CollectiveKind::AllReduce, 1, parameters);
    Result<void> started = forEachPeer([&](int64_t peer) -> Result<void> {
      Result<void> sent =
          forEachRunOf(position, [&](const ReducedTensor &tensor, int64_t offset, int64_t count) {
            return round.send(group[peer], tensor.output + offset, run(count));
          });
      if (!sent)
        return sent;
      return forEachRunOf(peer, [&](const ReducedTensor &tensor, int64_t offset, int64_t count) {
        return round.receive(group[peer], tensor.output + offset, run(count));
      });
    });
    return started ? round.finish() : started;
  }
};

} // namespace

Result<void> allReduce(Communicator &communicator, RankGroup group, const Reducer &reducer,
                       std::span<const ReducedTensor> tensors, uint64_t parameters) {
  int64_t numElements = 0;
  for (const ReducedTensor &tensor : tensors)
    numElements += tensor.numElements;
  Reduction reduction{communicator, group,       reducer,
                      tensors,      numElements, positionOf(communicator.rank(), group),
                      parameters};
  if (numElements == 0)
    return {};
  if (reduction.bytesOf(numElements) <= kDirectBytes)
    return reduction.runDirectly();
  if (Result<void> folded = reduction.foldShare(); !folded)
    return folded;
  return reduction.gatherShares();
}

} // namespace shardwise::runtime::messages
