// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bitcast_convert from or to types that take a byte for fewer bits.

#pragma once

#include "shardwise/execute/thunks/Thunk.h"

namespace shardwise::execute {

/// Copies the bits that carry values, the least significant first. Source and target are dense
/// arrays with equally many such bits. Example: two u4 elements 0x1, 0x2 are one u8 element 0x21.
class BitcastThunk final : public Thunk {
public:
  /// `numBits` are the bits that carry values in all elements together.
  BitcastThunk(BufferId source, BufferId target, DataType from, DataType to, int64_t numBits)
      : source(source), target(target), from(from), to(to), numBits(numBits) {}

  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "bitcast"; }

private:
  BufferId source, target;
  DataType from, to;
  int64_t numBits;
};

} // namespace shardwise::execute
