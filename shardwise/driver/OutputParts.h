// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the global outputs of a run go, part by part.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/support/Result.h"

#include <cstddef>

namespace shardwise::driver {

/// One tensor per result of a program, of which every process writes what its devices hold.
class OutputParts {
public:
  virtual ~OutputParts() = default;

  /// Called once, by rank 0, before any `put`.
  virtual Result<void> make() = 0;
  /// Takes the elements of `box` of output `index`, dense and row-major. Called by any thread of
  /// any process; boxes of an output do not overlap, and make it up.
  virtual Result<void> put(size_t index, const core::Box &box, const std::byte *elements) = 0;
};

} // namespace shardwise::driver
