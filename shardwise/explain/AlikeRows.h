// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conflicts and transfers that are alike in all but names and places, as in the layers of a model:
// people see them as one row.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::explain {

/// Numbers of rows that are alike, the most expensive first.
using Rows = std::vector<size_t>;

struct RowGroups {
  /// Most bytes first; of transfers, most time if there is a machine.
  std::vector<Rows> groups;
  /// Number of the group that a row is in, as far as it is in one.
  std::map<int64_t, size_t> groupOfRow;

  std::optional<size_t> groupOf(int64_t row) const {
    auto found = groupOfRow.find(row);
    return found == groupOfRow.end() ? std::nullopt : std::optional(found->second);
  }
};

/// Returns a text that conflicts share which are alike.
std::string kindOf(const ExplainedConflict &conflict, const ProgramNames &names);

/// Groups the first `count` conflicts. Those at no cost are alike only among themselves.
RowGroups alikeConflicts(const Explanation &explanation, const ProgramNames &names, size_t count);

/// Groups the transfers. Those that different groups of `conflicts` cause are not alike.
RowGroups alikeTransfers(const Explanation &explanation, const ProgramNames &names,
                         const RowGroups &conflicts);

} // namespace shardwise::explain
