// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementary functions on float without branches or tables, so that loops over them vectorise.
// Polynomials are minimax fits of our own; the errors given were measured over the whole range.
// double goes to the C library.

#pragma once

#if !defined(SHARDWISE_ISA)
#define SHARDWISE_ISA baseline
#endif
// A call in a loop keeps it from vectorising.
#define SHARDWISE_INLINE [[gnu::always_inline]] inline

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {

/// 2^n for n in [-126, 127].
SHARDWISE_INLINE float powerOfTwo(int32_t n) {
  return std::bit_cast<float>(static_cast<uint32_t>(n + 127) << 23);
}

/// e^x to 1 unit in the last place; subnormal results may lose one more.
SHARDWISE_INLINE float fastExp(float x) {
  // Beyond these the result is infinity or 0 anyway.
  float clamped = x > -104.0F ? x : -104.0F; // NaN too
  clamped = clamped < 89.0F ? clamped : 89.0F;
  // Adding 1.5 * 2^23 rounds to the nearest integer.
  float shifted = clamped * 1.44269504F + 12582912.0F;
  float n = shifted - 12582912.0F;
  // ln 2 in two parts, of which the first has few bits: n times it is exact.
  float r = clamped - n * 0.693359375F + n * 2.12194440e-4F;
  float q = 0.00138146081F;
  q = q * r + 0.00836871099F;
  q = q * r + 0.041668389F;
  q = q * r + 0.166665211F;
  q = q * r + 0.49999994F;
  float p = q * (r * r) + r + 1.0F;
  // In two factors, for results that are subnormal or near the largest float.
  auto whole = static_cast<int32_t>(n);
  int32_t half = whole / 2;
  float result = p * powerOfTwo(half) * powerOfTwo(whole - half);
  return x != x ? x : result;
}
SHARDWISE_INLINE double fastExp(double x) {
  return std::exp(x);
}

/// ln x to 1 unit in the last place.
SHARDWISE_INLINE float fastLog(float x) {
  bool isSubnormal = x < std::numeric_limits<float>::min();
  float scaled = isSubnormal ? x * 0x1p25F : x;
  // x = m * 2^e with m in [sqrt(1/2), sqrt(2)). Unsigned, because that of -0 wraps.
  constexpr int32_t kSqrtHalf = 0x3f3504f3;
  auto shifted = static_cast<int32_t>(std::bit_cast<uint32_t>(scaled) - uint32_t{kSqrtHalf});
  auto exponent = static_cast<float>((shifted >> 23) - (isSubnormal ? 25 : 0));
  float t = std::bit_cast<float>((shifted & 0x7fffff) + kSqrtHalf) - 1.0F;
  float p = 0.0674660131F;
  p = p * t - 0.116756409F;
  p = p * t + 0.118881747F;
  p = p * t - 0.124055915F;
  p = p * t + 0.142195508F;
  p = p * t - 0.166679963F;
  p = p * t + 0.200021192F;
  p = p * t - 0.250000089F;
  p = p * t + 0.333333135F;
  float z = t * t;
  float y = p * (z * t) - exponent * 2.12194440e-4F - 0.5F * z;
  float result = t + y + exponent * 0.693359375F;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  result = x == kInfinity ? kInfinity : result;
  result = x == 0.0F ? -kInfinity : result;
  return x >= 0.0F ? result : std::numeric_limits<float>::quiet_NaN();
}
SHARDWISE_INLINE double fastLog(double x) {
  return std::log(x);
}

/// tanh x to 1.3 units in the last place.
SHARDWISE_INLINE float fastTanh(float x) {
  float magnitude = std::fabs(x);
  float z = x * x;
  float p = -0.00570499059F;
  p = p * z + 0.0206390899F;
  p = p * z - 0.0537397154F;
  p = p * z + 0.133314416F;
  p = p * z - 0.333332807F;
  float small = std::copysign(magnitude + magnitude * (z * p), x); // -0 stays -0
  float doubled = magnitude < 20.0F ? 2.0F * magnitude : 40.0F;
  float large = std::copysign(1.0F - 2.0F / (fastExp(doubled) + 1.0F), x);
  float result = magnitude < 0.625F ? small : large;
  return x != x ? x : result;
}
SHARDWISE_INLINE double fastTanh(double x) {
  return std::tanh(x);
}

/// erf x for |x| < 1 to 2.6 units in the last place.
SHARDWISE_INLINE float erfNearZero(float x) {
  float z = x * x;
  float p = 7.85394222e-05F;
  p = p * z - 0.00080102199F;
  p = p * z + 0.00518833101F;
  p = p * z - 0.0268538147F;
  p = p * z + 0.112835854F;
  p = p * z - 0.37612626F;
  p = p * z + 1.12837911F;
  return x * p;
}

/// 1 - erf x for x >= 0.5 to 5.3 units in the last place: e^(-x^2) times a polynomial in 1/(1+x).
SHARDWISE_INLINE float erfcTail(float x) {
  x = x < 12.0F ? x : 12.0F;
  float t = 1.0F / (x + 1.0F);
  float p = 0.787447453F;
  p = p * t - 2.8232131F;
  p = p * t + 4.01583195F;
  p = p * t - 2.49297667F;
  p = p * t + 0.170931503F;
  p = p * t + 0.211008072F;
  p = p * t + 0.570952058F;
  p = p * t + 0.563833892F;
  p = p * t + 7.89749538e-06F;
  // x^2 loses digits that the exponential magnifies: split x so that the square of one part is
  // exact.
  float high = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xfffff000U);
  float low = x - high;
  return fastExp(-high * high) * fastExp(-low * (x + high)) * p;
}

SHARDWISE_INLINE float fastErf(float x) {
  float magnitude = std::fabs(x);
  float large = std::copysign(1.0F - erfcTail(magnitude), x);
  float result = magnitude < 1.0F ? erfNearZero(x) : large;
  return x != x ? x : result;
}
SHARDWISE_INLINE double fastErf(double x) {
  return std::erf(x);
}

SHARDWISE_INLINE float fastErfc(float x) {
  float magnitude = std::fabs(x);
  float tail = erfcTail(magnitude);
  float near = 1.0F - erfNearZero(x);
  float far = x < 0.0F ? 2.0F - tail : tail;
  float result = magnitude < 0.5F ? near : far;
  return x != x ? x : result;
}
SHARDWISE_INLINE double fastErfc(double x) {
  return std::erfc(x);
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
