// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sheets of ops as text: what OpSheetTest.cpp checks, one table per family of ops. Cutting a
// factor that must not be cut gives wrong results, so each family has its negative cases.

#pragma once

#include <ostream>
#include <span>

namespace shardwise::rules {

/// One op and its sheet.
struct SheetCase {
  /// What the case is about, in camelCase.
  const char *name;
  /// Arguments of the function around the op: `%a: tensor<8xf32>, %b: tensor<f32>`.
  const char *arguments;
  /// The op, after those that it needs.
  const char *ops;
  /// Its rule; a line on each factor; `exchanges k with i`, if it can; the operands in which it is
  /// linear, if any:
  ///
  ///     ([i, j], [])->([i]) {i=4, j=8} reduction={j}
  ///     i: local, j: partial(sum)
  ///     linear in 0
  ///
  /// Or "no rule", or "unknown".
  const char *sheet;
};

inline std::ostream &operator<<(std::ostream &stream, const SheetCase &sheetCase) {
  return stream << sheetCase.ops;
}

std::span<const SheetCase> elementwiseCases();
std::span<const SheetCase> contractionCases();
std::span<const SheetCase> reductionCases();
std::span<const SheetCase> indexingCases();
std::span<const SheetCase> movementCases();
std::span<const SheetCase> linearAlgebraCases();
std::span<const SheetCase> callCases();

} // namespace shardwise::rules
