// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors from files to files, within a limit of memory.

#pragma once

#include "shardwise/files/MoveTile.h"
#include "shardwise/files/TensorMove.h"
#include "shardwise/runtime/WorkerThreads.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

namespace shardwise::files {

/// What of the work this process does, if several share it: the files of its devices, each of which
/// has one writer. Of an output with fewer files than processes, tiles of all of them.
struct RankShare {
  int64_t rank = 0;
  int64_t size = 1;
  int64_t numFiles = 1; ///< Of the output.

  bool dividesTiles() const { return numFiles < size; }
};

/// Leaves those targets of `move` that `share` writes.
void keepShare(TensorMove &move, const RankShare &share);

struct MoveOptions {
  /// For the buffers of all workers.
  int64_t memoryBytes = int64_t{256} << 20;
  /// Called by workers, one at a time, with the bytes of the tensors that are done since.
  std::function<void(int64_t bytes)> onProgress = {};
  /// Called by workers, one at a time, when all of a tensor has been written.
  std::function<Result<void>(size_t tensor)> onTensor = {};
  /// The work ends soon after it is true.
  const std::atomic<bool> *isStopped = nullptr;
  /// Whose tiles are moved. Targets must have been left to this share by `keepShare`.
  RankShare share = {};
  /// The work is done in so many parts, with `onRound` after each; it ends if that fails.
  int64_t numRounds = 1;
  std::function<Result<void>()> onRound = {};
};

/// Carries out `moves`. Fails with the first error of a file, or if it was stopped.
Result<MovedBytes> moveTensors(std::span<const TensorMove> moves, const FileSet &sources,
                               const FileSet &targets, runtime::WorkerThreads &workers,
                               const MoveOptions &options);

} // namespace shardwise::files
