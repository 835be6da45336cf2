// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which devices run the ops at hand. Outside of manual computations it is one device, which has
// everything whole; inside all devices of the mesh run each op together, before the next.

#pragma once

#include "shardwise/reference/PerDevice.h"

#include "shardwise/core/Mesh.h"

#include <mlir/IR/Operation.h>
#include <mlir/Support/LogicalResult.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace shardwise::reference {

/// The devices of the evaluation at one place of the program.
struct DeviceScope {
  int64_t numDevices = 1;
  /// Those that have come here: fewer than all where conditions around differ between devices.
  DeviceList active = {0};
  /// The op whose condition differed last; null if all devices are here.
  mlir::Operation *divergence = nullptr;

  /// The manual computation around; null outside of all.
  mlir::Operation *computation = nullptr;
  /// Its mesh, empty outside, and the axes that are manual here, of all computations around.
  core::Mesh mesh;
  std::vector<std::string> manualAxes;
  /// By device: its row-major position in the mesh.
  std::vector<int64_t> positionOf = {0};
  /// By device: the coordinates along the axes that are free, as one number. Devices that differ
  /// in it have the same values, each a part of them in the partitioned program.
  std::vector<int64_t> freeCoordinateOf = {0};

  bool isManual(std::string_view axis) const;
  bool isHere(int64_t device) const {
    return std::binary_search(active.begin(), active.end(), device);
  }
  /// Sets the mesh and all that follows from it. Requires a mesh with devices, which have `axes`.
  void enter(mlir::Operation *op, const core::Mesh &onMesh, std::vector<std::string> axes);

  /// Whether these devices can meet in `op`. Fails with a diagnostic if one of them does not come
  /// here, or if two differ along a free axis: which part of the values each of them has is not
  /// for the program to know.
  mlir::LogicalResult checkMeeting(mlir::Operation &op, llvm::ArrayRef<int64_t> devices) const;
};

} // namespace shardwise::reference
