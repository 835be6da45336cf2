// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions on a report, for continuous integration.

#pragma once

#include "shardwise/support/Result.h"

#include <string>
#include <string_view>

namespace shardwise::explain {

/// Returns what holds of `condition` in `json`, a report: the comparison that does, with its value,
/// `memory.peak_bytes > 80GiB (is 96.1 GiB)`; an empty text if it does not hold.
///
/// A condition is comparisons joined by `and` and `or`, `and` first. A comparison is two operands
/// and one of `> >= < <= == !=` between them. An operand is a number, with a unit or without
/// (`80GiB`, `5ms`, `10%`), a text in single quotes, a path of keys and indices
/// (`suggestions[0].applied_to`), or `count(PATH)`, the length of a list.
/// Fails with what is wrong in the condition, or what the report does not have.
Result<std::string> whatHolds(std::string_view condition, const std::string &json);

} // namespace shardwise::explain
