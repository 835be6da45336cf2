// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiles of all tensors are one list, of which workers take the next one. So a checkpoint of
// many small tensors keeps all cores at work as well as one large tensor does, and nothing waits at
// the end of a tensor. Tiles do not overlap, neither in the tensor nor, therefore, in any file:
// workers write to the same files without a lock.
//
// Memory: each worker has a source and a target buffer, of a tile each, so that a tile may take
// memoryBytes / (2 * workers). Most tiles are smaller than that, as large ones leave the cache.

#include "shardwise/files/MoveTensors.h"

#include "shardwise/files/Tiling.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

namespace shardwise::files {
namespace {

/// Tiles in the cache of a core are rearranged faster than others.
constexpr int64_t kTileBytes = int64_t{1} << 20;
/// A tile of whole rows meets every file that cuts columns: it is at least so long that each gets a
/// run of this many bytes, or system calls would cost more than the copy. Example: 1024 files take
/// tiles of 64 MiB.
constexpr int64_t kRunBytes = int64_t{64} << 10;

/// Returns the bytes of a tile: as few as give runs that are long enough, within the limit.
int64_t tileBytes(const TensorMove &move, FileOrder order, int64_t limit) {
  // A tile of n elements is about sqrt(n) long either way: of 16 MiB of f32, runs have 8 KiB.
  if (order == FileOrder::Mixed)
    return std::min(limit, 16 * kTileBytes);
  auto numFiles = static_cast<int64_t>(std::max(move.sources.size(), move.targets.size()));
  return std::min(limit, std::max(kTileBytes, numFiles * kRunBytes));
}

FileOrder orderOf(const TensorMove &move) {
  bool isMixed = std::any_of(move.sources.begin(), move.sources.end(),
                             [](const StoredArray &array) { return array.isColumnMajor; });
  return isMixed ? FileOrder::Mixed : FileOrder::RowMajor;
}

/// Returns the box of the tensor around all that is written: of a rank that writes the files of
/// some devices, tiles elsewhere would be looked at for nothing.
core::Box boundsOf(const TensorMove &move) {
  core::Box bounds{core::Shape(move.shape.size(), 0), core::Shape(move.shape.size(), 0)};
  bool isFirst = true;
  for (const StoredArray &target : move.targets)
    for (const ArrayPart &part : target.layout.parts) {
      for (size_t dim = 0; dim < move.shape.size(); ++dim) {
        int64_t begin = part.box.start[dim];
        int64_t end = begin + part.box.size[dim];
        int64_t before = bounds.start[dim] + bounds.size[dim];
        bounds.start[dim] = isFirst ? begin : std::min(bounds.start[dim], begin);
        bounds.size[dim] = (isFirst ? end : std::max(before, end)) - bounds.start[dim];
      }
      isFirst = false;
    }
  // Nothing is written: a box without elements has no tiles.
  if (isFirst)
    bounds.size = {0};
  return bounds;
}

/// A tensor that is moved.
struct Job {
  const TensorMove *move = nullptr;
  std::vector<int64_t> origin; ///< Of the tiling, in the tensor.
  Tiling tiling;
  int64_t firstTile = 0;
};

class Mover {
public:
  Mover(std::span<const TensorMove> moves, const FileSet &sources, const FileSet &targets,
        runtime::WorkerThreads &workers, const MoveOptions &options)
      : sources(sources), targets(targets), workers(workers), options(options),
        buffers(static_cast<size_t>(workers.size())),
        numLeft(std::make_unique<std::atomic<int64_t>[]>(moves.size())) {
    int64_t limit = std::max<int64_t>(options.memoryBytes / (2 * workers.size()), 1);
    for (const TensorMove &move : moves) {
      FileOrder order = orderOf(move);
      core::Box bounds = boundsOf(move);
      Job job{&move,
              std::move(bounds.start),
              {std::move(bounds.size), move.unitBytes, tileBytes(move, order, limit), order},
              numTiles};
      numTiles += job.tiling.size();
      numLeft[jobs.size()] = job.tiling.size();
      jobs.push_back(std::move(job));
    }
  }

