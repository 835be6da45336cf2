// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sending rows to the devices that own what they are about, and answers back, in the program of one
// device. How many rows go where is known only when the program runs; all shapes are known before.

#pragma once

#include "shardwise/core/Axis.h"
#include "shardwise/transforms/partition/LocalProgram.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace shardwise::partition {

/// The exchange of n rows per device within the groups along some axes, of g devices: g*n rows are
/// the most that one of them can be sent. A row is an element of the first dimension of a tensor.
class OwnerExchange {
public:
  /// Writes ops before `op`. `owners`: for each of n rows the block along `axes` that it goes to,
  /// an i32; rows of block g go nowhere.
  OwnerExchange(mlir::Operation *op, const core::AxisList &axes, mlir::Value owners,
                LocalProgram &program);

  /// Returns the g*n rows that the device gets, n places for those of each device. Places that are
  /// not needed have the row of `filling`, a tensor that is broadcast to rows.
  mlir::Value toOwners(mlir::Value rows, mlir::Value filling);
  /// Returns the answers to the n rows that the device has sent, in their order. `answers` are g*n
  /// rows, at the places of what they answer.
  mlir::Value back(mlir::Value answers);

  int64_t numPlaces() const { return groupSize * numRows; }

private:
  void sortByOwner(mlir::Value owners);
  void countRows(mlir::Value owners);
  void tellCounts();
  mlir::Value exchange(mlir::Value rows, mlir::Value initial, mlir::Value inputOffsets,
                       mlir::Value sendSizes, mlir::Value outputOffsets, mlir::Value recvSizes);
  /// Rows of `rows` at `positions`, a list.
  mlir::Value take(mlir::Value rows, mlir::Value positions);
  /// `initial`, a list, with `updates` at `positions`; added, or in place of what was there.
  mlir::Value put(mlir::Value initial, mlir::Value positions, mlir::Value updates, bool adds);
  mlir::Value prefixSums(mlir::Value list);
  mlir::Value constant(mlir::RankedTensorType type, int64_t value);
  mlir::Value iota(int64_t size);
  mlir::RankedTensorType list(int64_t size);

  mlir::Operation *op;
  LocalProgram &program;
  mlir::OpBuilder builder;
  mlir::Location location;
  core::AxisList axes;
  int64_t groupSize;
  int64_t numRows;
  /// Positions of rows in the order of their owners, and where each row is in that order.
  mlir::Value order, place;
  /// By device: rows for it, and where they begin in that order.
  mlir::Value counts, starts;
  /// By device: rows of it for this one, and where these begin in its order.
  mlir::Value countsOfOthers, startsOfOthers;
};

} // namespace shardwise::partition
