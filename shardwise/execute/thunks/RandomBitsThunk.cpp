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
// Elements of fewer than 32 bits take the low bits of a word.

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
  std::byte *target = frame.at(bits);
  next[1] += isThreefry ? threefry(next[0], next[1], target) : philox(next[0], next[1], target);
  return {};
}

void RandomBitsThunk::put(std::byte *target, int64_t position, uint64_t value) const {
  std::memcpy(target + position * elementBytes, &value, static_cast<size_t>(elementBytes));
}

uint64_t RandomBitsThunk::threefry(uint64_t key, uint64_t counter, std::byte *target) const {
  int64_t count = elementCount(shape);
  if (elementBytes == 8 || count <= 1) {
    for (int64_t i = 0; i < count; ++i)
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
        uint64_t block = threefryBlock(key, counter + used++);
        int64_t position = (line * size + at) * inner + lane;
        put(target, position, block & 0xffffffff);
        // At the end of an odd dimension the second word is not used.
        if (at + 1 < size)
          put(target, position + inner, block >> 32);
      }
  return used;
}

/// Philox-4x32-10. The cipher has a counter of 128 bits, of which the upper half holds the key once
/// more. Every round multiplies two words and mixes the halves of the products with the others;
/// round keys grow by fixed constants.
uint64_t RandomBitsThunk::philox(uint64_t key, uint64_t counter, std::byte *target) const {
  int64_t count = elementCount(shape);
  uint64_t used = 0;
  for (int64_t position = 0; position < count;) {
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
