// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short rows of one buffer that go to several, and of several to one. One copy after the other
// would read, or write, parts of each line of the one buffer, in leaps that no processor foresees.
// Here all copies advance together, by what makes up a line of 64 bytes: of rows of 32 bytes, two.
//
// Example: rows of 64 bytes, halves of which go to two targets: rows 0 and 1 are read, their left
// halves make a line of the first target, their right halves one of the second.

#include "shardwise/runtime/CopyRows.h"

#include <algorithm>
#include <cstring>
#include <limits>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace shardwise::runtime {
namespace {

constexpr int64_t kLineBytes = 64;
constexpr int64_t kVectorBytes = 16;

struct CachedStore {
  template <int64_t kBytes> static void move(const std::byte *source, std::byte *target) {
    std::memcpy(target, source, kBytes);
  }
  static void move(const std::byte *source, std::byte *target, int64_t bytes) {
    std::memcpy(target, source, static_cast<size_t>(bytes));
  }
};

#ifdef __SSE2__
struct StreamingStore {
  static void move(const std::byte *source, std::byte *target, int64_t bytes) {
    for (int64_t offset = 0; offset < bytes; offset += kVectorBytes)
      _mm_stream_si128(reinterpret_cast<__m128i *>(target + offset),
                       _mm_loadu_si128(reinterpret_cast<const __m128i *>(source + offset)));
  }
  template <int64_t kBytes> static void move(const std::byte *source, std::byte *target) {
    move(source, target, kBytes);
  }
};
#else
using StreamingStore = CachedStore;
#endif

/// Calls `move(from, to, bytes)` for every row of every copy; `bytes` is that of the longest rows.
template <class Move>
void forEachLine(std::span<const SideRows> copies, int64_t count, int64_t bytes, Move move) {
  const int64_t rowsPerLine = std::max<int64_t>(1, kLineBytes / bytes);
  for (int64_t first = 0; first < count; first += rowsPerLine) {
    const int64_t last = std::min(first + rowsPerLine, count);
    for (const SideRows &rows : copies) {
      const std::byte *source = rows.source + first * rows.sourcePitch;
      std::byte *target = rows.target + first * rows.targetPitch;
      for (int64_t row = first; row < last; ++row) {
        move(source, target, rows.bytes);
        source += rows.sourcePitch;
        target += rows.targetPitch;
      }
    }
  }
}

/// Rows of a length known at compile time.
template <class Store, int64_t kBytes>
void copyShort(std::span<const SideRows> copies, int64_t count) {
  forEachLine(copies, count, kBytes, [](const std::byte *from, std::byte *to, int64_t) {
    Store::template move<kBytes>(from, to);
  });
}

/// `bytes` is that of all rows; 0 if they differ.
template <class Store>
void copyAll(std::span<const SideRows> copies, int64_t count, int64_t bytes, int64_t longest) {
  switch (bytes) {
  case 16:
    return copyShort<Store, 16>(copies, count);
  case 32:
    return copyShort<Store, 32>(copies, count);
  case 64:
    return copyShort<Store, 64>(copies, count);
  case 128:
    return copyShort<Store, 128>(copies, count);
  case 256:
    return copyShort<Store, 256>(copies, count);
  default:
    return forEachLine(copies, count, longest,
                       [](const std::byte *from, std::byte *to, int64_t rowBytes) {
                         Store::move(from, to, rowBytes);
                       });
  }
}

} // namespace

void copySideBySide(std::span<const SideRows> copies, int64_t count, Stores stores) {
  int64_t longest = 1;
  int64_t shortest = std::numeric_limits<int64_t>::max();
  for (const SideRows &rows : copies) {
    longest = std::max(longest, rows.bytes);
    shortest = std::min(shortest, rows.bytes);
  }
  int64_t bytes = shortest == longest ? longest : 0;
  if (stores == Stores::Streaming)
    copyAll<StreamingStore>(copies, count, bytes, longest);
  else if (bytes == 4)
    copyShort<CachedStore, 4>(copies, count);
  else if (bytes == 8)
    copyShort<CachedStore, 8>(copies, count);
  else
    copyAll<CachedStore>(copies, count, bytes, longest);
}

} // namespace shardwise::runtime
