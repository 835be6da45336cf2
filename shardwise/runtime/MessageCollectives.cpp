// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every collective here is one round: `start` begins all sends and receives, `finish` copies the
// own part and waits for all. Nothing is packed: a message is a box with strides, which the
// transport reads and writes in place, or packs itself if it has to.
//
// Rank at position 1 of 4, for each i:    send to / receive from 2, 3, 0
//
// Ranks begin with their successor in the group, so that not all send to one at a time. What is
// folded comes in group order, whoever is first: folds happen within `wait`, so the order of waits
// is the order of the reduction, and that is 0, 1, 2, ... on every rank. This gives the bits of a
// group that meets in memory.

#include "shardwise/runtime/MessageCollectives.h"

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/GatheredBlock.h"
#include "shardwise/runtime/StridedCopy.h"

namespace shardwise::runtime::messages {
namespace {

/// What goes from one rank to another in an all_to_all.
struct SwappedPart {
  std::vector<int64_t> size, outputShape, from, to;

  /// Of what the rank at `position` sends to the one at `peer`, or gets from it.
  SwappedPart(std::span<const int64_t> shape, int64_t splitDim, int64_t concatDim, int64_t peer,
              int64_t numRanks)
      : size(shape.begin(), shape.end()), from(shape.size(), 0), to(shape.size(), 0) {
    size[splitDim] /= numRanks;
    outputShape = size;
    outputShape[concatDim] *= numRanks;
    from[splitDim] = peer * size[splitDim];
    to[concatDim] = peer * size[concatDim];
  }
};

/// A part of a reduce_scatter is one run of elements in each slab of the dimensions above `dim`:
///
///     input 2x4, dim 1, 2 ranks      slabs  a b|c d      part 0: a b, e f (slabs 4 elements apart)
///                                           e f|g h      own output: dense, 2 elements apart
struct ScatteredParts {
  int64_t run = 0;
  MessageBox sent, own;

