// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of files in a page: of the program, and of what it was made from.

#pragma once

#include "shardwise/explain/page/Page.h"

#include <nlohmann/json.hpp>

#include <string>

namespace shardwise::explain {

/// Returns a list of `{"file", "parts": [{"from", "text"}]}`: lines by the number of the first. A
/// file that takes more than its share of `mostBytes` is there as the lines around those that
/// `report` names.
nlohmann::ordered_json pageSources(const nlohmann::ordered_json &report,
                                   const std::string &programFile, const PageOptions &options,
                                   size_t mostBytes);

} // namespace shardwise::explain
