// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise ops: one factor a dimension, shared by all operands and results, and every factor
// may be cut. Which ops these are says the trait `stablehlo::Elementwise` in their definitions;
// here is only what is special about a few.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/SheetTable.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace shardwise::rules {

namespace {

using namespace stablehlo;

/// Scalar operands of `clamp` and `select` have no dimension that the rule could map.
RuleAnswer elementwise(mlir::Operation *op) {
  if (!mlir::isa<mlir::ShapedType>(op->getResult(0).getType()))
    return RuleState::None;
  return pointwiseRule(op);
}

LinearSets linearInBoth(mlir::Operation *op) {
  return isBoolean(op->getResult(0)) ? LinearSets{} : LinearSets{{0, 1}};
}

/// The quotient of integers is not that of their parts.
LinearSets linearInDividend(mlir::Operation *op) {
  mlir::Type type = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  return mlir::isa<mlir::FloatType, mlir::ComplexType>(type) ? LinearSets{{0}} : LinearSets{};
}

LinearSets linearInBranches(mlir::Operation *op) {
  return isBoolean(op->getResult(0)) ? LinearSets{} : LinearSets{{1, 2}};
}

/// Whether every value of `from` is one of `to`.
bool isWidening(mlir::FloatType from, mlir::FloatType to) {
  const llvm::fltSemantics &source = from.getFloatSemantics(), &target = to.getFloatSemantics();
  return llvm::APFloat::isRepresentableBy(source, target);
}

/// To floats that have all values of the operand's, and to integers that lose upper bits only:
/// sums of narrower floats would be rounded more often, those of wider integers not wrap around.
LinearSets convertLinearly(mlir::Operation *op) {
  mlir::Type from = mlir::getElementTypeOrSelf(op->getOperand(0).getType());
  mlir::Type to = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  auto fromFloat = mlir::dyn_cast<mlir::FloatType>(from),
       toFloat = mlir::dyn_cast<mlir::FloatType>(to);
  if (fromFloat && toFloat)
    return isWidening(fromFloat, toFloat) ? LinearSets{{0}} : LinearSets{};
  bool areIntegers = mlir::isa<mlir::IntegerType>(from) && mlir::isa<mlir::IntegerType>(to) &&
                     !isBoolean(op->getOperand(0)) && !isBoolean(op->getResult(0));
  if (areIntegers && to.getIntOrFloatBitWidth() <= from.getIntOrFloatBitWidth())
    return {{0}};
  return {};
}

} // namespace

const SheetLines kElementwiseLines{ruleOf<elementwise>,  nullptr, nullptr, RuleState::Unknown,
                                   /*hasWindows=*/false,
                                   /*isOfKind=*/true};

bool isElementwise(mlir::Operation *op) {
  return stablehlo::isElementwise(op) ||
         mlir::isa<sdy::ShardingConstraintOp, sdy::PropagationBarrierOp, sdy::ReshardOp>(op) ||
         op->hasTrait<mlir::OpTrait::Elementwise>();
}

void addElementwiseSheets(SheetTable &table) {
  table.add<AddOp, SubtractOp>(ofKind({ruleOf<elementwise>, nullptr, linearInBoth}));
  table.add<NegOp>(ofKind({ruleOf<elementwise>, nullptr, linearInFirst}));
  table.add<MulOp>(ofKind({ruleOf<elementwise>, nullptr, linearInEither}));
  table.add<DivOp>(ofKind({ruleOf<elementwise>, nullptr, linearInDividend}));
  table.add<SelectOp>(ofKind({ruleOf<elementwise>, nullptr, linearInBranches}));
  table.add<ConvertOp>(ofKind({ruleOf<elementwise>, nullptr, convertLinearly}));
  table.add<sdy::ShardingConstraintOp>(kElementwiseLines);
  // A quantized type can have one scale for each index of a dimension, which a cut would have to
  // divide as well.
  table.addWithoutRule<UniformQuantizeOp, UniformDequantizeOp>(RuleState::Unknown);
}

} // namespace shardwise::rules
