// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipelines are those that jaxlib 0.10.2 prints for its own, pass by pass. Two names differ: we
// drop unused functions by a pass of our own in place of symbol-dce, and a snapshot is a pass only
// where it is wanted.

#include "shardwise/transforms/SdyPipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardwise::transforms {

namespace {

using Names = std::vector<std::string>;

Names namesOf(mlir::OpPassManager &manager) {
  Names names;
  for (mlir::Pass &pass : manager.getPasses())
    names.push_back(pass.getArgument().str());
  return names;
}

Names propagationPipeline(const SdyPipelineOptions &options) {
  mlir::OpPassManager manager(mlir::ModuleOp::getOperationName());
  buildSdyPropagationPipeline(manager, options);
  return namesOf(manager);
}

Names exportPipeline(const SdyPipelineOptions &options) {
  mlir::OpPassManager manager(mlir::ModuleOp::getOperationName());
  buildSdyExportPipeline(manager, options);
  return namesOf(manager);
}

Names operator+(Names first, const Names &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Names kImport = {
    "shardwise-remove-unused-symbols", "sdy-lift-inlined-meshes",
    "sdy-remove-size-one-axes",        "sdy-propagate-sharding-from-func-to-call",
    "sdy-constant-or-scalar-splitter", "shardwise-remove-unused-symbols",
    "sdy-manual-axes-cleanup",         "sdy-add-data-flow-edges"};

const Names kExport = {"sdy-constant-or-scalar-merger",
                       "sdy-sink-data-flow-edges",
                       "sdy-remove-sharding-groups",
                       "sdy-sharding-constraint-to-reshard",
                       "sdy-update-non-divisible-input-output-shardings",
                       "sdy-remove-sub-axes-in-input-output-shardings",
                       "sdy-close-shardings",
                       "sdy-insert-explicit-reshards",
                       "canonicalize",
                       "sdy-drop-sharding-rules"};

const Names kUnflatten = {"sdy-unflatten-call-graph", "shardwise-remove-unused-symbols",
                          "sdy-insert-func-call-reshards"};

TEST(SdyPipelinesTest, propagatesThroughInlinedCalls) {
  Names inlined{"sdy-flatten-call-graph",
                "shardwise-remove-unused-symbols",
                "sdy-import-func-calls",
                "shardwise-remove-unused-symbols",
                "sdy-apply-sharding-constraints",
                "sdy-sharding-group-import",
                "sdy-pre-order-funcs",
                "sdy-user-priority-propagate",
                "sdy-export-named-computations",
                "sdy-propagate-to-func-results"};
  EXPECT_EQ(propagationPipeline({}), kImport + inlined + kUnflatten + kExport);
}

TEST(SdyPipelinesTest, propagatesAcrossCalls) {
  SdyPipelineOptions options;
  options.dedupFunctionsFully = true;
  Names across{"sdy-apply-sharding-constraints", "sdy-sharding-group-import",
               "sdy-add-func-data-flow-edges",   "sdy-pre-order-funcs",
               "sdy-user-priority-propagate",    "sdy-propagate-to-func-results",
               "sdy-sink-func-data-flow-edges"};
  EXPECT_EQ(propagationPipeline(options), kImport + across + kUnflatten + kExport);
}

TEST(SdyPipelinesTest, autoPartitionerComesAfterPropagation) {
  SdyPipelineOptions options;
  options.dumpDirectory = "anywhere";
  options.autoPartitioner = [](mlir::OpPassManager &manager) {
    manager.addPass(mlir::createCSEPass());
  };
  Names names = propagationPipeline(options);
  auto partitioner = std::find(names.begin(), names.end(), "cse");
  ASSERT_NE(partitioner, names.end());
  EXPECT_EQ(partitioner[-1], "sdy-save-module");
  EXPECT_EQ(partitioner[-3], "sdy-unflatten-call-graph");
  EXPECT_EQ(partitioner[1], "sdy-insert-func-call-reshards");
}

TEST(SdyPipelinesTest, exportLeavesThingsToAPartitioner) {
  SdyPipelineOptions options;
  options.avoidExportForPartitioning = true;
  EXPECT_EQ(exportPipeline(options),
            (Names{"sdy-constant-or-scalar-merger", "sdy-sink-data-flow-edges",
                   "sdy-update-non-divisible-input-output-shardings",
                   "sdy-remove-sub-axes-in-input-output-shardings", "sdy-close-shardings",
                   "sdy-drop-sharding-rules"}));
}

TEST(SdyPipelinesTest, exportWithCollectivesSnapshotsAndNotes) {
  SdyPipelineOptions options;
  options.insertExplicitCollectives = true;
  options.updateInputOutputShardings = false;
  options.keepShardingRules = true;
  options.inlineMeshes = true;
  options.debugShardingOrigins = true;
  options.dumpDirectory = "anywhere";
  EXPECT_EQ(exportPipeline(options),
            (Names{"sdy-constant-or-scalar-merger", "sdy-sink-data-flow-edges",
                   "sdy-remove-sharding-groups", "sdy-sharding-constraint-to-reshard",
                   "sdy-close-shardings", "sdy-save-module", "sdy-insert-explicit-reshards",
                   "sdy-save-module", "canonicalize", "sdy-reshard-to-collectives", "canonicalize",
                   "sdy-save-module", "sdy-remove-propagation-debug-info", "sdy-inline-meshes"}));
}

} // namespace

} // namespace shardwise::transforms
