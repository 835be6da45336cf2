// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensor is cut into slabs, boxes of neighbouring elements that fit into a core's own cache. A
// slab is one piece of work for one thread: it carries out the part of every piece that is in it.
//
// Why by slabs and not by pieces: where a minor dimension is cut, several pieces read, or write,
// parts of the same cache lines. Done one after the other on a slab they find these in the cache,
// and no two threads write to one line but at the borders of slabs. Pieces that read the same
// replica share what they read likewise. And slabs are many and alike, so all threads end together.
//
// Short rows from several buffers to one would be written to the target in parts of lines, which
// are read for that first. Where stores go past the cache they are put together in a block that
// stays in it, and copied from there in whole lines.
//
// Short rows of one buffer that go to several are read in as many passes, each of which would fetch
// some of the lines, in leaps. The first pass has all of them fetched, in order.
//
// Example: 8x8 from rows to columns of two devices, slabs of 2 rows: the first thread copies rows 0
// and 1 to the left and then to the right buffer, the second one rows 2 and 3.

#include "shardwise/resharding/BoxWork.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <functional>
#include <optional>

namespace shardwise::resharding {
namespace {

using runtime::StridedCopy;

/// Waking other threads costs as much as copying this.
constexpr int64_t kAloneBytes = int64_t{256} << 10;
/// Source and target of a slab fit into the second cache together.
constexpr int64_t kSlabBytes = int64_t{256} << 10;
/// Stores go past the caches if a step writes more than they hold.
constexpr int64_t kStreamedBytes = int64_t{8} << 20;
/// Rows from this length on are streamed by themselves.
constexpr int64_t kLongRunBytes = 1'024;
/// Sums are taken in blocks that stay in the first cache.
constexpr int64_t kSumBytes = int64_t{16} << 10;

int64_t bytesOf(const BoxPiece &piece, int64_t elementBytes) {
  return piece.box.numElements() * elementBytes;
}

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

  void runWhole(const BoxPiece &piece) {
    copy.assign(piece.box.size, piece.sourceStrides, piece.targetStrides, elementBytes);
    runPart(piece, {0, 0, 0}, piece.target);
  }

  void startSlab() { fetched.clear(); }

  /// Carries out what is in the slab from `first` of `pieces`, which have one target buffer.
  void runIn(std::span<const BoxPiece> pieces, const std::vector<int64_t> &first,
             const std::vector<int64_t> &slabSize) {
    bool isPutTogether = stores == runtime::Stores::Streaming && pieces.size() > 1 &&
                         tryPutTogether(pieces, first, slabSize);
    for (size_t i = 0; i < pieces.size() && !isPutTogether; ++i)
      if (std::optional<Part> part = partOf(pieces[i], first, slabSize))
        runPart(pieces[i], *part, pieces[i].target + part->targetOffset);
  }

private:
  /// The part of a piece in a slab, in bytes from the piece's first element; its loops are in
  /// `copy`.
  struct Part {
    int64_t sourceOffset = 0;
    int64_t targetOffset = 0;
    /// From the part's first to behind its last element in the target.
    int64_t targetExtent = 0;
  };

  std::optional<Part> partOf(const BoxPiece &piece, const std::vector<int64_t> &first,
                             const std::vector<int64_t> &slabSize) {
    size.assign(piece.box.size.begin(), piece.box.size.end());
    Part part;
    for (size_t dim = 0; dim < first.size(); ++dim) {
      int64_t begin = std::max(first[dim], piece.box.start[dim]);
      int64_t end =
          std::min(first[dim] + slabSize[dim], piece.box.start[dim] + piece.box.size[dim]);
      if (begin >= end)
        return std::nullopt;
      size[dim] = end - begin;
      part.sourceOffset += (begin - piece.box.start[dim]) * piece.sourceStrides[dim];
      part.targetOffset += (begin - piece.box.start[dim]) * piece.targetStrides[dim];
    }
    part.targetExtent = elementBytes;
    int64_t sourceExtent = elementBytes;
    for (size_t dim = 0; dim < size.size(); ++dim) {
      part.targetExtent += (size[dim] - 1) * piece.targetStrides[dim];
      sourceExtent += (size[dim] - 1) * piece.sourceStrides[dim];
    }
    copy.assign(size, piece.sourceStrides, piece.targetStrides, elementBytes);
    if (piece.isSourceShared && copy.runBytes() < kLongRunBytes)
      prefetch(piece.sources.front() + part.sourceOffset, sourceExtent);
    return part;
  }

