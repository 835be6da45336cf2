// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entering a mesh, and who may meet whom.

#include "shardwise/reference/DeviceScope.h"

#include "shardwise/core/Axis.h"

#include <llvm/ADT/STLExtras.h>
#include <mlir/IR/Diagnostics.h>

#include <numeric>

namespace shardwise::reference {

bool DeviceScope::isManual(std::string_view axis) const {
  return llvm::is_contained(manualAxes, axis);
}

void DeviceScope::enter(mlir::Operation *op, const core::Mesh &onMesh,
                        std::vector<std::string> axes) {
  computation = op;
  mesh = onMesh;
  manualAxes.insert(manualAxes.end(), axes.begin(), axes.end());
  // From one device, outside, to all of the mesh. A manual computation inside of another one is on
  // the same mesh, and those devices that have come here stay the ones that are active.
  if (numDevices != mesh.numDevices()) {
    numDevices = mesh.numDevices();
    active.resize(numDevices);
    std::iota(active.begin(), active.end(), 0);
  }
  // All devices run here, also those along axes that the program has not made manual. These hold
  // parts of one value in the partitioned program, and all of it here.
  core::AxisList freeAxes;
  for (int64_t axis = 0; axis < mesh.numAxes(); ++axis)
    if (!isManual(mesh.axes()[axis].name))
      freeAxes.push_back(core::fullAxis(mesh, axis));
  positionOf.resize(numDevices);
  freeCoordinateOf.resize(numDevices);
  for (int64_t position = 0; position < numDevices; ++position) {
    int64_t device = numDevices == 1 ? 0 : mesh.deviceAt(position);
    positionOf[device] = position;
    freeCoordinateOf[device] = core::coordinateAlong(freeAxes, mesh, position);
  }
}

mlir::LogicalResult DeviceScope::checkMeeting(mlir::Operation &op,
                                              llvm::ArrayRef<int64_t> devices) const {
  for (int64_t device : devices) {
    if (!isHere(device)) {
      mlir::InFlightDiagnostic error =
          op.emitOpError() << "waits for device " << device
                           << ", which does not come here; expected all devices of a group to run "
                              "it";
      if (divergence)
        error.attachNote(divergence->getLoc()) << "devices take different ways here";
      return error;
    }
    // Which axis it is, for the message: one of those along which the two differ.
    if (freeCoordinateOf[device] == freeCoordinateOf[devices.front()])
      continue;
    for (int64_t axis = 0; axis < mesh.numAxes(); ++axis) {
      core::Axis full = core::fullAxis(mesh, axis);
      if (isManual(mesh.axes()[axis].name) ||
          core::coordinateAlong(full, mesh, positionOf[device]) ==
              core::coordinateAlong(full, mesh, positionOf[devices.front()]))
        continue;
      mlir::InFlightDiagnostic error =
          op.emitOpError() << "joins devices " << devices.front() << " and " << device
                           << ", which differ along \"" << mesh.axes()[axis].name
                           << "\", an axis that is not manual; expected groups along manual axes, "
                              "or the axis in manual_axes";
      error.attachNote(computation->getLoc()) << "the computation that it is in";
      return error;
    }
  }
  return mlir::success();
}

} // namespace shardwise::reference
