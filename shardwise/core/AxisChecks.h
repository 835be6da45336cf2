// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of written axis lists against a mesh. The verifier of one sharding and those of the
// collectives' own lists are made of these.

#pragma once

#include "shardwise/core/Axis.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace shardwise::core {

/// Returns the error for the axis name `name`, which `mesh` does not have.
Error unknownAxisError(std::string_view name, const Mesh &mesh);

/// Checks that the sub-axis `ref` fits an axis of size `axisSize`: pre-size at least 1, size at
/// least 2, their product divides the axis, and the size is not the whole axis.
/// Requires: `ref` has a sub-axis.
Result<void> checkSubAxis(const AxisRef &ref, int64_t axisSize);

/// Checks that `axes` are in mesh order; `listName` ("replicated", "reduction") is for the message.
/// Names that the mesh does not have come last and may stand in any order.
Result<void> checkMeshOrder(std::span<const AxisRef> axes, const Mesh &mesh,
                            std::string_view listName);

/// Checks the axis lists of one sharding or of one collective, one list after the other.
/// Example: for `[{"x"}, {"x"}]` the second `add` fails with "duplicate axis ref".
/// The lists and the mesh must outlive the checker.
class AxisListChecker {
public:
  explicit AxisListChecker(const Mesh &mesh) : mesh(mesh) {}

  /// Adds one list. Fails on an unknown name, on a reference that was added before, and on a
  /// sub-axis that continues the one before it in this list (they must be written as one).
  Result<void> add(std::span<const AxisRef> axes);

  /// Checks the parts of each mesh axis among all added references: not used as full axis and as
  /// sub-axis, each sub-axis fits, no two overlap.
  Result<void> checkSubAxes() const;

private:
  struct Entry {
    int64_t index;
    const AxisRef *ref;
  };

  const Mesh &mesh;
  std::vector<Entry> seen;
};

} // namespace shardwise::core
