// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows on dilated operands, of which blocks begin at different places between elements.

#pragma once

#include "shardwise/transforms/partition/LocalProgram.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace shardwise::partition {

/// Positions without element in front of the first that an op reads and behind the last.
struct EdgePositions {
  int64_t low = 0;
  int64_t high = 0;
};

/// Brings an op with windows into local form along the dimensions in which blocks drift
/// (`core::OperandWindow::mayDrift`): it gives some results more than the device's block has, and
/// the device takes its own.
class DriftingWindows {
public:
  /// `op` has local types, and operands that are fetched or will be.
  DriftingWindows(mlir::Operation *op, LocalProgram &program) : op(op), program(program) {}

  /// Adds what `op` fetches along a dimension in which its windows have this stride; they are
  /// dimension `resultDim` of every result. Returns its padding there, also where blocks do not
  /// drift.
  EdgePositions add(const reshard::IntervalFetch &fetch, int64_t stride, int64_t resultDim);

  /// Lets `op` give what is wanted on all devices, and takes the device's own from it in the end.
  /// Requires that operands are fetched, and attributes set. Does nothing if no block drifts.
  void takeOwnResults();

private:
  /// Where windows begin in relation to elements, which is as before after `period` windows.
  struct Grid {
    int64_t period = 1;
    /// Elements that these windows go on by.
    int64_t elementsPerPeriod = 1;
    /// The greatest distance, in positions, that windows and elements have in common.
    int64_t common = 1;
    EdgePositions edge;
    /// Elements that the op reads.
    int64_t numElements = 0;
  };
  struct Dim {
    reshard::IntervalFetch fetch;
    int64_t resultDim = 0;
    Grid grid;
  };
  /// Where the device's block lies in what the op reads and gives, as i32 scalars.
  struct Place {
    mlir::Value elementsInFront, firstResult;
  };

  static Grid gridOf(const core::BlockInterval &interval, int64_t stride);
  Place placeOf(const Dim &dim, mlir::OpBuilder &builder);
  void shiftOperand(int64_t operand);

  mlir::Operation *op;
  LocalProgram &program;
  llvm::SmallVector<Dim> dims;
};

} // namespace shardwise::partition