  /// Fetches what short rows lie in, line after line, once for a slab.
  void prefetch([[maybe_unused]] const std::byte *begin, int64_t bytes) {
    const std::byte *end = begin + bytes;
    if (bytes > 2 * kSlabBytes)
      return;
    for (const Fetched &other : fetched)
      if (!std::less<>()(begin, other.begin) && !std::less<>()(other.end, end))
        return;
    // The rest of the first and the last row counts as fetched: it is few lines.
    fetched.push_back({begin - kLongRunBytes, end + kLongRunBytes});
#if defined(__GNUC__)
    constexpr int64_t kLineBytes = 64;
    for (int64_t line = 0; line < bytes; line += kLineBytes)
      __builtin_prefetch(begin + line, /*rw=*/0, /*locality=*/2);
#endif
  }

  void runPart(const BoxPiece &piece, const Part &part, std::byte *target,
               std::optional<runtime::Stores> otherStores = std::nullopt) {
    if (piece.sources.size() == 1) {
      copy.run(piece.sources.front() + part.sourceOffset, target, otherStores.value_or(stores));
      return;
    }
    operands.clear();
    for (const std::byte *source : piece.sources)
      operands.push_back(source + part.sourceOffset);
    combineRuns(copy, operands, target, *reducer);
  }

  /// Puts short rows from several sources together and copies the whole. Returns false, and does
  /// nothing, if rows are long, or if the parts do not make up one run of the target.
  bool tryPutTogether(std::span<const BoxPiece> pieces, const std::vector<int64_t> &first,
                      const std::vector<int64_t> &slabSize) {
    std::byte *begin = nullptr;
    std::byte *end = nullptr;
    int64_t bytes = 0;
    for (const BoxPiece &piece : pieces) {
      std::optional<Part> part = partOf(piece, first, slabSize);
      if (!part)
        continue;
      if (copy.runBytes() >= kLongRunBytes || piece.sources.size() > 1)
        return false;
      std::byte *target = piece.target + part->targetOffset;
      begin = begin && std::less<>()(begin, target) ? begin : target;
      end = end && std::less<>()(target + part->targetExtent, end) ? end
                                                                   : target + part->targetExtent;
      bytes += copy.bytes();
    }
    if (bytes == 0)
      return true;
    if (end - begin != bytes || bytes > 2 * kSlabBytes)
      return false;
    block.resize(2 * kSlabBytes);
    for (const BoxPiece &piece : pieces) {
      if (std::optional<Part> part = partOf(piece, first, slabSize)) {
        int64_t offset = piece.target + part->targetOffset - begin;
        runPart(piece, *part, block.data() + offset, runtime::Stores::Cached);
      }
    }
    runtime::copyRows(block.data(), begin, {1, bytes, 0, 0}, runtime::Stores::Streaming);
    return true;
  }

  int64_t elementBytes;
  const runtime::Reducer *reducer;
  runtime::Stores stores;
  StridedCopy copy;
  std::vector<int64_t> size;
  std::vector<const std::byte *> operands;
  std::vector<std::byte> block;
  /// Parts of sources that this slab has fetched.
  struct Fetched {
    const std::byte *begin;
    const std::byte *end;
  };
  std::vector<Fetched> fetched;
};

/// Pieces that follow each other and write to one buffer: [first, last).
struct TargetGroup {
  size_t first = 0;
  size_t last = 0;
};

std::vector<TargetGroup> groupsOf(std::span<const BoxPiece> pieces) {
  std::vector<TargetGroup> groups;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i == 0 || pieces[i].group != pieces[i - 1].group)
      groups.push_back({i, i});
    groups.back().last = i + 1;
  }
  return groups;
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
  int64_t worked = 0;
  for (const BoxPiece &piece : pieces) {
    assert((piece.sources.size() == 1 || reducer) && "sums need a reducer");
    int64_t bytes = bytesOf(piece, tensor.elementBytes);
    written += bytes;
    worked += bytes * static_cast<int64_t>(piece.sources.size());
  }
  auto stores = written > kStreamedBytes ? runtime::Stores::Streaming : runtime::Stores::Cached;
  if (worked <= kAloneBytes) {
    PieceRunner runner(tensor.elementBytes, reducer, stores);
    for (const BoxPiece &piece : pieces)
      runner.runWhole(piece);
    return written;
  }
  Slabs slabs(tensor);
  std::vector<TargetGroup> groups = groupsOf(pieces);
  std::vector<PieceRunner> runners(workers.size(), {tensor.elementBytes, reducer, stores});
  workers.run(slabs.count(), [&](int64_t slab, int64_t worker) {
    std::vector<int64_t> first;
    slabs.start(slab, first);
    runners[worker].startSlab();
    for (const TargetGroup &group : groups)
      runners[worker].runIn(pieces.subspan(group.first, group.last - group.first), first,
                            slabs.size());
    runtime::finishStores(stores);
  });
  return written;
}

} // namespace shardwise::resharding
