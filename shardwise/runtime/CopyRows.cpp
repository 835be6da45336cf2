// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a length known at compile time become moves; rows of up to a few cache lines are copied
// by vectors of which the last overlaps the one before; longer ones by memcpy.
//
// Streaming stores write whole cache lines from the processor's write buffers. They pay only where
// the target's lines are written whole and in order: long rows, or short ones that lie behind each
// other in the target. Rows between these are written through the cache.

#include "shardwise/runtime/CopyRows.h"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace shardwise::runtime {
namespace {

constexpr int64_t kVectorBytes = 16;
/// Up to this length a call of memcpy costs as much as the copy.
constexpr int64_t kMediumBytes = 256;
/// From this length on the ends of a row, which are stored through the cache, weigh little.
constexpr int64_t kStreamedRowBytes = 1'024;
/// Likewise of short rows that lie behind each other.
constexpr int64_t kStreamedPlaneBytes = 512;

/// Calls `copy(from, to)` for every row.
template <class Copy>
void forEachRow(const std::byte *source, std::byte *target, CopiedRows rows, Copy copy) {
  for (int64_t plane = 0; plane < rows.planes; ++plane) {
    const std::byte *from = source;
    std::byte *to = target;
    for (int64_t row = 0; row < rows.count; ++row) {
      copy(from, to);
      from += rows.sourcePitch;
      to += rows.targetPitch;
    }
    source += rows.sourcePlanePitch;
    target += rows.targetPlanePitch;
  }
}

template <int64_t Bytes>
void copyShortRows(const std::byte *source, std::byte *target, const CopiedRows &rows) {
  forEachRow(source, target, rows,
             [](const std::byte *from, std::byte *to) { std::memcpy(to, from, Bytes); });
}

/// Rows of at least one vector: the last vector ends where the row does.
void copyMediumRows(const std::byte *source, std::byte *target, const CopiedRows &rows) {
  int64_t last = rows.bytes - kVectorBytes;
  forEachRow(source, target, rows, [last](const std::byte *from, std::byte *to) {
    // Of 40 bytes: 0-15, 16-31, and 24-39, which writes eight of them again. No loop over single
    // bytes.
    for (int64_t offset = 0; offset < last; offset += kVectorBytes)
      std::memcpy(to + offset, from + offset, kVectorBytes);
    std::memcpy(to + last, from + last, kVectorBytes);
  });
}

#ifdef __SSE2__

void streamVector(std::byte *target, const std::byte *source) {
  _mm_stream_si128(reinterpret_cast<__m128i *>(target),
                   _mm_loadu_si128(reinterpret_cast<const __m128i *>(source)));
}

bool isAligned(const std::byte *address) {
  return reinterpret_cast<uintptr_t>(address) % kVectorBytes == 0;
}

/// Rows of whole vectors that lie behind each other in the target.
void streamDenseRows(const std::byte *source, std::byte *target, const CopiedRows &rows) {
  switch (rows.bytes) {
  case 16:
    return forEachRow(source, target, rows,
                      [](const std::byte *from, std::byte *to) { streamVector(to, from); });
  case 32:
    return forEachRow(source, target, rows, [](const std::byte *from, std::byte *to) {
      streamVector(to, from);
      streamVector(to + 16, from + 16);
    });
  default:
    break;
  }
  int64_t bytes = rows.bytes;
  forEachRow(source, target, rows, [bytes](const std::byte *from, std::byte *to) {
    for (int64_t offset = 0; offset < bytes; offset += kVectorBytes)
      streamVector(to + offset, from + offset);
  });
}

/// One long row: up to where the target is aligned, whole lines, the rest. Head and rest are stored
/// through the cache, as a line of which only a part is streamed is read back from memory first.
void streamRow(const std::byte *source, std::byte *target, int64_t bytes) {
  constexpr int64_t kLine = 64;
  auto misaligned = static_cast<int64_t>(reinterpret_cast<uintptr_t>(target) % kLine);
  int64_t head = misaligned == 0 ? 0 : std::min(bytes, kLine - misaligned);
  std::memcpy(target, source, static_cast<size_t>(head));
  int64_t offset = head;
  for (; offset + kLine <= bytes; offset += kLine)
    for (int64_t part = 0; part < kLine; part += kVectorBytes)
      streamVector(target + offset + part, source + offset + part);
  std::memcpy(target + offset, source + offset, static_cast<size_t>(bytes - offset));
}

/// Returns whether the rows were worth streaming; if so they are copied.
bool tryStreaming(const std::byte *source, std::byte *target, const CopiedRows &rows) {
  if (rows.bytes >= kStreamedRowBytes) {
    int64_t bytes = rows.bytes;
    forEachRow(source, target, rows,
               [bytes](const std::byte *from, std::byte *to) { streamRow(from, to, bytes); });
    return true;
  }
  bool isDense = rows.targetPitch == rows.bytes && rows.bytes % kVectorBytes == 0 &&
                 rows.count * rows.bytes >= kStreamedPlaneBytes && isAligned(target) &&
                 rows.targetPlanePitch % kVectorBytes == 0;
  if (isDense)
    streamDenseRows(source, target, rows);
  return isDense;
}

#endif

/// Element (r, c) goes from r * size + c * sourcePitch to r * targetPitch + c * size: columns of
/// the source are contiguous, rows of the target are. Whole rows would touch a line of the source
/// for every element and come back to it for the next row, when it is gone from the cache. In
/// squares of 32 each line is used up while it is there: 32 lines of the source and 32 of the
/// target fit the nearest one.
template <class Element>
void transpose(const std::byte *source, std::byte *target, const TransposedBlock &block) {
  constexpr int64_t kSquare = 32;
  for (int64_t row = 0; row < block.numRows; row += kSquare) {
    int64_t rowEnd = std::min(row + kSquare, block.numRows);
    for (int64_t column = 0; column < block.numColumns; column += kSquare) {
      int64_t columnEnd = std::min(column + kSquare, block.numColumns);
      for (int64_t r = row; r < rowEnd; ++r) {
        const std::byte *from = source + r * static_cast<int64_t>(sizeof(Element));
        std::byte *to = target + r * block.targetPitch;
        for (int64_t c = column; c < columnEnd; ++c)
          std::memcpy(to + c * static_cast<int64_t>(sizeof(Element)), from + c * block.sourcePitch,
                      sizeof(Element));
      }
    }
  }
}

/// Elements of complex<f64>; there is no integer of this size to move them by.
struct Bytes16 {
  std::byte bytes[16];
};

} // namespace

