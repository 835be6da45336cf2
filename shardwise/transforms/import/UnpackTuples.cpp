// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements are looked up where the tuple was made.

#include "shardwise/transforms/import/UnpackTuples.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace shardwise::importer {

void unpackTuples(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::Operation *> tuples;
  llvm::SmallVector<stablehlo::GetTupleElementOp> taken;
  // In program order, so that a tuple inside of a tuple is there when its elements are asked for.
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (auto get = mlir::dyn_cast<stablehlo::GetTupleElementOp>(op))
      taken.push_back(get);
    else if (mlir::isa<stablehlo::TupleOp>(op))
      tuples.push_back(op);
  });
  for (stablehlo::GetTupleElementOp get : taken)
    if (auto tuple = get.getOperand().getDefiningOp<stablehlo::TupleOp>()) {
      get.getResult().replaceAllUsesWith(tuple->getOperand(get.getIndex()));
      get.erase();
    }
  for (mlir::Operation *tuple : llvm::reverse(tuples))
    if (tuple->use_empty())
      tuple->erase();
}

} // namespace shardwise::importer
