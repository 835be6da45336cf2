// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies are carried out as bundles of rows (RowBundles.h). Threads take parts of the tensor, alike
// in bytes, so that all end together, and no two write to one line of the cache but at the borders
// of parts.
//
// Sums, and buffers that are not row-major, by slabs: the tensor is cut into boxes of neighbouring
// elements that fit into a core's own cache, and a thread carries out what of every piece is in its
// slab. Pieces that read or write parts of the same lines find them in the cache.
//
// Example: 8x8 from rows to columns of two devices, slabs of 2 rows: the first thread copies rows 0
// and 1 to the left and then to the right buffer, the second one rows 2 and 3.

#include "shardwise/resharding/BoxWork.h"

#include "shardwise/resharding/BundleCopier.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <optional>

namespace shardwise::resharding {
namespace {

using runtime::StridedCopy;

/// Waking other threads costs as much as copying this, or writing more of it to replicas.
constexpr int64_t kAloneBytes = int64_t{256} << 10;
constexpr int64_t kAloneWrittenBytes = int64_t{1} << 20;
/// What a thread takes of the tensor at a time: enough to be worth it, little enough for threads to
/// end together.
constexpr int64_t kPartBytes = int64_t{256} << 10;
/// Source and target of a slab fit into the second cache together.
constexpr int64_t kSlabBytes = int64_t{256} << 10;
/// Sums are taken in blocks that stay in the first cache.
constexpr int64_t kSumBytes = int64_t{16} << 10;

/// The slabs of a tensor: single indices of the dimensions before `dim`, `chunk` indices of `dim`,
/// and all of those behind it.
class Slabs {
public:
  explicit Slabs(const BoxTensor &tensor) {
    auto rank = static_cast<int64_t>(tensor.shape.size());
    int64_t inner = tensor.elementBytes;
    dim = rank;
    while (dim > 0 && inner * tensor.shape[dim - 1] <= kSlabBytes)
      inner *= tensor.shape[--dim];
    if (dim == 0)
      return;
    --dim;
    chunk = std::max<int64_t>(1, kSlabBytes / inner);
    counts.assign(tensor.shape.begin(), tensor.shape.begin() + dim + 1);
    sizes.assign(dim, 1);
    sizes.push_back(chunk);
    counts[dim] = (tensor.shape[dim] + chunk - 1) / chunk;
  }

  int64_t count() const {
    int64_t result = 1;
    for (int64_t size : counts)
      result *= size;
    return result;
  }

  /// Sets the first indices of slab number `slab` along the dimensions that are cut.
  void start(int64_t slab, std::vector<int64_t> &first) const {
    first.resize(counts.size());
    for (size_t i = counts.size(); i-- > 0;) {
      first[i] = slab % counts[i] * sizes[i];
      slab /= counts[i];
    }
  }

  const std::vector<int64_t> &size() const { return sizes; }

private:
  int64_t dim = 0;
  int64_t chunk = 1;
  std::vector<int64_t> counts;
  std::vector<int64_t> sizes;
};

/// What a thread needs to carry out parts of pieces; kept between parts, so that they allocate
/// nothing.
class PieceRunner {
public:
  PieceRunner(int64_t elementBytes, const runtime::Reducer *reducer, runtime::Stores stores)
      : elementBytes(elementBytes), reducer(reducer), stores(stores) {}

  /// Carries out pieces that have the same target buffers.
  void runWhole(std::span<const BoxPiece> pieces) {
    for (const BoxPiece &piece : pieces) {
      size.assign(piece.box.size.begin(), piece.box.size.end());
      write(piece, 0, 0);
    }
    if (pieces.front().targets.size() > 1 && !tryReplicateAll(pieces)) {
      for (const BoxPiece &piece : pieces) {
        size.assign(piece.box.size.begin(), piece.box.size.end());
        replicate(piece, 0);
      }
    }
  }

  /// Carries out what of `piece` is in the slab from `first`.
  void runIn(const BoxPiece &piece, const std::vector<int64_t> &first,
             const std::vector<int64_t> &slabSize) {
    size.assign(piece.box.size.begin(), piece.box.size.end());
    int64_t sourceOffset = 0;
    int64_t targetOffset = 0;
    for (size_t dim = 0; dim < first.size(); ++dim) {
      int64_t begin = std::max(first[dim], piece.box.start[dim]);
      int64_t end =
          std::min(first[dim] + slabSize[dim], piece.box.start[dim] + piece.box.size[dim]);
      if (begin >= end)
        return;
      size[dim] = end - begin;
      sourceOffset += (begin - piece.box.start[dim]) * piece.sourceStrides[dim];
      targetOffset += (begin - piece.box.start[dim]) * piece.targetStrides[dim];
    }
    write(piece, sourceOffset, targetOffset);
    if (piece.targets.size() > 1)
      replicate(piece, targetOffset);
  }

private:
  /// Fills a box of `size` of the first target, at these offsets, in bytes, from the first elements
  /// of `piece`.
  void write(const BoxPiece &piece, int64_t sourceOffset, int64_t targetOffset) {
    std::byte *target = piece.targets.front() + targetOffset;
    copy.assign(size, piece.sourceStrides, piece.targetStrides, elementBytes);
    if (piece.sources.size() == 1) {
      copy.run(piece.sources.front() + sourceOffset, target, stores);
      return;
    }
    operands.clear();
    for (const std::byte *source : piece.sources)
      operands.push_back(source + sourceOffset);
    combineRuns(copy, operands, target, *reducer);
  }

