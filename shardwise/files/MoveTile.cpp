// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile is small enough for the cache, so that the copy in memory costs little beside those of the
// system calls. What lies behind each other in a file is one call.
//
// Example: 4x4 elements from [{"x"}, {}] to [{}, {"x"}] on <["x"=2]>; the tile is rows 1 and 2.
//
//     tensor      source buffer           target buffer
//     . . . .     file 0: 4 5 6 7         file 0: 4 5
//     4 5 6 7     file 1: 8 9 a b                 8 9
//     8 9 a b                             file 1: 6 7
//     . . . .                                     a b
//
//   1. The target side of the tile: for each file that has some of it, the box of its array that
//      lies in the tile, and the place in the target buffer that this box gets.
//   2. The source side: the same, of the files that are read, for the elements that (1) needs.
//   3. Read the source boxes: 2 calls of 4 elements here.
//   4. For each target box, copy from the source boxes that overlap it, and write it to each of its
//      places: 4 calls of 2 elements. Where one source box has the elements in the very order, as
//      with cuts along the first dimension, they are written from where they were read.
// Three kinds of indices meet: those of the tensor, those of a file's array (which begins where its
// device's part does, or has several parts), and offsets in a buffer.

#include "shardwise/files/MoveTile.h"

#include "shardwise/runtime/StridedCopy.h"

#include <algorithm>

namespace shardwise::files {
namespace {

using runtime::StridedCopy;
using Index = std::vector<int64_t>;

/// Bytes between neighbours of a dense array.
Index denseStrides(const core::Shape &shape, int64_t unitBytes, bool isColumnMajor) {
  if (!isColumnMajor)
    return runtime::rowMajorStrides(shape, unitBytes);
  core::Shape reversed(shape.rbegin(), shape.rend());
  Index strides = runtime::rowMajorStrides(reversed, unitBytes);
  return {strides.rbegin(), strides.rend()};
}

int64_t offsetOf(const Index &index, const Index &strides) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    offset += index[dim] * strides[dim];
  return offset;
}

/// Returns where in the array that has `part` the element `index` of the tensor is.
/// Example: a part of elements 6..9 that is at 4 of its array has the tensor's 7 at 5.
Index indexInArray(const ArrayPart &part, const Index &index) {
  Index result = part.start;
  for (size_t dim = 0; dim < result.size(); ++dim)
    result[dim] += index[dim] - part.box.start[dim];
  return result;
}

/// A box of an array that is read or written together, and lies dense in a buffer, in the order of
/// the file.
struct BufferedBox {
  const StoredArray *array = nullptr;
  core::Box box;                ///< In the array.
  std::vector<ArrayPart> parts; ///< Of the tensor; `start` is in `box`.
  Index strides;                ///< In the buffer.
  int64_t offset = 0;           ///< In the buffer.
  int64_t bytes = 0;
};

/// Returns the smallest box around `parts`.
core::Box boundsOf(const std::vector<ArrayPart> &parts) {
  Index begin = parts.front().start;
  Index end = begin;
  for (const ArrayPart &part : parts)
    for (size_t dim = 0; dim < begin.size(); ++dim) {
      begin[dim] = std::min(begin[dim], part.start[dim]);
      end[dim] = std::max(end[dim], part.start[dim] + part.box.size[dim]);
    }
  core::Box box{begin, end};
  for (size_t dim = 0; dim < begin.size(); ++dim)
    box.size[dim] -= begin[dim];
  return box;
}

/// One side of a tile.
class TileSide {
public:
  TileSide(std::span<const StoredArray> arrays, const core::Box &tile, int64_t unitBytes)
      : unitBytes(unitBytes) {
    for (const StoredArray &array : arrays) {
      std::vector<ArrayPart> parts;
      int64_t elements = 0;
      for (const ArrayPart &part : array.layout.parts) {
        core::Box common = core::intersect(part.box, tile);
        int64_t count = common.numElements();
        if (count == 0)
          continue;
        elements += count;
        Index start = indexInArray(part, common.start);
        parts.push_back({std::move(common), std::move(start)});
      }
      if (parts.empty())
        continue;
      // Segments of q, k and v that are all in the tile lie behind each other in the file, and are
      // one box. With something else between them the box around them would have more elements
      // than they have, which must not be written: then each is a box of its own.
      if (boundsOf(parts).numElements() == elements)
        add(array, std::move(parts));
      else
        for (ArrayPart &part : parts)
          add(array, {std::move(part)});
    }
  }

