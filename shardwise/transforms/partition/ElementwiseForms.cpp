// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise ops: local types are all they need.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

namespace shardwise::partition {

using namespace stablehlo;

void addElementwiseForms(LocalFormRegistry &registry) {
  registry.add<AbsOp, CbrtOp, CeilOp, ConvertOp, ClzOp, CosineOp, ExpOp, Expm1Op, FloorOp, ImagOp,
               IsFiniteOp, LogOp, Log1pOp, LogisticOp, NegOp, NotOp, PopulationCountOp, RealOp,
               RoundOp, RoundNearestEvenOp, RsqrtOp, SignOp, SineOp, SqrtOp, TanOp, TanhOp,
               ReducePrecisionOp, BitcastConvertOp>(keepForm);
  registry.add<AddOp, AndOp, Atan2Op, ClampOp, CompareOp, ComplexOp, DivOp, MaxOp, MinOp, MulOp,
               OrOp, PowOp, RemOp, SelectOp, ShiftLeftOp, ShiftRightArithmeticOp,
               ShiftRightLogicalOp, SubtractOp, XorOp>(keepForm);
}

} // namespace shardwise::partition
