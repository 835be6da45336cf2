// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that move elements from one dimension to another: what they do to shards is what they do to
// the whole.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

namespace shardwise::partition {

namespace {

llvm::LogicalResult reshape(mlir::Operation *op, LocalProgram &program) {
  auto from = mlir::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  auto to = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  if (from.getNumElements() == to.getNumElements())
    return llvm::success();
  return op->emitOpError("local shapes ")
         << from << " and " << to
         << " differ in size; run shardwise-insert-partition-reshards first";
}

} // namespace

void addShapeForms(LocalFormRegistry &registry) {
  using namespace stablehlo;
  registry.add<BitcastConvertOp, BroadcastInDimOp, TransposeOp>(keepForm);
  registry.add<ReshapeOp>(reshape);
}

} // namespace shardwise::partition
