// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons of two elements, in the type that they are computed in. Those of floats are IEEE
// 754's: with a NaN all but "not equal" are false.

#pragma once

#include "shardwise/execute/kernels/ElementStorage.h"

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {

struct EqualFunction {
  template <class T> static bool apply(T a, T b) { return a == b; }
};
struct NotEqualFunction {
  template <class T> static bool apply(T a, T b) { return a != b; }
};
struct GreaterEqualFunction {
  template <class T> static bool apply(T a, T b) { return a >= b; }
};
struct GreaterFunction {
  template <class T> static bool apply(T a, T b) { return a > b; }
};
struct LessEqualFunction {
  template <class T> static bool apply(T a, T b) { return a <= b; }
};
struct LessFunction {
  template <class T> static bool apply(T a, T b) { return a < b; }
};

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
