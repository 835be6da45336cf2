// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the command-line options of the propagation passes to those of the run.

#pragma once

#include "shardwise/transforms/propagate/PropagationRun.h"

#include "mlir/Pass/Pass.h"

namespace shardwise::transforms {

/// Reads the options that all propagation passes have. The generated classes keep options
/// protected, so passes declare this a friend.
struct PassOptionsReader {
  /// Fails, with a diagnostic at `module`, on debug options, which are not supported.
  template <class PassT>
  static mlir::FailureOr<PropagationOptions> read(const PassT &pass, mlir::ModuleOp module,
                                                  PropagationHierarchy hierarchy) {
    if (pass.debugShardingOrigins || pass.debugPropagationEdgeSharding)
      return mlir::emitError(module.getLoc())
             << "debug-sharding-origins and debug-propagation-edge-sharding are not supported; "
                "run without them";
    PropagationOptions options;
    options.hierarchy = hierarchy;
    options.isConservative = pass.conservativePropagation;
    options.keepShardingRules = pass.keepShardingRules;
    options.dumpDirectory = pass.moduleDumpDirectory;
    return options;
  }
};

} // namespace shardwise::transforms
