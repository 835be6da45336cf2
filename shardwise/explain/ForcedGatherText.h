// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A gather that an op forces, in words, for the reports that list them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace shardwise::explain {

/// A dimension that is gathered because an op cannot work on a part of it.
struct ForcedGatherText {
  /// Index in `Explanation::transfers`.
  size_t transfer = 0;
  /// The op, and where it is, in the program and in the user's source.
  std::string op;
  std::string place;
  std::string source;
  /// What is gathered, along which dimension, over which axes: `{"x"}`.
  std::string value;
  int64_t dim = 0;
  std::string axes;
  /// `sort needs all of dimension 1 of %x, which is on {"x"}`.
  std::string because;
  /// Per device, in all calls.
  int64_t receivedBytes = 0;
};

} // namespace shardwise::explain
