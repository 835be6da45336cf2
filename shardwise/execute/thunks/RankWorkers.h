// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that help a rank with a thunk, where there are more cores than ranks.

#pragma once

#include "shardwise/runtime/WorkerThreads.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardwise::execute {

/// While it lives, thunks that its thread, or its turn (TurnTaking.h), runs may use `workers`; null
/// for none. Thunks ask by `runPieces`, and know nothing of ranks and cores.
class WorkersScope {
public:
  explicit WorkersScope(runtime::WorkerThreads *workers);
  ~WorkersScope();
  WorkersScope(const WorkersScope &) = delete;
  WorkersScope &operator=(const WorkersScope &) = delete;

private:
  runtime::WorkerThreads *outer = nullptr;
};

/// The workers for each of `numRanks` ranks of this process, of as many in all; null if the cores
/// have enough to do without.
runtime::WorkerThreads *workersForRanks(int64_t numRanksHere, int64_t numRanks);

/// How many threads work on the pieces of this thread's thunks: 1 if it is alone.
int64_t numWorkers();

/// Does the pieces 0..numPieces-1, each once, in any order. A worker is one of 0..numWorkers()-1,
/// and works on one piece at a time.
void runPieces(int64_t numPieces, const runtime::WorkerThreads::Work &work);

/// How many pieces to make of work that takes one thread about `nanoseconds`: 1 if waking others
/// would take longer, else one for each worker, but not more than `most`.
int64_t piecesFor(double nanoseconds, int64_t most);

/// The part of 0..size that is piece `piece` of `numPieces`; a multiple of `unit` but for the last.
struct PieceRange {
  int64_t begin, end;
};
PieceRange pieceRange(int64_t size, int64_t piece, int64_t numPieces, int64_t unit);

/// Memory of `bytes` bytes for a piece, aligned to 64: `planned` for worker 0, which has it in the
/// arena, else memory of its own. That is asked for anew by each piece: what a thread keeps for
/// itself would have to be given back when it ends, and to note that takes memory, which the C
/// library does not tell from a fault if there is none.
class WorkerScratch {
public:
  WorkerScratch(int64_t worker, std::byte *planned, int64_t bytes);
  std::byte *data() const { return begin; }

private:
  std::vector<std::byte> own;
  std::byte *begin;
};

} // namespace shardwise::execute
