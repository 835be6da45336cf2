// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special functions of chlo that the C++ library of GCC 12 lacks or leaves to choice, in double
// precision.

#pragma once

namespace shardwise::reference {

/// Returns x with erf(x) = `x`; NaN outside [-1, 1].
double inverseErf(double x);

/// The derivative of log|Gamma(x)|; NaN at its poles.
double digamma(double x);

/// The derivative of order `n` of digamma; digamma itself for n = 0. NaN unless n is a whole number
/// from 0 on.
double polygamma(double n, double x);

/// The Hurwitz zeta function, the sum of (q + n)^-x over n >= 0: infinite for x = 1 and at whole
/// q <= 0, NaN for x < 1 and, below 0, for x that is not whole.
double hurwitzZeta(double x, double q);

/// exp(-|x|) times the modified Bessel function I1(x).
double besselI1e(double x);

} // namespace shardwise::reference
