// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled path against known answers.

#include "shardwise/execute/tests/PathTesting.h"

#include "test/support/evaluation/KnownAnswers.h"
#include "test/support/evaluation/OpCoverage.h"

namespace shardwise::execute {
namespace {

using reference::findDifference;
using reference::KnownAnswer;
using reference::TestPrograms;

class KnownAnswerTest : public ::testing::TestWithParam<KnownAnswer> {};

TEST_P(KnownAnswerTest, runs) {
  TestPrograms programs;
  auto module = programs.parse(reference::moduleText(GetParam()));
  ASSERT_TRUE(module) << programs.diagnostics();
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  auto results = runAlone(*program, {});
  ASSERT_TRUE(results.ok()) << results.error().message;
  for (auto [text, actual] : llvm::zip(GetParam().expected, *results)) {
    auto difference = findDifference(programs.tensor(text), actual, {GetParam().tolerance, 0.0});
    EXPECT_FALSE(difference) << difference->text;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, KnownAnswerTest, ::testing::ValuesIn(reference::knownAnswers()),
                         [](const auto &info) { return info.param.name; });

TEST(EveryOpTest, isLowered) {
  auto runs = [](mlir::ModuleOp module) {
    auto program = compile(module);
    return mlir::succeeded(program) && runAlone(*program, {}).ok();
  };
  for (const std::string &name : reference::opsThatNeverRun(runs))
    ADD_FAILURE() << "no known answer with " << name
                  << " runs; give the op a lowering in execute/lower/LowerOp.cpp, or in the table "
                     "of execute/lower/ElementOps.cpp, and a case in scripts/answers";
}

} // namespace
} // namespace shardwise::execute
