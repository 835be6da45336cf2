// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the command-line options of the propagation passes to those of the run.

#pragma once

#include "shardwise/transforms/propagate/PropagationRun.h"

#include "mlir/Pass/Pass.h"

namespace shardwise::propagate {

/// Reads the options that all propagation passes have. The generated classes keep options
/// protected, so passes declare this a friend.
struct PassOptionsReader {
  template <class PassT>
  static PropagationOptions read(const PassT &pass, PropagationHierarchy hierarchy) {
    PropagationOptions options;
    options.hierarchy = hierarchy;
    options.isConservative = pass.conservativePropagation;
    options.keepShardingRules = pass.keepShardingRules;
    options.dumpDirectory = pass.moduleDumpDirectory;
    options.dumpNumber = pass.dumpIndex;
    options.debugShardingOrigins = pass.debugShardingOrigins;
    options.debugPropagationEdgeSharding = pass.debugPropagationEdgeSharding;
    return options;
  }
};

} // namespace shardwise::propagate
