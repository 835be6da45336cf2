// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shardwise-opt: reads a module, runs the passes given on the command line, prints the module.

#include "shardwise/dialect/sdy/SdyDialect.h"

#ifdef SHARDWISE_HAS_STABLEHLO
#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#endif
#ifdef SHARDWISE_HAS_CHLO
#include "shardwise/dialect/chlo/ChloDialect.h"
#endif

#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

namespace {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, mlir::quant::QuantDialect, shardwise::sdy::SdyDialect>();
  mlir::func::registerInlinerExtension(registry);
#ifdef SHARDWISE_HAS_STABLEHLO
  registry.insert<shardwise::stablehlo::StablehloDialect>();
#endif
#ifdef SHARDWISE_HAS_CHLO
  registry.insert<shardwise::chlo::ChloDialect>();
#endif
}

} // namespace

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Shardwise optimizer driver\n", registry));
}
