// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines are sorted as lists of positions: by integer keys, or by one run of the region per
// comparison. The elements stay where they are until the order is known; then every input is
// permuted by it, so that several inputs stay in step. A result may lie where its input does: then
// elements move around the cycles of the permutation.
//
// Floats have integers that order like them in the total order, -NaN < -inf < ... < -0 < +0 < ... <
// inf < NaN: the bits as a signed integer, with all bits but the sign flipped if the sign is set.
// Example, for shortness in f8E4M3: -1 is 10111000, its key 11000111, and -2 (11000000) has the
// smaller key 10111111.

#include "shardwise/execute/thunks/SortThunks.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <numeric>

namespace shardwise::execute {
namespace {

/// Returns an integer that orders like the element at `source`; floats in the total order.
int64_t orderKey(const std::byte *source, DataType type) {
  auto read = [&]<class T>() {
    T value;
    std::memcpy(&value, source, sizeof(T));
    return value;
  };
  // See the head of this file; the xor with the largest number flips all bits but the sign.
  auto keyOf = [](auto bits) {
    using Bits = decltype(bits);
    return static_cast<int64_t>(
        bits < 0 ? static_cast<Bits>(bits ^ std::numeric_limits<Bits>::max()) : bits);
  };
  switch (type) {
  case DataType::I1:
  case DataType::U8:
  case DataType::U2:
  case DataType::U4:
    return read.template operator()<uint8_t>();
  case DataType::I8:
  case DataType::I2:
  case DataType::I4:
    return read.template operator()<int8_t>();
  case DataType::I16:
    return read.template operator()<int16_t>();
  case DataType::I32:
    return read.template operator()<int32_t>();
  case DataType::I64:
    return read.template operator()<int64_t>();
  case DataType::U16:
    return read.template operator()<uint16_t>();
  case DataType::U32:
    return read.template operator()<uint32_t>();
  case DataType::U64:
    // The other unsigned types fit the positive half; here the range is moved down by half of it.
    return static_cast<int64_t>(read.template operator()<uint64_t>() ^ (uint64_t(1) << 63));
  case DataType::F16:
  case DataType::BF16:
    return keyOf(read.template operator()<int16_t>());
  case DataType::F32:
    return keyOf(read.template operator()<int32_t>());
  case DataType::F64:
    return keyOf(read.template operator()<int64_t>());
  default:
    assert(false && "not a type with integer keys");
  }
  return 0;
}

} // namespace

bool hasOrderKey(DataType type) {
  return !runtime::isSmallFloat(type) && !runtime::isComplex(type);
}

Result<void> SortThunk::run(Frame &frame) const {
  // Allocated once for all lines.
  std::vector<int64_t> order(static_cast<size_t>(length));
  std::vector<int64_t> keys(keyInput >= 0 ? static_cast<size_t>(length) : 0);
  std::vector<void *> pointers;
  if (keyInput < 0)
    pointers = comparator.code.bind(frame, frame.at(scratch), 1);
  for (int64_t line = 0; line < numLines; ++line) {
    int64_t first = line / inner * inner * length + line % inner;
    std::iota(order.begin(), order.end(), 0);
    if (keyInput >= 0)
      sortByKeys(frame, first, keys, order);
    else
      sortByRegion(frame, first, pointers, order);
    for (size_t i = 0; i < inputs.size(); ++i)
      permute(frame, i, first, order);
  }
  return {};
}

void SortThunk::sortByKeys(const Frame &frame, int64_t first, std::vector<int64_t> &keys,
                           std::vector<int64_t> &order) const {
  auto input = static_cast<size_t>(keyInput);
  for (int64_t at = 0; at < length; ++at)
    keys[at] = orderKey(element(frame, input, first, at), types[input]);
  if (isDescending)
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return keys[a] > keys[b]; });
  else
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
}

void SortThunk::sortByRegion(const Frame &frame, int64_t first, std::vector<void *> &pointers,
                             std::vector<int64_t> &order) const {
  uint8_t truth = 0;
  pointers[comparator.results[0]] = &truth;
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      // The region reads the elements where they lie: nothing is copied for a comparison.
      pointers[comparator.arguments[2 * i]] = const_cast<std::byte *>(element(frame, i, first, a));
      pointers[comparator.arguments[2 * i + 1]] =
          const_cast<std::byte *>(element(frame, i, first, b));
    }
    comparator.code.program.run(pointers, 1);
    return truth != 0;
  });
}

void SortThunk::permute(const Frame &frame, size_t input, int64_t first,
                        std::vector<int64_t> &order) const {
  if (frame.at(inputs[input]) == frame.at(results[input]))
    return permuteInPlace(frame, input, first, order);
  int64_t bytes = runtime::byteSize(types[input]);
  for (int64_t at = 0; at < length; ++at)
    std::memcpy(frame.at(results[input]) + (first + at * inner) * bytes,
                element(frame, input, first, order[at]), static_cast<size_t>(bytes));
}

/// Place `at` gets the element of place `order[at]`, which gets that of the next, until the cycle
/// is closed. Places that are done are marked by a negative entry, and all marks are taken off.
/// Example: the order {2, 0, 1} of c a b: place 0 gets b, 2 gets a, 1 gets c, which was kept.
void SortThunk::permuteInPlace(const Frame &frame, size_t input, int64_t first,
                               std::vector<int64_t> &order) const {
  auto bytes = static_cast<size_t>(runtime::byteSize(types[input]));
  auto place = [&](int64_t at) {
    return const_cast<std::byte *>(element(frame, input, first, at));
  };
  std::byte kept[16];
  assert(bytes <= sizeof(kept));
  for (int64_t start = 0; start < length; ++start) {
    if (order[start] < 0)
      continue;
    std::memcpy(kept, place(start), bytes);
    int64_t at = start;
    for (int64_t from = order[at]; from != start; from = order[at]) {
      std::memcpy(place(at), place(from), bytes);
      order[at] = ~from;
      at = from;
    }
    std::memcpy(place(at), kept, bytes);
    order[at] = ~start;
  }
  for (int64_t &from : order)
    from = ~from;
}

Result<void> TopKThunk::run(Frame &frame) const {
  int64_t bytes = runtime::byteSize(type);
  std::vector<std::pair<int64_t, int64_t>> entries(static_cast<size_t>(length));
  for (int64_t line = 0; line < numLines; ++line) {
    const std::byte *source = frame.at(operand) + line * length * bytes;
    for (int64_t at = 0; at < length; ++at)
      entries[at] = {orderKey(source + at * bytes, type), at};
    // Larger key first; the lower index wins a tie, so that a sort that is not stable has only one
    // outcome. Only `count` places are sorted out, at the cost of length * log(count).
    std::partial_sort(entries.begin(), entries.begin() + count, entries.end(),
                      [](const auto &a, const auto &b) {
                        return a.first != b.first ? a.first > b.first : a.second < b.second;
                      });
    for (int64_t place = 0; place < count; ++place) {
      std::memcpy(frame.at(values) + (line * count + place) * bytes,
                  source + entries[place].second * bytes, static_cast<size_t>(bytes));
      frame.as<int32_t>(indices)[line * count + place] =
          static_cast<int32_t>(entries[place].second);
    }
  }
  return {};
}

} // namespace shardwise::execute
