// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a device stands in the mesh, computed inside the per-device program.

#pragma once

#include "shardwise/core/Axis.h"
#include "shardwise/core/Mesh.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <tuple>
#include <utility>

namespace shardwise::partition {

/// Coordinates of the running device, as scalar i32 values at the start of one function. Each is
/// computed once, on first use, from `partition_id` by division and remainder; a mesh with
/// explicit device ids first looks its position up in a table.
///
/// Example: mesh <["x"=2, "y"=4]>: the coordinate along {"y"} is partition_id rem 4, along {"x"}
/// partition_id div 4, along {"x", "y"} partition_id.
class DeviceCoordinates {
public:
  /// Values are placed at the start of `entry`. `mesh` must outlive this.
  DeviceCoordinates(const core::Mesh &mesh, mlir::Block &entry);

  /// Returns the number of the block along `axes`, first axis most significant.
  mlir::Value coordinate(const core::AxisList &axes);
  /// Returns `coordinate(axes) * width`: where the device's block of `width` elements starts.
  mlir::Value offset(const core::AxisList &axes, int64_t width);
  /// Returns which elements of the device's block of `width` elements along `axes` count, as
  /// `width` booleans: those of a dimension of `size`, which the last blocks may exceed.
  /// Example: blocks of 3 of 10 elements are `[true, true, true]`, the last `[true, false, false]`.
  mlir::Value isValid(const core::AxisList &axes, int64_t width, int64_t size);
  /// Returns the i1 scalar that is true on the device with number `device`.
  mlir::Value isDevice(core::DeviceId device);
  /// Returns the i32 constant `value`.
  mlir::Value constant(int64_t value);

private:
  mlir::Value deviceId();
  mlir::Value position();
  mlir::Value scalar(mlir::Type elementType, int64_t value);
  /// Creates an op behind the ones created so far.
  template <class Op>
  mlir::Value create(mlir::Type type, mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

  const core::Mesh &mesh;
  mlir::Block &entry;
  mlir::OpBuilder builder;
  mlir::Operation *last = nullptr;
  mlir::Value runningDevice;
  mlir::Value devicePosition;
  std::map<core::DeviceId, mlir::Value> isDeviceFlags;
  std::map<core::AxisList, mlir::Value> coordinates;
  std::map<std::pair<core::AxisList, int64_t>, mlir::Value> offsets;
  std::map<std::tuple<core::AxisList, int64_t, int64_t>, mlir::Value> validElements;
  llvm::DenseMap<std::pair<mlir::Type, int64_t>, mlir::Value> scalars;
};

} // namespace shardwise::partition
