// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a minor dimension is cut, several pieces read, or write, parts of the same rows. They are a
// bundle, whose rows are copied side by side (copySideBySide): so each line of memory is met once,
// and in order, as processors expect it when they fetch ahead.
//
// How pieces become bundles:
//
// 1. The *row dimension* is the last one that some piece has not all of. A row of a piece is its
//    interval of that dimension, with all that is inside; it is contiguous on both sides.
// 2. Pieces with the same box along the dimensions before are a bundle; pieces with long rows are
//    one each, as they share no lines to speak of.
// 3. A long row becomes a loop over rows of some lines, and a rest.
// 4. Loops that continue each other, in all streams, are one.
//
// Example: 256x256x64xf32 from [{}, {}, {"x"=2}] to [{}, {"y"=2}, {}]: a bundle for each target, of
// two streams, with rows of 128 bytes and loops of 256 and 128.

#include "shardwise/resharding/RowBundles.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace shardwise::resharding {
namespace {

/// Rows from this length on are bundles by themselves.
constexpr int64_t kLongRowBytes = int64_t{1} << 10;
/// What long rows are cut into: some lines.
constexpr int64_t kShortRowBytes = 256;
/// Likewise where the ends of rows have to be copied apart from their middle.
constexpr int64_t kUnalignedRowBytes = int64_t{4} << 10;

/// The last dimension that some piece has not all of; 0 if there is none.
size_t rowDimOf(const BoxTensor &tensor, std::span<const BoxPiece> pieces) {
  size_t found = 0;
  for (const BoxPiece &piece : pieces)
    for (size_t dim = found + 1; dim < tensor.shape.size(); ++dim)
      if (piece.box.size[dim] != tensor.shape[dim])
        found = dim;
  return found;
}

/// Returns the bytes of a row of `piece`, if it is contiguous on both sides.
std::optional<int64_t> rowBytesOf(const BoxTensor &tensor, const BoxPiece &piece, size_t rowDim) {
  int64_t bytes = tensor.elementBytes;
  for (size_t dim = tensor.shape.size(); dim-- > rowDim;) {
    // Who has one index does not step along the dimension.
    bool isContiguous = piece.box.size[dim] == 1 ||
                        (piece.sourceStrides[dim] == bytes && piece.targetStrides[dim] == bytes);
    if (!isContiguous)
      return std::nullopt;
    bytes *= piece.box.size[dim];
  }
  return bytes;
}

RowStream streamOf(const BoxPiece &piece, size_t rowDim, int64_t rowBytes) {
  RowStream stream{piece.sources.front(), piece.targets, 0, rowBytes, {}, {}, piece.group};
  for (size_t dim = 0; dim < rowDim; ++dim)
    if (piece.box.size[dim] > 1) {
      stream.sourcePitches.push_back(piece.sourceStrides[dim]);
      stream.targetPitches.push_back(piece.targetStrides[dim]);
    }
  return stream;
}

/// Whether all that a target is written at is at multiples of a vector, so that any part of it can
/// be stored past the cache.
bool isAligned(const RowStream &stream) {
  constexpr int64_t kVectorBytes = 16;
  auto isMultiple = [](int64_t bytes) { return bytes % kVectorBytes == 0; };
  return isMultiple(stream.targetOffset) && std::ranges::all_of(stream.targetPitches, isMultiple) &&
         std::ranges::all_of(stream.targets, [&](const std::byte *target) {
           return isMultiple(static_cast<int64_t>(reinterpret_cast<uintptr_t>(target)));
         });
}

/// A long row becomes a loop over short ones, and a rest, which is a bundle of its own.
void cutLongRow(RowBundle &bundle, std::vector<RowBundle> &bundles) {
  RowStream &stream = bundle.streams.front();
  int64_t pitch = isAligned(stream) ? kShortRowBytes : kUnalignedRowBytes;
  if (stream.bytes <= pitch)
    return;
  int64_t rest = stream.bytes % pitch;
  if (rest > 0) {
    RowBundle &tail = bundles.emplace_back(bundle);
    RowStream &last = tail.streams.front();
    last.source += stream.bytes - rest;
    last.targetOffset += stream.bytes - rest;
    last.bytes = rest;
    tail.firstByte += stream.bytes - rest;
  }
  bundle.perRow = stream.bytes / pitch;
  bundle.pitch = pitch;
  bundle.counts.push_back(bundle.perRow);
  stream.bytes = pitch;
  stream.sourcePitches.push_back(pitch);
  stream.targetPitches.push_back(pitch);
}

/// Puts loop number `loop` into the one inside of it, if that ends where it goes on, in all
/// streams.
bool tryMergeLoop(RowBundle &bundle, size_t loop) {
  int64_t inner = bundle.counts[loop + 1];
  for (const RowStream &stream : bundle.streams)
    if (stream.sourcePitches[loop] != inner * stream.sourcePitches[loop + 1] ||
        stream.targetPitches[loop] != inner * stream.targetPitches[loop + 1])
      return false;
  auto at = static_cast<std::ptrdiff_t>(loop);
  bundle.counts[loop + 1] *= bundle.counts[loop];
  bundle.counts.erase(bundle.counts.begin() + at);
  for (RowStream &stream : bundle.streams) {
    stream.sourcePitches.erase(stream.sourcePitches.begin() + at);
    stream.targetPitches.erase(stream.targetPitches.begin() + at);
  }
  return true;
}

StreamGroup groupOf(const RowBundle &bundle, size_t first, size_t last) {
  auto rowOf = [&](size_t i) {
    return bundle.streams[i].targets.front() + bundle.streams[i].targetOffset;
  };
  StreamGroup group{first, last, first, 0, false};
  const std::byte *end = nullptr;
  for (size_t i = first; i < last; ++i) {
    int64_t bytes = bundle.streams[i].bytes;
    if (std::less<>()(rowOf(i), rowOf(group.lowest)))
      group.lowest = i;
    end = end && std::less<>()(rowOf(i) + bytes, end) ? end : rowOf(i) + bytes;
    group.bytes += bytes;
  }
  // Rows do not overlap, so that what is as long as all of them has no holes.
  group.isDense =
      end - rowOf(group.lowest) == group.bytes &&
      (bundle.counts.empty() || bundle.streams[first].targetPitches.back() == group.bytes);
  return group;
}

void addGroups(RowBundle &bundle) {
  size_t first = 0;
  for (size_t i = 1; i <= bundle.streams.size(); ++i)
    if (i == bundle.streams.size() || bundle.streams[i].group != bundle.streams[first].group) {
      bundle.groups.push_back(groupOf(bundle, first, i));
      first = i;
    }
}

} // namespace

