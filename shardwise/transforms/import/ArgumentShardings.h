// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shardings of values while many of them change.

#pragma once

#include "shardwise/dialect/sdy/ShardingAccess.h"

namespace shardwise::importer {

/// Reads and writes shardings like `sdy::getSharding` and `sdy::setSharding`, but keeps those of
/// function arguments until `write`: the attributes of all arguments are one array, so writing n
/// of them one by one would cost n^2 memory.
class ArgumentShardings {
public:
  /// Returns the sharding of `value`, as last set; null if it has none.
  sdy::TensorShardingAttr get(mlir::Value value) const;
  void set(mlir::Value value, sdy::TensorShardingAttr sharding);
  void write();

private:
  using Shardings = llvm::SmallVector<sdy::TensorShardingAttr>;

  llvm::DenseMap<mlir::func::FuncOp, Shardings> changed;
};

} // namespace shardwise::importer
