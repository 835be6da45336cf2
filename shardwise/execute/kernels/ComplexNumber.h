// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers as kernels compute with them. std::complex multiplies through a library call that
// repairs infinities, which no loop survives; here a product is four multiplications.

#pragma once

#include <cmath>
#include <type_traits>

#if !defined(SHARDWISE_ISA)
#define SHARDWISE_ISA baseline
#endif

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {

/// A complex number in memory: real part first.
template <class T> struct Complex {
  T re = 0;
  T im = 0;

  Complex() = default;
  Complex(T re, T im = 0) : re(re), im(im) {}

  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator-(Complex a) { return {-a.re, -a.im}; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  /// R. L. Smith, "Algorithm 116", 1962: divides by the larger part first, so that squares of the
  /// parts cannot overflow.
  friend Complex operator/(Complex a, Complex b) {
    if (std::fabs(b.re) >= std::fabs(b.im)) {
      if (b.re == 0) // Zero: infinities and NaN by the signs of `a`.
        return {a.re / std::fabs(b.re), a.im / std::fabs(b.re)};
      T ratio = b.im / b.re;
      T scale = b.re + b.im * ratio;
      return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
    }
    T ratio = b.re / b.im;
    T scale = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
  }
  Complex &operator+=(Complex other) { return *this = *this + other; }
  Complex &operator-=(Complex other) { return *this = *this - other; }
  /// Equality of both parts; the order is lexicographic.
  friend bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
  friend bool operator!=(Complex a, Complex b) { return !(a == b); }
  friend bool operator<(Complex a, Complex b) {
    return a.re < b.re || (a.re == b.re && a.im < b.im);
  }
  friend bool operator<=(Complex a, Complex b) {
    return a.re < b.re || (a.re == b.re && a.im <= b.im);
  }
  friend bool operator>(Complex a, Complex b) { return b < a; }
  friend bool operator>=(Complex a, Complex b) { return b <= a; }
};

template <class T> struct IsComplex : std::false_type {};
template <class T> struct IsComplex<Complex<T>> : std::true_type {};
template <class T> inline constexpr bool kIsComplex = IsComplex<T>::value;

/// The complex conjugate; a real number is its own.
template <class T> inline T conjugate(T x) {
  return x;
}
template <class T> inline Complex<T> conjugate(Complex<T> x) {
  return {x.re, -x.im};
}

/// The real part as a number of the same type.
template <class T> inline T realPart(T x) {
  return x;
}
template <class T> inline Complex<T> realPart(Complex<T> x) {
  return {x.re, 0};
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