Stores storesFor(int64_t bytes) {
  constexpr int64_t kCachedBytes = int64_t{8} << 20;
  return bytes > kCachedBytes ? Stores::Streaming : Stores::Cached;
}

void copyRows(const std::byte *source, std::byte *target, const CopiedRows &rows, Stores stores) {
#ifdef __SSE2__
  if (stores == Stores::Streaming && tryStreaming(source, target, rows))
    return;
#endif
  switch (rows.bytes) {
  case 1:
    return copyShortRows<1>(source, target, rows);
  case 2:
    return copyShortRows<2>(source, target, rows);
  case 4:
    return copyShortRows<4>(source, target, rows);
  case 8:
    return copyShortRows<8>(source, target, rows);
  case 12:
    return copyShortRows<12>(source, target, rows);
  case 16:
    return copyShortRows<16>(source, target, rows);
  case 32:
    return copyShortRows<32>(source, target, rows);
  case 64:
    return copyShortRows<64>(source, target, rows);
  default:
    break;
  }
  if (rows.bytes >= kVectorBytes && rows.bytes <= kMediumBytes)
    return copyMediumRows(source, target, rows);
  auto bytes = static_cast<size_t>(rows.bytes);
  forEachRow(source, target, rows,
             [bytes](const std::byte *from, std::byte *to) { std::memcpy(to, from, bytes); });
}

void copyTransposed(const std::byte *source, std::byte *target, const TransposedBlock &block) {
  switch (block.elementBytes) {
  case 1:
    return transpose<uint8_t>(source, target, block);
  case 2:
    return transpose<uint16_t>(source, target, block);
  case 4:
    return transpose<uint32_t>(source, target, block);
  case 8:
    return transpose<uint64_t>(source, target, block);
  case 16:
    return transpose<Bytes16>(source, target, block);
  default:
    break;
  }
  for (int64_t row = 0; row < block.numRows; ++row)
    copyRows(source + row * block.elementBytes, target + row * block.targetPitch,
             {block.numColumns, block.elementBytes, block.sourcePitch, block.elementBytes},
             Stores::Cached);
}

void finishStores(Stores stores) {
#ifdef __SSE2__
  if (stores == Stores::Streaming)
    _mm_sfence();
#endif
}

} // namespace shardwise::runtime
