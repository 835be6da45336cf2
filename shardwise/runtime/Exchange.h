// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The unequal all-to-all: every rank sends each peer any boxes of its buffer.

#pragma once

#include "shardwise/runtime/Collectives.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::runtime {

/// The boxes that a rank sends. They need not be known before the call, nor by the peers: a rank
/// reads the lists of its group.
///
/// Example: rows 2 and 3 of 8x4 to the peer at position 1, as its rows 0 and 1:
/// `add(1, {{2, 0}}, {{0, 0}}, {{2, 4}})`.
class SentBoxes {
public:
  /// Of buffers with `numDims` dimensions.
  explicit SentBoxes(int64_t numDims) : numDims(numDims) {}

  /// Adds a box of `size` at `from` of this rank's input, that comes to lie at `to` of the output
  /// of the rank at position `target` in the group; that may be this rank itself.
  void add(int64_t target, std::span<const int64_t> from, std::span<const int64_t> to,
           std::span<const int64_t> size);

  int64_t count() const { return numBoxes; }
  /// By box: target, from, to, size.
  std::span<const int64_t> list() const { return numbers; }

private:
  int64_t numDims;
  int64_t numBoxes = 0;
  std::vector<int64_t> numbers;
};

/// A dense row-major buffer that a collective writes.
struct OutputBuffer {
  std::byte *data = nullptr;
  std::span<const int64_t> shape;
};

/// Copies every box that some rank of the group, this one included, sends to this rank. Inputs and
/// outputs may differ in shape between ranks, and may be empty; ranks of dimensions and bytes of an
/// element agree. What no box covers keeps its value; boxes that overlap must agree on what is
/// common, as they are copied in group order.
///
/// Receives the elements of the boxes of other ranks, in one step. Fails if a box is outside of its
/// input or output, or names a position that is not in the group.
Result<Traffic> exchange(Communicator &communicator, RankGroup group, const InputBuffer &input,
                         const SentBoxes &sent, const OutputBuffer &output);

} // namespace shardwise::runtime
