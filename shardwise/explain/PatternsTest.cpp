// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/Patterns.h"

#include "shardwise/explain/FactTesting.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

namespace shardwise::explain {
namespace {

/// A program with one parameter, state of it and a batch, of 8x8 f32 each.
class PatternsTest : public testing::Test {
protected:
  void add(int32_t number, const char *label, const char *sharding) {
    mlir::Builder builder(&context);
    ExplainedValue value;
    value.value = {{0, 0, number}};
    value.type = mlir::RankedTensorType::get({8, 8}, builder.getF32Type());
    value.sharding = writtenForTest(sharding);
    explanation.values.push_back(value);
    table.labels[value.value.id] = label;
  }
  std::vector<AxisPattern> patterns(const char *mesh) {
    explanation.mesh = meshForTest(mesh);
    table.functions = {"main"};
    table.ops.resize(1);
    return axisPatterns(explanation, ProgramNames(table));
  }
  std::string nameOfX(const char *mesh = R"(["x"=4])") {
    auto found = patterns(mesh);
    return found.empty() ? "" : found.front().name;
  }

  mlir::MLIRContext context;
  Explanation explanation;
  NameTable table;
};

TEST_F(PatternsTest, whatIsCutDecides) {
  add(0, "params['w']", "[{}, {}]");
  add(1, "opt_state['w']", "[{}, {}]");
  add(2, "batch", R"([{"x"}, {}])");
  EXPECT_EQ(nameOfX(), "data parallel");
  explanation.values[1].sharding = writtenForTest(R"([{"x"}, {}])");
  EXPECT_EQ(nameOfX(), "ZeRO-1");
  explanation.values[0].sharding = writtenForTest(R"([{"x"}, {}])");
  EXPECT_EQ(nameOfX(), "ZeRO-3 (FSDP)");
  explanation.values[2].sharding = writtenForTest("[{}, {}]");
  EXPECT_EQ(nameOfX(), "tensor parallel (Megatron)");
  explanation.values[0].sharding = explanation.values[1].sharding = writtenForTest("[{}, {}]");
  EXPECT_EQ(nameOfX(), "");
  explanation.values[2].sharding = writtenForTest(R"([{}, {"x"}])");
  EXPECT_EQ(nameOfX(), "sequence or context parallel");
  EXPECT_EQ(nameOfX(R"(["x"=1])"), "");
}

TEST_F(PatternsTest, aBatchBehindMicrobatchesIsKnownByTheNameOfTheAxis) {
  add(0, "params['w']", "[{}, {}]");
  add(1, "batch", R"([{}, {"data"}])");
  EXPECT_EQ(nameOfX(R"(["data"=4])"), "data parallel");
}

TEST_F(PatternsTest, anAxisBehindOthersStoresParameters) {
  // As in a ring over "x", where weights are gathered over both axes.
  add(0, "params['w']", R"([{"y", "x"}, {}])");
  add(1, "batch", R"([{"y"}, {}])");
  const char *mesh = R"(["x"=4, "y"=2])";
  EXPECT_EQ(nameOfX(mesh), "storage of parameters, behind other axes");
  explanation.values[1].sharding = writtenForTest(R"([{"y"}, {"x"}])");
  EXPECT_EQ(nameOfX(mesh), "sequence or context parallel");
  // As in decoding: heads of the cache are cut, and so are parameters.
  explanation.values[0].sharding = writtenForTest(R"([{}, {"x", "y"}])");
  EXPECT_EQ(nameOfX(mesh), "tensor parallel (Megatron)");
}

TEST_F(PatternsTest, bytesOfWeightsAreExpected) {
  add(0, "params['w']", R"([{"x"}, {"y"}])");
  add(1, "batch", R"([{"x"}, {}])");
  explanation.traffic = {{R"({"x"})", "all_gather", 2, 200, 0},
                         {R"({"y"})", "all_reduce", 1, 50, 0}};
  auto found = patterns(R"(["x"=4, "y"=2])");
  ASSERT_EQ(found.size(), 2u);
  // Half of 256 bytes is on a device, but for x; it receives three quarters of that three times.
  EXPECT_EQ(found[0].expectedBytes, 3 * 128 * 3 / 4);
  EXPECT_EQ(found[0].actual, "2 all_gather 200 B");
  EXPECT_EQ(found[0].actualBytes, 200);
  EXPECT_EQ(found[1].name, "tensor parallel (Megatron)");
  EXPECT_EQ(found[1].expectedBytes, 0);
  EXPECT_NE(found[1].text().find("\"y\" is tensor parallel (Megatron): expected 4 all_reduces"),
            std::string::npos);
}

} // namespace
} // namespace shardwise::explain
