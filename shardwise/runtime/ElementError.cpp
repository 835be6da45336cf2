// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far two numbers are apart.

#include "shardwise/runtime/ElementError.h"

#include "shardwise/runtime/SmallFloat.h"

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

} // namespace shardwise::runtime
