// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far two numbers are apart: what comparisons of tensors are made of.

#pragma once

#include "shardwise/runtime/DataType.h"

namespace shardwise::runtime {

/// Returns |actual - expected|: 0 where both are NaN or the same infinity, infinite where only one
/// is.
double absoluteError(double actual, double expected);

/// Returns the distance from 1 to the next number of `type`, for complex types of their parts; 0
/// for integers.
double unitInLastPlace(DataType type);

/// Returns the distance from `value`, which is finite, to the next number of `type` away from zero;
/// at 0 the smallest subnormal. For complex types of their parts; 0 for integers.
/// Example: of f16 2^-10 at 1, 2^-9 at 2 and 3, 2^-24 at 0 and up to 2^-13.
double stepAt(DataType type, double value);

} // namespace shardwise::runtime
