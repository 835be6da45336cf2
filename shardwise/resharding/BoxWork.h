// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and sums of boxes between buffers that one process sees, shared among threads.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/runtime/Reducer.h"
#include "shardwise/runtime/StridedCopy.h"
#include "shardwise/runtime/WorkerThreads.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::resharding {

/// A box of global indices to be copied from one buffer to others, or combined from several that
/// lie alike. Addresses are those of the box's first element.
struct BoxPiece {
  core::Box box;
  /// One to copy; more to combine, in this order.
  std::vector<const std::byte *> sources;
  /// All get the same. One at least.
  std::vector<std::byte *> targets;
  std::span<const int64_t> sourceStrides;
  std::span<const int64_t> targetStrides;
  /// Number of the target buffers: pieces of one number follow each other and have as many targets.
  int64_t group = 0;
};

/// A tensor whose boxes are worked on.
struct BoxTensor {
  std::span<const int64_t> shape;
  int64_t elementBytes = 0;
};

/// Carries out all `pieces`, whose targets do not overlap each other or any source. `reducer` is
/// needed if some piece has several sources. Returns the bytes written.
int64_t runPieces(const BoxTensor &tensor, std::span<const BoxPiece> pieces,
                  const runtime::Reducer *reducer, runtime::WorkerThreads &workers);

/// Combines what lies at the source strides of `copy` under the addresses `sources`, in their
/// order, into `target`.
void combineRuns(const runtime::StridedCopy &copy, std::span<const std::byte *const> sources,
                 std::byte *target, const runtime::Reducer &reducer);

} // namespace shardwise::resharding
