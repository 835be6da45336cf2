// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference evaluator on programs with known answers, and what it refuses.

#include "shardwise/reference/Evaluator.h"

#include "shardwise/reference/Scalar.h"
#include "test/support/evaluation/FindDifference.h"
#include "test/support/evaluation/KnownAnswers.h"
#include "test/support/evaluation/OpCoverage.h"
#include "test/support/evaluation/TestPrograms.h"

#include <gtest/gtest.h>

namespace shardwise::reference {
namespace {

TEST(ScalarTest, integersWrapAndExtendBySignedness) {
  EXPECT_EQ(Scalar::ofBits(DataType::I8, 200).integer(), -56);
  EXPECT_EQ(Scalar::ofBits(DataType::U8, 456).integer(), 200);
  EXPECT_EQ(convert(Scalar::ofInteger(DataType::I32, -1), DataType::U8).bits(), 255U);
}

TEST(ScalarTest, integerToHalfRoundsOnce) {
  // 2^63 + 2^52 + 1 is just above the tie between two bf16 neighbours.
  Scalar value = Scalar::ofBits(DataType::U64, (uint64_t(1) << 63) + (uint64_t(1) << 55) + 1);
  EXPECT_EQ(convert(value, DataType::BF16).real(), 0x1.02p63);
}

class KnownAnswerTest : public ::testing::TestWithParam<KnownAnswer> {};

TEST_P(KnownAnswerTest, evaluates) {
  TestPrograms programs;
  auto module = programs.parse(moduleText(GetParam()));
  ASSERT_TRUE(module) << programs.diagnostics();
  auto results = evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"), {});
  ASSERT_TRUE(mlir::succeeded(results)) << programs.diagnostics();
  for (auto [text, actual] : llvm::zip(GetParam().expected, *results)) {
    auto difference = findDifference(programs.tensor(text), actual, {GetParam().tolerance, 0.0});
    EXPECT_FALSE(difference) << difference->text;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, KnownAnswerTest, ::testing::ValuesIn(knownAnswers()),
                         [](const auto &info) { return info.param.name; });

TEST(EveryOpTest, isEvaluated) {
  auto runs = [](mlir::ModuleOp module) {
    return mlir::succeeded(evaluate(module.lookupSymbol<mlir::func::FuncOp>("main"), {}));
  };
  for (const std::string &name : opsThatNeverRun(runs))
    ADD_FAILURE() << "no known answer with " << name
                  << " is evaluated; give the op an evaluation in reference/OpDispatch.cpp, or in "
                     "a table of reference/Element*.cpp, and a case in scripts/answers";
}

TEST(EvaluatorTest, productsRoundOnce) {
  TestPrograms programs;
  // 2^-26 is 0 in f16, 2^-10 is not.
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<4xf16>, %one: tensor<f16>) -> tensor<f16> {
      %0 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<4xf16>, tensor<f16>) -> tensor<f16>
      return %0 : tensor<f16>
    })");
  ASSERT_TRUE(module) << programs.diagnostics();
  auto results =
      evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"),
               {programs.tensor("dense<[0x0800, 0x0800, 0x5C00, 0x5C00]> : tensor<4xf16>"),
                programs.tensor("dense<1.0> : tensor<f16>")});
  ASSERT_TRUE(mlir::succeeded(results)) << programs.diagnostics();
  EXPECT_EQ(load((*results)[0], 0).real(), 0x1p-10);
}

TEST(EvaluatorTest, callsAndIdentities) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = stablehlo.custom_call @Sharding(%0) : (tensor<2xf32>) -> tensor<2xf32>
      %2 = call @twice(%1) : (tensor<2xf32>) -> tensor<2xf32>
      return %2 : tensor<2xf32>
    }
    func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.add %x, %x : tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  ASSERT_TRUE(module) << programs.diagnostics();
  HostTensor input = programs.tensor("dense<[1.0, -3.0]> : tensor<2xf32>");
  auto results = evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"), input);
  ASSERT_TRUE(mlir::succeeded(results)) << programs.diagnostics();
  EXPECT_EQ((*results)[0], programs.tensor("dense<[4.0, -12.0]> : tensor<2xf32>"));
}

