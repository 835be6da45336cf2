// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise ops: one factor a dimension, shared by all operands and results.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/Families.h"

#include "llvm/ADT/DenseSet.h"

namespace shardwise::rules {

namespace {

using namespace stablehlo;

template <class... Ops> llvm::DenseSet<mlir::TypeID> kindsOf() {
  return {mlir::TypeID::get<Ops>()...};
}

/// Element-wise ops whose operands all have the shape of the result.
bool isPlainElementwise(mlir::Operation *op) {
  // Asked of every op several times: a look-up, where `isa` compares with one kind after the other.
  static const llvm::DenseSet<mlir::TypeID> kKinds = kindsOf<
      // Unary.
      AbsOp, CbrtOp, CeilOp, ConvertOp, ClzOp, CosineOp, ExpOp, Expm1Op, FloorOp, ImagOp,
      IsFiniteOp, LogOp, Log1pOp, LogisticOp, NegOp, NotOp, PopulationCountOp, RealOp, RoundOp,
      RoundNearestEvenOp, RsqrtOp, SignOp, SineOp, SqrtOp, TanOp, TanhOp,
      // Binary.
      AddOp, AndOp, Atan2Op, ComplexOp, DivOp, MaxOp, MinOp, MulOp, OrOp, PowOp, RemOp, ShiftLeftOp,
      ShiftRightArithmeticOp, ShiftRightLogicalOp, SubtractOp, XorOp,
      // Others.
      CompareOp, ReducePrecisionOp>();
  return kKinds.contains(op->getName().getTypeID());
}

/// `clamp` and `select` have the shape of one operand; the others may be scalars, which the
/// builder leaves unmapped.
bool mayHaveScalarOperands(mlir::Operation *op) {
  return mlir::isa<ClampOp, SelectOp>(op);
}

/// Element-wise computations that only move or mark a value.
bool isElementwiseSdyOp(mlir::Operation *op) {
  return mlir::isa<sdy::ShardingConstraintOp, sdy::PropagationBarrierOp, sdy::ReshardOp>(op);
}

} // namespace

bool isElementwise(mlir::Operation *op) {
  if (auto cast = mlir::dyn_cast<BitcastConvertOp>(op))
    return shapeOf(cast->getOperand(0)) == shapeOf(cast->getResult(0));
  return isPlainElementwise(op) || mayHaveScalarOperands(op) || isElementwiseSdyOp(op) ||
         isElementwiseChlo(op) || mlir::isa<UniformQuantizeOp, UniformDequantizeOp>(op) ||
         op->hasTrait<mlir::OpTrait::Elementwise>();
}

RuleAnswer elementwiseRule(mlir::Operation *op) {
  if (!isPlainElementwise(op) && !mayHaveScalarOperands(op) &&
      !mlir::isa<sdy::ShardingConstraintOp>(op))
    return RuleAnswer::notMine();
  if (!mlir::isa<mlir::ShapedType>(op->getResult(0).getType()))
    return RuleAnswer::noRule();
  return pointwiseRule(op);
}

} // namespace shardwise::rules
