// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counting operations, by the shapes of operands and results.

#include "shardwise/execute/lower/OpFlops.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/BuiltinTypes.h>

#include <algorithm>

namespace shardwise::execute {
namespace {

int64_t elementsOf(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : 0;
}

int64_t sizeOf(mlir::Value value, int64_t dim) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getDimSize(dim);
}

int64_t flopsOfConvolution(stablehlo::ConvolutionOp op) {
  int64_t features =
      sizeOf(op.getRhs(), op.getDimensionNumbers().getKernelOutputFeatureDimension());
  // Every element of the result is a sum over the kernel of its feature.
  return 2 * elementsOf(op.getResult()) *
         (elementsOf(op.getRhs()) / std::max<int64_t>(1, features));
}

} // namespace

int64_t flopsOf(mlir::Operation &op) {
  return llvm::TypeSwitch<mlir::Operation *, int64_t>(&op)
      .Case([](stablehlo::DotGeneralOp dot) {
        int64_t terms = 1;
        for (int64_t dim : dot.getDotDimensionNumbers().getLhsContractingDimensions())
          terms *= sizeOf(dot.getLhs(), dim);
        return 2 * terms * elementsOf(dot.getResult());
      })
      .Case([](stablehlo::DotOp dot) {
        auto type = llvm::cast<mlir::RankedTensorType>(dot.getLhs().getType());
        return 2 * type.getDimSize(type.getRank() - 1) * elementsOf(dot.getResult());
      })
      .Case([](stablehlo::ConvolutionOp convolution) { return flopsOfConvolution(convolution); })
      .Case([](stablehlo::ReduceOp reduce) {
        int64_t elements = 0;
        for (mlir::Value input : reduce.getInputs())
          elements += elementsOf(input);
        return elements;
      })
      .Default([](mlir::Operation *other) -> int64_t {
        if (!other->hasTrait<stablehlo::Elementwise>() || other->getNumResults() == 0)
          return 0;
        return elementsOf(other->getResult(0));
      });
}

} // namespace shardwise::execute
