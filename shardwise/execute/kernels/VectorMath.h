// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementary functions on float without branches or tables, so that loops over them vectorise.
// Polynomials are minimax fits of our own; the errors given were measured over the whole range.
// double goes to the C library.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {

/// 2^n for n in [-126, 127].
inline float powerOfTwo(int32_t n) {
  return std::bit_cast<float>(static_cast<uint32_t>(n + 127) << 23);
}

/// e^x to 1 unit in the last place; subnormal results may lose one more.
inline float fastExp(float x) {
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
inline double fastExp(double x) {
  return std::exp(x);
}

/// ln x to 1 unit in the last place.
inline float fastLog(float x) {
  bool isSubnormal = x < std::numeric_limits<float>::min();
  float scaled = isSubnormal ? x * 0x1p25F : x;
  auto bits = std::bit_cast<int32_t>(scaled);
  // x = m * 2^e with m in [sqrt(1/2), sqrt(2)).
  constexpr int32_t kSqrtHalf = 0x3f3504f3;
  int32_t shifted = bits - kSqrtHalf;
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
inline double fastLog(double x) {
  return std::log(x);
}

/// tanh x to 1.3 units in the last place.
inline float fastTanh(float x) {
  float magnitude = std::fabs(x);
  float z = x * x;
  float p = -0.00570499059F;
  p = p * z + 0.0206390899F;
  p = p * z - 0.0537397154F;
  p = p * z + 0.133314416F;
  p = p * z - 0.333332807F;
  float small = x + x * (z * p);
  float doubled = magnitude < 20.0F ? 2.0F * magnitude : 40.0F;
  float large = std::copysign(1.0F - 2.0F / (fastExp(doubled) + 1.0F), x);
  float result = magnitude < 0.625F ? small : large;
  return x != x ? x : result;
}
inline double fastTanh(double x) {
  return std::tanh(x);
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
