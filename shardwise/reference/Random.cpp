// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rng_bit_generator: Threefry-2x32 and Philox-4x32 as published (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011), with the block layout of StableHLO's own lowering. Block
// number c is a cipher of the counter c under the key; the state is {key, counter, ...}, and the
// counter goes on by the number of blocks used.

#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/IndexSpace.h"
#include "shardwise/reference/Operations.h"

#include <algorithm>
#include <array>
#include <bit>

namespace shardwise::reference {
namespace {

using Pair = std::array<uint32_t, 2>;
using Quad = std::array<uint32_t, 4>;

uint32_t lowWord(uint64_t value) {
  return static_cast<uint32_t>(value);
}
uint32_t highWord(uint64_t value) {
  return static_cast<uint32_t>(value >> 32);
}

Pair threefry(uint64_t key, uint64_t counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t k0 = lowWord(key);
  uint32_t k1 = highWord(key);
  uint32_t schedule[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDA};
  Pair x = {lowWord(counter) + k0, highWord(counter) + k1};
  // Five times four rounds; after each four, two words of the schedule and the number of the group
  // are added.
  for (uint32_t round = 0; round < 5; ++round) {
    for (int rotation : kRotations[round % 2]) {
      x[0] += x[1];
      x[1] = std::rotl(x[1], rotation) ^ x[0];
    }
    x[0] += schedule[(round + 1) % 3];
    x[1] += schedule[(round + 2) % 3] + round + 1;
  }
  return x;
}

Quad philox(uint64_t key, uint64_t counter) {
  uint32_t k0 = lowWord(key);
  uint32_t k1 = highWord(key);
  // The upper half of the cipher's 128-bit counter holds the key once more.
  Quad x = {lowWord(counter), highWord(counter), k0, k1};
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t(0xD2511F53) * x[0];
    uint64_t product1 = uint64_t(0xCD9E8D57) * x[2];
    x = {highWord(product1) ^ x[1] ^ k0, lowWord(product1), highWord(product0) ^ x[3] ^ k1,
         lowWord(product0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return x;
}

/// Writes the low bits of `value` as element `position`, whatever its type.
void storeBits(HostTensor &tensor, int64_t position, uint64_t value) {
  if (!runtime::isFloatingPoint(tensor.type))
    return store(tensor, position, Scalar::ofBits(tensor.type, value));
  auto size = static_cast<size_t>(runtime::byteSize(tensor.type));
  std::memcpy(tensor.bytes.data() + static_cast<size_t>(position) * size, &value, size);
}

/// Fills `bits` and returns the number of blocks used. Below 64 bits the two words of a block go
/// to neighbours along the first dimension of even size, or else the largest.
uint64_t fillThreefry(HostTensor &bits, uint64_t key, uint64_t counter) {
  int64_t count = bits.numElements();
  if (runtime::byteSize(bits.type) == 8 || count <= 1) {
    for (int64_t i = 0; i < count; ++i) {
      Pair x = threefry(key, counter + static_cast<uint64_t>(i));
      storeBits(bits, i, x[0] | static_cast<uint64_t>(x[1]) << 32);
    }
    return static_cast<uint64_t>(count);
  }
  auto isEven = [](int64_t size) { return size % 2 == 0; };
  auto chosen = std::find_if(bits.shape.begin(), bits.shape.end(), isEven);
  if (chosen == bits.shape.end())
    chosen = std::max_element(bits.shape.begin(), bits.shape.end());
  auto dim = static_cast<size_t>(chosen - bits.shape.begin());
  Index halved(bits.shape.begin(), bits.shape.end());
  halved[dim] = (halved[dim] + 1) / 2;
  Index strides = stridesOf(bits.shape);
  uint64_t used = 0;
  forEachIndex(halved, [&](const Index &index) {
    Pair x = threefry(key, counter + used++);
    Index target = index;
    // An odd dimension has no place for the second word of its last block, which is dropped.
    for (size_t word = 0; word < 2; ++word) {
      target[dim] = 2 * index[dim] + static_cast<int64_t>(word);
      if (target[dim] < bits.shape[dim])
        storeBits(bits, offsetOf(target, strides), x[word]);
    }
  });
  return used;
}

uint64_t fillPhilox(HostTensor &bits, uint64_t key, uint64_t counter) {
  int64_t perBlock = runtime::byteSize(bits.type) == 8 ? 2 : 4;
  uint64_t used = 0;
  for (int64_t start = 0, count = bits.numElements(); start < count; start += perBlock) {
    Quad x = philox(key, counter + used++);
    for (int64_t i = 0; i < perBlock && start + i < count; ++i)
      storeBits(bits, start + i,
                perBlock == 4 ? x[i] : x[2 * i] | static_cast<uint64_t>(x[2 * i + 1]) << 32);
  }
  return used;
}

} // namespace

Results evaluate(stablehlo::RngBitGeneratorOp op, const HostTensor &state) {
  HostTensor bits = zerosOf(op->getResult(1).getType());
  uint64_t key = load(state, 0).bits();
  uint64_t counter = load(state, 1).bits();
  bool isThreefry = op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  uint64_t used = isThreefry ? fillThreefry(bits, key, counter) : fillPhilox(bits, key, counter);
  HostTensor next = state;
  store(next, 1, Scalar::ofBits(state.type, counter + used));
  return {std::move(next), std::move(bits)};
}

} // namespace shardwise::reference
