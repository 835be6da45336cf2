// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that make values from nothing: every device makes its own part, so nothing is sent. With x=2:
//   constant dense<1.0> : 8xf32, [{"x"}]     -> constant dense<1.0> : 4xf32
//   constant dense<[0, .., 7]>, [{"x"}]      -> the whole constant, and a slice of it at 4 * x
//   iota dim = 0 : 8xi32, [{"x"}]            -> iota : 4xi32, plus 4 * x

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

namespace shardwise::partition {

namespace {

/// A splat is made in local size; other constants are cut at the device's coordinates.
llvm::LogicalResult constant(mlir::Operation *op, LocalProgram &program) {
  mlir::Value result = op->getResult(0);
  bool isCut = program.isCut(result);
  if (!isCut && mlir::isa<stablehlo::ConstantOp>(op))
    return llvm::success();
  mlir::OpBuilder builder(op);
  auto value = op->getAttrOfType<mlir::ElementsAttr>("value");
  auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(value);
  mlir::Value made;
  // An sdy.constant: plain StableHLO has no such op.
  if (!isCut) {
    made = stablehlo::createConstant(builder, op->getLoc(), value);
  } else if (dense && dense.isSplat()) {
    auto local = mlir::cast<mlir::ShapedType>(result.getType());
    made = stablehlo::createConstant(builder, op->getLoc(), dense.resizeSplat(local));
  } else {
    llvm::SmallVector<core::AxisList> axes;
    for (int64_t dim = 0; dim < program.globalType(result).getRank(); ++dim)
      axes.push_back(program.axesOf(result, dim));
    made = sliceOfDevice(builder, stablehlo::createConstant(builder, op->getLoc(), value), axes,
                         program.coordinatesAt(op));
  }
  program.replaceInTheEnd(result, made);
  program.eraseInTheEnd(op);
  return llvm::success();
}

/// Indices along a cut dimension start at the device's offset.
llvm::LogicalResult iota(mlir::Operation *op, LocalProgram &program) {
  mlir::Value result = op->getResult(0);
  int64_t dim = mlir::cast<stablehlo::IotaOp>(op).getIotaDimension();
  core::AxisList axes = program.axesOf(result, dim);
  if (axes.empty())
    return llvm::success();
  auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  mlir::Location location = op->getLoc();
  mlir::Value start = program.coordinatesAt(op).offset(axes, type.getDimSize(dim));
  if (start.getType() != type.clone(llvm::ArrayRef<int64_t>{}))
    start = createValue<stablehlo::ConvertOp>(builder, location,
                                              type.clone(llvm::ArrayRef<int64_t>{}), start);
  mlir::Value starts = stablehlo::createBroadcast(builder, location, start, type);
  auto sum = stablehlo::AddOp::create(builder, location, mlir::TypeRange(type),
                                      mlir::ValueRange{result, starts},
                                      llvm::ArrayRef<mlir::NamedAttribute>());
  program.replaceInTheEnd(result, sum->getResult(0), sum);
  return llvm::success();
}

} // namespace

void addCreationForms(LocalFormRegistry &registry) {
  registry.add<stablehlo::ConstantOp, sdy::ConstantOp>(constant);
  registry.add<stablehlo::IotaOp>(iota);
}

} // namespace shardwise::partition
