// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/driver/ProgramBorder.h"

#include "shardwise/core/Text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace shardwise::driver {
namespace {

using Json = nlohmann::ordered_json;

core::Mesh meshOf(const char *text) {
  return core::parseMesh(text).value();
}

ShardedValue valueOn(const core::Mesh &mesh, core::Shape shape, const char *sharding) {
  return {std::move(shape), runtime::DataType::F32,
          core::resolve(core::parseSharding(sharding).value(), mesh).value(), mesh, ""};
}

Json jsonOf(const ProgramBorder &border) {
  return Json::parse(toJson(border, "xla-replicas").value());
}

TEST(ProgramBorderTest, namesTheAxesThatCutEachDimension) {
  core::Mesh mesh = meshOf(R"(["x"=2, "y"=4])");
  ShardedValue value = valueOn(mesh, {16, 6}, R"([{"y", "x"}, {}])");
  value.name = "w";
  EXPECT_EQ(jsonOf({mesh, {value}, {valueOn(mesh, {}, "[]")}}), Json::parse(R"({
    "form": "xla-replicas", "devices": 8, "mesh": {"axes": {"x": 2, "y": 4}},
    "arguments": [{"name": "w", "dtype": "f32", "global_shape": [16, 6], "local_shape": [2, 6],
                   "spec": [["y", "x"], []]}],
    "results": [{"dtype": "f32", "global_shape": [], "local_shape": [], "spec": []}]})"));
}

TEST(ProgramBorderTest, axesOfWhichPartsAreUsedAreWrittenAsParts) {
  core::Mesh mesh = meshOf(R"(["x"=8, "y"=2])");
  Json json = jsonOf({mesh,
                      {valueOn(mesh, {8, 4}, R"([{"x":(2)2}, {"y"}])")},
                      {valueOn(mesh, {16}, R"([{"x"}])")}});
  EXPECT_EQ(json["mesh"]["axes"].dump(), R"({"x:(1)2":2,"x:(2)2":2,"x:(4)2":2,"y":2})");
  EXPECT_EQ(json["arguments"][0]["spec"].dump(), R"([["x:(2)2"],["y"]])");
  EXPECT_EQ(json["results"][0]["spec"].dump(), R"([["x:(1)2","x:(2)2","x:(4)2"]])");
}

TEST(ProgramBorderTest, partsThatDoNotFitTogetherAreRefused) {
  core::Mesh mesh = meshOf(R"(["x"=6])");
  Result<std::string> json = toJson(
      {mesh, {valueOn(mesh, {6}, R"([{"x":(1)2}])")}, {valueOn(mesh, {6}, R"([{"x":(1)3}])")}},
      "stablehlo");
  ASSERT_FALSE(json.ok());
  EXPECT_NE(json.error().message.find("parts of axis \"x\""), std::string::npos);
}

TEST(ProgramBorderTest, otherOrdersAndSingleDevicesAreSaid) {
  core::Mesh mesh = meshOf(R"(["x"=2], device_ids=[1, 0])");
  Json json =
      jsonOf({mesh,
              {valueOn(mesh, {4}, R"([{"x"}])"), valueOn(meshOf(R"(["x"=2])"), {4}, R"([{"x"}])"),
               valueOn(meshOf("[], device_ids=[1]"), {4}, "[]")},
              {}});
  EXPECT_EQ(json["mesh"]["device_ids"].dump(), "[1,0]");
  EXPECT_FALSE(json["arguments"][0].contains("device_ids"));
  EXPECT_EQ(json["arguments"][1]["device_ids"].dump(), "[0,1]");
  EXPECT_EQ(json["arguments"][2]["device_ids"].dump(), "[1]");
  EXPECT_EQ(json["arguments"][2]["spec"].dump(), "[[]]");
}

TEST(ProgramBorderTest, axesOfSizeOneStayInTheMesh) {
  core::Mesh mesh = meshOf(R"(["one"=1, "x"=2])");
  Json json = jsonOf({mesh, {valueOn(meshOf(R"(["x"=2])"), {4}, R"([{"x"}])")}, {}});
  EXPECT_EQ(json["mesh"]["axes"].dump(), R"({"one":1,"x":2})");
  EXPECT_EQ(json["arguments"][0]["spec"].dump(), R"([["x"]])");
}

TEST(ProgramBorderTest, partialValuesSayHowTheyCombine) {
  core::Mesh mesh = meshOf(R"(["x"=2])");
  Json json = jsonOf({mesh, {}, {valueOn(mesh, {4}, R"([{}], unreduced=max{"x"})")}});
  EXPECT_EQ(json["results"][0]["unreduced"].dump(), R"({"axes":["x"],"reduction":"max"})");
}

} // namespace
} // namespace shardwise::driver
