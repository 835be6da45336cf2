// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms of lists. That a page gets back what was packed is tested in a browser (test/pages).

#include "shardwise/explain/page/PackedJson.h"

#include <gtest/gtest.h>

namespace shardwise::explain {
namespace {

using Json = nlohmann::ordered_json;

std::string packedText(const char *text) {
  return packed(Json::parse(text)).dump();
}

TEST(PackedJsonTest, shortListsAndValuesStayAsTheyAre) {
  for (const char *text : {"3", "null", R"("a")", R"([1,2,3])", R"({"a":[{"b":1}]})"})
    EXPECT_EQ(packedText(text), text);
}

TEST(PackedJsonTest, equalElementsAreToldOnce) {
  EXPECT_EQ(packedText("[7,7,7,7]"), R"({"#":4,"same":7})");
}

TEST(PackedJsonTest, flagsAreLetters) {
  EXPECT_EQ(packedText("[true,false,false,true]"), R"({"#":4,"flags":"1001"})");
}

TEST(PackedJsonTest, repeatedTextsAreNumbers) {
  EXPECT_EQ(packedText(R"(["a","b","a","b"])"), R"({"#":4,"pick":[0,1,0,1],"of":["a","b"]})");
}

TEST(PackedJsonTest, textsGoOnFromTheOneBefore) {
  EXPECT_EQ(packedText(R"(["m:10","m:12","m:2","n"])"),
            R"({"#":4,"shared":[0,3,2,0],"rest":["m:10","2","2","n"]})");
}

TEST(PackedJsonTest, textsAreCutBetweenAsciiCharactersOnly) {
  // Both begin with the same byte of a longer character.
  EXPECT_EQ(packedText("[\"x\u00e4\",\"x\u00f6\",\"x\u00fc\",\"y\"]"),
            "{\"#\":4,\"shared\":[0,1,1,0],\"rest\":[\"x\u00e4\",\"\u00f6\",\"\u00fc\",\"y\"]}");
}

TEST(PackedJsonTest, listsAreOneList) {
  EXPECT_EQ(packedText("[[1],[],[2,3],[4]]"), R"({"#":4,"lengths":[1,0,2,1],"items":[1,2,3,4]})");
}

TEST(PackedJsonTest, objectsAreColumns) {
  EXPECT_EQ(packedText(R"([{"a":1,"b":5},{"a":2,"b":5},{"a":3,"b":5},{"a":4,"b":5}])"),
            R"({"#":4,"columns":{"a":[1,2,3,4],"b":{"#":4,"same":5}}})");
}

TEST(PackedJsonTest, objectsOfOtherKeysStayAsTheyAre) {
  const char *text = R"([{"a":1},{"b":2},{"a":3},{"a":4}])";
  EXPECT_EQ(packedText(text), text);
}

TEST(PackedJsonTest, keysThatAreMarksStandInPairs) {
  EXPECT_EQ(packedText(R"({"#":1,"a":2})"), R"({"":[["#",1],["a",2]]})");
}

} // namespace
} // namespace shardwise::explain
