// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of boxes as rows that are copied side by side.

#pragma once

#include "shardwise/resharding/BoxWork.h"
#include "shardwise/runtime/BlockCopy.h"

#include <optional>

namespace shardwise::resharding {

/// One row in a bundle, for each index of its loops: where from and where to.
struct RowStream {
  const std::byte *source = nullptr;
  /// One target or more, at the same pitches: they get the same.
  std::span<std::byte *const> targets;
  int64_t targetOffset = 0; ///< Of the first row, from each of `targets`.
  int64_t bytes = 0;
  /// From row to row, one for each loop of the bundle.
  std::vector<int64_t> sourcePitches, targetPitches;
  int64_t group = 0; ///< Number of the target buffer.
};

/// A place in a tensor whose rows run along and inside of one dimension.
struct TensorPlace {
  std::vector<int64_t> index; ///< Along the dimensions before the rows'.
  int64_t byte = 0;           ///< In the row.
};

/// Consecutive streams of a bundle to one target: [first, last).
struct StreamGroup {
  size_t first = 0;
  size_t last = 0;
  size_t lowest = 0; ///< The stream whose rows begin first in the target.
  int64_t bytes = 0; ///< Of a row of all of them.
  /// Together their rows are whole rows of the target, one behind the other.
  bool isDense = false;
};

/// Rows side by side in the tensor, repeated for each index of some loops, outermost first.
/// Streams to one target follow each other.
struct RowBundle {
  std::vector<int64_t> counts;
  std::vector<RowStream> streams;
  std::vector<StreamGroup> groups;
  /// Where in the tensor: the box of dimensions before the rows', the first byte in their rows, and
  /// how many rows of the bundle follow each other in one of the tensor, so many bytes apart.
  core::Box box;
  int64_t firstByte = 0;
  int64_t perRow = 1;
  int64_t pitch = 0;

  /// Returns how many rows begin before `place`, in row-major order of the tensor.
  int64_t rowsBefore(const TensorPlace &place) const;
};

/// Copies as rows.
struct BundledCopies {
  std::vector<RowBundle> bundles;
  /// Of the tensor: its dimensions before the one that rows run along, and the bytes of a row.
  std::vector<int64_t> outerShape;
  int64_t rowBytes = 0;

  /// Bytes of the tensor.
  int64_t bytes() const { return runtime::product(outerShape) * rowBytes; }
  /// Sets `place` to that of byte number `byte` of the tensor, the end included.
  void findPlace(int64_t byte, TensorPlace &place) const;
};

/// Returns `pieces`, each of which copies from one source, as bundles; none if some piece has no
/// rows: what is inside of the dimensions that are cut has to be dense and row-major on both sides.
///
/// Example: 8x8xf32, a piece for each half of the columns, is one bundle of 8 rows with two streams
/// of 16 bytes. The bundles refer to the targets of `pieces`.
std::optional<BundledCopies> bundlesOf(const BoxTensor &tensor, std::span<const BoxPiece> pieces);

} // namespace shardwise::resharding
