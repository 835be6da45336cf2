// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several meshes over the same devices, told on one of them.
//
// Example: on <["data"=4, "model"=2]> the axis of <["expert"=8]> is {"data", "model"}, and the axes
// of <["x"=2, "y"=4]> are {"data":(1)2} and {"data":(2)2, "model"}.

#pragma once

#include "shardwise/core/Axis.h"
#include "shardwise/core/Mesh.h"
#include "shardwise/support/Result.h"

#include <span>
#include <vector>

namespace shardwise::core {

/// A mesh, and what a program does with it.
struct MeshUse {
  Mesh mesh;
  /// Parts of axes that the program names.
  AxisList parts;
  /// Axes that must be full axes of the common mesh: those of manual computations.
  std::vector<int32_t> wholeAxes;
};

/// A mesh as the common one says it.
struct MeshTranslation {
  /// The common axes, in this mesh's own order of devices.
  Mesh mesh;
  /// By axis of the mesh, the common axes that it is, most major first; none for an axis of size 1.
  std::vector<AxisList> axes;

  /// Returns the common axes that `part` of the mesh is. Requires that it was among its `parts`.
  AxisList translate(const Axis &part) const;
};

/// What `commonMesh` finds.
struct CommonMesh {
  Mesh mesh;
  /// By mesh, in the order in which they were given.
  std::vector<MeshTranslation> translations;
};

/// Returns a mesh on which all `uses` can be told. It is one of them if possible: the first whose
/// axes the others need no parts of, else the first that keeps all `wholeAxes` whole; else it has
/// an axis for every part, with names as `data:(1)2`. Requires at least one use; those have axes.
/// Fails if numbers of devices differ, or parts of one axis cannot coexist.
Result<CommonMesh> commonMesh(std::span<const MeshUse> uses);

} // namespace shardwise::core
