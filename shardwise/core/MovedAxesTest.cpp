// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/core/MovedAxes.h"

#include "shardwise/core/Text.h"

#include <gtest/gtest.h>

namespace shardwise::core {
namespace {

/// The moved axes and the others, on a mesh of x=2, y=6, z=2.
std::pair<std::string, std::string> movedOf(const Shape &shape, std::string_view before,
                                            std::string_view after) {
  Mesh mesh = *parseMesh(R"(["x"=2, "y"=6, "z"=2])");
  auto sharding = [&](std::string_view text) { return *resolve(*parseSharding(text), mesh); };
  AxisList moved = movedAxes(mesh, shape, sharding(before), sharding(after));
  return {toString(moved, mesh), toString(axesBeside(mesh, moved), mesh)};
}

using Texts = std::pair<std::string, std::string>;

TEST(MovedAxesTest, axesOfCommonPrefixesMoveNothing) {
  EXPECT_EQ(movedOf({24, 24}, R"([{"x", "y"}, {"z"}])", R"([{"x", "z"}, {"y"}])"),
            Texts(R"({"y", "z"})", R"({"x"})"));
  EXPECT_EQ(movedOf({24, 24}, R"([{"x"}, {"z"}])", R"([{"x"}, {"z"}])"),
            Texts("{}", R"({"x", "y", "z"})"));
}

TEST(MovedAxesTest, unevenBlocksOfAPrefixNeedNotLieInEachOther) {
  EXPECT_EQ(movedOf({10, 24}, R"([{"x", "z"}, {}])", R"([{"x"}, {"z"}])"),
            Texts(R"({"x", "z"})", R"({"y"})"));
  EXPECT_EQ(movedOf({9, 24}, R"([{"x"}, {"y"}])", R"([{"x"}, {"z"}])"),
            Texts(R"({"y", "z"})", R"({"x"})"));
}

TEST(MovedAxesTest, partsOfAxesStayPartsIfTheyCan) {
  EXPECT_EQ(movedOf({24, 24}, R"([{"y":(1)2}, {}])", R"([{}, {"y":(1)2}])"),
            Texts(R"({"y":(1)2})", R"({"x", "y":(2)3, "z"})"));
  // Of y=6, halves and thirds are no parts of each other.
  EXPECT_EQ(movedOf({24, 24}, R"([{"y":(1)2}, {}])", R"([{}, {"y":(1)3}])"),
            Texts(R"({"y"})", R"({"x", "z"})"));
}

} // namespace
} // namespace shardwise::core