  /// Calls `visit(offset in the array, offset in the buffer, bytes)` for every run of a file: what
  /// follows each other in the file follows each other in the buffer, as this has the file's order.
  /// So a run is as long as the box is whole dimensions of the array, and the loops of a copy
  /// between the two are the system calls.
  template <class Visit> void forEachRun(const BufferedBox &box, Visit visit) const {
    Index inFile = denseStrides(box.array->layout.shape, unitBytes, box.array->isColumnMajor);
    int64_t first = offsetOf(box.box.start, inFile);
    StridedCopy runs(box.box.size, inFile, box.strides, unitBytes);
    runs.forEachRun([&](int64_t fileOffset, int64_t bufferOffset) {
      visit(first + fileOffset, box.offset + bufferOffset, runs.runBytes());
    });
  }

  /// Returns the smallest box of the tensor around all parts.
  core::Box neededBox() const {
    std::vector<ArrayPart> parts;
    for (const BufferedBox &box : boxes)
      for (const ArrayPart &part : box.parts)
        parts.push_back({part.box, part.box.start});
    return boundsOf(parts);
  }

  std::vector<BufferedBox> boxes;
  int64_t bytes = 0;

private:
  void add(const StoredArray &array, std::vector<ArrayPart> parts) {
    core::Box box = boundsOf(parts);
    // From here on the box is the array: the buffer has nothing of what is around it.
    for (ArrayPart &part : parts)
      for (size_t dim = 0; dim < box.start.size(); ++dim)
        part.start[dim] -= box.start[dim];
    Index strides = denseStrides(box.size, unitBytes, array.isColumnMajor);
    int64_t boxBytes = box.numElements() * unitBytes;
    boxes.push_back(
        {&array, std::move(box), std::move(parts), std::move(strides), bytes, boxBytes});
    bytes += boxBytes;
  }

