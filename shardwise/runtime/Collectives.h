// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives on host memory, with the meaning of the StableHLO specification.
//
// All ranks of a group call the same function with the same parameters; Communicator.h has the
// contract on blocking and failure. Each rank copies straight from its peers' published buffers, so
// every byte is moved once. Received bytes are those of core/Collective.h, to be compared with a
// plan; L = bytes of the input, g = ranks of the group.
//
// Unless said otherwise input and output do not overlap. Empty tensors and groups of one work.
// Outputs of all_reduce and all_gather may be one buffer for several ranks that can meet: each
// writes a part of it, and all are there when the call returns.

#pragma once

#include "shardwise/runtime/Communicator.h"
#include "shardwise/runtime/Reducer.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardwise::runtime {

/// A dense row-major buffer that a collective reads.
struct InputBuffer {
  const std::byte *data = nullptr;
  std::span<const int64_t> shape;
  int64_t elementBytes = 0;
};

/// What a collective moved, seen from one rank.
struct Traffic {
  /// Modelled bytes received.
  int64_t receivedBytes = 0;
  /// Peers data came from.
  int64_t messages = 0;

  Traffic &operator+=(const Traffic &other) {
    receivedBytes += other.receivedBytes;
    messages += other.messages;
    return *this;
  }
};

/// A tensor of a collective, and where its outcome goes.
struct GatheredTensor {
  InputBuffer input;
  std::byte *output = nullptr;
  /// How many elements along the gathered dimension `output` has room for: the first ones, and what
  /// is behind is left out. All of them if negative.
  /// Example: three inputs of 2 elements with `kept` 5 give 2, 2 and 1.
  int64_t kept = -1;
};

/// Likewise of `numElements` elements.
struct ReducedTensor {
  const std::byte *input = nullptr;
  int64_t numElements = 0;
  std::byte *output = nullptr;
};

/// Concatenates the inputs of the group along `dim`, in group order, into `output`.
/// Receives (g-1)*L in one step.
/// Example: group {0, 1}, inputs 2x3, dim 1: output 2x6.
Result<Traffic> allGather(Communicator &communicator, RankGroup group, const InputBuffer &input,
                          int64_t dim, std::byte *output);
/// The same of several tensors in one meeting. What is left out counts as received.
Result<Traffic> allGather(Communicator &communicator, RankGroup group,
                          std::span<const GatheredTensor> tensors, int64_t dim);

/// Folds the inputs of the group element by element, in group order, into `output`; the same bits
/// on every rank. `input` and `output` may be the same buffer of `numElements` elements.
/// Counts 2*L*(g-1)/g: two steps, of which the first folds and the second gathers 1/g of the
/// elements per rank; up to 2 KiB every rank folds everything in one step instead.
Result<Traffic> allReduce(Communicator &communicator, RankGroup group, const Reducer &reducer,
                          const std::byte *input, int64_t numElements, std::byte *output);
/// The same of several tensors in one meeting: a rank folds its share of the elements of all of
/// them. Nothing is copied together. Counts what the tensors would by themselves.
Result<Traffic> allReduce(Communicator &communicator, RankGroup group, const Reducer &reducer,
                          std::span<const ReducedTensor> tensors);

/// Writes this rank's part, by its position in the group, of the inputs folded in group order and
/// cut along `dim`. Receives L*(g-1)/g in one step.
/// Fails if g does not divide dimension `dim`.
Result<Traffic> reduceScatter(Communicator &communicator, RankGroup group, const Reducer &reducer,
                              const InputBuffer &input, int64_t dim, std::byte *output);

/// Cuts the inputs into g parts along `splitDim`; the rank at position q concatenates part q of
/// every input along `concatDim`, in group order. Receives L*(g-1)/g in one step.
/// Fails if g does not divide dimension `splitDim`.
/// Example: group {0, 1}, inputs 4x3, split 0, concatenate 1: output 2x6.
Result<Traffic> allToAll(Communicator &communicator, RankGroup group, const InputBuffer &input,
                         int64_t splitDim, int64_t concatDim, std::byte *output);

/// The slices that a rank sends, of as many rows as it says: as many slices to each rank of the
/// group, in group order; and how many rows it expects of each. Lists of one length.
struct RaggedSlices {
  std::span<const int64_t> inputOffsets; ///< First row of the slice in the sender's input.
  std::span<const int64_t> sendSizes;
  std::span<const int64_t> outputOffsets; ///< First row of the slice in the receiver's output.
  std::span<const int64_t> recvSizes;
};

/// Copies the slices that the ranks of the group send to this one, rows of `input`, to their places
/// in `output`, which has `outputRows` rows of the same size; other rows of it stay. Receives the
/// rows that others send. Fails if a slice is not of the size that the receiver expects, or not
/// inside of either buffer.
/// Example: group {0, 1}, rank 0 sends {1, 2} rows from {0, 1} to {0, 0}, rank 1 {1, 1} from {0, 1}
/// to {1, 2}: inputs [1, 2, 2] and [3, 4, 0] give outputs [1, 3] and [2, 2, 4].
Result<Traffic> raggedAllToAll(Communicator &communicator, RankGroup group,
                               const InputBuffer &input, const RaggedSlices &slices,
                               int64_t outputRows, std::byte *output);

/// Copies the `bytes` of `input` of the group's first rank to the `output` of all. Every other rank
/// receives L in one step.
Result<Traffic> broadcast(Communicator &communicator, RankGroup group, const std::byte *input,
                          int64_t bytes, std::byte *output);

/// One message of a permute.
struct RankPair {
  Rank source = 0;
  Rank target = 0;
};

/// Copies the `bytes` of `input` from each pair's source to its target's `output`; a rank that is
/// no target gets zeros. Ranks in no pair between different ranks do not wait for anybody.
/// Receives L, or 0 without a source other than itself. Fails if a source or a target is named
/// twice. All ranks pass the same pairs.
Result<Traffic> collectivePermute(Communicator &communicator, std::span<const RankPair> pairs,
                                  const std::byte *input, int64_t bytes, std::byte *output);

/// A dimension cut into `count` equal parts, and the number of the part to take.
struct SlicePart {
  int64_t dim = 0;
  int64_t count = 1;
  int64_t index = 0;
};

/// Copies the part of `input` that `parts`, at most one per dimension, select. Local: no
/// communicator. Fails if a count does not divide its dimension or an index is out of range.
/// Example: input 4x6, parts {dim 1, 3 parts, index 2}: columns 4 and 5.
Result<void> allSlice(const InputBuffer &input, std::span<const SlicePart> parts,
                      std::byte *output);

} // namespace shardwise::runtime
