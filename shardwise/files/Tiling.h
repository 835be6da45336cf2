// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor cut into tiles that fit into memory.

#pragma once

#include "shardwise/core/ShardMap.h"

#include <cstdint>
#include <vector>

namespace shardwise::files {

/// In which order of the tensor's elements files are.
enum class FileOrder {
  RowMajor, ///< All of them row-major.
  Mixed     ///< Some column-major.
};

/// Boxes that make up a tensor, numbered.
///
/// If all files are row-major, a tile has whole inner dimensions, as many as fit, a part of the
/// next one and one index of those outside: a device's part of it is one run of its file. If some
/// are column-major, a tile is long along the last and the first dimension, so that runs in both
/// are.
/// Example: 1000x1000 elements of 4 bytes in tiles of at most 64 KiB: 63 tiles of 16x1000, or 64 of
/// 125x125.
class Tiling {
public:
  Tiling(core::Shape shape, int64_t elementBytes, int64_t tileBytes, FileOrder order);

  /// 0 for a tensor without elements.
  int64_t size() const { return numTiles; }
  core::Box tile(int64_t number) const;

private:
  core::Shape shape;
  core::Shape tileShape;
  int64_t numTiles = 1;
};

} // namespace shardwise::files
