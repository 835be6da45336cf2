// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies boxes between dense row-major buffers: all the data movement of the collectives.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardwise::runtime {

/// Where a box lies in a buffer: the buffer's shape and the box's first index.
struct BoxPlace {
  std::span<const int64_t> shape;
  std::span<const int64_t> start;
};

/// Copies the box of `size` elements at `from` in `source` to `to` in `target`. Dimensions that are
/// whole on both sides are copied as one run.
/// Requires: equal ranks, the box lies inside both buffers, the buffers do not overlap.
void copyBox(const std::byte *source, const BoxPlace &from, std::byte *target, const BoxPlace &to,
             std::span<const int64_t> size, int64_t elementBytes);

/// Returns the product of `sizes`; 1 for none.
int64_t product(std::span<const int64_t> sizes);

} // namespace shardwise::runtime
