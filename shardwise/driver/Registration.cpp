// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialects and passes that make up Shardwise.

#include "shardwise/driver/Registration.h"

#include "shardwise/dialect/chlo/ChloDialect.h"
#include "shardwise/dialect/extensions/ReshardReuse.h"
#include "shardwise/dialect/extensions/StablehloDataFlow.h"
#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#include "shardwise/transforms/Pipelines.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/import/Passes.h"
#include "shardwise/transforms/partition/Passes.h"
#include "shardwise/transforms/propagate/Passes.h"
#include "shardwise/transforms/reshard/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/Passes.h"

namespace shardwise::driver {

void registerDialects(mlir::DialectRegistry &registry) {
  // quant: its types occur in StableHLO text; programs that use them are refused later, by name.
  // shard, and what it needs beside it: the form mlir-shard of per-device programs.
  registry.insert<mlir::func::FuncDialect, mlir::quant::QuantDialect, sdy::SdyDialect,
                  stablehlo::StablehloDialect, chlo::ChloDialect, mlir::arith::ArithDialect,
                  mlir::shard::ShardDialect, mlir::tensor::TensorDialect>();
  mlir::func::registerInlinerExtension(registry);
  extensions::registerStablehloDataFlow(registry);
  extensions::registerReshardReuse(registry);
}

void registerPasses() {
  mlir::registerTransformsPasses();
  importer::registerImportPasses();
  propagate::registerPropagatePasses();
  exporter::registerExportPasses();
  reshard::registerReshardPasses();
  partition::registerPartitionPasses();
  transforms::registerPipelines();
}

} // namespace shardwise::driver
