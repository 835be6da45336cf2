// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise ops: one factor a dimension, shared by all operands and results, and every factor
// may be cut. Which ops these are says the trait `stablehlo::Elementwise` in their definitions;
// here is only what is special about a few.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/SheetTable.h"

namespace shardwise::rules {

namespace {

using namespace stablehlo;

/// Scalar operands of `clamp` and `select` have no dimension that the rule could map.
RuleAnswer elementwise(mlir::Operation *op) {
  if (!mlir::isa<mlir::ShapedType>(op->getResult(0).getType()))
    return RuleState::None;
  return pointwiseRule(op);
}

LinearOperands bothOperandsUnlessBoolean(mlir::Operation *op) {
  return isBoolean(op->getResult(0)) ? LinearOperands{} : LinearOperands{0, 1};
}

} // namespace

const SheetLines kElementwiseLines{ruleOf<elementwise>};

bool isElementwise(mlir::Operation *op) {
  return stablehlo::isElementwise(op) ||
         mlir::isa<sdy::ShardingConstraintOp, sdy::PropagationBarrierOp, sdy::ReshardOp>(op) ||
         op->hasTrait<mlir::OpTrait::Elementwise>();
}

void addElementwiseSheets(SheetTable &table) {
  table.add<AddOp, SubtractOp>({ruleOf<elementwise>, nullptr, bothOperandsUnlessBoolean});
  table.add<NegOp>({ruleOf<elementwise>, nullptr, firstOperandUnlessBoolean});
  table.add<sdy::ShardingConstraintOp>(kElementwiseLines);
  // A quantized type can have one scale for each index of a dimension, which a cut would have to
  // divide as well.
  table.addWithoutRule<UniformQuantizeOp, UniformDequantizeOp>(RuleState::Unknown);
}

} // namespace shardwise::rules
