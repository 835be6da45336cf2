// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grouping rows by a text that those share which are alike.

#include "shardwise/explain/AlikeRows.h"

#include "shardwise/core/Text.h"
#include "shardwise/explain/Sentences.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::explain {
namespace {

template <class Item, class KeyOf, class CostOf>
RowGroups grouped(const std::vector<Item> &items, size_t count, KeyOf keyOf, CostOf costOf) {
  RowGroups rows;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < count; ++i) {
    auto [found, isNew] = known.try_emplace(keyOf(items[i]), rows.groups.size());
    if (isNew)
      rows.groups.emplace_back();
    rows.groups[found->second].push_back(i);
  }
  auto sumOf = [&](const Rows &group) {
    double sum = 0;
    for (size_t i : group)
      sum += costOf(items[i]);
    return sum;
  };
  std::sort(rows.groups.begin(), rows.groups.end(), [&](const Rows &a, const Rows &b) {
    return std::pair(-sumOf(a), a.front()) < std::pair(-sumOf(b), b.front());
  });
  for (size_t group = 0; group < rows.groups.size(); ++group)
    for (size_t i : rows.groups[group])
      rows.groupOfRow[static_cast<int64_t>(i)] = group;
  return rows;
}

} // namespace

std::string kindOf(const ExplainedConflict &conflict, const ProgramNames &names) {
  return fmt::format(
      "{} {} {} {} {} {} {} {} {} {}", opText(conflict.op, names), toString(conflict.obstacle),
      toString(conflict.precedence), conflict.winner.dim, core::toString(conflict.winner.axes),
      conflict.loser.dim, core::toString(conflict.loser.axes), conflict.wantedDim,
      shardingText(conflict.winner.origin.sharding), shardingText(conflict.loser.origin.sharding));
}

RowGroups alikeConflicts(const Explanation &explanation, const ProgramNames &names, size_t count) {
  return grouped(
      explanation.conflicts, count,
      [&](const ExplainedConflict &conflict) {
        return fmt::format("{} {}", conflict.receivedBytes > 0, kindOf(conflict, names));
      },
      [](const ExplainedConflict &conflict) { return double(conflict.receivedBytes); });
}

RowGroups alikeTransfers(const Explanation &explanation, const ProgramNames &names,
                         const RowGroups &conflicts) {
  return grouped(
      explanation.transfers, explanation.transfers.size(),
      [&](const ExplainedTransfer &transfer) {
        std::optional<size_t> conflict = conflicts.groupOf(transfer.conflict);
        std::string origin = textOf(transfer.origin, names).what;
        return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", stepsText(transfer),
                           typeText(transfer.type), fromText(transfer), toText(transfer),
                           names.opName(transfer.op), toString(transfer.reason), transfer.calls,
                           transfer.isPerIteration, transfer.isConditional,
                           origin.substr(0, origin.find(' ')),
                           shardingText(transfer.origin.sharding),
                           conflict ? static_cast<int64_t>(*conflict) : -1);
      },
      [&](const ExplainedTransfer &transfer) {
        return explanation.machine ? transfer.seconds : double(transfer.receivedBytes);
      });
}

} // namespace shardwise::explain
