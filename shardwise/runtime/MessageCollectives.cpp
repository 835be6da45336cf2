// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every collective here is one round: all sends and receives are started, the own part is copied
// while they are on their way, then all are waited for. Nothing is packed: a message is a box with
// strides, which the transport reads and writes in place, or packs itself if it has to.
//
// Rank at position 1 of 4, for each i:    send to / receive from 2, 3, 0
//
// Ranks begin with their successor in the group, so that not all send to one at a time. What is
// folded comes in group order, whoever is first: folds happen within `wait`, so the order of waits
// is the order of the reduction, and that is 0, 1, 2, ... on every rank. This gives the bits of a
// group that meets in memory.
//
// Receives are waited for before sends. A peer that is late keeps this rank's send open, but what
// has come in can be folded by then; and `finish` of all ranks in this order cannot block in a
// circle, as a send ends with a receive that its peer has started before it waits for anything.

#include "shardwise/runtime/MessageCollectives.h"
#include "shardwise/runtime/GatheredBlock.h"

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/StridedCopy.h"

#include <cstring>

namespace shardwise::runtime {

MessageBox denseRun(int64_t count, int64_t elementBytes) {
  return {{count}, {elementBytes}, elementBytes};
}

BufferPart partOf(std::span<const int64_t> shape, std::span<const int64_t> start,
                  std::span<const int64_t> size, int64_t elementBytes) {
  BufferPart part;
  part.box = {{size.begin(), size.end()}, rowMajorStrides(shape, elementBytes), elementBytes};
  for (size_t dim = 0; dim < start.size(); ++dim)
    part.offset += start[dim] * part.box.strides[dim];
  return part;
}

Result<void> MessageRound::remember(const Result<PendingMessage> &message,
                                    std::vector<PendingMessage> &messages) {
  if (!message)
    return message.error();
  messages.push_back(*message);
  return {};
}

Result<void> MessageRound::send(Rank peer, const std::byte *data, MessageBox box) {
  return remember(
      communicator.startSend({peer, toString(kind), step, parameters}, data, std::move(box)),
      sends);
}

Result<void> MessageRound::receive(Rank peer, std::byte *data, MessageBox box,
                                   const Reducer *combine) {
  return remember(communicator.startReceive({peer, toString(kind), step, parameters}, data,
                                            std::move(box), combine),
                  receives);
}

Result<void> MessageRound::waitForNext() {
  return communicator.wait(receives[numReceived++]);
}

Result<void> MessageRound::finish() {
  while (numReceived < receives.size())
    if (Result<void> received = waitForNext(); !received)
      return received;
  for (PendingMessage send : sends)
    if (Result<void> sent = communicator.wait(send); !sent)
      return sent;
  return {};
}

namespace messages {

Result<void> allGather(Communicator &communicator, RankGroup group,
                       std::span<const GatheredTensor> tensors, int64_t dim, uint64_t parameters) {
  auto numRanks = static_cast<int64_t>(group.size());
  int64_t position = positionOf(communicator.rank(), group);
  MessageRound round(communicator, CollectiveKind::AllGather, 0, parameters);
  for (const GatheredTensor &tensor : tensors) {
    std::span<const int64_t> shape = tensor.input.shape;
    int64_t elementBytes = tensor.input.elementBytes;
    GatheredBlock own(tensor, dim, position, numRanks);
    BufferPart ownPart = partOf(shape, own.origin, own.shape, elementBytes);
    for (int64_t i = 0; i < numRanks; ++i) {
      int64_t peer = (position + i) % numRanks;
      GatheredBlock block(tensor, dim, peer, numRanks);
      if (peer == position) {
        if (!own.isEmpty)
          copyBox(tensor.input.data, {shape, own.origin}, tensor.output,
                  {own.outputShape, own.place}, own.shape, elementBytes);
        continue;
      }
      if (!own.isEmpty)
        if (Result<void> sent = round.send(group[peer], tensor.input.data, ownPart.box); !sent)
          return sent;
      if (block.isEmpty)
        continue;
      BufferPart part = partOf(block.outputShape, block.place, block.shape, elementBytes);
      if (Result<void> received =
              round.receive(group[peer], tensor.output + part.offset, std::move(part.box));
          !received)
        return received;
    }
  }
  return round.finish();
}

Result<void> reduceScatter(Communicator &communicator, RankGroup group, const Reducer &reducer,
                           const InputBuffer &input, int64_t dim, std::byte *output,
                           uint64_t parameters) {
  // A part is one run of elements in each slab of the dimensions above `dim`:
  //
  //     input 2x4, dim 1, 2 ranks      slabs  a b|c d      part 0: a b, e f (slabs 4 elements
  //     apart)
  //                                           e f|g h      own output: dense, 2 elements apart
  auto numRanks = static_cast<int64_t>(group.size());
  int64_t position = positionOf(communicator.rank(), group);
  int64_t numSlabs = product(input.shape.first(dim));
  int64_t slab = product(input.shape.subspan(dim));
  int64_t run = slab / numRanks;
  int64_t bytes = input.elementBytes;
  MessageBox sentBox{{numSlabs, run}, {slab * bytes, bytes}, bytes};
  MessageBox ownBox{{numSlabs, run}, {run * bytes, bytes}, bytes};
  MessageRound round(communicator, CollectiveKind::ReduceScatter, 0, parameters);
  for (int64_t i = 1; i < numRanks; ++i) {
    int64_t peer = (position + i) % numRanks;
    if (Result<void> sent = round.send(group[peer], input.data + peer * run * bytes, sentBox);
        !sent)
      return sent;
  }
  // All receives have the output itself as their place. They do not collide, as each is folded in
  // within its own wait; the first operand, of position 0, is written and not folded.
  for (int64_t peer = 0; peer < numRanks; ++peer)
    if (peer != position)
      if (Result<void> started =
              round.receive(group[peer], output, ownBox, peer == 0 ? nullptr : &reducer);
          !started)
        return started;
  StridedCopy own(sentBox.size, sentBox.strides, ownBox.strides, bytes);
  const std::byte *ownPart = input.data + position * run * bytes;
  for (int64_t peer = 0; peer < numRanks; ++peer) {
    if (peer != position) {
      if (Result<void> received = round.waitForNext(); !received)
        return received;
    } else if (peer == 0) {
      own.run(ownPart, output);
    } else {
      own.forEachRun([&](int64_t from, int64_t to) {
        reducer.fold(output + to, ownPart + from, own.runBytes() / bytes);
      });
    }
  }
  return round.finish();
}

Result<void> allToAll(Communicator &communicator, RankGroup group, const InputBuffer &input,
                      int64_t splitDim, int64_t concatDim, std::byte *output, uint64_t parameters) {
  auto numRanks = static_cast<int64_t>(group.size());
  int64_t position = positionOf(communicator.rank(), group);
  std::vector<int64_t> size(input.shape.begin(), input.shape.end());
  size[splitDim] /= numRanks;
  std::vector<int64_t> outputShape = size;
  outputShape[concatDim] *= numRanks;
  MessageRound round(communicator, CollectiveKind::AllToAll, 0, parameters);
  for (int64_t i = 0; i < numRanks; ++i) {
    int64_t peer = (position + i) % numRanks;
    std::vector<int64_t> from(size.size(), 0);
    from[splitDim] = peer * size[splitDim];
    std::vector<int64_t> to(size.size(), 0);
    to[concatDim] = peer * size[concatDim];
    if (peer == position) {
      copyBox(input.data, {input.shape, from}, output, {outputShape, to}, size, input.elementBytes);
      continue;
    }
    BufferPart sent = partOf(input.shape, from, size, input.elementBytes);
    BufferPart received = partOf(outputShape, to, size, input.elementBytes);
    if (Result<void> started = round.send(group[peer], input.data + sent.offset, sent.box);
        !started)
      return started;
    if (Result<void> started = round.receive(group[peer], output + received.offset, received.box);
        !started)
      return started;
  }
  return round.finish();
}

Result<void> broadcast(Communicator &communicator, RankGroup group, const std::byte *input,
                       int64_t bytes, std::byte *output) {
  MessageRound round(communicator, CollectiveKind::CollectiveBroadcast);
  if (communicator.rank() != group.front()) {
    if (Result<void> started = round.receive(group.front(), output, denseRun(bytes, 1)); !started)
      return started;
    return round.finish();
  }
  for (Rank peer : group.subspan(1))
    if (Result<void> started = round.send(peer, input, denseRun(bytes, 1)); !started)
      return started;
  // Of no bytes, pointers may be null, which memcpy must not get.
  if (bytes > 0)
    std::memcpy(output, input, static_cast<size_t>(bytes));
  return round.finish();
}

Result<std::vector<std::vector<int64_t>>>
exchangeNumbers(Communicator &communicator, RankGroup group, CollectiveKind kind, int64_t step,
                const std::vector<std::vector<int64_t>> &sent,
                const std::vector<int64_t> &receivedCounts) {
  constexpr int64_t kBytes = sizeof(int64_t);
  std::vector<std::vector<int64_t>> received;
  MessageRound round(communicator, kind, step);
  for (size_t peer = 0; peer < group.size(); ++peer) {
    if (group[peer] == communicator.rank()) {
      received.push_back(sent[peer]);
      continue;
    }
    received.emplace_back(receivedCounts[peer]);
    if (Result<void> started =
            round.send(group[peer], reinterpret_cast<const std::byte *>(sent[peer].data()),
                       denseRun(std::ssize(sent[peer]), kBytes));
        !started)
      return started.error();
    if (Result<void> started =
            round.receive(group[peer], reinterpret_cast<std::byte *>(received.back().data()),
                          denseRun(receivedCounts[peer], kBytes));
        !started)
      return started.error();
  }
  if (Result<void> done = round.finish(); !done)
    return done.error();
  return received;
}

} // namespace messages
} // namespace shardwise::runtime
