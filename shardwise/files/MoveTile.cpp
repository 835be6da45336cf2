// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile is small enough for the cache, so that the copy in memory costs little beside those of the
// system calls. What lies behind each other in a file is one call.

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

/// Returns a + b - c.
Index moved(Index a, const Index &b, const Index &c) {
  for (size_t dim = 0; dim < a.size(); ++dim)
    a[dim] += b[dim] - c[dim];
  return a;
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
        Index start = moved(part.start, common.start, part.box.start);
        parts.push_back({std::move(common), std::move(start)});
      }
      if (parts.empty())
        continue;
      // Neighbouring segments are one box; with something else between them, they are several.
      if (boundsOf(parts).numElements() == elements)
        add(array, std::move(parts));
      else
        for (ArrayPart &part : parts)
          add(array, {std::move(part)});
    }
  }

  /// Calls `visit(offset in the array, offset in the buffer, bytes)` for every run of a file.
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
    Index origin(box.start.size(), 0);
    for (ArrayPart &part : parts)
      part.start = moved(part.start, origin, box.start);
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
  for (const BufferedBox &from : sources.boxes)
    for (const ArrayPart &has : from.parts)
      for (const ArrayPart &wants : box.parts) {
        core::Box common = core::intersect(has.box, wants.box);
        if (common.numElements() == 0)
          continue;
        copy.assign(common.size, from.strides, box.strides, unitBytes);
        Index inSource = moved(has.start, common.start, has.box.start);
        Index inTarget = moved(wants.start, common.start, wants.box.start);
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
