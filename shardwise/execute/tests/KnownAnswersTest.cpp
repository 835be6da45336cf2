// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled path against known answers.

#include "shardwise/execute/tests/PathTesting.h"

#include "test/support/evaluation/KnownAnswers.h"

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

} // namespace
} // namespace shardwise::execute
