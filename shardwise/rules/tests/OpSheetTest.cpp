// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sheets of the tables, and that no op is forgotten.

#include "shardwise/rules/OpSheet.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/chlo/ChloDialect.h"
#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/ops/StablehloTraits.h"
#include "shardwise/rules/AlikeOps.h"
#include "shardwise/rules/PartialResults.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/rules/SheetTable.h"
#include "shardwise/rules/tests/SheetCases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <string>

namespace shardwise::rules {
namespace {

/// A context with the dialects of programs.
struct Programs {
  Programs() {
    context.loadDialect<mlir::func::FuncDialect, sdy::SdyDialect, stablehlo::StablehloDialect,
                        chlo::ChloDialect>();
  }

  /// Parses the body of a function. Some tests are about ops that no verifier would pass.
  void parse(const std::string &arguments, const std::string &ops) {
    std::string text =
        "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(" + arguments + ") {\n" + ops + "\nreturn }";
    module = mlir::parseSourceString<mlir::ModuleOp>(
        text, mlir::ParserConfig(&context, /*verifyAfterParse=*/false));
  }
  /// The last op of the function.
  mlir::Operation *op() {
    mlir::Block &body = (*module->getOps<mlir::func::FuncOp>().begin()).getBody().front();
    return body.getTerminator()->getPrevNode();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

std::string textOf(core::FactorUse use) {
  switch (use.kind()) {
  case core::FactorUse::Kind::Whole:
    return "whole";
  case core::FactorUse::Kind::Local:
    return "local";
  case core::FactorUse::Kind::Partial:
    return "partial(" + core::toString(use.combination()) + ")";
  case core::FactorUse::Kind::Window:
    return "window";
  case core::FactorUse::Kind::Written:
    return "written";
  case core::FactorUse::Kind::Read:
    return "read(" + core::toString(use.combination()) + ")";
  case core::FactorUse::Kind::TwoPhase:
    return (use.cutsResults() ? "corrected from " : "selected from ") +
           std::to_string(use.candidates());
  }
  return "";
}

std::string sheetOf(mlir::Operation *op) {
  std::optional<OpSheet> sheet = opSheet(op);
  if (!sheet)
    return isUnknownToShardingRules(op) ? "unknown" : "no rule";
  std::string text = core::toString(sheet->rule);
  for (auto [factor, use] : llvm::enumerate(sheet->uses))
    text += (factor == 0 ? "\n" : ", ") + std::string(1, static_cast<char>('i' + factor)) + ": " +
            textOf(use);
  auto letterOf = [](core::FactorIndex factor) {
    return std::string(1, static_cast<char>('i' + factor));
  };
  for (const core::IndexExchange &exchange : sheet->exchanges) {
    text += "\nexchanges " + letterOf(exchange.indexed) + " with";
    for (core::FactorIndex factor : exchange.batch)
      text += " " + letterOf(factor);
    text += exchange.isOnlyWay ? " only" : "";
  }
  for (const core::OperandWindow &window : sheet->windows)
    text += "\n" + core::toString(window);
  for (auto [number, set] : llvm::enumerate(sheet->linearSets)) {
    text += number == 0 ? "\nlinear in " : " or ";
    for (auto [position, operand] : llvm::enumerate(set))
      text += (position == 0 ? "" : ", ") + std::to_string(operand);
  }
  return text;
}

class OpSheetTest : public testing::TestWithParam<SheetCase> {};

TEST_P(OpSheetTest, isAsWritten) {
  Programs programs;
  programs.parse(GetParam().arguments, GetParam().ops);
  ASSERT_TRUE(programs.module);
  EXPECT_EQ(sheetOf(programs.op()), GetParam().sheet);
}

std::string nameOf(const testing::TestParamInfo<SheetCase> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Elementwise, OpSheetTest, testing::ValuesIn(elementwiseCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Contraction, OpSheetTest, testing::ValuesIn(contractionCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Reduction, OpSheetTest, testing::ValuesIn(reductionCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Indexing, OpSheetTest, testing::ValuesIn(indexingCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Movement, OpSheetTest, testing::ValuesIn(movementCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(LinearAlgebra, OpSheetTest, testing::ValuesIn(linearAlgebraCases()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Call, OpSheetTest, testing::ValuesIn(callCases()), nameOf);

/// Calls `visit` for every op class of the two dialects of programs.
void forEachOp(llvm::function_ref<void(mlir::RegisteredOperationName)> visit) {
  Programs programs;
  for (llvm::StringRef dialect : {"stablehlo", "chlo"})
    for (mlir::RegisteredOperationName name :
         programs.context.getRegisteredOperationsByDialect(dialect))
      visit(name);
}

/// An op without a sheet and not listed in Ruleless.cpp has been forgotten.
TEST(EveryOpTest, hasASheetOrIsListedWithout) {
  forEachOp([](mlir::RegisteredOperationName name) {
    EXPECT_TRUE(SheetTable::instance().find(name))
        << "nothing is known of " << name.getStringRef().str()
        << "; give it a rule in its family's source, or list it in rules/Ruleless.cpp";
  });
}

/// Calls `visit` for the cases of all tables.
void forEachCase(llvm::function_ref<void(const SheetCase &)> visit) {
  for (auto table : {elementwiseCases(), contractionCases(), reductionCases(), indexingCases(),
                     movementCases(), linearAlgebraCases(), callCases()})
    for (const SheetCase &sheetCase : table)
      visit(sheetCase);
}

/// Whoever says that a kind of op has one sheet must not look at what makes its operands: zeros,
/// which families ask for, change nothing.
TEST(EveryOpTest, ofAKindDoesNotDependOnOperands) {
  int numOfKind = 0;
  forEachCase([&](const SheetCase &sheetCase) {
    SCOPED_TRACE(sheetCase.ops);
    Programs programs;
    programs.parse(sheetCase.arguments, sheetCase.ops);
    ASSERT_TRUE(programs.module);
    mlir::Operation *op = programs.op();
    if (!hasSheetOfKind(op))
      return;
    ++numOfKind;
    mlir::OpBuilder builder(op);
    for (mlir::OpOperand &operand : op->getOpOperands())
      if (auto zeros = mlir::dyn_cast_or_null<mlir::ElementsAttr>(
              builder.getZeroAttr(operand.get().getType())))
        operand.set(stablehlo::ConstantOp::create(builder, op->getLoc(), zeros));
    EXPECT_EQ(sheetOf(op), sheetCase.sheet);
  });
  EXPECT_GT(numOfKind, 20);
}

TEST(EveryOpTest, withARuleHasACase) {
  std::string cases;
  forEachCase([&](const SheetCase &sheetCase) { cases += std::string(sheetCase.ops) + "\n"; });
  forEachOp([&](mlir::RegisteredOperationName name) {
    const SheetLines *lines = SheetTable::instance().find(name);
    if (!lines || !lines->rule || name.hasTrait<stablehlo::Elementwise>())
      return;
    bool hasCase = false;
    for (const char *end : {" ", "\"", "("})
      hasCase |= cases.find(name.getStringRef().str() + end) != std::string::npos;
    EXPECT_TRUE(hasCase) << "rules/tests has no case of " << name.getStringRef().str();
  });
}

TEST(EveryOpTest, withTheTraitIsElementwise) {
  Programs programs;
  forEachOp([&](mlir::RegisteredOperationName name) {
    if (!name.hasTrait<stablehlo::Elementwise>() || name.getStringRef().contains("quantize"))
      return;
    // As if it were unary: the rule looks at shapes only.
    std::string text =
        "\"" + name.getStringRef().str() + "\"(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>";
    programs.parse("%a: tensor<8x4xf32>", text);
    ASSERT_TRUE(programs.module) << text;
    EXPECT_TRUE(isElementwise(programs.op())) << text;
    EXPECT_TRUE(hasPointwiseRule(programs.op())) << text;
    EXPECT_TRUE(hasSheetOfKind(programs.op())) << text;
    EXPECT_TRUE(llvm::StringRef(sheetOf(programs.op()))
                    .starts_with("([i, j])->([i, j]) {i=8, j=4}\ni: local, j: local"))
        << text;
  });
}

TEST(PointwiseRuleTest, isNotThatOfOpsThatSayMore) {
  Programs programs;
  for (const char *op :
       {"\"stablehlo.uniform_dequantize\"(%a) : (tensor<8xf32>) -> tensor<8xf32>",
        "stablehlo.reverse %a, dims = [0] : tensor<8xf32>",
        "stablehlo.exponential %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8, "
        "j=8}>} : tensor<8xf32>"}) {
    programs.parse("%a: tensor<8xf32>", op);
    ASSERT_TRUE(programs.module) << op;
    EXPECT_FALSE(hasPointwiseRule(programs.op())) << op;
  }
}

TEST(AlikeOpsTest, agreeInNamePropertiesTypesAndMarks) {
  Programs programs;
  programs.parse(
      "%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xbf16>",
      "%0 = stablehlo.transpose %a, dims = [0, 1] : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
      "%1 = stablehlo.transpose %b, dims = [0, 1] {sdy.sharding = "
      "#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>} : (tensor<4x4xf32>) -> "
      "tensor<4x4xf32>\n"
      "%2 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
      "%3 = stablehlo.transpose %c, dims = [0, 1] : (tensor<4x4xbf16>) -> "
      "tensor<4x4xbf16>\n"
      "%4 = stablehlo.abs %a : tensor<4x4xf32>");
  ASSERT_TRUE(programs.module);
  llvm::SmallVector<mlir::Operation *> ops;
  for (mlir::Operation *op = programs.op(); op; op = op->getPrevNode())
    ops.insert(ops.begin(), op);
  int placements[2];
  AlikeOps<int> known;
  known.add(ops[0], {&placements[0]}, 7);
  ASSERT_TRUE(known.find(ops[1], {&placements[0]}));
  EXPECT_EQ(*known.find(ops[1], {&placements[0]}), 7);
  EXPECT_FALSE(known.find(ops[1], {&placements[1]}));
  for (size_t other : {2, 3, 4})
    EXPECT_FALSE(known.find(ops[other], {&placements[0]})) << other;
}

/// A sum is linear in its operand if it starts from zero.
TEST(AlikeOpsTest, areNoneWhereOperandsDecide) {
  Programs programs;
  programs.parse("%a: tensor<4xf32>, %z: tensor<f32>",
                 "stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : "
                 "(tensor<4xf32>, tensor<f32>) -> tensor<f32>");
  ASSERT_TRUE(programs.module);
  EXPECT_FALSE(hasSheetOfKind(programs.op()));
  programs.parse("%a: tensor<4xf32>", "stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2xf32>");
  EXPECT_TRUE(hasSheetOfKind(programs.op()));
}

std::string paddingsOf(mlir::Operation *op) {
  std::string text;
  std::optional<OpSheet> sheet = opSheet(op);
  for (core::Padding padding : sheet->paddings)
    switch (padding) {
    case core::Padding::Refused:
      text += "refused ";
      break;
    case core::Padding::Ignored:
      text += "ignored ";
      break;
    case core::Padding::Neutral:
      text += "neutral ";
      break;
    case core::Padding::Outside:
      text += "outside ";
      break;
    }
  return text;
}

TEST(PaddingTest, isIgnoredAlongLocalFactorsAndNeutralAlongPartialOnes) {
  Programs programs;
  auto paddings = [&](const std::string &arguments, const std::string &ops) {
    programs.parse(arguments, ops);
    EXPECT_TRUE(programs.module) << ops;
    return paddingsOf(programs.op());
  };
  EXPECT_EQ(paddings("%a: tensor<4x8xf32>, %b: tensor<8x6xf32>",
                     "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
                     "(tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>"),
            "ignored ignored neutral ");
  // What is no sum of parts, and the sorted dimension.
  EXPECT_EQ(paddings("%a: tensor<4x8xf32>, %z: tensor<f32>",
                     "stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] "
                     ": (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>"),
            "ignored refused ");
  // Parts of a product of factors.
  EXPECT_EQ(paddings("%a: tensor<4x8x3xf32>",
                     "stablehlo.reshape %a : (tensor<4x8x3xf32>) -> tensor<32x3xf32>"),
            "refused refused ignored ");
  // A single element that others need.
  EXPECT_EQ(paddings("%a: tensor<1x8xf32>", "stablehlo.broadcast_in_dim %a, dims = [0, 1] : "
                                            "(tensor<1x8xf32>) -> tensor<4x8xf32>"),
            "refused ignored ignored ");
  EXPECT_EQ(paddings("%a: tensor<4x1xf32>, %b: tensor<1x6xf32>",
                     "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
                     "(tensor<4x1xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>"),
            "ignored ignored refused ");
  // Windows are fewer than the elements of the kernel: those are the blocks of the dimension.
  EXPECT_EQ(
      paddings("%a: tensor<2x6x3xf32>, %b: tensor<6x3x4xf32>",
               "stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
               "window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = "
               "1 : i64} : (tensor<2x6x3xf32>, tensor<6x3x4xf32>) -> tensor<2x3x4xf32>"),
      "ignored neutral neutral ignored refused ");
  // Windows read behind the last row what is padded there; moved elements lie somewhere.
  EXPECT_EQ(paddings("%a: tensor<6x3xf32>, %z: tensor<f32>",
                     "stablehlo.pad %a, %z, low = [0, 0], high = [1, 0], interior = [0, 0] : "
                     "(tensor<6x3xf32>, tensor<f32>) -> tensor<7x3xf32>"),
            "outside ignored ");
  EXPECT_EQ(paddings("%a: tensor<6x3xf32>, %b: tensor<5x3xf32>",
                     "stablehlo.concatenate %a, %b, dim = 0 : "
                     "(tensor<6x3xf32>, tensor<5x3xf32>) -> tensor<11x3xf32>"),
            "ignored ignored ");
  // A dynamic slice lies in the dimension, and its update writes there.
  EXPECT_EQ(paddings("%a: tensor<10x4xf32>, %i: tensor<i32>",
                     "stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 4] : (tensor<10x4xf32>, "
                     "tensor<i32>, tensor<i32>) -> tensor<2x4xf32>"),
            "ignored ignored ");
  EXPECT_EQ(paddings("%a: tensor<10x4xf32>, %u: tensor<2x4xf32>, %i: tensor<i32>",
                     "stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<10x4xf32>, "
                     "tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<10x4xf32>"),
            "ignored refused ignored ");
  // A gather reads no row behind the end.
  EXPECT_EQ(paddings("%a: tensor<10x6xf32>, %i: tensor<5x1xi32>",
                     R"("stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<
                          offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
                          index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>,
                          indices_are_sorted = false}>
                        : (tensor<10x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>)"),
            "ignored ignored ignored refused ");
  // Nobody knows what calls do with it.
  EXPECT_EQ(paddings("%a: tensor<4xf32>", "stablehlo.custom_call @any(%a) {sdy.sharding_rule = "
                                          "#sdy.op_sharding_rule<([i])->([i]) {i=4}, custom>} : "
                                          "(tensor<4xf32>) -> tensor<4xf32>"),
            "refused ");
}

TEST(IsZeroTest, seesConstantsThroughMoves) {
  Programs programs;
  auto check = [&](const std::string &ops) {
    programs.parse("%a: tensor<4xf32>", ops);
    EXPECT_TRUE(programs.module) << ops;
    return isZero(programs.op()->getResult(0));
  };
  EXPECT_TRUE(check("stablehlo.constant dense<0.0> : tensor<4xf32>"));
  EXPECT_TRUE(check("stablehlo.constant dense<-0.0> : tensor<4xf32>"));
  EXPECT_TRUE(check("stablehlo.constant dense<0> : tensor<4xi32>"));
  EXPECT_TRUE(check("stablehlo.constant dense<false> : tensor<i1>"));
  EXPECT_TRUE(check("sdy.constant dense<0.0> : tensor<4xf32>"));
  EXPECT_FALSE(check("stablehlo.constant dense<1.0> : tensor<4xf32>"));
  EXPECT_FALSE(check("stablehlo.constant dense<[0.0, 0.0, 0.0, 1.0]> : tensor<4xf32>"));
  EXPECT_FALSE(check("stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>"));
  EXPECT_FALSE(check("stablehlo.negate %a : tensor<4xf32>"));
  EXPECT_TRUE(check("%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                    "%b = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<8xf32>"
                    "\n%c = stablehlo.reshape %b : (tensor<8xf32>) -> tensor<2x4xf32>\n"
                    "sdy.reshard %c <@mesh, [{\"x\"}, {}]> : tensor<2x4xf32>"));
  EXPECT_TRUE(check("%z = stablehlo.constant dense<0.0> : tensor<4xf32>\n"
                    "sdy.all_slice [{\"x\"}] %z out_sharding=<@mesh, [{\"x\"}]> : tensor<4xf32>"));
  EXPECT_FALSE(check("sdy.reshard %a <@mesh, [{\"x\"}]> : tensor<4xf32>"));
}

} // namespace
} // namespace shardwise::rules
