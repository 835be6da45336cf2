// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A contraction whose result should be cut by the very axes that it sums over: the result is
// computed with the axes of the operands instead, and moved afterwards.
//
// Example: `([i, k], [k, j])->([i, j]) {i=64, j=16, k=32} reduction={k}` with the operands
// `[{"x"}, {"y"}]`, `[{"y"}, {}]` and the result `[{"y"}, {}]`. Sums over k leave partial values
// along "y", so i cannot have "y" while the op runs. The result becomes `[{"x"}, {}]`, a reshard to
// `[{"y"}, {}]` follows. It is done if all of these hold:
//   1. The operands agree on every factor.
//   2. The result differs from them on exactly one factor; here i, {"y"} in place of {"x"}.
//   3. Both have axes on it. If one had none, a slice or a gather would do.
//   4. An operand with that factor has at least as many elements as the result, so that moving the
//      result is not dearer than moving that operand to the axes of the result.
//   5. No two factors share axes in the operands: the op can run on them as they are.
//   6. What the result has there are just the axes of the reduction factors, one factor after the
//      other: with k on {"y"} and l on {"z"} it is {"y", "z"}, neither {"z", "y"} nor {"y"} alone.

#pragma once

#include "shardwise/propagation/FactorView.h"

#include <optional>

namespace shardwise::exporter {

/// Returns the axes per factor that the op computes with if conditions 1 to 6 hold: those of the
/// operands. Else none.
/// Requires: an op with one result.
std::optional<propagation::AxesPerFactor> axesForFreedResult(const propagation::FactorView &view);

} // namespace shardwise::exporter
