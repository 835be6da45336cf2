// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison of results: bit for bit, or within a tolerance for floats.

#pragma once

#include "shardwise/runtime/HostTensor.h"

#include <optional>
#include <string>

namespace shardwise::reference {

/// Floats x (expected) and y agree if |x - y| <= absolute + relative * max(|x|, |y|). With both 0
/// they must have the same bits, so that -0 differs from +0. NaN agrees with NaN, and infinities
/// with themselves. Complex numbers agree if both parts do, with max(|x|, |y|) of the complex
/// numbers. Integers and i1 always have to be equal.
struct Tolerance {
  double relative = 0.0;
  double absolute = 0.0;

  /// Room for sums of about `terms` products in another order and for other math libraries: a few
  /// units in the last place of `type` each. The absolute part is for results near zero of terms
  /// near one.
  static Tolerance forSums(runtime::DataType type, int64_t terms);
};

/// How two tensors differ.
struct Difference {
  int64_t count = 0;       ///< Elements that do not agree.
  int64_t position = 0;    ///< The worst one, in row-major order.
  double largestError = 0; ///< |x - y| there; infinite if one is not finite.
  std::string text;        ///< For people: types, or position, both values and the count.
};

/// Returns none if `actual` agrees with `expected` in type, shape and elements.
std::optional<Difference> findDifference(const runtime::HostTensor &expected,
                                         const runtime::HostTensor &actual,
                                         const Tolerance &tolerance = {});

} // namespace shardwise::reference
