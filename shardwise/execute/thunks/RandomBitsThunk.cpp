// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counter-based random bits: block number c is a cipher of the counter c under a key, so that any
// element could be computed on its own. The state is {key, counter, ...}; a call uses the blocks
// from `counter` on and leaves the counter behind the last one it used.
//
// Which bits of a block go where is that of StableHLO's own lowering, element for element:
// - Philox: four words of 32 bits per block, in order; elements of 64 bits take two of them.
// - Threefry: two words per block. Elements of 64 bits take both; smaller ones put the second word
//   next to the first along one dimension. Example: tensor<4x3xui32> pairs along dimension 0:
//   blocks 0 to 2 fill rows 0 (first words) and 1 (second words), blocks 3 to 5 rows 2 and 3.
//
// Elements of fewer than 32 bits take the low bits of a word. Of a box, only the blocks are
// computed of which an element lies in it.

#include "shardwise/execute/thunks/RandomBitsThunk.h"

#include "shardwise/execute/thunks/StridedCopy.h"

#include <algorithm>
#include <cstring>

namespace shardwise::execute {
namespace {

/// Threefry-2x32-20: 20 rounds of add, rotate and xor, with words of the key added in after every
/// fourth. The third key word, the xor of the others and a constant, is that of the paper.
uint64_t threefryBlock(uint64_t key, uint64_t counter) {
  constexpr uint32_t kTurns[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  auto k0 = static_cast<uint32_t>(key);
  auto k1 = static_cast<uint32_t>(key >> 32);
  const uint32_t keys[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAU};
  uint32_t a = static_cast<uint32_t>(counter) + k0;
  uint32_t b = static_cast<uint32_t>(counter >> 32) + k1;
  for (uint32_t round = 0; round < 20; ++round) {
    a += b;
    uint32_t turn = kTurns[round % 8];
    b = (b << turn | b >> (32 - turn)) ^ a;
    if (uint32_t group = round / 4 + 1; round % 4 == 3) {
      a += keys[group % 3];
      b += keys[(group + 1) % 3] + group;
    }
  }
  return a | static_cast<uint64_t>(b) << 32;
}

} // namespace

Result<void> RandomBitsThunk::run(Frame &frame) const {
  std::memcpy(frame.at(newState), frame.at(state), static_cast<size_t>(stateBytes));
  auto *next = frame.as<uint64_t>(newState);
  Target target = targetIn(frame);
  next[1] += isThreefry ? threefry(next[0], next[1], target) : philox(next[0], next[1], target);
  return {};
}

RandomBitsThunk::Target RandomBitsThunk::targetIn(const Frame &frame) const {
  Target target{frame.at(bits), std::vector<int64_t>(box.size())};
  // Strides of what has no elements may be 0.
  if (box.empty() || elementCount(shape) == 0)
    return target;
  int64_t offset = start.offset(frame);
  for (size_t dim = 0; dim < box.size(); ++dim) {
    target.starts[dim] = offset / start.strides[dim];
    offset %= start.strides[dim];
  }
  return target;
}

int64_t RandomBitsThunk::placeOf(const Target &target, int64_t position) const {
  if (box.empty())
    return position;
  int64_t place = 0;
  for (size_t dim = 0; dim < box.size(); ++dim) {
    int64_t at = position / start.strides[dim] - target.starts[dim];
    position %= start.strides[dim];
    if (at < 0 || at >= box[dim])
      return -1;
    place = place * box[dim] + at;
  }
  return place;
}

void RandomBitsThunk::put(const Target &target, int64_t position, uint64_t value) const {
  if (int64_t place = placeOf(target, position); place >= 0)
    std::memcpy(target.bytes + place * elementBytes, &value, static_cast<size_t>(elementBytes));
}

uint64_t RandomBitsThunk::threefry(uint64_t key, uint64_t counter, const Target &target) const {
  int64_t count = elementCount(shape);
  if (elementBytes == 8 || count <= 1) {
    for (int64_t i = 0; i < count; ++i)
      if (placeOf(target, i) >= 0)
        put(target, i, threefryBlock(key, counter + static_cast<uint64_t>(i)));
    return static_cast<uint64_t>(count);
  }
  // Both words of a block go to neighbours along one dimension: the first even, else the largest.
  auto paired =
      std::find_if(shape.begin(), shape.end(), [](int64_t size) { return size % 2 == 0; });
  if (paired == shape.end())
    paired = std::max_element(shape.begin(), shape.end());
  int64_t inner =
      elementCount(std::span(&*paired + 1, static_cast<size_t>(shape.end() - paired - 1)));
  int64_t size = *paired;
  int64_t outer = count / (inner * size);
  uint64_t used = 0;
  // Blocks are numbered in row-major order of the tensor with that dimension halved.
  for (int64_t line = 0; line < outer; ++line)
    for (int64_t at = 0; at < size; at += 2)
      for (int64_t lane = 0; lane < inner; ++lane) {
        uint64_t number = counter + used++;
        int64_t position = (line * size + at) * inner + lane;
        // At the end of an odd dimension the second word is not used.
        bool hasSecond = at + 1 < size && placeOf(target, position + inner) >= 0;
        if (!hasSecond && placeOf(target, position) < 0)
          continue;
        uint64_t block = threefryBlock(key, number);
        put(target, position, block & 0xffffffff);
        if (hasSecond)
          put(target, position + inner, block >> 32);
      }
  return used;
}

/// Philox-4x32-10. The cipher has a counter of 128 bits, of which the upper half holds the key once
/// more. Every round multiplies two words and mixes the halves of the products with the others;
/// round keys grow by fixed constants.
uint64_t RandomBitsThunk::philox(uint64_t key, uint64_t counter, const Target &target) const {
  int64_t count = elementCount(shape);
  uint64_t used = 0;
  int64_t perBlock = elementBytes == 8 ? 2 : 4;
  for (int64_t position = 0; position < count;) {
    int64_t end = std::min(count, position + perBlock);
    bool isWanted = false;
    for (int64_t i = position; i < end; ++i)
      isWanted = isWanted || placeOf(target, i) >= 0;
    if (!isWanted) {
      ++used;
      position = end;
      continue;
    }
    uint32_t k0 = static_cast<uint32_t>(key);
    uint32_t k1 = static_cast<uint32_t>(key >> 32);
    uint64_t at = counter + used++;
    uint32_t words[4] = {static_cast<uint32_t>(at), static_cast<uint32_t>(at >> 32), k0, k1};
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9U, k1 += 0xBB67AE85U) {
      uint64_t left = uint64_t(0xD2511F53U) * words[0];
      uint64_t right = uint64_t(0xCD9E8D57U) * words[2];
      words[0] = static_cast<uint32_t>(right >> 32) ^ words[1] ^ k0;
      words[1] = static_cast<uint32_t>(right);
      words[2] = static_cast<uint32_t>(left >> 32) ^ words[3] ^ k1;
      words[3] = static_cast<uint32_t>(left);
    }
    for (int word = 0; word < 4 && position < count; word += elementBytes == 8 ? 2 : 1)
      put(target, position++,
          elementBytes == 8 ? words[word] | static_cast<uint64_t>(words[word + 1]) << 32
                            : words[word]);
  }
  return used;
}

} // namespace shardwise::execute
