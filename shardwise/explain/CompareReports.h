// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports side by side: of two programs, or of one on several meshes.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"

#include <cstddef>
#include <string>
#include <vector>

namespace shardwise::explain {

/// A column of a comparison.
struct ComparedReport {
  /// What it is called: a file, or sizes of axes.
  std::string name;
  const Explanation &explanation;
  const ProgramNames &names;
};

/// Returns a table of what the programs take of a device, and of the transfers that differ most,
/// `top` of them, 0 for all. Rows that are zero everywhere are left out.
std::string comparisonText(const std::vector<ComparedReport> &reports, size_t top);
/// Returns the same as a JSON object, with all transfers that differ: docs/explain-json.md.
std::string comparisonJson(const std::vector<ComparedReport> &reports);

} // namespace shardwise::explain
