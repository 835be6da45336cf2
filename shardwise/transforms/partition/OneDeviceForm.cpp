// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op itself moves into the branch: its values stay what they are, as other forms may still look
// them up, and what its body becomes is carried out where it is then.

#include "shardwise/transforms/partition/OneDeviceForm.h"

#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

namespace shardwise::partition {

namespace {

/// What a device has that does not run the op.
mlir::Value placeholder(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    return stablehlo::createZeros(builder, location, tensor);
  return stablehlo::AfterAllOp::create(builder, location, mlir::TypeRange(type), mlir::ValueRange(),
                                       llvm::ArrayRef<mlir::NamedAttribute>())
      ->getResult(0);
}

} // namespace

void runOnDevice(mlir::Operation *op, core::DeviceId device, LocalProgram &program) {
  mlir::Location location = op->getLoc();
  mlir::Value isHere = program.coordinatesAt(op).isDevice(device);
  mlir::OpBuilder builder(op);
  auto branch =
      stablehlo::IfOp::create(builder, location, op->getResultTypes(), mlir::ValueRange(isHere),
                              llvm::ArrayRef<mlir::NamedAttribute>());
  auto end = [&](mlir::ValueRange values) -> mlir::Operation * {
    return stablehlo::ReturnOp::create(builder, location, mlir::TypeRange(), values,
                                       llvm::ArrayRef<mlir::NamedAttribute>());
  };
  builder.createBlock(&branch->getRegion(0));
  mlir::Operation *given = end(op->getResults());
  op->moveBefore(given);
  builder.createBlock(&branch->getRegion(1));
  llvm::SmallVector<mlir::Value> placeholders;
  for (mlir::Type type : op->getResultTypes())
    placeholders.push_back(placeholder(builder, location, type));
  end(placeholders);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), branch->getResults()))
    program.replaceInTheEnd(from, to, given);
}

} // namespace shardwise::partition