  /// Copies the box from the first target to the others, where it lies likewise.
  void replicate(const BoxPiece &piece, int64_t offset) {
    copy.assign(size, piece.targetStrides, piece.targetStrides, elementBytes);
    for (std::byte *replica : std::span(piece.targets).subspan(1))
      copy.run(piece.targets.front() + offset, replica + offset, stores);
  }

  /// Copies what all pieces wrote as one, if it has no holes. Returns whether it has none.
  bool tryReplicateAll(std::span<const BoxPiece> pieces) {
    const BoxPiece *lowest = &pieces.front();
    const std::byte *end = lowest->targets.front();
    int64_t bytes = 0;
    for (const BoxPiece &piece : pieces) {
      int64_t extent = elementBytes;
      for (size_t dim = 0; dim < piece.box.size.size(); ++dim)
        extent += (piece.box.size[dim] - 1) * piece.targetStrides[dim];
      const std::byte *begin = piece.targets.front();
      if (std::less<>()(begin, lowest->targets.front()))
        lowest = &piece;
      end = std::less<>()(end, begin + extent) ? begin + extent : end;
      bytes += piece.box.numElements() * elementBytes;
    }
    if (end - lowest->targets.front() != bytes)
      return false;
    for (std::byte *replica : std::span(lowest->targets).subspan(1))
      std::memcpy(replica, lowest->targets.front(), static_cast<size_t>(bytes));
    return true;
  }

  int64_t elementBytes;
  const runtime::Reducer *reducer;
  runtime::Stores stores;
  StridedCopy copy;
  std::vector<int64_t> size;
  std::vector<const std::byte *> operands;
};

void runAlone(const BoxTensor &tensor, std::span<const BoxPiece> pieces,
              const runtime::Reducer *reducer, runtime::Stores stores) {
  PieceRunner runner(tensor.elementBytes, reducer, stores);
  for (size_t first = 0, next = 0; first < pieces.size(); first = next) {
    while (next < pieces.size() && pieces[next].group == pieces[first].group)
      ++next;
    runner.runWhole(pieces.subspan(first, next - first));
  }
}

void runBundles(const BundledCopies &copies, runtime::Stores stores,
                runtime::WorkerThreads &workers) {
  int64_t bytes = copies.bytes();
  std::vector<BundleCopier> copiers(workers.size(), BundleCopier(stores));
  workers.run((bytes + kPartBytes - 1) / kPartBytes, [&](int64_t part, int64_t worker) {
    copiers[worker].run(copies, part * kPartBytes, std::min(bytes, (part + 1) * kPartBytes));
    runtime::finishStores(stores);
  });
}

void runSlabs(const BoxTensor &tensor, std::span<const BoxPiece> pieces,
              const runtime::Reducer *reducer, runtime::Stores stores,
              runtime::WorkerThreads &workers) {
  Slabs slabs(tensor);
  std::vector<PieceRunner> runners(workers.size(), {tensor.elementBytes, reducer, stores});
  workers.run(slabs.count(), [&](int64_t slab, int64_t worker) {
    std::vector<int64_t> first;
    slabs.start(slab, first);
    for (const BoxPiece &piece : pieces)
      runners[worker].runIn(piece, first, slabs.size());
    runtime::finishStores(stores);
  });
}

} // namespace

void combineRuns(const StridedCopy &copy, std::span<const std::byte *const> sources,
                 std::byte *target, const runtime::Reducer &reducer) {
  int64_t runBytes = copy.runBytes();
  int64_t blockBytes = kSumBytes / reducer.elementBytes * reducer.elementBytes;
  copy.forEachRun([&](int64_t sourceOffset, int64_t targetOffset) {
    for (int64_t done = 0; done < runBytes; done += blockBytes) {
      int64_t bytes = std::min(blockBytes, runBytes - done);
      std::byte *sum = target + targetOffset + done;
      std::memcpy(sum, sources.front() + sourceOffset + done, static_cast<size_t>(bytes));
      for (const std::byte *source : sources.subspan(1))
        reducer.fold(sum, source + sourceOffset + done, bytes / reducer.elementBytes);
    }
  });
}

int64_t runPieces(const BoxTensor &tensor, std::span<const BoxPiece> pieces,
                  const runtime::Reducer *reducer, runtime::WorkerThreads &workers) {
  int64_t written = 0;
  int64_t read = 0;
  bool areCopies = true;
  for (const BoxPiece &piece : pieces) {
    assert((piece.sources.size() == 1 || reducer) && "sums need a reducer");
    int64_t bytes = piece.box.numElements() * tensor.elementBytes;
    written += bytes * std::ssize(piece.targets);
    read += bytes * std::ssize(piece.sources);
    areCopies &= piece.sources.size() == 1;
  }
  runtime::Stores stores = runtime::storesFor(written);
  if (read <= kAloneBytes && written <= kAloneWrittenBytes)
    runAlone(tensor, pieces, reducer, stores);
  else if (auto copies = areCopies ? bundlesOf(tensor, pieces) : std::nullopt)
    runBundles(*copies, stores, workers);
  else
    runSlabs(tensor, pieces, reducer, stores, workers);
  return written;
}

} // namespace shardwise::resharding
