// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far two numbers are apart.

#include "shardwise/runtime/ElementError.h"

#include "shardwise/runtime/SmallFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardwise::runtime {

double absoluteError(double actual, double expected) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
    return 0;
  double error = std::abs(actual - expected);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

double unitInLastPlace(DataType type) {
  if (isSmallFloat(type))
    return std::ldexp(1.0, -smallFloatFormat(type).mantissaBits);
  switch (realPartType(type)) {
  case DataType::F64:
    return 0x1p-52;
  case DataType::F32:
    return 0x1p-23;
  case DataType::F16:
    return 0x1p-10;
  case DataType::BF16:
    return 0x1p-7;
  default:
    return 0;
  }
}

namespace {

/// The exponent of the smallest normal number.
int smallestExponent(DataType type) {
  if (isSmallFloat(type))
    return 1 - smallFloatFormat(type).bias;
  switch (realPartType(type)) {
  case DataType::F64:
    return -1022;
  case DataType::F16:
    return -14;
  default:
    return -126;
  }
}

} // namespace

double stepAt(DataType type, double value) {
  int smallest = smallestExponent(type);
  int exponent = value == 0 ? smallest : std::max(std::ilogb(value), smallest);
  return std::ldexp(unitInLastPlace(type), exponent);
}

} // namespace shardwise::runtime