  int64_t unitBytes;
};

Result<void> readSide(const TileSide &side, const FileSet &files, std::byte *buffer) {
  Result<void> result;
  for (const BufferedBox &box : side.boxes)
    side.forEachRun(box, [&](int64_t inArray, int64_t inBuffer, int64_t bytes) {
      const FilePlace &place = box.array->places.front();
      if (result)
        result = files.read(place.file, place.offset + inArray,
                            {buffer + inBuffer, static_cast<size_t>(bytes)});
    });
  return result;
}

Result<void> writeBox(const TileSide &side, const BufferedBox &box, const FileSet &files,
                      const std::byte *data) {
  Result<void> result;
  for (const FilePlace &place : box.array->places)
    side.forEachRun(box, [&](int64_t inArray, int64_t inBuffer, int64_t bytes) {
      if (result)
        result = files.write(place.file, place.offset + inArray,
                             {data + (inBuffer - box.offset), static_cast<size_t>(bytes)});
    });
  return result;
}

/// Calls `visit(copy, source offset, target offset)` for all that `sources` have of `box`: `copy`
/// is from the source buffer to the target buffer, and the offsets are where in them it begins.
template <class Visit>
void forEachCopy(const TileSide &sources, const BufferedBox &box, int64_t unitBytes, Visit visit) {
  StridedCopy copy;
  // Few boxes on one side overlap many on the other; where both sides have many in one tile, each
  // has a part of each, and the pairs are the work.
  for (const BufferedBox &from : sources.boxes)
    for (const ArrayPart &has : from.parts)
      for (const ArrayPart &wants : box.parts) {
        core::Box common = core::intersect(has.box, wants.box);
        if (common.numElements() == 0)
          continue;
        copy.assign(common.size, from.strides, box.strides, unitBytes);
        Index inSource = indexInArray(has, common.start);
        Index inTarget = indexInArray(wants, common.start);
        visit(copy, from.offset + offsetOf(inSource, from.strides),
              box.offset + offsetOf(inTarget, box.strides));
      }
}

/// Returns where the elements of `box` lie as its file has them: in the source buffer, if they do
/// there, else in the target buffer, to which they are copied.
const std::byte *gatherBox(const TileSide &sources, const BufferedBox &box, int64_t unitBytes,
                           TileBuffers &buffers) {
  const std::byte *gathered = buffers.target.data() + box.offset;
  forEachCopy(sources, box, unitBytes,
              [&](const StridedCopy &copy, int64_t inSource, int64_t inTarget) {
                const std::byte *source = buffers.source.data() + inSource;
                // One run that is all of the box: no other part of it comes from elsewhere.
                if (copy.runBytes() == box.bytes)
                  gathered = source;
                else
                  copy.run(source, buffers.target.data() + inTarget);
              });
  return gathered;
}

/// Folds what `sources` have of `box` into what is in the target buffer.
void foldBox(const TileSide &sources, const BufferedBox &box, const runtime::Reducer &reducer,
             TileBuffers &buffers) {
  forEachCopy(sources, box, reducer.elementBytes,
              [&](const StridedCopy &copy, int64_t inSource, int64_t inTarget) {
                int64_t count = copy.runBytes() / reducer.elementBytes;
                copy.forEachRun([&](int64_t source, int64_t target) {
                  reducer.fold(buffers.target.data() + inTarget + target,
                               buffers.source.data() + inSource + source, count);
                });
              });
}

// Never shrinks: a worker's tiles are of much the same size, and fresh memory would be zeroed.
void grow(std::vector<std::byte> &buffer, int64_t bytes) {
  if (buffer.size() < static_cast<size_t>(bytes))
    buffer.resize(static_cast<size_t>(bytes));
}

/// Reads what `arrays`, of one summand, have of `needed` into the source buffer.
Result<TileSide> readSources(std::span<const StoredArray> arrays, const core::Box &needed,
                             int64_t unitBytes, const FileSet &files, TileBuffers &buffers) {
  TileSide source(arrays, needed, unitBytes);
  grow(buffers.source, source.bytes);
  if (Result<void> done = readSide(source, files, buffers.source.data()); !done)
    return done.error();
  return source;
}

/// Fills the target buffer with the combined values of `needed`. One summand after the other is
/// read to the same source buffer, so that many take no more memory than one. The order in which an
/// element's values combine is that of the summands, whatever tiles and threads there are.
Result<int64_t> combineSummands(const TensorMove &move, const TileSide &target,
                                const core::Box &needed, const FileSet &files,
                                TileBuffers &buffers) {
  int64_t bytesRead = 0;
  std::span<const StoredArray> rest(move.sources);
  while (!rest.empty()) {
    int64_t summand = rest.front().summand;
    auto end = std::find_if(rest.begin(), rest.end(),
                            [&](const StoredArray &array) { return array.summand != summand; });
    auto count = static_cast<size_t>(end - rest.begin());
    Result<TileSide> source =
        readSources(rest.first(count), needed, move.unitBytes, files, buffers);
    if (!source)
      return source.error();
    bytesRead += source->bytes;
    bool isFirst = rest.data() == move.sources.data();
    for (const BufferedBox &box : target.boxes) {
      if (!isFirst) {
        foldBox(*source, box, *move.reducer, buffers);
        continue;
      }
      forEachCopy(*source, box, move.unitBytes,
                  [&](const StridedCopy &copy, int64_t inSource, int64_t inTarget) {
                    copy.run(buffers.source.data() + inSource, buffers.target.data() + inTarget);
                  });
    }
    rest = rest.subspan(count);
  }
  return bytesRead;
}

/// Writes the boxes of `target`, each from where `dataOf` says that its elements are.
template <class DataOf>
Result<int64_t> writeSide(const TileSide &target, const FileSet &files, DataOf dataOf) {
  int64_t bytesWritten = 0;
  for (const BufferedBox &box : target.boxes) {
    if (Result<void> done = writeBox(target, box, files, dataOf(box)); !done)
      return done.error();
    bytesWritten += box.bytes * static_cast<int64_t>(box.array->places.size());
  }
  return bytesWritten;
}

} // namespace

Result<MovedBytes> moveTile(const TensorMove &move, const core::Box &tile, const FileSet &sources,
                            const FileSet &targets, TileBuffers &buffers) {
  // The target first: of a tile, a rank reads no more than what it writes needs.
  TileSide target(move.targets, tile, move.unitBytes);
  // All of it may be for other ranks, or a part.
  if (target.boxes.empty())
    return MovedBytes{};
  grow(buffers.target, target.bytes);
  core::Box needed = target.neededBox();
  MovedBytes counted;
  Result<int64_t> written = 0;
  if (move.reducer) {
    Result<int64_t> read = combineSummands(move, target, needed, sources, buffers);
    if (!read)
      return read.error();
    counted.read = *read;
    written = writeSide(target, targets,
                        [&](const BufferedBox &box) { return buffers.target.data() + box.offset; });
  } else {
    Result<TileSide> source = readSources(move.sources, needed, move.unitBytes, sources, buffers);
    if (!source)
      return source.error();
    counted.read = source->bytes;
    written = writeSide(target, targets, [&](const BufferedBox &box) {
      return gatherBox(*source, box, move.unitBytes, buffers);
    });
  }
  if (!written)
    return written.error();
  counted.written = *written;
  return counted;
}

} // namespace shardwise::files
