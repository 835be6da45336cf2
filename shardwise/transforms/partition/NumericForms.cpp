// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions, reductions, sorting, scans and linear algebra: partial results are
// combined by the reshard behind the op, so the op itself only gets local types.

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

namespace shardwise::partition {

namespace {

/// A step works on local slices: all that is no scalar in a body that works point by point has one
/// shape. Example: with x=2 on the 4 rows of a scan along 8 columns, `%carry: tensor<4xf32>`
/// becomes `tensor<2xf32>`, and so does every sum of the body.
llvm::LogicalResult scan(mlir::Operation *operation, LocalProgram &program) {
  auto op = mlir::cast<chlo::ScanOp>(operation);
  auto isCut = [&](mlir::Value value) { return program.isCut(value); };
  if (llvm::none_of(op->getOperands(), isCut) && llvm::none_of(op->getResults(), isCut))
    return llvm::success();
  llvm::SmallVector<mlir::RankedTensorType> slices;
  for (mlir::Value input : op.getInputs())
    slices.push_back(op.getSliceType(input.getType()));
  for (mlir::Value init : op.getInits())
    slices.push_back(mlir::cast<mlir::RankedTensorType>(init.getType()));
  for (mlir::Value output : op.getOutputs())
    slices.push_back(op.getSliceType(output.getType()));
  llvm::ArrayRef<int64_t> shape;
  for (mlir::RankedTensorType slice : slices)
    if (slice.getRank() > 0)
      shape = slice.getShape();
  auto makeLocal = [&](mlir::Value value) {
    if (auto type = mlir::cast<mlir::RankedTensorType>(value.getType()); type.getRank() > 0)
      value.setType(type.clone(shape));
  };
  llvm::for_each(op.getBody().getArguments(), makeLocal);
  for (mlir::Operation &inner : op.getBody().front()) {
    if (llvm::any_of(inner.getResults(), isCut))
      return inner.emitOpError("has a sharding inside of a chlo.scan whose operands or results are "
                               "sharded; annotate those of the scan only");
    llvm::for_each(inner.getResults(), makeLocal);
    if (auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(inner))
      if (auto splat = mlir::dyn_cast<mlir::SplatElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            splat.resizeSplat(mlir::cast<mlir::ShapedType>(constant->getResult(0).getType())));
  }
  return llvm::success();
}

} // namespace

void addNumericForms(LocalFormRegistry &registry) {
  using namespace stablehlo;
  registry.add<DotOp, DotGeneralOp, ReduceOp, SortOp>(keepForm);
  registry.add<chlo::TopKOp>(keepForm);
  registry.add<chlo::ScanOp>(scan);
  registry.add<BatchNormInferenceOp, CholeskyOp, FftOp, TriangularSolveOp>(keepForm);
}

} // namespace shardwise::partition
