// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the chlo dialect that frontends leave in a program: element-wise functions and top_k.

#include "shardwise/rules/Families.h"

#include "mlir/IR/Dialect.h"

namespace shardwise::rules {

namespace {

bool isChlo(mlir::Operation *op, llvm::StringRef name) {
  return op->getName().getStringRef() == name;
}

bool isFromChlo(mlir::Operation *op) {
  return op->getName().getDialectNamespace() == "chlo";
}

/// As the custom call `mhlo.topk`: the last dimension is searched as a whole.
core::ShardingRule topK(mlir::Operation *op) {
  llvm::ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  int64_t lastDim = static_cast<int64_t>(shape.size()) - 1;
  return RuleBuilder(op)
      .addPointwise(shape,
                    [&](int64_t dim) -> FactorTraits {
                      if (dim != lastDim)
                        return kPassThrough;
                      return {core::FactorKind::NeedReplication, /*isBlocked=*/true};
                    })
      .build();
}

} // namespace

bool isElementwiseChlo(mlir::Operation *op) {
  if (!isFromChlo(op) || op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      op->getNumRegions() != 0 || isChlo(op, "chlo.ragged_dot") || isChlo(op, "chlo.scan"))
    return false;
  return llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
    return shapeOf(operand) == shapeOf(op->getResult(0));
  });
}

RuleAnswer chloRule(mlir::Operation *op) {
  if (isElementwiseChlo(op))
    return pointwiseRule(op);
  if (isChlo(op, "chlo.top_k"))
    return topK(op);
  return RuleAnswer::notMine();
}

} // namespace shardwise::rules
