// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fetching an interval: every device gets the part [start + step * c, .. + extent) of a dimension
// that is cut, where c is the number of its block, whoever has the elements.

#pragma once

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/transforms/partition/LocalProgram.h"

#include "mlir/IR/Operation.h"

#include <map>

namespace shardwise::partition {

/// Returns operand number `operand` of `op` with the intervals that it fetches instead of the
/// device's blocks, as one `sdy.fetch_interval`; the operand itself if nothing is fetched of it.
/// What lies outside of a dimension is what `reshard::valueOutside` says.
mlir::Value fetchOperand(mlir::Operation *op, int64_t operand, LocalProgram &program);

/// Returns the first element of `interval` that the device's block along `axes` has, as an i32
/// scalar.
mlir::Value beginOfInterval(mlir::OpBuilder &builder, mlir::Location location,
                            DeviceCoordinates &device, const core::AxisList &axes,
                            const core::BlockInterval &interval);
/// Returns what the division by the interval's divisor leaves, from 0 to `divisor - 1`.
/// Example: (1 + 3 c) / 2 begins at 0, 2, 3, 5 on four devices, and leaves 1, 0, 1, 0.
mlir::Value restOfInterval(mlir::OpBuilder &builder, mlir::Location location,
                           DeviceCoordinates &device, const core::AxisList &axes,
                           const core::BlockInterval &interval);

/// Carries fetches out.
///
/// Example: %a of 8 elements on x=4, of which every device needs one more on both sides:
///   %l = collective_permute of %a[1:2], from x to x + 1     zeros for the first device
///   %r = collective_permute of %a[0:1], from x to x - 1     zeros for the last device
///   %i = concatenate %l, %a, %r
class FetchLowering {
public:
  explicit FetchLowering(LocalProgram &program) : program(program) {}

  /// Says what `op` asks of neighbours. All fetches are added before the first is lowered.
  void add(sdy::FetchIntervalOp op);
  /// Replaces `op` in the end.
  void lower(sdy::FetchIntervalOp op);

private:
  LocalProgram &program;
  reshard::FetchedParts parts;
  std::map<reshard::FetchKey, mlir::Value> fetched;
};

} // namespace shardwise::partition
