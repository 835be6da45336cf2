// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems as text, there and back, and what is wrong with others.

#include "shardwise/planner/model/PlanText.h"

#include <gtest/gtest.h>

namespace shardwise::planner {
namespace {

TEST(PlanTextTest, problemsRoundTrip) {
  for (std::string text : {R"(6x6xf32 <["x"=2, "y"=3]> [{"x"}, {"y"}] -> [{"y"}, {"x"}])",
                           R"(8xbf16 <["x"=4]> [{"x"}] -> <["y"=2], device_ids=[1, 0]> [{"y"}])"}) {
    Result<WrittenProblem> problem = parseProblem(text);
    ASSERT_TRUE(problem.ok()) << problem.error().message;
    EXPECT_EQ(toString(*problem), text);
    EXPECT_TRUE(resolve(*problem).ok());
  }
}

TEST(PlanTextTest, errorsSayWhatIsWrong) {
  struct Case {
    std::string mesh, shape, from, to, fragment;
  };
  for (const Case &c : {Case{R"(["x"=2])", "6y", "[{}]", "[{}]", "6x6xf32"},
                        {R"(["x"=2])", "6xfoo", "[{}]", "[{}]", "unknown element type \"foo\""},
                        {R"(["x"=)", "6xf32", "[{}]", "[{}]", "mesh"},
                        {R"(["x"=2])", "6xf32", R"([{"y"}])", "[{}]", "source sharding"},
                        {R"(["x"=2])", "6xf32", "[{}]", R"([{"x"}, {"x"}])", "target sharding"},
                        {R"(["x"=2], device_ids=[4, 4])", "6xf32", "[{}]", "[{}]", "4 twice"},
                        {R"(["x"=2])", "6xf32", "[{}]", R"([{}], unreduced={"x"})", "unreduced"}}) {
    WrittenProblem written;
    written.mesh = c.mesh;
    written.shape = c.shape;
    written.from = c.from;
    written.to = c.to;
    Result<ReshardProblem> problem = resolve(written);
    ASSERT_FALSE(problem.ok()) << c.fragment;
    EXPECT_NE(problem.error().message.find(c.fragment), std::string::npos)
        << problem.error().message;
  }
}

/// The link of one axis says nothing about the others: these are still told by hosts.
TEST(PlanTextTest, axesWithoutALinkOfTheirOwnKeepTheirs) {
  Result<WrittenProblem> written =
      parseProblem(R"(8xf32 <["across"=2, "inside"=2, "named"=2]> [{"across"}] -> [{}])");
  ASSERT_TRUE(written.ok()) << written.error().message;
  written->topology = {{}, {0, 1e10}, /*devicesPerHost=*/4, {1e-5, 1e9}};
  written->links = {"named=1e-6:1e8"};
  Result<ReshardProblem> problem = resolve(*written);
  ASSERT_TRUE(problem.ok()) << problem.error().message;
  EXPECT_EQ(problem->topology.axisLinks,
            (std::vector<Link>{written->topology.hostLink, written->topology.link, {1e-6, 1e8}}));
}

} // namespace
} // namespace shardwise::planner
