// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which threads help. Jobs of several ranks take turns, so that all cores work on one at a time.

#include "shardwise/execute/thunks/RankWorkers.h"

#include "shardwise/runtime/TurnTaking.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace shardwise::execute {
namespace {

/// A rank may go on in another thread behind a wait, and finds its workers there.
runtime::WorkerThreads *ownWorkers() {
  return static_cast<runtime::WorkerThreads *>(runtime::ownPointer());
}

/// Waking and awaiting others takes some 10 us.
constexpr double kLeastNanoseconds = 50'000;

} // namespace

WorkersScope::WorkersScope(runtime::WorkerThreads *workers) : outer(ownWorkers()) {
  runtime::setOwnPointer(workers);
}

WorkersScope::~WorkersScope() {
  runtime::setOwnPointer(outer);
}

runtime::WorkerThreads *workersForRanks(int64_t numRanksHere, int64_t numRanks) {
  static const int64_t numCores = std::thread::hardware_concurrency();
  // Other processes use the same cores, with ranks of their own.
  bool areAllHere = numRanksHere == numRanks;
  return areAllHere && 2 * numRanks <= numCores ? &runtime::WorkerThreads::shared() : nullptr;
}

int64_t numWorkers() {
  runtime::WorkerThreads *workers = ownWorkers();
  return workers ? workers->size() : 1;
}

void runPieces(int64_t numPieces, const runtime::WorkerThreads::Work &work) {
  if (runtime::WorkerThreads *workers = ownWorkers(); workers && numPieces > 1) {
    // What a piece calls is done by its worker: jobs do not nest.
    WorkersScope alone(nullptr);
    return workers->run(numPieces, work);
  }
  for (int64_t piece = 0; piece < numPieces; ++piece)
    work(piece, 0);
}

int64_t piecesFor(double nanoseconds, int64_t most) {
  if (nanoseconds < kLeastNanoseconds)
    return 1;
  return std::clamp<int64_t>(numWorkers(), 1, std::max<int64_t>(1, most));
}

PieceRange pieceRange(int64_t size, int64_t piece, int64_t numPieces, int64_t unit) {
  int64_t length = (size + numPieces - 1) / numPieces;
  length = (length + unit - 1) / unit * unit;
  return {std::min(size, piece * length), std::min(size, (piece + 1) * length)};
}

WorkerScratch::WorkerScratch(int64_t worker, std::byte *planned, int64_t bytes) : begin(planned) {
  if (worker == 0)
    return;
  constexpr int64_t kAlignment = 64;
  own.resize(static_cast<size_t>(bytes + kAlignment));
  auto start = reinterpret_cast<uintptr_t>(own.data());
  begin = own.data() + (kAlignment - start % kAlignment) % kAlignment;
}

} // namespace shardwise::execute
