// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interfaces through which passes see operations of any dialect.

#pragma once

#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

namespace shardwise::sdy {

/// When `transformTargetSharding` is asked.
enum class EdgeTransform { BeforePropagation, AfterPropagation };

namespace detail {
/// Checks the constraints of `CollectiveOpInterface`.
mlir::LogicalResult verifyCollective(mlir::Operation *op);
/// Shardings of the results by `sdy.sharding`: empty, or one per result.
llvm::SmallVector<TensorShardingAttr> resultOwnerShardings(mlir::Operation *op);
/// Sets them; see `setResultShardings`.
void setResultOwnerShardings(mlir::Operation *op, llvm::ArrayRef<TensorShardingAttr> shardings);
} // namespace detail

} // namespace shardwise::sdy

#include "shardwise/dialect/sdy/SdyInterfaces.h.inc"
