// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which conflicts most transfers go back to.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"

#include <string>
#include <vector>

namespace shardwise::explain {

/// Returns what transfers go back to, most bytes first, or most time if there is a machine.
std::vector<RootCause> findRootCauses(const Explanation &explanation, const ProgramNames &names);

/// Returns what happened there: `at gather model.py:33 {"data"} of params['embed'] won against
/// {"data"} of batch['tokens']`.
std::string rootCauseText(const RootCause &cause, const Explanation &explanation,
                          const ProgramNames &names);
/// Returns the one constraint that turns the axes back there, `constrain the result of gather
/// model.py:33 to [{"data"}, {}]`; nothing if there is none.
std::string cureText(const RootCause &cause, const Explanation &explanation,
                     const ProgramNames &names);

/// Returns a line for each cause of a tenth of all transfers or more, with its cure; three at most.
std::vector<std::string> causeLines(const Explanation &explanation, const ProgramNames &names);

} // namespace shardwise::explain
