// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/FailIf.h"

#include <gtest/gtest.h>

namespace shardwise::explain {
namespace {

const std::string kReport =
    R"({"memory": {"peak_bytes": 2097152, "fits": true}, "work": {"repeated": 1.5},
    "conflicts": [{"op": "add", "received_bytes": 5}, {"op": "dot", "received_bytes": 1}]})";

std::string held(const char *condition) {
  Result<std::string> result = whatHolds(condition, kReport);
  return result.ok() ? *result : "error: " + result.error().message;
}

TEST(FailIfTest, whatHoldsIsToldWithItsValue) {
  EXPECT_EQ(held("memory.peak_bytes > 1MiB"), "memory.peak_bytes > 1MiB (is 2MiB)");
  EXPECT_EQ(held("memory.peak_bytes > 2MiB"), "");
  EXPECT_EQ(held("work.repeated >= 150%"), "work.repeated >= 150% (is 150%)");
  EXPECT_EQ(held("memory.fits == false"), "");
  EXPECT_EQ(held("conflicts[0].op == 'add'"), "conflicts[0].op == 'add' (is \"add\")");
  EXPECT_EQ(held("count(conflicts) != 2"), "");
}

TEST(FailIfTest, comparisonsAreJoined) {
  EXPECT_EQ(held("work.repeated > 2 or count(conflicts) > 1"), "count(conflicts) > 1 (is 2)");
  EXPECT_EQ(held("work.repeated > 1 and count(conflicts) > 5"), "");
  EXPECT_EQ(held("work.repeated > 9 and count(conflicts) > 1 or memory.fits == true"),
            "memory.fits == true (is true)");
}

TEST(FailIfTest, mistakesAreAnsweredWithWhatThereIs) {
  EXPECT_NE(held("memory.peak > 3").find("the report has no peak there; it has fits, peak_bytes"),
            std::string::npos);
  EXPECT_NE(held("memory.peak_bytes").find("expected >, >=, <, <=, == or !="), std::string::npos);
  EXPECT_NE(held("work.repeated > 'a'").find("cannot be compared"), std::string::npos);
  EXPECT_NE(held("conflicts[7].op == 'x'").find("expected an index"), std::string::npos);
  EXPECT_NE(held("work.repeated > 1 xor 2").find("expected and, or, or the end"),
            std::string::npos);
}

} // namespace
} // namespace shardwise::explain
