// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices along a dimension, in blocks.

#pragma once

#include "shardwise/runtime/DataType.h"

#include <cstddef>
#include <cstdint>

namespace shardwise::execute {

/// `iota` of a tensor in which the counted dimension has `size` entries and `inner` elements lie
/// between neighbours along it.
struct Iota {
  runtime::DataType type;
  int64_t size = 1;
  int64_t inner = 1;

  /// Writes elements [begin, begin + count) of the row-major order to `target`.
  void fill(std::byte *target, int64_t begin, int64_t count) const;
};

} // namespace shardwise::execute