  Result<MovedBytes> run() {
    // No last tile will say that these are complete.
    for (size_t job = 0; job < jobs.size(); ++job)
      if (jobs[job].tiling.size() == 0)
        finish(job);
    for (int64_t round = 0; round < options.numRounds && !failure; ++round) {
      // The same number of rounds on every rank, whatever its number of tiles: all meet after each.
      int64_t first = numTiles * round / options.numRounds;
      int64_t end = numTiles * (round + 1) / options.numRounds;
      workers.run(end - first,
                  [&](int64_t tile, int64_t worker) { runTile(first + tile, worker); });
      if (!options.onRound || failure)
        continue;
      if (Result<void> done = options.onRound(); !done)
        return done.error();
    }
    if (failure)
      return *failure;
    return total;
  }

private:
  void runTile(int64_t tile, int64_t worker) {
    if (hasFailed.load(std::memory_order_relaxed))
      return;
    if (options.isStopped && options.isStopped->load(std::memory_order_relaxed))
      return fail(invalid("interrupted"));
    // The last tensor whose first tile is not behind this one. Tensors without tiles begin where
    // the next one does, and are before it in the list, so that they are never found.
    auto next =
        std::upper_bound(jobs.begin(), jobs.end(), tile,
                         [](int64_t number, const Job &job) { return number < job.firstTile; });
    const Job &job = *std::prev(next);
    int64_t number = tile - job.firstTile;
    core::Box box = job.tiling.tile(number);
    for (size_t dim = 0; dim < box.start.size(); ++dim)
      box.start[dim] += job.origin[dim];
    Result<MovedBytes> moved = MovedBytes{};
    if (isMine(job, number))
      moved = moveTile(*job.move, box, sources, targets, buffers[static_cast<size_t>(worker)]);
    if (!moved)
      return fail(moved.error());
    count(*moved, box.numElements() * job.move->unitBytes);
    // Whoever does the last tile of a tensor, in whatever order they ended, finishes it. Only then
    // is it written down as done: a call that is killed before does the whole tensor again.
    auto position = static_cast<size_t>(&job - jobs.data());
    if (numLeft[position].fetch_sub(1) == 1)
      finish(position);
  }

  bool isMine(const Job &job, int64_t tile) const {
    if (!options.share.dividesTiles())
      return true;
    // Neighbours stay together.
    return tile * options.share.size / job.tiling.size() == options.share.rank;
  }

  void count(const MovedBytes &moved, int64_t tensorBytes) {
    std::lock_guard lock(mutex);
    total.read += moved.read;
    total.written += moved.written;
    if (options.onProgress)
      options.onProgress(tensorBytes);
  }

  void finish(size_t job) {
    if (!options.onTensor)
      return;
    Result<void> done;
    {
      std::lock_guard lock(mutex);
      done = options.onTensor(job);
    }
    if (!done)
      fail(done.error());
  }

  /// The first error counts. Others see the flag before their next tile; what they are at ends.
  void fail(Error error) {
    std::lock_guard lock(mutex);
    if (!failure)
      failure = std::move(error);
    hasFailed = true;
  }

  const FileSet &sources;
  const FileSet &targets;
  runtime::WorkerThreads &workers;
  const MoveOptions &options;
  std::vector<Job> jobs;
  std::vector<TileBuffers> buffers;
  std::unique_ptr<std::atomic<int64_t>[]> numLeft;
  int64_t numTiles = 0;
  std::mutex mutex; ///< Of what follows, and of the callbacks.
  MovedBytes total;
  std::optional<Error> failure;
  std::atomic<bool> hasFailed{false};
};

} // namespace

void keepShare(TensorMove &move, const RankShare &share) {
  if (share.dividesTiles())
    return;
  // Neighbouring files, which have parts of the same tiles, go to the same rank: of 8 files on 3
  // ranks 0-2, 3-5, 6-7. Of an array with replicas, each rank writes those places that are its own.
  for (StoredArray &target : move.targets)
    std::erase_if(target.places, [&](const FilePlace &place) {
      return static_cast<int64_t>(place.file) * share.size / share.numFiles != share.rank;
    });
  std::erase_if(move.targets, [](const StoredArray &target) { return target.places.empty(); });
}

Result<MovedBytes> moveTensors(std::span<const TensorMove> moves, const FileSet &sources,
                               const FileSet &targets, runtime::WorkerThreads &workers,
                               const MoveOptions &options) {
  return Mover(moves, sources, targets, workers, options).run();
}

} // namespace shardwise::files
