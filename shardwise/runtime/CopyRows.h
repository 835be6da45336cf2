// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loops of copies: rows at two pitches, and transposed blocks.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardwise::runtime {

/// Whether what a copy writes is to go through the cache.
enum class Stores {
  Cached,
  /// Past the cache, where the processor can: for what is larger than the cache and not read again
  /// soon. Saves reading the target's lines.
  Streaming
};

/// Returns how to store what is written of so many bytes together, by all who share the caches:
/// past these if it is more than they hold.
Stores storesFor(int64_t bytes);

/// `count` rows of `bytes` each, at two pitches; and all that `planes` times, at two more.
struct CopiedRows {
  int64_t count = 1;
  int64_t bytes = 0;
  int64_t sourcePitch = 0;
  int64_t targetPitch = 0;
  int64_t planes = 1;
  int64_t sourcePlanePitch = 0;
  int64_t targetPlanePitch = 0;
};

/// Copies the rows. Requires: source and target do not overlap.
void copyRows(const std::byte *source, std::byte *target, const CopiedRows &rows, Stores stores);

/// Rows of one of several copies that go on side by side.
struct SideRows {
  const std::byte *source = nullptr;
  std::byte *target = nullptr;
  int64_t bytes = 0; ///< Of a row.
  int64_t sourcePitch = 0;
  int64_t targetPitch = 0;
};

/// Copies `count` rows of each of `copies`, a cache line of each in turn: those of the same rows of
/// a buffer meet its lines in order. Requires: sources and targets do not overlap. To stream, rows
/// and targets are at multiples of 16 bytes.
void copySideBySide(std::span<const SideRows> copies, int64_t count, Stores stores);

/// `numRows` times `numColumns` elements: neighbours in a row are adjacent in the target, those in
/// a column adjacent in the source.
struct TransposedBlock {
  int64_t numRows = 0;
  int64_t numColumns = 0;
  int64_t elementBytes = 0;
  int64_t sourcePitch = 0; ///< Between neighbours in a row.
  int64_t targetPitch = 0; ///< Between neighbours in a column.
};

/// Copies the block in squares that stay in the nearest cache.
void copyTransposed(const std::byte *source, std::byte *target, const TransposedBlock &block);

/// Makes streaming stores visible to whoever synchronises with this thread afterwards.
void finishStores(Stores stores);

} // namespace shardwise::runtime
