// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/Sentences.h"

#include "shardwise/explain/FactTesting.h"
#include "shardwise/explain/Reports.h"

#include <gtest/gtest.h>

namespace shardwise::explain {
namespace {

using propagate::Obstacle;
using propagate::Precedence;

TEST(AnnotationTextTest, kindsSayWhatIsWrittenOn) {
  ProgramNames names = namesForTest();
  ExplainedAnnotation annotation;
  EXPECT_EQ(textOf(annotation, names).what + textOf(annotation, names).value, "");
  annotation = {AnnotationKind::Argument, 0, {0, 0, 0}, writtenForTest(R"([{"x"}, {}])"), {1, 11}};
  EXPECT_EQ(briefly(textOf(annotation, names)),
            R"(argument 0 %a params['w1'] [{"x"}, {}], dir/model.mlir:1:11)");
  annotation = {AnnotationKind::ManualOperand, 2, {1, -1, 0}, std::nullopt, {2, 3}};
  EXPECT_EQ(textOf(annotation, names).what, "in_shardings[2] of manual computation");
  annotation.kind = AnnotationKind::Op;
  EXPECT_EQ(briefly(textOf(annotation, names)),
            "annotation of dot_general %c, dir/model.mlir:2:3 model.py:7 "
            "(backward) in mlp");
}

TEST(AnnotationTextTest, resultsHaveLabelsAndNoSource) {
  ExplainedAnnotation annotation{AnnotationKind::Result, 0, {1, -1, 0}, std::nullopt, {1, 3}};
  AnnotationText text = textOf(annotation, namesForTest());
  EXPECT_EQ(text.what, "result 0");
  EXPECT_EQ(text.value, "%c");
  EXPECT_EQ(text.label, "result['loss']");
  EXPECT_EQ(text.source, "");
}

TEST(ConflictSentencesTest, problemsNameBothSides) {
  ProgramNames names = namesForTest();
  ExplainedConflict conflict = conflictForTest();
  EXPECT_EQ(
      problemOf(conflict, names),
      R"(dot_general needs dimension 1 of %b and dimension 1 of %c cut alike; the first has {"x"}, )"
      R"(but %c has {"x"} on dimension 0)");
  conflict.obstacle = Obstacle::OtherAxes;
  EXPECT_EQ(problemOf(conflict, names),
            R"(dot_general needs dimension 0 of %c and dimension 1 of %b cut alike, but they are )"
            R"(on {"x"} and {"x"})");
  conflict.obstacle = Obstacle::Closed;
  EXPECT_NE(problemOf(conflict, names).find("but the second is closed"), std::string::npos);
}

TEST(ConflictSentencesTest, everyObstacleHasAProblemAndAdvice) {
  ProgramNames names = namesForTest();
  ExplainedConflict conflict = conflictForTest();
  for (auto obstacle : {Obstacle::OtherDimension, Obstacle::OtherAxes, Obstacle::Closed,
                        Obstacle::Replicated, Obstacle::Unreduced, Obstacle::Uneven,
                        Obstacle::Strided, Obstacle::Blocked, Obstacle::Direction}) {
    conflict.obstacle = obstacle;
    EXPECT_FALSE(problemOf(conflict, names).empty());
    EXPECT_FALSE(adviceFor(conflict, names).empty());
  }
}

TEST(ConflictSentencesTest, rulesTellWhatTheyCompared) {
  ProgramNames names = namesForTest();
  ExplainedConflict conflict = conflictForTest();
  conflict.precedence = Precedence::UserPriority;
  conflict.loser.stage.userPriority = 2;
  EXPECT_EQ(becauseOf(conflict, names), "%c keeps it: user priority p0 goes before p2");
  conflict.precedence = Precedence::OpPriority;
  conflict.winner.stage.opPriority = 2;
  EXPECT_EQ(
      becauseOf(conflict, names),
      "%c keeps it: it came through dimensions that ops keep, which go before what would bring "
      "the other");
  conflict.precedence = Precedence::None;
  EXPECT_EQ(becauseOf(conflict, names), "");
}

ExplainedTransfer sumForTest() {
  ExplainedTransfer transfer;
  transfer.value = {1, -1, 0};
  transfer.op = 3;
  transfer.from = writtenForTest(R"([{}, {}], unreduced={"x"})");
  transfer.to = writtenForTest("[{}, {}]");
  transfer.reason = TransferReason::Sum;
  transfer.cause = ExplainedCause{1, {0, 0, 0}, 1, {{"x", std::nullopt}}};
  return transfer;
}

TEST(TransferSentencesTest, sumsNameTheOpThatMadeThem) {
  ProgramNames names = namesForTest();
  ExplainedTransfer transfer = sumForTest();
  EXPECT_EQ(becauseOf(transfer, {}, names),
            R"(dot_general contracts dimension 1 of %a, which is on {"x"})");
  transfer.value = {3, -1, 0};
  transfer.movedTo = {{"y", std::nullopt}};
  EXPECT_EQ(becauseOf(transfer, {}, names),
            R"(dot_general contracts dimension 1 of %a, which is on {"x"}, and which the op moves )"
            R"(to {"y"} first; %d carries the partial sums of %c here)");
  transfer.cause.reset();
  EXPECT_EQ(becauseOf(transfer, {}, names),
            R"(%d carries partial sums, which are added up here: [{}, {}], unreduced={"x"})");
}

TEST(TransferSentencesTest, usesTellBothShardings) {
  ProgramNames names = namesForTest();
  ExplainedTransfer transfer;
  transfer.value = {1, -1, 0};
  transfer.op = 3;
  transfer.from = writtenForTest(R"([{"x"}])");
  transfer.to = writtenForTest("[{}]");
  EXPECT_EQ(becauseOf(transfer, {}, names), R"(%c has [{"x"}], tanh works on [{}])");
  transfer.op = 1;
  EXPECT_EQ(becauseOf(transfer, {}, names),
            R"(dot_general computes %c on [{"x"}], and it is used on [{}])");
  transfer.reason = TransferReason::Request;
  transfer.requester = Requester::Loop;
  EXPECT_EQ(becauseOf(transfer, {}, names), R"(%c has [{"x"}]; the loop carries it on [{}])");
}

TEST(TransferSentencesTest, forcedGathersNameTheOpAndTheDimension) {
  Explanation explanation;
  explanation.transfers.resize(2);
  ExplainedTransfer &transfer = explanation.transfers[1];
  transfer.forcedGather = ExplainedCause{3, {1, -1, 0}, 0, {{"x", std::nullopt}}};
  transfer.receivedBytes = 96;
  std::vector<ForcedGatherText> gathers = forcedGathers(explanation, namesForTest());
  ASSERT_EQ(gathers.size(), 1u);
  EXPECT_EQ(gathers[0].transfer, 1u);
  EXPECT_EQ(gathers[0].because, R"(tanh needs all of dimension 0 of %c, which is on {"x"})");
  EXPECT_EQ(gathers[0].op, "tanh");
  EXPECT_EQ(gathers[0].place, "dir/model.mlir:9:3");
  EXPECT_EQ(gathers[0].value, "%c");
  EXPECT_EQ(gathers[0].axes, R"({"x"})");
  EXPECT_EQ(gathers[0].receivedBytes, 96);
}

TEST(EditTextTest, editsNameTheAnnotation) {
  ExplainedEdit edit;
  edit.annotation = conflictForTest().winner.origin;
  edit.sharding = writtenForTest("[{?}, {?}]");
  ProgramNames names = namesForTest();
  EXPECT_EQ(editText(edit, names), "annotate argument 0 %a params['w1'] with [{?}, {?}]");
  EXPECT_EQ(names.textOf(placeOf(edit, names)), "dir/model.mlir:1:11");
}

TEST(RemarksTest, onlyConflictsThatCostSomethingAreRemarks) {
  Explanation explanation;
  explanation.conflicts = {conflictForTest(), conflictForTest()};
  explanation.conflicts[0].receivedBytes = 2048;
  std::string text = toRemarks(explanation, namesForTest());
  EXPECT_TRUE(
      text.starts_with("dir/model.mlir:2:3: remark: dot_general receives 2.0 KiB because "));
  EXPECT_EQ(text.find("remark:"), text.rfind("remark:"));
  EXPECT_NE(text.find(R"(kept {"x"}: from argument 0 %a params['w1'])"), std::string::npos);
}

} // namespace
} // namespace shardwise::explain
