// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary element functions, shared by the element-wise, fold and scan kernels. Each has `apply` on
// the compute type: float, double, an integer type or bool.

#pragma once

#include "shardwise/execute/kernels/ElementStorage.h"

#include <cmath>
#include <limits>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {

/// Wrapping integer arithmetic without signed overflow; at least 32 bits wide, because narrower
/// unsigned types promote to int.
template <class T>
using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

struct AddFunction {
  static bool apply(bool a, bool b) { return a || b; }
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
    else
      return a + b;
  }
};

struct SubtractFunction {
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
    else
      return a - b;
  }
};

struct MultiplyFunction {
  static bool apply(bool a, bool b) { return a && b; }
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
    else
      return a * b;
  }
};

/// Integers truncate towards zero; x / 0 has all bits set, and the smallest number over -1 wraps to
/// itself, where the processor would trap.
struct DivideFunction {
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0)
        return static_cast<T>(-1);
      if (std::is_signed_v<T> && b == static_cast<T>(-1))
        return SubtractFunction::apply(static_cast<T>(0), a);
      return static_cast<T>(a / b);
    } else {
      return a / b;
    }
  }
};

/// Has the sign of the dividend; x % 0 is x.
struct RemainderFunction {
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0)
        return a;
      if (std::is_signed_v<T> && b == static_cast<T>(-1))
        return 0;
      return static_cast<T>(a % b);
    } else {
      return std::fmod(a, b);
    }
  }
};

/// Integers by repeated squaring, wrapping; a negative exponent gives 0, but for the bases 1 and
/// -1.
struct PowerFunction {
  template <class T> static T apply(T base, T exponent) {
    if constexpr (std::is_integral_v<T>) {
      if (exponent < 0)
        return base == 1
                   ? 1
                   : (base == static_cast<T>(-1) ? ((exponent & 1) != 0 ? static_cast<T>(-1) : 1)
                                                 : 0);
      T result = 1;
      for (; exponent != 0; exponent = static_cast<T>(exponent >> 1)) {
        if ((exponent & 1) != 0)
          result = MultiplyFunction::apply(result, base);
        base = MultiplyFunction::apply(base, base);
      }
      return result;
    } else {
      return std::pow(base, exponent);
    }
  }
};

/// NaN wins; -0 is below +0. Written without branches on the common path, so that it vectorises.
struct MaximumFunction {
  static bool apply(bool a, bool b) { return a || b; }
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a < b ? b : a;
    } else if constexpr (kIsComplex<T>) {
      return a != a || (b == b && b < a) ? a : b;
    } else {
      T larger = a > b ? a : b; // b if unordered or equal
      larger = a == b && !std::signbit(a) ? a : larger;
      return a != a ? a : larger;
    }
  }
};

/// NaN wins; -0 is below +0.
struct MinimumFunction {
  static bool apply(bool a, bool b) { return a && b; }
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return b < a ? b : a;
    } else if constexpr (kIsComplex<T>) {
      return a != a || (b == b && a < b) ? a : b;
    } else {
      T smaller = a < b ? a : b; // b if unordered or equal
      smaller = a == b && std::signbit(a) ? a : smaller;
      return a != a ? a : smaller;
    }
  }
};

struct AndFunction {
  static bool apply(bool a, bool b) { return a && b; }
  template <class T> static T apply(T a, T b) { return static_cast<T>(a & b); }
};
struct OrFunction {
  static bool apply(bool a, bool b) { return a || b; }
  template <class T> static T apply(T a, T b) { return static_cast<T>(a | b); }
};
struct XorFunction {
  static bool apply(bool a, bool b) { return a != b; }
  template <class T> static T apply(T a, T b) { return static_cast<T>(a ^ b); }
};

/// Shift amounts are unsigned; the width or more gives 0, or copies of the sign.
struct ShiftLeftFunction {
  template <class T> static T apply(T a, T b) {
    using U = std::make_unsigned_t<T>;
    auto amount = static_cast<U>(b);
    return amount < 8 * sizeof(T) ? static_cast<T>(static_cast<Wide<T>>(a) << amount) : T(0);
  }
};
struct ShiftRightLogicalFunction {
  template <class T> static T apply(T a, T b) {
    using U = std::make_unsigned_t<T>;
    auto amount = static_cast<U>(b);
    return amount < 8 * sizeof(T) ? static_cast<T>(static_cast<U>(a) >> amount) : T(0);
  }
};
struct ShiftRightArithmeticFunction {
  template <class T> static T apply(T a, T b) {
    using U = std::make_unsigned_t<T>;
    using S = std::make_signed_t<T>;
    auto amount = static_cast<U>(b);
    constexpr U kLast = 8 * sizeof(T) - 1;
    return static_cast<T>(static_cast<S>(a) >> (amount > kLast ? kLast : amount));
  }
};

struct Atan2Function {
  template <class T> static T apply(T a, T b) { return std::atan2(a, b); }
};

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
