// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registry, and what several families share.

#include "shardwise/transforms/partition/LocalForms.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include <algorithm>

namespace shardwise::partition {

const LocalFormRegistry &LocalFormRegistry::instance() {
  static const LocalFormRegistry registry = [] {
    LocalFormRegistry built;
    addCreationForms(built);
    addShapeForms(built);
    addIndexingForms(built);
    addDynamicSliceForms(built);
    addNumericForms(built);
    addRaggedForms(built);
    addWindowForms(built);
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

mlir::Value resize(mlir::OpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> shape) {
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  llvm::SmallVector<int64_t> zeros(shape.size(), 0), missing, kept;
  for (auto [own, wanted] : llvm::zip_equal(type.getShape(), shape)) {
    missing.push_back(std::max<int64_t>(wanted - own, 0));
    kept.push_back(std::min(wanted, own));
  }
  mlir::Location location = value.getLoc();
  if (llvm::ArrayRef(kept) != type.getShape())
    value = stablehlo::createSlice(builder, location, value, zeros, kept);
  if (llvm::ArrayRef(kept) == shape)
    return value;
  mlir::Value filling =
      stablehlo::createZeros(builder, location, type.clone(llvm::ArrayRef<int64_t>()));
  return stablehlo::createPad(builder, location, value, filling, zeros, missing);
}

/// `part`, of which dimension `dim` begins at `start` or, if that is further behind, at
/// `lastStart`, as if it began at `start` in any case. What is missing at the end is not said;
/// there are `missing` elements at most that anybody wants to be moved.
static mlir::Value movedToStart(mlir::OpBuilder &builder, mlir::Value part, int64_t dim,
                                mlir::Value start, int64_t lastStart, int64_t missing,
                                DeviceCoordinates &device) {
  mlir::Location location = part.getLoc();
  llvm::SmallVector<int64_t> sizes(mlir::cast<mlir::RankedTensorType>(part.getType()).getShape());
  llvm::SmallVector<int64_t> longer = sizes;
  longer[dim] += missing;
  llvm::SmallVector<mlir::Value> starts(sizes.size(), device.constant(0));
  // Where that is negative nothing has to move: a slice begins at zero then.
  starts[dim] = createValue<stablehlo::SubtractOp>(builder, location, start.getType(),
                                                   {start, device.constant(lastStart)});
  return stablehlo::createDynamicSlice(builder, location, resize(builder, part, longer), starts,
                                       sizes);
}

mlir::Value sliceOfDevice(mlir::OpBuilder &builder, mlir::Value whole,
                          llvm::ArrayRef<core::AxisList> axesOfDims, DeviceCoordinates &device) {
  auto type = mlir::cast<mlir::RankedTensorType>(whole.getType());
  llvm::SmallVector<int64_t> sizes(type.getShape());
  llvm::SmallVector<mlir::Value> starts;
  for (auto [dim, axes] : llvm::enumerate(axesOfDims)) {
    sizes[dim] = core::shardSize(sizes[dim], core::shardedSize(axes));
    starts.push_back(axes.empty() ? device.constant(0) : device.offset(axes, sizes[dim]));
  }
  mlir::Value part = stablehlo::createDynamicSlice(builder, whole.getLoc(), whole, starts, sizes);
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (int64_t ofLast = sizes[dim] == 0 ? 0 : size % sizes[dim]; ofLast != 0)
      part = movedToStart(builder, part, static_cast<int64_t>(dim), starts[dim], size - sizes[dim],
                          sizes[dim] - ofLast, device);
  return part;
}

} // namespace shardwise::partition
