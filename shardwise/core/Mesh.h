// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mesh: a grid of devices with named axes. Knows nothing of tensors.

#pragma once

#include "shardwise/support/Result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardwise::core {

/// Number of a device, as the user knows it.
using DeviceId = int64_t;

/// A named direction of the mesh and the number of devices along it.
struct MeshAxis {
  std::string name;
  int64_t size = 1;

  bool operator==(const MeshAxis &) const = default;
};

/// A grid of devices. Axis 0 is the most major: the device with coordinates (c0, ..., ck) has the
/// row-major *position* of these coordinates, and the *id* `deviceIds[position]`, or the position
/// itself when no ids are given.
///
/// Invariant (checked by `create`): axis sizes are at least 1 and names differ; ids, if any, are a
/// permutation of 0..n-1 that is not the identity, or a single id on a mesh without axes.
/// Example: `<["data"=4, "model"=2]>` has 8 devices; `<["a"=2], device_ids=[1, 0]>` is reversed.
class Mesh {
public:
  /// The empty mesh `<[]>`: a placeholder without devices of its own.
  Mesh() = default;

  /// Returns the mesh with `axes` and `deviceIds`. Ids equal to 0..n-1 on a mesh with axes are
  /// dropped. Fails if the invariant above does not hold; the message shows both values.
  static Result<Mesh> create(std::vector<MeshAxis> axes, std::vector<DeviceId> deviceIds = {});

  const std::vector<MeshAxis> &axes() const { return meshAxes; }
  /// Explicit device order; empty if a device's id is its position.
  const std::vector<DeviceId> &deviceIds() const { return ids; }

  /// No axes and no ids.
  bool isEmpty() const { return meshAxes.empty() && ids.empty(); }
  /// No axes and one id: everything lives on that device.
  bool isMaximal() const { return meshAxes.empty() && ids.size() == 1; }

  /// Product of the axis sizes (1 for a mesh without axes).
  int64_t numDevices() const { return deviceCount; }
  int64_t numAxes() const { return static_cast<int64_t>(meshAxes.size()); }
  int64_t axisSize(int64_t axis) const { return meshAxes[axis].size; }

  /// Position of the axis called `name`, if there is one.
  std::optional<int64_t> axisIndexOrNull(std::string_view name) const;

  /// Coordinates of the device at row-major `position`.
  std::vector<int64_t> coordinates(int64_t position) const;
  /// Device id at row-major `position`.
  DeviceId deviceAt(int64_t position) const { return ids.empty() ? position : ids[position]; }

  /// Same axes and same maximal-ness, whatever the device order.
  bool equalsIgnoringDeviceIds(const Mesh &other) const;
  bool operator==(const Mesh &) const = default;

private:
  std::vector<MeshAxis> meshAxes;
  std::vector<DeviceId> ids;
  int64_t deviceCount = 1;
};

} // namespace shardwise::core
