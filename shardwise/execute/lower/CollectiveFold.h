// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The region of a reducing collective as the runtime wants it.

#pragma once

#include "shardwise/execute/thunks/BlockCode.h"
#include "shardwise/runtime/Reducer.h"

#include <mlir/IR/Operation.h>
#include <mlir/Support/LLVM.h>

#include <optional>

namespace shardwise::execute {

class FunctionLowering;

/// Combines elements of one type: by a function that the runtime knows, or by region code.
class CollectiveFold {
public:
  /// Describes the region of `op` on elements of `type`. Fails with a diagnostic if kernels do not
  /// know its ops, or if it takes or gives another type.
  static mlir::FailureOr<CollectiveFold> of(FunctionLowering &lowering, mlir::Operation &op,
                                            mlir::Region &region, DataType type);

  /// Returns the reducer; valid as long as this and `frame`.
  runtime::Reducer reducer(const Frame &frame) const;
  /// Buffers that the region reads.
  const std::vector<BufferId> &captured() const { return code.captured; }

private:
  std::optional<runtime::Reducer> known;
  RegionCode code; ///< Otherwise.
};

} // namespace shardwise::execute