  ScatteredParts(const InputBuffer &input, int64_t dim, int64_t numRanks) {
    int64_t numSlabs = product(input.shape.first(dim));
    int64_t slab = product(input.shape.subspan(dim));
    int64_t bytes = input.elementBytes;
    run = slab / numRanks;
    sent = {{numSlabs, run}, {slab * bytes, bytes}, bytes};
    own = {{numSlabs, run}, {run * bytes, bytes}, bytes};
  }
};

} // namespace

Result<void> startAllGather(MessageRound &round, int64_t numRanks, int64_t position,
                            std::span<const GatheredTensor> tensors, int64_t dim) {
  for (const GatheredTensor &tensor : tensors) {
    std::span<const int64_t> shape = tensor.input.shape;
    int64_t elementBytes = tensor.input.elementBytes;
    GatheredBlock own(tensor, dim, position, numRanks);
    BufferPart ownPart = partOf(shape, own.origin, own.shape, elementBytes);
    for (int64_t i = 1; i < numRanks; ++i) {
      int64_t peer = (position + i) % numRanks;
      if (!own.isEmpty)
        if (Result<void> sent = round.send(peer, tensor.input.data, ownPart.box); !sent)
          return sent;
      GatheredBlock block(tensor, dim, peer, numRanks);
      if (block.isEmpty)
        continue;
      BufferPart part = partOf(block.outputShape, block.place, block.shape, elementBytes);
      if (Result<void> received =
              round.receive(peer, tensor.output + part.offset, std::move(part.box));
          !received)
        return received;
    }
  }
  return {};
}

Result<void> finishAllGather(MessageRound &round, int64_t numRanks, int64_t position,
                             std::span<const GatheredTensor> tensors, int64_t dim) {
  for (const GatheredTensor &tensor : tensors) {
    GatheredBlock own(tensor, dim, position, numRanks);
    if (!own.isEmpty)
      copyBox(tensor.input.data, {tensor.input.shape, own.origin}, tensor.output,
              {own.outputShape, own.place}, own.shape, tensor.input.elementBytes);
  }
  return round.finish();
}

Result<void> startReduceScatter(MessageRound &round, int64_t numRanks, int64_t position,
                                const Reducer &reducer, const InputBuffer &input, int64_t dim,
                                std::byte *output) {
  ScatteredParts parts(input, dim, numRanks);
  for (int64_t i = 1; i < numRanks; ++i) {
    int64_t peer = (position + i) % numRanks;
    if (Result<void> sent =
            round.send(peer, input.data + peer * parts.run * input.elementBytes, parts.sent);
        !sent)
      return sent;
  }
  // All receives have the output itself as their place. They do not collide, as each is folded in
  // within its own wait; the first operand, of position 0, is written and not folded.
  for (int64_t peer = 0; peer < numRanks; ++peer)
    if (peer != position)
      if (Result<void> started =
              round.receive(peer, output, parts.own, peer == 0 ? nullptr : &reducer);
          !started)
        return started;
  return {};
}

Result<void> finishReduceScatter(MessageRound &round, int64_t numRanks, int64_t position,
                                 const Reducer &reducer, const InputBuffer &input, int64_t dim,
                                 std::byte *output) {
  ScatteredParts parts(input, dim, numRanks);
  int64_t bytes = input.elementBytes;
  StridedCopy own(parts.sent.size, parts.sent.strides, parts.own.strides, bytes);
  const std::byte *ownPart = input.data + position * parts.run * bytes;
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

Result<void> startAllToAll(MessageRound &round, int64_t numRanks, int64_t position,
                           const InputBuffer &input, int64_t splitDim, int64_t concatDim,
                           std::byte *output) {
  for (int64_t i = 1; i < numRanks; ++i) {
    int64_t peer = (position + i) % numRanks;
    SwappedPart part(input.shape, splitDim, concatDim, peer, numRanks);
    BufferPart sent = partOf(input.shape, part.from, part.size, input.elementBytes);
    BufferPart received = partOf(part.outputShape, part.to, part.size, input.elementBytes);
    if (Result<void> started = round.send(peer, input.data + sent.offset, sent.box); !started)
      return started;
    if (Result<void> started = round.receive(peer, output + received.offset, received.box);
        !started)
      return started;
  }
  return {};
}

Result<void> finishAllToAll(MessageRound &round, int64_t numRanks, int64_t position,
                            const InputBuffer &input, int64_t splitDim, int64_t concatDim,
                            std::byte *output) {
  SwappedPart own(input.shape, splitDim, concatDim, position, numRanks);
  copyBox(input.data, {input.shape, own.from}, output, {own.outputShape, own.to}, own.size,
          input.elementBytes);
  return round.finish();
}

Result<void> NumberRound::start(std::vector<std::vector<int64_t>> numbers,
                                const std::vector<int64_t> &counts) {
  constexpr int64_t kBytes = sizeof(int64_t);
  sent = std::move(numbers);
  received.resize(sent.size());
  for (int64_t peer = 0; peer < group.size(); ++peer) {
    if (group.ranks[peer] == group.communicator.rank()) {
      received[peer] = sent[peer];
      continue;
    }
    received[peer].resize(counts[peer]);
    if (Result<void> started =
            round.send(peer, reinterpret_cast<const std::byte *>(sent[peer].data()),
                       denseRun(std::ssize(sent[peer]), kBytes));
        !started)
      return started;
    if (Result<void> started =
            round.receive(peer, reinterpret_cast<std::byte *>(received[peer].data()),
                          denseRun(counts[peer], kBytes));
        !started)
      return started;
  }
  return {};
}

Result<std::vector<std::vector<int64_t>>> NumberRound::finish() {
  if (Result<void> done = round.finish(); !done)
    return done.error();
  return std::move(received);
}

} // namespace shardwise::runtime::messages