TEST(EvaluatorTest, refusesByName) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xf32> {
      %0 = stablehlo.real %x : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @mystery(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  ASSERT_TRUE(module) << programs.diagnostics();
  HostTensor input = programs.tensor("dense<[1.0, -3.0]> : tensor<2xf32>");
  EXPECT_TRUE(mlir::failed(evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"), input)));
  EXPECT_NE(programs.diagnostics().find("complex<f32>"), std::string::npos)
      << programs.diagnostics();
  EXPECT_TRUE(mlir::failed(evaluate(module->lookupSymbol<mlir::func::FuncOp>("other"), input)));
  EXPECT_NE(programs.diagnostics().find("custom call target 'mystery' is not supported"),
            std::string::npos)
      << programs.diagnostics();
  EXPECT_TRUE(mlir::failed(evaluate(module->lookupSymbol<mlir::func::FuncOp>("other"), {})));
  EXPECT_NE(programs.diagnostics().find("takes 1 arguments, but got 0"), std::string::npos);
}

/// Evaluates `ops`, which define %r from %x = [8, 0.5, 3, -1] by an op with a region on scalars.
void expectOfRegion(const std::string &ops, const std::string &result) {
  TestPrograms programs;
  std::string type = result.substr(result.find(" : ") + 3);
  auto module = programs.parse(R"(
    func.func @main() -> )" + type +
                               R"( {
      %x = stablehlo.constant dense<[8.0, 0.5, 3.0, -1.0]> : tensor<4xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %half = stablehlo.constant dense<0.5> : tensor<f32>
      )" + ops +
                               "\nreturn %r : " + type + "\n}");
  ASSERT_TRUE(module) << programs.diagnostics();
  auto results = evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"), {});
  ASSERT_TRUE(mlir::succeeded(results)) << programs.diagnostics();
  EXPECT_FALSE(findDifference(programs.tensor(result), (*results)[0])) << ops;
}

const std::string kReduce = R"(%r = stablehlo.reduce(%x init: %zero) across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %p = stablehlo.compare GT, %b, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
  )";

TEST(EvaluatorTest, regionsBranch) {
  const std::string branches = R"(({
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }, {
        stablehlo.return %a : tensor<f32>
      }))";
  expectOfRegion(kReduce + "%c = \"stablehlo.if\"(%p) " + branches +
                     " : (tensor<i1>) -> tensor<f32>\nstablehlo.return %c : tensor<f32> }",
                 "dense<11.0> : tensor<f32>");
  // Region 0 of a case is the one for false.
  expectOfRegion(kReduce + "%i = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>\n" +
                     "%c = \"stablehlo.case\"(%i) " + branches +
                     " : (tensor<i32>) -> tensor<f32>\nstablehlo.return %c : tensor<f32> }",
                 "dense<-0.5> : tensor<f32>");
}

TEST(EvaluatorTest, regionsLoop) {
  // Halves each element until it is at most 1; the state changes places in every iteration.
  expectOfRegion(R"(%r = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
      ^bb0(%a: tensor<f32>):
        %l:3 = stablehlo.while(%v = %a, %n = %one, %m = %half)
            : tensor<f32>, tensor<f32>, tensor<f32>
        cond {
          %p = stablehlo.compare GT, %v, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %h = stablehlo.multiply %v, %half : tensor<f32>
          stablehlo.return %h, %m, %n : tensor<f32>, tensor<f32>, tensor<f32>
        }
        %s = stablehlo.add %l#0, %l#1 : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>)",
                 "dense<[1.5, 1.5, 1.75, 0.0]> : tensor<4xf32>");
}

TEST(EvaluatorTest, refusesRegionsOnTensors) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<2xf32>, %init: tensor<f32>, %v: tensor<3xf32>) -> tensor<f32> {
      %0 = stablehlo.reduce(%x init: %init) across dimensions = [0]
          : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
       reducer(%a: tensor<f32>, %b: tensor<f32>) {
        %1 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<3xf32>
        stablehlo.return %b : tensor<f32>
      }
      return %0 : tensor<f32>
    })");
  ASSERT_TRUE(module) << programs.diagnostics();
  std::vector<HostTensor> inputs = {programs.tensor("dense<[1.0, -3.0]> : tensor<2xf32>"),
                                    programs.tensor("dense<0.0> : tensor<f32>"),
                                    programs.tensor("dense<0.0> : tensor<3xf32>")};
  EXPECT_TRUE(mlir::failed(evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"), inputs)));
  EXPECT_NE(programs.diagnostics().find("is not supported inside a reduction, sort or scatter"),
            std::string::npos)
      << programs.diagnostics();
}

TEST(EvaluatorTest, refusesCollectivesBetweenDevices) {
  TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64,
          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })");
  ASSERT_TRUE(module) << programs.diagnostics();
  HostTensor input = programs.tensor("dense<[1.0, -3.0]> : tensor<2xf32>");
  EXPECT_TRUE(mlir::failed(evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"), input)));
  EXPECT_NE(programs.diagnostics().find("between several devices"), std::string::npos)
      << programs.diagnostics();
}

TEST(FindDifferenceTest, saysWhereAndHowMuch) {
  TestPrograms programs;
  HostTensor x = programs.tensor("dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>");
  HostTensor y = programs.tensor("dense<[[1.0, 2.5], [3.0, 9.0]]> : tensor<2x2xf32>");
  auto difference = findDifference(x, y, {0.1, 0.0});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->count, 2);
  EXPECT_EQ(difference->position, 3);
  EXPECT_NE(difference->text.find("[1, 1]"), std::string::npos);
  EXPECT_FALSE(findDifference(x, y, {1.0, 0.0}));
}

} // namespace
} // namespace shardwise::reference
