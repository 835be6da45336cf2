// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axis lists as the attributes that collectives carry.

#pragma once

#include "shardwise/core/Axis.h"
#include "shardwise/dialect/sdy/SdyAttrs.h"

#include <vector>

namespace shardwise::exporter {

/// Returns `axes` by name.
inline sdy::AxisRefs refsOf(const core::AxisList &axes, const core::Mesh &mesh) {
  sdy::AxisRefs refs;
  for (const core::Axis &axis : axes)
    refs.push_back(core::toRef(axis, mesh));
  return refs;
}

/// Returns the attribute of one list.
inline sdy::AxisRefListAttr axisRefListOf(const core::AxisList &axes, const core::Mesh &mesh,
                                          mlir::MLIRContext *context) {
  return sdy::AxisRefListAttr::get(context, refsOf(axes, mesh));
}

/// One list per dimension.
inline sdy::ListOfAxisRefListsAttr listsOf(const std::vector<core::AxisList> &dimAxes,
                                           const core::Mesh &mesh, mlir::MLIRContext *context) {
  sdy::AxisRefLists lists;
  for (const core::AxisList &axes : dimAxes)
    lists.push_back(refsOf(axes, mesh));
  return sdy::ListOfAxisRefListsAttr::get(context, std::move(lists));
}

} // namespace shardwise::exporter
