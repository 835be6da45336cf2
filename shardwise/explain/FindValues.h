// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what a user asks for to values of the program, and what to say if they are not there.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::explain {

/// Returns the values that `text` stands for: a name, one with `@f:` in front, what the user's
/// source calls an argument, or `FILE:LINE`, `:LINE` for what that line defines, in the program or
/// in the source it was made from. Names of the entry function go before others.
std::vector<ValueId> findValues(const ProgramNames &names, llvm::StringRef text);

/// Returns why `findValues` found nothing: what `text` asks for, what there is, and how values are
/// written.
std::string whyNotFound(const ProgramNames &names, llvm::StringRef text);

/// Returns what is wrong with asking for dimension `dim`: no value that is explained has it. None
/// if some value has, or if no value is there at all, which has reasons of its own.
std::optional<std::string> whyNoDimension(const Explanation &explanation, const ProgramNames &names,
                                          int64_t dim);

} // namespace shardwise::explain
