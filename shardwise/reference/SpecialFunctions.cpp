// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Series and recurrences as in Abramowitz and Stegun, "Handbook of Mathematical Functions"
// (digamma: 6.3, polygamma: 6.4, Bessel functions: 9.6 and 9.7). Digamma and zeta follow one
// pattern: a recurrence, or the first terms, moves the argument to where the asymptotic series is
// exact to double precision.

#include "shardwise/reference/SpecialFunctions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace shardwise::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;

bool isWhole(double x) {
  return x == std::floor(x);
}

/// Bernoulli numbers B2, B4, ..., B16.
constexpr double kBernoulli[] = {1.0 / 6,  -1.0 / 30,       1.0 / 42, -1.0 / 30,
                                 5.0 / 66, -691.0 / 2730.0, 7.0 / 6,  -3617.0 / 510};

/// Taylor series around the positive root r of digamma: sum of (-1)^(k+1) zeta(k + 1, r) (x - r)^k
/// (6.4.10). `distance` is x - r, of which nothing has been cancelled.
double digammaNearRoot(double root, double distance) {
  double sum = 0.0;
  double power = 1.0;
  for (int k = 1; k <= 20; ++k) {
    power *= distance;
    sum += (k % 2 == 1 ? power : -power) * hurwitzZeta(k + 1.0, root);
  }
  return sum;
}

} // namespace

double inverseErf(double x) {
  if (std::isnan(x) || std::fabs(x) > 1.0)
    return kNaN;
  if (std::fabs(x) == 1.0)
    return std::copysign(kInfinity, x);
  if (x == 0.0)
    return x;
  // Winitzki's closed form to three digits, then Newton's method: on erf near 0, on erfc near 1, so
  // that nothing cancels.
  constexpr double kA = 0.147;
  double magnitude = std::fabs(x);
  double logTerm = std::log1p(-magnitude * magnitude);
  double half = 2.0 / (kPi * kA) + logTerm / 2.0;
  double y = std::sqrt(std::sqrt(half * half - logTerm / kA) - half);
  for (int step = 0; step < 6; ++step) {
    double excess = magnitude < 0.5 ? std::erf(y) - magnitude : (1.0 - magnitude) - std::erfc(y);
    y -= excess * std::sqrt(kPi) / 2.0 * std::exp(y * y);
  }
  return std::copysign(y, x);
}

double digamma(double x) {
  // Within 0.2 of the root 1.46... the terms below cancel. The root has more places than a double.
  constexpr double kRoot = 1.4616321449683622;
  if (double distance = (x - kRoot) - 9.549995429965697e-17; std::fabs(distance) < 0.2)
    return digammaNearRoot(kRoot, distance);
  if (x == -kInfinity || (x <= 0.0 && isWhole(x)))
    return kNaN;
  if (x < 0.5) // Reflection; the argument of the tangent is reduced to stay exact.
    return digamma(1.0 - x) - kPi / std::tan(kPi * (x - std::floor(x)));
  double shift = 0.0;
  for (; x < 10.0; x += 1.0)
    shift -= 1.0 / x;
  // ln x - 1/(2x) - sum of B2k / (2k x^2k).
  double series = 0.0;
  double power = 1.0;
  for (int k = 1; k <= 8; ++k) {
    power /= x * x;
    series += kBernoulli[k - 1] / (2 * k) * power;
  }
  return shift + std::log(x) - 0.5 / x - series;
}

double hurwitzZeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1.0)
    return kNaN;
  if (x == 1.0)
    return kInfinity;
  if (q <= 0.0) {
    if (isWhole(q))
      return kInfinity;
    if (!isWhole(x))
      return kNaN; // Terms are powers of negative numbers.
    // The terms below 0 are the first ones of another such sum, up to a sign.
    double fraction = q - std::floor(q);
    double below = hurwitzZeta(x, 1.0 - fraction) - hurwitzZeta(x, 1.0 - q);
    return hurwitzZeta(x, fraction) + (std::fmod(x, 2.0) == 0.0 ? below : -below);
  }
  if (std::isinf(q) || std::isinf(x))
    return std::isinf(q) || q > 1.0 ? 0.0 : q == 1.0 ? 1.0 : kInfinity;
  // Euler and Maclaurin: the first terms as they are, the rest by an integral and corrections.
  double sum = 0.0;
  double a = q;
  for (; a < 10.0; a += 1.0) {
    double term = std::pow(a, -x);
    sum += term;
    if (term <= sum * 1e-17)
      return sum;
  }
  double power = std::pow(a, -x);
  sum += a * power / (x - 1.0) + power / 2.0;
  double factor = x / (2.0 * a); // x (x+1) ... (x+2k-2) / (2k)! / a^(2k-1)
  for (int k = 1; k <= 8; ++k) {
    sum += kBernoulli[k - 1] * factor * power;
    factor *= (x + 2 * k - 1) * (x + 2 * k) / ((2 * k + 1) * (2 * k + 2) * a * a);
  }
  return sum;
}

double polygamma(double n, double x) {
  if (std::isnan(n) || std::isnan(x) || n < 0.0 || !isWhole(n))
    return kNaN;
  if (n == 0.0)
    return digamma(x);
  double sign = std::fmod(n, 2.0) == 0.0 ? -1.0 : 1.0;
  return sign * std::exp(std::lgamma(n + 1.0)) * hurwitzZeta(n + 1.0, x);
}

double besselI1e(double x) {
  double magnitude = std::fabs(x);
  if (std::isinf(magnitude))
    return std::copysign(0.0, x);
  if (magnitude < 30.0) { // The power series has terms of one sign.
    double term = magnitude / 2.0;
    double sum = term;
    for (int k = 1; term > sum * 1e-18; ++k) {
      term *= magnitude * magnitude / 4.0 / (static_cast<double>(k) * (k + 1));
      sum += term;
    }
    return std::copysign(sum * std::exp(-magnitude), x);
  }
  // The asymptotic series; its terms shrink until k is about 2x.
  double term = 1.0;
  double sum = 1.0;
  for (int k = 1; k <= 30 && std::fabs(term) > 1e-17; ++k) {
    double odd = 2.0 * k - 1.0;
    term *= -(4.0 - odd * odd) / (8.0 * k * magnitude);
    sum += term;
  }
  return std::copysign(sum / std::sqrt(2.0 * kPi * magnitude), x);
}

} // namespace shardwise::reference
