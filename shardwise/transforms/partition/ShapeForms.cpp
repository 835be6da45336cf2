// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that move elements. Dimensions whose elements move between shards are never cut, so only
// sizes written in attributes change.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

namespace shardwise::partition {

namespace {

/// A cut dimension is taken whole: its limit is the local size.
llvm::LogicalResult slice(mlir::Operation *op, LocalProgram &program) {
  auto sliceOp = mlir::cast<stablehlo::SliceOp>(op);
  auto local = mlir::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  llvm::SmallVector<int64_t> limits(sliceOp.getLimitIndices());
  for (int64_t dim = 0; dim < local.getRank(); ++dim)
    if (!program.axesOf(op->getOperand(0), dim).empty())
      limits[dim] = local.getDimSize(dim);
  sliceOp.setLimitIndices(limits);
  return llvm::success();
}

llvm::LogicalResult dynamicSlice(mlir::Operation *op, LocalProgram &) {
  auto local = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  mlir::cast<stablehlo::DynamicSliceOp>(op).setSliceSizes(local.getShape());
  return llvm::success();
}

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
  registry.add<BitcastConvertOp, BroadcastInDimOp, TransposeOp, ReverseOp, ConcatenateOp, PadOp,
               DynamicUpdateSliceOp>(keepForm);
  registry.add<SliceOp>(slice);
  registry.add<DynamicSliceOp>(dynamicSlice);
  registry.add<ReshapeOp>(reshape);
}

} // namespace shardwise::partition
