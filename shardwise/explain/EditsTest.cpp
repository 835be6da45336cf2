// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/Edits.h"

#include "shardwise/explain/FactTesting.h"
#include "shardwise/explain/Sentences.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardwise::explain {
namespace {

std::vector<std::string> textsOf(const ExplainedConflict &conflict, const std::string &mesh) {
  ProgramNames names = namesForTest();
  std::vector<std::string> texts;
  auto canChange = [](const ExplainedAnnotation &annotation) {
    return annotation.kind == AnnotationKind::Argument;
  };
  for (const ExplainedEdit &edit : editsFor(conflict, meshForTest(mesh), canChange))
    texts.push_back(editText(edit, names));
  return texts;
}

TEST(EditsTest, theMeetingPointComesFirstThenBothAnnotations) {
  std::vector<std::string> expected = {R"(constrain %c to [{}, {"x"}])",
                                       R"(annotate argument 0 %a params['w1'] with [{}, {?}])",
                                       R"(annotate argument 0 %a params['w1'] with [{"x"}p1, {?}])",
                                       R"(annotate argument 0 %a params['w1'] with [{}, {"x", ?}])",
                                       R"(annotate argument 1 %b with [{?}, {}])",
                                       R"(annotate argument 1 %b with [{?}, {"x"}p1])",
                                       R"(annotate argument 1 %b with [{"x", ?}, {}])"};
  EXPECT_EQ(textsOf(conflictForTest(), R"(["x"=2])"), expected);
}

TEST(EditsTest, axesAreThoseOfTheNameWhateverElseTheMeshHas) {
  EXPECT_EQ(textsOf(conflictForTest(), R"(["one"=1, "x"=2])"),
            textsOf(conflictForTest(), R"(["x"=2])"));
}

TEST(EditsTest, theOtherSidesAxesAreTriedInPlaceOfItsOwn) {
  ExplainedConflict conflict = conflictForTest();
  conflict.obstacle = propagate::Obstacle::OtherAxes;
  conflict.loser.axes = {{"y", std::nullopt}};
  conflict.loser.origin.sharding = writtenForTest(R"([{?}, {"y"}])");
  std::vector<std::string> texts = textsOf(conflict, R"(["x"=2, "y"=2])");
  EXPECT_NE(std::find(texts.begin(), texts.end(),
                      R"(annotate argument 0 %a params['w1'] with [{"y"}, {?}])"),
            texts.end());
}

TEST(EditsTest, aClosedDimensionGetsTheAxesOfTheLoser) {
  ExplainedConflict conflict = conflictForTest();
  conflict.obstacle = propagate::Obstacle::Closed;
  conflict.winner.value = {{0, 0, 0}};
  conflict.winner.axes.clear();
  conflict.winner.dim = 1;
  conflict.winner.origin.sharding = writtenForTest("[{?}, {}]");
  EXPECT_EQ(textsOf(conflict, R"(["x"=2])").front(),
            R"(annotate argument 0 %a params['w1'] with [{?}, {"x"}])");
}

TEST(EditsTest, annotationsThatCannotBeChangedAreLeft) {
  ExplainedConflict conflict = conflictForTest();
  conflict.winner.origin.kind = conflict.loser.origin.kind = AnnotationKind::Op;
  EXPECT_EQ(textsOf(conflict, R"(["x"=2])"),
            (std::vector<std::string>{R"(constrain %c to [{}, {"x"}])"}));
}

} // namespace
} // namespace shardwise::explain
