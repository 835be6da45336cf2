// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unary element functions that real and complex numbers share. Each has `apply` on the compute
// type: float, double or std::complex<double>. Those whose method depends on the type stand beside
// the kernels.

#pragma once

#include "shardwise/execute/kernels/ElementStorage.h"

#include <cmath>
#include <complex>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {

/// Defines `NameFunction` with `apply(x)`, the value of `expression`.
#define SHARDWISE_UNARY_FUNCTION(Name, expression)                                                 \
  struct Name##Function {                                                                          \
    template <class T> static T apply([[maybe_unused]] T x) { return static_cast<T>(expression); } \
  };

SHARDWISE_UNARY_FUNCTION(Sqrt, std::sqrt(x))
SHARDWISE_UNARY_FUNCTION(ReciprocalSqrt, T(1) / std::sqrt(x))
SHARDWISE_UNARY_FUNCTION(Sine, std::sin(x))
SHARDWISE_UNARY_FUNCTION(Cosine, std::cos(x))
SHARDWISE_UNARY_FUNCTION(Tangent, std::tan(x))
SHARDWISE_UNARY_FUNCTION(Acos, std::acos(x))
SHARDWISE_UNARY_FUNCTION(Acosh, std::acosh(x))
SHARDWISE_UNARY_FUNCTION(Asin, std::asin(x))
SHARDWISE_UNARY_FUNCTION(Asinh, std::asinh(x))
SHARDWISE_UNARY_FUNCTION(Atan, std::atan(x))
SHARDWISE_UNARY_FUNCTION(Atanh, std::atanh(x))
SHARDWISE_UNARY_FUNCTION(Cosh, std::cosh(x))
SHARDWISE_UNARY_FUNCTION(Sinh, std::sinh(x))

/// Calls `OP(Name)` for every function that real and complex numbers have: those above, and those
/// that either kernel source defines.
#define SHARDWISE_ELEMENTARY_FUNCTIONS(OP)                                                         \
  OP(Sqrt)                                                                                         \
  OP(ReciprocalSqrt)                                                                               \
  OP(Sine)                                                                                         \
  OP(Cosine)                                                                                       \
  OP(Tangent)                                                                                      \
  OP(Acos)                                                                                         \
  OP(Acosh)                                                                                        \
  OP(Asin)                                                                                         \
  OP(Asinh)                                                                                        \
  OP(Atan)                                                                                         \
  OP(Atanh)                                                                                        \
  OP(Cosh)                                                                                         \
  OP(Sinh)                                                                                         \
  OP(Sign)                                                                                         \
  OP(Exponential)                                                                                  \
  OP(ExponentialMinusOne)                                                                          \
  OP(Log)                                                                                          \
  OP(LogPlusOne)                                                                                   \
  OP(Logistic)                                                                                     \
  OP(CubeRoot)                                                                                     \
  OP(HyperbolicTangent)

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
