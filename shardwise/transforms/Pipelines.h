// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named pipelines: the only place that knows the order of passes.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace shardwise::propagate {
class PropagationObserver;
} // namespace shardwise::propagate

namespace shardwise::transforms {

/// Called with the name of each stage as it begins: `propagating shardings`.
using StageListener = std::function<void(llvm::StringRef stage)>;

/// What a per-device program is written for.
enum class OutputForm {
  Run, ///< As Stablehlo, with exchanges as ops of sdy, for which StableHLO has none. What we run.
  Stablehlo,   ///< Groups over mesh axes; shardings stay on arguments and results.
  XlaReplicas, ///< XLA as it is: a replica per device, listed groups, no sdy.
  XlaShardMap, ///< The body of a `jax.shard_map`: a partition per device, listed groups, no sdy.
  Sdy,         ///< Collectives of the sdy dialect on shards: nothing names a device.
  MlirShard,   ///< Collectives of MLIR's dialect `shard`, where it has them.
};

/// A form and what a command line calls it.
struct NamedForm {
  const char *name;
  OutputForm form;
};
/// The forms that programs are printed in, the first is the default.
inline constexpr NamedForm kOutputForms[] = {
    {"stablehlo", OutputForm::Stablehlo},       {"xla-replicas", OutputForm::XlaReplicas},
    {"xla-shard-map", OutputForm::XlaShardMap}, {"sdy", OutputForm::Sdy},
    {"mlir-shard", OutputForm::MlirShard},
};

/// By what a program is partitioned, besides its text.
struct PartitionChoices {
  /// The machine on which seconds decide (docs/topology.md): a preset or a file. Bytes decide if it
  /// is empty.
  std::string topology;
  /// Bytes of a device by which what loops carry may grow, so that sums are taken behind them.
  int64_t carriedBytes = 0;
  /// Bytes of a device that what is resharded once before a loop, not in each round, may take.
  int64_t hoistedBytes = std::numeric_limits<int64_t>::max();
};

/// Annotations in the form that propagation expects: no calls, meshes by name, whole axes, a
/// constant of its own for every use, edges where values pass through regions, and what constraints
/// and groups say said on the values. The first stage of the next pipeline.
void buildImportPipeline(mlir::OpPassManager &manager);

/// From a program with a few annotations to one in which every sharding is written and closed:
/// import, propagation by user and op priorities, export. The program stays global.
/// `observer` is told what propagation did; it must outlive the passes, and may be null.
void buildPropagationPipeline(mlir::OpPassManager &manager,
                              propagate::PropagationObserver *observer = nullptr);

/// Makes every change of sharding an explicit `sdy.reshard`, sums over devices included. The
/// program stays global.
void buildReshardPipeline(mlir::OpPassManager &manager, const PartitionChoices &choices = {});

/// From explicit reshards to the per-device program: the second part of the next one.
void buildLocalPipeline(mlir::OpPassManager &manager, OutputForm form,
                        const PartitionChoices &choices = {});

/// From closed shardings to the per-device program: reshards are made explicit, planned as
/// collectives, all shapes become local, and ops are those of `form`. Shardings of arguments and
/// results are still there.
void buildPartitionPipeline(mlir::OpPassManager &manager, OutputForm form,
                            const PartitionChoices &choices = {});

/// The end of a form: shardings of arguments and results go if `form` has none.
void buildBorderPipeline(mlir::OpPassManager &manager, OutputForm form);

/// Run the pipelines above on `module`. They fail with a diagnostic. The first marks ops with
/// shardings that users wrote (importer::markWrittenShardings) for the second, which removes the
/// marks. The third goes on with what the second left, for a program to run. What these three leave
/// is not verified: it is on its way to another pipeline, or somebody looks at it without using it.
/// Who does use it verifies it.
llvm::LogicalResult runPropagationPipeline(mlir::ModuleOp module,
                                           propagate::PropagationObserver *observer = nullptr);
llvm::LogicalResult runReshardPipeline(mlir::ModuleOp module, const PartitionChoices &choices = {});
llvm::LogicalResult runLocalPipeline(mlir::ModuleOp module, const PartitionChoices &choices = {});
llvm::LogicalResult runPartitionPipeline(mlir::ModuleOp module, OutputForm form = OutputForm::Run,
                                         const PartitionChoices &choices = {});
llvm::LogicalResult runBorderPipeline(mlir::ModuleOp module, OutputForm form);

/// Registers `shardwise-propagation-pipeline` and `shardwise-partition-pipeline`, which has the
/// choices as options.
void registerPipelines();

} // namespace shardwise::transforms
