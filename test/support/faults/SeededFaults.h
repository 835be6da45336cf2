// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mistakes that a partitioner could make, put into a per-device program on purpose: whoever
// verifies must find them.

#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardwise {

/// What is wrong.
enum class FaultKind {
  DroppedCollective, ///< Each device goes on with its own part in place of the collective's result.
  OtherGroups,       ///< A collective runs over other devices, or in another order or direction.
  Offset,       ///< A start index, or a number on the way to it from `partition_id`, is one off.
  Mask,         ///< A comparison is negated, or the two sides of a selection are swapped.
  NeutralValue, ///< A reduction, a padding or a mask has another value outside: 1 for 0, 0 else.
  RaggedList    ///< A list of a ragged_all_to_all, of sizes or of offsets, is one off.
};
inline constexpr int kNumFaultKinds = 6;

/// A place in a program and what is done to it. The place is the position of the op in a walk.
struct Fault {
  FaultKind kind;
  int64_t op;
  /// For people: "dropped collective: all_reduce".
  std::string text;
  /// Of RaggedList: which operand.
  unsigned operand = 0;
};

/// Returns all faults that a per-device program for `numDevices` devices can have.
std::vector<Fault> possibleFaults(mlir::ModuleOp perDevice, int64_t numDevices);

/// Puts `fault` into a copy of the program that it was found in.
void putFault(mlir::ModuleOp perDevice, const Fault &fault, int64_t numDevices);

} // namespace shardwise
