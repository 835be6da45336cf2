// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which known way of parallel training each axis of the mesh is.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardwise::explain {

/// An axis, what it is, and what that costs in theory and here.
struct AxisPattern {
  std::string axis;
  /// `data parallel`, `ZeRO-1`, `ZeRO-3 (FSDP)`, `tensor parallel (Megatron)`, ...
  std::string name;
  /// In words.
  std::string expected;
  /// What the recipe's transfers of weights and gradients bring a device, in the types of the
  /// parameters; 0 if the recipe moves activations, whose sizes are the program's own.
  int64_t expectedBytes = 0;
  /// The traffic over the axis alone: `100 all_reduce 18.2 GiB, 66 all_gather 6.1 GiB`.
  std::string actual;
  int64_t actualBytes = 0;

  /// All of it in a sentence.
  std::string text() const;
};

/// Returns the patterns of the axes that annotated arguments are cut over, in mesh order. Needs
/// what the user's source calls the arguments, and explained values.
std::vector<AxisPattern> axisPatterns(const Explanation &explanation, const ProgramNames &names);

} // namespace shardwise::explain
