// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gather and scatter whose indices are cut by the axes that cut the rows which they mean
// (core/IndexExchange.h).

#pragma once

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalProgram.h"

namespace shardwise::partition {

/// The dimension of the rows.
struct ExchangedDim {
  int64_t component = 0; ///< Its position in the index vector.
  int64_t globalSize = 0;
  int64_t localSize = 0;
  core::AxisList axes;
};

/// Whether a dimension that `axes` cut shares some of them with a dimension of `indices`.
bool sharesAxes(const core::AxisList &axes, mlir::Value indices, LocalProgram &program);

/// Lets `op` ask the owners of rows for them. `sliceSizes` are those of the shard.
void exchangeGather(stablehlo::GatherOp op, const ExchangedDim &dim,
                    llvm::ArrayRef<int64_t> sliceSizes, LocalProgram &program);

/// Lets `op` send updates to the owners of rows.
void exchangeScatter(stablehlo::ScatterOp op, const ExchangedDim &dim, LocalProgram &program);

} // namespace shardwise::partition
