// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our road beside Shardy's: the same passes in the same order, without those that are for calls, so
// that a pass that one road gets is not forgotten on the other.

#include "shardwise/transforms/Pipelines.h"
#include "shardwise/transforms/SdyPipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <set>

namespace shardwise::transforms {

namespace {

using Names = std::vector<std::string>;

Names namesOf(mlir::OpPassManager &manager) {
  Names names;
  for (mlir::Pass &pass : manager.getPasses())
    names.push_back(pass.getArgument().str());
  return names;
}

TEST(PipelinesTest, propagationIsShardysWithoutWhatIsForCalls) {
  mlir::OpPassManager shardy(mlir::ModuleOp::getOperationName());
  SdyPipelineOptions options;
  options.avoidExportForPartitioning = true;
  options.explicitGatherScatterBatching = true;
  buildSdyPropagationPipeline(shardy, options);

  // Calls are inlined, so none of these finds anything. Functions without use are dropped twice: at
  // the start, and where equal named computations have become one function.
  const std::set<std::string> forCalls = {"sdy-propagate-sharding-from-func-to-call",
                                          "sdy-flatten-call-graph", "sdy-import-func-calls",
                                          "sdy-pre-order-funcs"};
  Names expected = {"shardwise-inline-calls"};
  for (const std::string &name : namesOf(shardy)) {
    bool isDrop = name == "shardwise-remove-unused-symbols";
    bool isNeeded = isDrop ? expected.size() == 1 || expected.back() == "sdy-unflatten-call-graph"
                           : !forCalls.contains(name);
    if (isNeeded)
      expected.push_back(name);
  }
  // What Shardy's pipeline leaves to the partitioner.
  for (const char *name :
       {"sdy-remove-sharding-groups", "sdy-sharding-constraint-to-reshard", "canonicalize"})
    expected.emplace_back(name);

  mlir::OpPassManager ours(mlir::ModuleOp::getOperationName());
  buildPropagationPipeline(ours);
  EXPECT_EQ(namesOf(ours), expected);
}

} // namespace

} // namespace shardwise::transforms
