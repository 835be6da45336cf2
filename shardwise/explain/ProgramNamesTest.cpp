// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/FactTesting.h"
#include "shardwise/explain/FindValues.h"

#include <gtest/gtest.h>

namespace shardwise::explain {
namespace {

TEST(ProgramNamesTest, namesOutsideOfTheEntryFunctionSayWhere) {
  ProgramNames names = namesForTest();
  EXPECT_EQ(names.nameOf(ValueId{1, -1, 0}), "%c");
  EXPECT_EQ(names.nameOf(ValueId{5, -1, 0}), "@f:%c");
  EXPECT_EQ(names.nameOf(ValueRef{{1, -1, 0}, 0}), "result 0");
  EXPECT_EQ(names.nameOf(ValueId{1, -1, 7}), "a value of dot_general");
  EXPECT_EQ(names.nameOf(ValueId()), "a value");
}

TEST(ProgramNamesTest, argumentsHavePlacesOfTheirOwn) {
  ProgramNames names = namesForTest();
  EXPECT_EQ(names.textOf(names.placeOf(ValueId{0, 0, 1})), "dir/model.mlir:1:11");
  EXPECT_EQ(names.textOf(names.placeOf(ValueId{1, -1, 0})), "dir/model.mlir:2:3");
  EXPECT_EQ(names.textOf(names.placeOf(-1)), "dir/model.mlir");
}

TEST(ProgramNamesTest, sourcesAndLabelsAreThoseOfTheUser) {
  ProgramNames names = namesForTest();
  EXPECT_EQ(names.sourceOf(1), "model.py:7 (backward) in mlp");
  EXPECT_EQ(names.sourceOf(ValueId{0, 0, 0}), "");
  EXPECT_EQ(names.labelOf({{0, 0, 0}}), "params['w1']");
  EXPECT_EQ(names.labelOf({{3, -1, 0}, 0}), "result['loss']");
  EXPECT_EQ(names.labelOf({{3, -1, 0}}), "");
}

TEST(FindValuesTest, namesOfTheEntryFunctionGoFirst) {
  ProgramNames names = namesForTest();
  using Ids = std::vector<ValueId>;
  EXPECT_EQ(findValues(names, "%c"), (Ids{{1, -1, 0}}));
  EXPECT_EQ(findValues(names, "%c#0"), (Ids{{1, -1, 0}}));
  EXPECT_EQ(findValues(names, "@f:%c"), (Ids{{5, -1, 0}}));
  EXPECT_EQ(findValues(names, "%r"), (Ids{{2, -1, 0}, {2, -1, 1}}));
  EXPECT_EQ(findValues(names, "params['w1']"), (Ids{{0, 0, 0}}));
  EXPECT_EQ(findValues(names, "@g:%c"), Ids());
}

TEST(FindValuesTest, partsOfTheNameInTheSourceAreEnough) {
  ProgramNames names = namesForTest();
  using Ids = std::vector<ValueId>;
  for (const char *text : {"w1", "params", "params.w1", "params['w1']"})
    EXPECT_EQ(findValues(names, text), (Ids{{0, 0, 0}})) << text;
  EXPECT_EQ(findValues(names, "w"), Ids());
  EXPECT_NE(whyNotFound(names, "w2").find("nearest names: params['w1']"), std::string::npos);
}

TEST(FindValuesTest, argumentsOfALoopAreOneValue) {
  EXPECT_EQ(findValues(namesForTest(), "%i"), (std::vector<ValueId>{{2, 1, 0}}));
}

TEST(FindValuesTest, linesAreOfTheProgramOrOfItsSource) {
  ProgramNames names = namesForTest();
  for (const char *text : {":2", "model.mlir:2", "model.py:7"})
    EXPECT_EQ(findValues(names, text), (std::vector<ValueId>{{1, -1, 0}})) << text;
  EXPECT_EQ(whyNotFound(names, ":5"), "line 5 of dir/model.mlir defines no "
                                      "value; the nearest line that does is 3");
  EXPECT_NE(whyNotFound(names, "other.py:1").find("comes from other.py:1"), std::string::npos);
}

TEST(FindValuesTest, mistakesAreAnsweredWithWhatThereIs) {
  ProgramNames names = namesForTest();
  EXPECT_NE(whyNotFound(names, "%cc").find("nearest names: %c"), std::string::npos);
  EXPECT_NE(whyNotFound(names, "@g:%c").find("it has @main, @f"), std::string::npos);
  EXPECT_NE(whyNotFound(names, "@f").find("such as @f:%arg0"), std::string::npos);
}

} // namespace
} // namespace shardwise::explain
