// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The custom call @ragged_all_to_all, which JAX writes for `jax.lax.ragged_all_to_all`: devices
// send each other rows, as many as values of the program say.
//
// Operands: rows, output, input_offsets, send_sizes, output_offsets, recv_sizes. The last four are
// lists of integers, of s elements for each device of a group, in group order. Slice i goes to
// member i div s: `send_sizes[i]` rows from `input_offsets[i]` on, to row `output_offsets[i]` of
// the receiver. The result is `output` with what was received. Member j expects `recv_sizes[i]`
// rows as its slice i, so `recv_sizes` are the `send_sizes` of the others, by an all_to_all.
// Example, two devices, s = 1, output [0, 0, 0, 0]:
//             rows        input_offsets  send_sizes  output_offsets  recv_sizes   result
//   device 0  [1, 2, 2]   [0, 1]         [1, 2]      [0, 0]          [1, 1]       [1, 3, 0, 0]
//   device 1  [3, 4, 0]   [0, 1]         [1, 1]      [1, 2]          [2, 1]       [2, 2, 4, 0]
// `backend_config` has `replica_groups`, as all collectives do, and may have `channel_id`.

#pragma once

#include "shardwise/dialect/stablehlo/ops/CallOps.h"

#include "mlir/IR/Builders.h"

namespace shardwise::stablehlo {

inline constexpr llvm::StringLiteral kRaggedAllToAll = "ragged_all_to_all";

/// The operands by their numbers.
struct RaggedOperand {
  enum Number : unsigned { Rows, Output, InputOffsets, SendSizes, OutputOffsets, RecvSizes, Count };
};

/// Whether `op` is a call of that target.
bool isRaggedAllToAll(mlir::Operation *op);

/// Checks operands, result and groups. Emits a diagnostic that says what was expected.
mlir::LogicalResult verifyRaggedAllToAll(CustomCallOp call);

/// Creates a call with these operands within `groups`.
mlir::Value createRaggedAllToAll(mlir::OpBuilder &builder, mlir::Location location,
                                 mlir::ValueRange operands, mlir::Attribute groups,
                                 int64_t channel);

} // namespace shardwise::stablehlo
