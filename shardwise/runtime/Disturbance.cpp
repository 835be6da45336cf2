// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Disturbing floats by their bits. Bits without the sign, as an integer, count the numbers of a
// format in ascending order, so one unit in the last place is a difference of 1.
//
// A number counts as exact if the low bits of its mantissa are zero, so that a count of ones or a
// position in a sequence is not taken for something that could be otherwise. A rounded f32 looks so
// once in 2^8 times, and is then left alone, which does no harm. Of types of 16 bits and fewer
// every eighth number does, so these must be multiples of 1/4 too. Inputs that are no whole numbers
// may use fewer bits: numbers of some decimals are measured ones more often than counts are.

#include "shardwise/runtime/Disturbance.h"

#include "shardwise/runtime/SmallFloat.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace shardwise::runtime {
namespace {

/// Mixes all bits of `x` into all bits of the result (the finaliser of splitmix64).
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// The same of 32 bits, which several lanes of a vector do at once (`lowbias32` of
/// hash-prospector).
uint32_t mix(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352d;
  x = (x ^ (x >> 15)) * 0x846ca68b;
  return x ^ (x >> 16);
}

/// A number from 0 to `count` - 1, at most 255, by the upper bits of `random`.
uint64_t below(uint64_t count, uint64_t random) {
  return ((random >> 32) * count) >> 32;
}
uint32_t below(uint32_t count, uint32_t random) {
  return ((random >> 8) * count) >> 24;
}

/// How a format of Bits lies in its bits: sign, exponent, mantissa.
struct Format {
  int mantissaBits;
  /// What the exponent of 1 is stored as.
  int bias;
  /// Numbers from here on are not finite.
  uint64_t infinity;
  uint64_t sign;
};

/// Which numbers of a format count as exact. Words are as wide as a number, 32 bits at least; there
/// are no branches, so that the loop over elements vectorises.
template <class Word> class ExactNumbers {
public:
  ExactNumbers(const Format &format, const Disturbance &disturbance)
      : mantissaBits(format.mantissaBits), pointAt(format.mantissaBits + format.bias),
        isWide(format.mantissaBits >= 16) {
    int significant = format.mantissaBits + 1 - disturbance.unusedBits;
    auto lowBitsBehind = [&](int used) {
      return (Word(1) << std::min(format.mantissaBits, format.mantissaBits + 1 - used)) - 1;
    };
    behindTwoThirds = lowBitsBehind(2 * significant / 3);
    if (disturbance.origin == NumberOrigin::Given)
      behindThird = lowBitsBehind(significant / 3);
  }

  bool contain(Word magnitude) const {
    Word mantissa = magnitude | (Word(1) << mantissaBits);
    // So many bits of the mantissa stand for less than 1; all of it, if it is less than 1 itself.
    int exponent = static_cast<int>(magnitude >> mantissaBits);
    int fraction = std::clamp(pointAt - exponent, 0, mantissaBits + 1);
    int quarters = std::clamp(pointAt - exponent - 2, 0, mantissaBits + 1);
    bool isWhole = (mantissa & ((Word(1) << fraction) - 1)) == 0;
    bool isQuarters = (mantissa & ((Word(1) << quarters) - 1)) == 0;
    return ((magnitude & behindTwoThirds) == 0) & (((magnitude & behindThird) == 0) | isWhole) &
           (isQuarters | isWide);
  }

private:
  int mantissaBits;
  int pointAt; ///< Of numbers of this exponent the lowest bit is 1.
  bool isWide;
  /// The bits that are zero in numbers of up to one third, if that is asked, and two thirds of the
  /// bits.
  Word behindThird = 0, behindTwoThirds = 0;
};

template <class Bits>
[[gnu::always_inline]] inline void disturbLoop(std::byte *elements, int64_t count,
                                               const Format &format,
                                               const Disturbance &disturbance) {
  using Word = std::conditional_t<sizeof(Bits) == 8, uint64_t, uint32_t>;
  ExactNumbers<Word> exact(format, disturbance);
  auto signBit = static_cast<Word>(format.sign);
  auto infinity = static_cast<Word>(format.infinity);
  auto steps = static_cast<Word>(disturbance.steps);
  auto start = static_cast<Word>(mix(disturbance.seed));
  constexpr auto kStride = static_cast<Word>(0x9e3779b97f4a7c15);
  int unusedBits = disturbance.unusedBits;
  for (int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, elements + i * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
    Word sign = bits & signBit;
    Word magnitude = bits & ~signBit;
    // The direction is the lowest random bit.
    Word random = mix(static_cast<Word>((start ^ bits) + kStride * static_cast<Word>(i + 1)));
    Word distance = (1 + below(steps, random)) << unusedBits;
    // Neither through zero nor to infinity: the other way then.
    Word up = magnitude + distance;
    bool canRise = up < infinity;
    bool canFall = magnitude > distance;
    bool falls = canFall & (((random & 1) != 0) | !canRise);
    Word risen = canRise ? up : magnitude;
    Word moved = falls ? magnitude - distance : risen;
    bool stays = (magnitude == 0) | (magnitude >= infinity) | exact.contain(magnitude);
    bits = static_cast<Bits>(sign | (stays ? magnitude : moved));
    std::memcpy(elements + i * static_cast<int64_t>(sizeof(Bits)), &bits, sizeof(Bits));
  }
}

#if defined(__x86_64__)
/// The same loop, five times as fast: shifts by lane are single instructions there.
template <class Bits>
[[gnu::target("avx2")]] void disturbAvx2(std::byte *elements, int64_t count, const Format &format,
                                         const Disturbance &disturbance) {
  disturbLoop<Bits>(elements, count, format, disturbance);
}
#endif

template <class Bits>
void disturbBits(std::byte *elements, int64_t count, const Format &format,
                 const Disturbance &disturbance) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return disturbAvx2<Bits>(elements, count, format, disturbance);
#endif
  disturbLoop<Bits>(elements, count, format, disturbance);
}

/// The layout of an 8-bit format; its first pattern that is no finite number is looked up.
Format smallFormat(DataType type) {
  SmallFloatFormat small = smallFloatFormat(type);
  Format format = {small.mantissaBits, small.bias, 0x80, 0x80};
  for (uint64_t bits = 0x7f; bits > 0; --bits)
    if (!std::isfinite(smallFloatValues(type)[bits]))
      format.infinity = bits;
  return format;
}

} // namespace

void disturb(DataType type, std::byte *elements, int64_t count, const Disturbance &disturbance) {
  if (isComplex(type))
    count *= 2;
  switch (realPartType(type)) {
  case DataType::F64:
    return disturbBits<uint64_t>(elements, count, {52, 1023, 0x7ff0000000000000, uint64_t(1) << 63},
                                 disturbance);
  case DataType::F32:
    return disturbBits<uint32_t>(elements, count, {23, 127, 0x7f800000, 0x80000000}, disturbance);
  case DataType::F16:
    return disturbBits<uint16_t>(elements, count, {10, 15, 0x7c00, 0x8000}, disturbance);
  case DataType::BF16:
    return disturbBits<uint16_t>(elements, count, {7, 127, 0x7f80, 0x8000}, disturbance);
  default:
    // A type of scales alone has powers of two, which are exact.
    if (isSmallFloat(type) && type != DataType::F8E8M0FNU)
      disturbBits<uint8_t>(elements, count, smallFormat(type), disturbance);
  }
}

} // namespace shardwise::runtime
