// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shardwise-opt: reads a module, runs the passes given on the command line, prints the module.

#include "shardwise/dialect/sdy/SdyDialect.h"

#ifdef SHARDWISE_HAS_STABLEHLO
#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#endif
#ifdef SHARDWISE_HAS_CHLO
#include "shardwise/dialect/chlo/ChloDialect.h"
#endif
#ifdef SHARDWISE_HAS_RULES
#include "shardwise/rules/StablehloDataFlow.h"
#endif
#ifdef SHARDWISE_HAS_IMPORT
#include "shardwise/transforms/import/Passes.h"
#endif
#ifdef SHARDWISE_HAS_PROPAGATE
#include "shardwise/transforms/propagate/Passes.h"
#endif
#ifdef SHARDWISE_HAS_EXPORT
#include "shardwise/transforms/export/Passes.h"
#endif
#ifdef SHARDWISE_HAS_PARTITION
#include "shardwise/transforms/partition/Passes.h"
#endif
#ifdef SHARDWISE_HAS_TRANSFORMS
#include "shardwise/transforms/Pipelines.h"
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
#ifdef SHARDWISE_HAS_RULES
  shardwise::rules::registerStablehloDataFlow(registry);
#endif
}

void registerPasses() {
  mlir::registerTransformsPasses();
#ifdef SHARDWISE_HAS_IMPORT
  shardwise::transforms::registerImportPasses();
#endif
#ifdef SHARDWISE_HAS_PROPAGATE
  shardwise::transforms::registerPropagatePasses();
#endif
#ifdef SHARDWISE_HAS_EXPORT
  shardwise::transforms::registerExportPasses();
#endif
#ifdef SHARDWISE_HAS_PARTITION
  shardwise::transforms::registerPartitionPasses();
#endif
#ifdef SHARDWISE_HAS_TRANSFORMS
  shardwise::transforms::registerPipelines();
#endif
}

} // namespace

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Shardwise optimizer driver\n", registry));
}
