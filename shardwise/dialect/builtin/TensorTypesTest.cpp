// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every data type by its name in StableHLO text, and what is no tensor in host memory.

#include "shardwise/dialect/builtin/TensorTypes.h"

#include <mlir/AsmParser/AsmParser.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/MLIRContext.h>

#include <gtest/gtest.h>

#include <string>

namespace shardwise::builtin {
namespace {

using runtime::DataType;
using runtime::TensorType;

class TensorTypesTest : public ::testing::Test {
protected:
  /// Parses `text` as MLIR does; null, with the diagnostic dropped, if there is no such type.
  mlir::Type parse(const std::string &text) {
    mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
    return mlir::parseType(text, &context);
  }

  mlir::MLIRContext context;
};

TEST_F(TensorTypesTest, everyDataTypeIsFoundByItsName) {
  for (int64_t i = 0; i < runtime::kNumDataTypes; ++i) {
    auto type = static_cast<DataType>(i);
    std::string name(runtime::toString(type));
    mlir::Type scalar = parse(name);
    ASSERT_TRUE(scalar) << name;
    EXPECT_EQ(dataTypeOf(scalar), type) << name;
    EXPECT_EQ(tensorTypeOf(parse("tensor<4x0x" + name + ">")), (TensorType{type, {4, 0}})) << name;
  }
}

TEST_F(TensorTypesTest, scalarTypesThatTheRuntimeHasNot) {
  for (std::string name : {"index", "f80", "f128", "tf32", "f4E2M1FN", "i3", "i128", "si8", "si32",
                           "ui1", "complex<f16>", "complex<i32>", "vector<4xf32>", "none"}) {
    mlir::Type type = parse(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(dataTypeOf(type), std::nullopt) << name;
  }
}

TEST_F(TensorTypesTest, onlyStaticRankedTensorsHaveATensorType) {
  for (std::string name :
       {"f32", "tensor<*xf32>", "tensor<?x2xf32>", "memref<2xf32>", "tensor<2xindex>"})
    EXPECT_EQ(tensorTypeOf(parse(name)), std::nullopt) << name;
  EXPECT_EQ(tensorTypeOf(parse("tensor<f32>")), (TensorType{DataType::F32, {}}));
}

TEST_F(TensorTypesTest, bytesOfATensor) {
  EXPECT_EQ((TensorType{DataType::BF16, {3, 5}}).bytes(), 30);
  EXPECT_EQ((TensorType{DataType::C128, {}}).bytes(), 16);
  EXPECT_EQ((TensorType{DataType::I4, {7, 0}}).bytes(), 0);
}

} // namespace
} // namespace shardwise::builtin
