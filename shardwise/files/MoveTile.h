// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tile of a tensor: read, rearranged in memory, written.

#pragma once

#include "shardwise/files/FileSet.h"
#include "shardwise/files/TensorMove.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardwise::files {

/// Memory of one worker, kept from tile to tile.
struct TileBuffers {
  std::vector<std::byte> source;
  std::vector<std::byte> target;
};

/// Bytes that were moved.
struct MovedBytes {
  int64_t read = 0;
  int64_t written = 0;
};

/// Copies the elements of `tile` from the sources of `move` to its targets; partial values are
/// combined on the way. What is in memory at a time are the tile's elements, twice.
Result<MovedBytes> moveTile(const TensorMove &move, const core::Box &tile, const FileSet &sources,
                            const FileSet &targets, TileBuffers &buffers);

} // namespace shardwise::files