void BundledCopies::findPlace(int64_t byte, TensorPlace &place) const {
  // The end of a tensor that is one row is in that row.
  int64_t row = outerShape.empty() ? 0 : byte / rowBytes;
  place.byte = byte - row * rowBytes;
  place.index.resize(outerShape.size());
  for (size_t dim = outerShape.size(); dim-- > 0;) {
    // Along the first it may be one too many: the end of the tensor.
    place.index[dim] = dim == 0 ? row : row % outerShape[dim];
    row /= outerShape[dim];
  }
}

int64_t RowBundle::rowsBefore(const TensorPlace &place) const {
  int64_t before = 0;
  for (size_t dim = 0; dim < place.index.size(); ++dim) {
    int64_t index = place.index[dim] - box.start[dim];
    // In front of the box along this dimension, or behind it: what is inside does not matter.
    if (index < 0 || index >= box.size[dim]) {
      before = before * box.size[dim] + (index < 0 ? 0 : box.size[dim]);
      for (size_t inner = dim + 1; inner < place.index.size(); ++inner)
        before *= box.size[inner];
      return before * perRow;
    }
    before = before * box.size[dim] + index;
  }
  if (place.byte <= firstByte)
    return before * perRow;
  int64_t inRow = perRow == 1 ? 1 : (place.byte - firstByte + pitch - 1) / pitch;
  return before * perRow + std::min(inRow, perRow);
}

std::optional<BundledCopies> bundlesOf(const BoxTensor &tensor, std::span<const BoxPiece> pieces) {
  if (tensor.shape.empty())
    return std::nullopt;
  BundledCopies copies;
  size_t rowDim = rowDimOf(tensor, pieces);
  auto numOuter = static_cast<std::ptrdiff_t>(rowDim);
  copies.outerShape.assign(tensor.shape.begin(), tensor.shape.begin() + numOuter);
  copies.rowBytes = tensor.elementBytes * runtime::product(tensor.shape.subspan(rowDim));
  std::vector<RowBundle> &bundles = copies.bundles;
  // Of short rows: the bundle of a box along the dimensions before the rows'.
  std::map<std::vector<int64_t>, size_t> byBox;
  for (const BoxPiece &piece : pieces) {
    std::optional<int64_t> rowBytes = rowBytesOf(tensor, piece, rowDim);
    if (!rowBytes)
      return std::nullopt;
    core::Box box{{piece.box.start.begin(), piece.box.start.begin() + numOuter},
                  {piece.box.size.begin(), piece.box.size.begin() + numOuter}};
    std::vector<int64_t> key = box.start;
    key.insert(key.end(), box.size.begin(), box.size.end());
    bool isLong = *rowBytes >= kLongRowBytes;
    size_t at = isLong ? bundles.size() : byBox.try_emplace(key, bundles.size()).first->second;
    if (at == bundles.size()) {
      RowBundle &bundle = bundles.emplace_back();
      for (int64_t size : box.size)
        if (size > 1)
          bundle.counts.push_back(size);
      bundle.box = std::move(box);
      bundle.firstByte = piece.box.start[rowDim] * (*rowBytes / piece.box.size[rowDim]);
    }
    bundles[at].streams.push_back(streamOf(piece, rowDim, *rowBytes));
  }
  size_t numWhole = bundles.size();
  for (size_t i = 0; i < numWhole; ++i) {
    if (bundles[i].streams.front().bytes >= kLongRowBytes) {
      RowBundle bundle = std::move(bundles[i]);
      cutLongRow(bundle, bundles);
      bundles[i] = std::move(bundle);
    }
  }
  std::sort(bundles.begin(), bundles.end(), [](const RowBundle &a, const RowBundle &b) {
    return std::tie(a.box.start, a.firstByte) < std::tie(b.box.start, b.firstByte);
  });
  for (RowBundle &bundle : bundles) {
    for (size_t loop = bundle.counts.size(); loop-- > 1;)
      tryMergeLoop(bundle, loop - 1);
    addGroups(bundle);
  }
  return copies;
}

} // namespace shardwise::resharding
