// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/HeaderText.h"

#include "shardwise/explain/FactTesting.h"

namespace shardwise::explain {
namespace {

TEST(HeaderTextTest, flopsHaveThreeDigits) {
  EXPECT_EQ(flopsText(12), "12 FLOP");
  EXPECT_EQ(flopsText(1450), "1.45 KFLOP");
  EXPECT_EQ(flopsText(137'438'953'472), "137 GFLOP");
  EXPECT_EQ(flopsText(9'999'000'000'000), "10.0 TFLOP");
}

MemoryFacts memoryForTest() {
  MemoryFacts memory;
  memory.peakBytes = 3 << 20;
  memory.byKind[static_cast<size_t>(MemoryKind::OptimizerState)] = 2 << 20;
  memory.byKind[static_cast<size_t>(MemoryKind::Activations)] = 1 << 20;
  memory.peakOp = 1;
  memory.peakMaker = "dot_general";
  return memory;
}

TEST(HeaderTextTest, memoryIsToldByKindsLargestFirst) {
  auto lines = memoryLines(memoryForTest(), namesForTest());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "memory: 3.0 MiB per device at the peak, in dot_general model.py:7 (backward) in mlp");
  EXPECT_EQ(lines[1], "  of it optimizer state 2.0 MiB, activations 1.0 MiB");
}

TEST(HeaderTextTest, whatIsLittleIsToldTogether) {
  MemoryFacts memory = memoryForTest();
  memory.peakBytes = 300 << 20;
  memory.byKind[static_cast<size_t>(MemoryKind::Activations)] = 295 << 20;
  memory.byKind[static_cast<size_t>(MemoryKind::Inputs)] = 3 << 20;
  EXPECT_EQ(memoryLines(memory, namesForTest())[1], "  of it activations 295.0 MiB, rest 5.0 MiB");
}

TEST(HeaderTextTest, whatDoesNotFitIsLoud) {
  MemoryFacts memory = memoryForTest();
  memory.limitBytes = 2 << 20;
  EXPECT_FALSE(memory.fits());
  EXPECT_NE(
      memoryLines(memory, namesForTest())[0].find("DOES NOT FIT in 2.0 MiB: 1.0 MiB too much"),
      std::string::npos);
  memory.limitBytes = 4 << 20;
  EXPECT_NE(memoryLines(memory, namesForTest())[0].find(", fits in 4.0 MiB"), std::string::npos);
}

TEST(HeaderTextTest, whoChoseIsToldWhereItIsNotTheMachineOfTheTimes) {
  Explanation explanation;
  EXPECT_EQ(chosenForText(explanation), "");
  explanation.chosenFor = "xla-cpu";
  EXPECT_EQ(chosenForText(explanation), "chosen are the collectives that are cheapest on xla-cpu");
  explanation.machine = planner::defaultMachine();
  explanation.machine->name = "xla-cpu";
  EXPECT_EQ(chosenForText(explanation), "");
  explanation.chosenFor = "default";
  EXPECT_EQ(chosenForText(explanation), "chosen are the collectives that receive fewest bytes");
}

Explanation repeatedForTest(int64_t flops, int64_t repeated, int64_t times) {
  Explanation explanation;
  explanation.mesh = meshForTest(R"(["x"=4, "y"=2])");
  explanation.work.flops = flops;
  explanation.work.programFlops = flops;
  explanation.work.repeated.push_back({{{"x", std::nullopt}}, times, repeated, 1, {}});
  return explanation;
}

TEST(HeaderTextTest, workThatAllDoIsToldWithTheInputToShard) {
  Explanation explanation = repeatedForTest(1000, 1000, 8);
  explanation.work.uncut = UncutInput{{0, 0, 0}, {}, 1, {}};
  EXPECT_EQ(
      workText(explanation, namesForTest()),
      "work: 1.00 KFLOP per device in matrix products and convolutions; all 8 devices do the "
      "same work: nothing is cut over {\"x\"}; params['w1'] is not sharded over it: shard its "
      "dimension 1");
}

TEST(HeaderTextTest, inputsOfOneShapeAreToldTogether) {
  Explanation explanation = repeatedForTest(1000, 1000, 8);
  explanation.work.uncut = UncutInput{{0, 0, 0}, {}, 0, {{0, 0, 1}}};
  EXPECT_NE(repeatedText(explanation, namesForTest())
                .find("params['w1'] and %b are not sharded over it: shard their dimension 0"),
            std::string::npos);
}

TEST(HeaderTextTest, theBestChangeIsWhatSavesWorkElseTheFirst) {
  Explanation explanation;
  EXPECT_EQ(bestChangeText(explanation, namesForTest()), "");
  ExplainedSuggestion first;
  first.edit.kind = ExplainedEdit::Kind::Constrain;
  first.edit.value = {{1, -1, 0}};
  first.edit.op = {1};
  first.alike = {first.edit, first.edit};
  first.before = {.receivedBytes = 100, .argumentBytes = 10, .flops = 1000};
  first.after = {.receivedBytes = 80, .argumentBytes = 10, .flops = 1000};
  explanation.suggestions = {first};
  EXPECT_EQ(bestChangeText(explanation, namesForTest()),
            "best change: constrain the result of dot_general model.py:7 (backward) in mlp to [], "
            "and 1 alike: received 20 % less (change 1)");
  ExplainedSuggestion second = first;
  second.alike = {first.edit};
  second.after = {.receivedBytes = 120, .argumentBytes = 5, .flops = 500};
  explanation.suggestions.push_back(second);
  EXPECT_EQ(bestChangeText(explanation, namesForTest()),
            "best change: constrain the result of dot_general model.py:7 (backward) in mlp to []: "
            "arithmetic 50 % less, arguments 50 % less (change 2)");
}

TEST(HeaderTextTest, aPartThatSomeDoIsToldWithItsOp) {
  EXPECT_EQ(repeatedText(repeatedForTest(1000, 370, 4), namesForTest()),
            "37 % of it is done by 4 devices alike, not cut over {\"x\"}, most in dot_general "
            "model.py:7 (backward) in mlp");
  EXPECT_EQ(repeatedText(repeatedForTest(1000, 10, 4), namesForTest()), "");
}

TEST(HeaderTextTest, aStepIsBoundByTheLongestOfWhatMayOverlap) {
  Explanation explanation;
  explanation.machine = planner::defaultMachine();
  explanation.workSeconds = {2, 1};
  explanation.traffic = {{"{\"x\"}", "all_gather", 1, 10, 2.5},
                         {"{\"y\"}", "all_reduce", 1, 10, 2}};
  StepTime time = stepTime(explanation);
  EXPECT_DOUBLE_EQ(time.serial(), 7.5);
  EXPECT_DOUBLE_EQ(time.overlapped(), 3);
  EXPECT_STREQ(time.bound(), "compute");
  explanation.traffic.push_back({"{\"x\"}", "all_reduce", 1, 10, 1});
  EXPECT_STREQ(stepTime(explanation).bound(), "transfers");
  EXPECT_NE(timeText(explanation).find("bound by transfers over {\"x\"}"), std::string::npos);
}

} // namespace
} // namespace shardwise::explain
