// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registry, and what several families share.

#include "shardwise/transforms/partition/LocalForms.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

namespace shardwise::partition {

const LocalFormRegistry &LocalFormRegistry::instance() {
  static const LocalFormRegistry registry = [] {
    LocalFormRegistry built;
    addCreationForms(built);
    addShapeForms(built);
    addIndexingForms(built);
    addNumericForms(built);
    addRaggedForms(built);
    addControlFlowForms(built);
    addCollectiveForms(built);
    return built;
  }();
  return registry;
}

LocalForm LocalFormRegistry::lookUp(mlir::Operation *op) const {
  if (auto it = forms.find(op->getName().getStringRef()); it != forms.end())
    return it->second;
  return op->hasTrait<stablehlo::Elementwise>() ? keepForm : nullptr;
}

llvm::LogicalResult keepForm(mlir::Operation *, LocalProgram &) {
  return llvm::success();
}

mlir::Value sliceOfDevice(mlir::OpBuilder &builder, mlir::Value whole,
                          llvm::ArrayRef<core::AxisList> axesOfDims, DeviceCoordinates &device) {
  auto type = mlir::cast<mlir::RankedTensorType>(whole.getType());
  llvm::SmallVector<int64_t> sizes(type.getShape());
  llvm::SmallVector<mlir::Value> operands{whole};
  for (auto [dim, axes] : llvm::enumerate(axesOfDims)) {
    sizes[dim] /= core::shardedSize(axes);
    operands.push_back(axes.empty() ? device.constant(0) : device.offset(axes, sizes[dim]));
  }
  return createValue<stablehlo::DynamicSliceOp>(
      builder, whole.getLoc(), type.clone(sizes), operands,
      builder.getNamedAttr("slice_sizes", builder.getDenseI64ArrayAttr(sizes)));
}

} // namespace shardwise::partition
