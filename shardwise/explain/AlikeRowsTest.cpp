// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/AlikeRows.h"

#include "shardwise/explain/FactTesting.h"

#include <gtest/gtest.h>

namespace shardwise::explain {
namespace {

TEST(AlikeRowsTest, conflictsThatDifferInNamesAreOneRow) {
  Explanation explanation;
  explanation.conflicts.assign(3, conflictForTest());
  for (ExplainedConflict &conflict : explanation.conflicts)
    conflict.receivedBytes = 10;
  explanation.conflicts[1].winner.dim = 1;
  explanation.conflicts[2].winner.value = {{5, -1, 0}};
  RowGroups rows = alikeConflicts(explanation, namesForTest(), 3);
  ASSERT_EQ(rows.groups.size(), 2u);
  EXPECT_EQ(rows.groups[0], (Rows{0, 2}));
  EXPECT_EQ(rows.groups[1], (Rows{1}));
  EXPECT_EQ(rows.groupOf(2), 0u);
  EXPECT_EQ(rows.groupOf(7), std::nullopt);
}

TEST(AlikeRowsTest, groupsAreSortedByTheBytesOfAll) {
  Explanation explanation;
  explanation.transfers.resize(3);
  for (ExplainedTransfer &transfer : explanation.transfers)
    transfer.op = 1;
  explanation.transfers[0].op = 3;
  explanation.transfers[0].receivedBytes = 15;
  explanation.transfers[1].receivedBytes = explanation.transfers[2].receivedBytes = 10;
  RowGroups rows = alikeTransfers(explanation, namesForTest(), {});
  ASSERT_EQ(rows.groups.size(), 2u);
  EXPECT_EQ(rows.groups[0], (Rows{1, 2}));
}

TEST(AlikeRowsTest, conflictsAtNoCostAreAlikeOnlyAmongThemselves) {
  Explanation explanation;
  explanation.conflicts.assign(2, conflictForTest());
  explanation.conflicts[0].receivedBytes = 10;
  EXPECT_EQ(alikeConflicts(explanation, namesForTest(), 2).groups.size(), 2u);
}

} // namespace
} // namespace shardwise::explain
