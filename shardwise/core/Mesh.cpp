// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of a mesh and look-ups in it.

#include "shardwise/core/Mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

namespace shardwise::core {
namespace {

/// Lists longer than this are cut in messages.
constexpr size_t kMaxPrintedIds = 32;

std::string printIds(std::span<const DeviceId> ids) {
  if (ids.size() <= kMaxPrintedIds)
    return fmt::format("{}", fmt::join(ids, ", "));
  return fmt::format("{}, ...", fmt::join(ids.first(kMaxPrintedIds), ", "));
}

Result<int64_t> countDevices(const std::vector<MeshAxis> &axes) {
  int64_t count = 1;
  for (const MeshAxis &axis : axes)
    if (__builtin_mul_overflow(count, axis.size, &count))
      return invalid(fmt::format("number of devices does not fit 64 bits at mesh axis \"{}\"={}",
                                 axis.name, axis.size));
  return count;
}

Result<void> checkAxes(const std::vector<MeshAxis> &axes) {
  std::unordered_set<std::string_view> names;
  for (const MeshAxis &axis : axes)
    if (!names.insert(axis.name).second)
      return invalid(fmt::format("duplicate axis name: \"{}\"", axis.name));
  return {};
}

/// Whether `ids` are 0..n-1 in this order.
bool isIota(std::span<const DeviceId> ids) {
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] != static_cast<DeviceId>(i))
      return false;
  return true;
}

/// Requires ids on a mesh with axes.
Result<void> checkIds(std::span<const DeviceId> ids, int64_t numDevices) {
  if (static_cast<int64_t>(ids.size()) != numDevices)
    return invalid(fmt::format("total product of axis sizes must match number of device ids, "
                               "got: {} != {}",
                               numDevices, ids.size()));
  std::vector<DeviceId> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  if (!isIota(sorted))
    return invalid(fmt::format("sorted device ids must be iota(product(axis sizes)), got: {}",
                               printIds(sorted)));
  return {};
}

} // namespace

Result<Mesh> Mesh::create(std::vector<MeshAxis> axes, std::vector<DeviceId> deviceIds) {
  for (const MeshAxis &axis : axes)
    if (axis.size < 1)
      return invalid(
          fmt::format("mesh axis size must be at least 1, got \"{}\"={}", axis.name, axis.size));
  for (DeviceId id : deviceIds)
    if (id < 0)
      return invalid(fmt::format("device id must be non-negative, got {}", id));
  if (axes.empty() && deviceIds.size() > 1)
    return invalid(fmt::format("axes are empty but there are {} device ids; a mesh without axes "
                               "has at most one",
                               deviceIds.size()));
  if (Result<void> checked = checkAxes(axes); !checked)
    return checked.error();
  Result<int64_t> count = countDevices(axes);
  if (!count)
    return count.error();
  // A mesh without axes keeps its single id, also if it is 0: it is what makes the mesh maximal.
  if (!axes.empty() && !deviceIds.empty()) {
    if (Result<void> checked = checkIds(deviceIds, *count); !checked)
      return checked.error();
    // The same mesh as without ids; there is one value for it, so that `==` compares meshes.
    if (isIota(deviceIds))
      deviceIds.clear();
  }
  Mesh mesh;
  mesh.meshAxes = std::move(axes);
  mesh.ids = std::move(deviceIds);
  mesh.deviceCount = *count;
  return mesh;
}

std::optional<int64_t> Mesh::axisIndexOrNull(std::string_view name) const {
  for (size_t i = 0; i < meshAxes.size(); ++i)
    if (meshAxes[i].name == name)
      return static_cast<int64_t>(i);
  return std::nullopt;
}

std::vector<int64_t> Mesh::coordinates(int64_t position) const {
  std::vector<int64_t> result(meshAxes.size());
  // Digits of a mixed-radix number, least significant first: the last axis is the most minor.
  for (size_t i = meshAxes.size(); i-- > 0;) {
    result[i] = position % meshAxes[i].size;
    position /= meshAxes[i].size;
  }
  return result;
}

bool Mesh::equalsIgnoringDeviceIds(const Mesh &other) const {
  return meshAxes == other.meshAxes && isMaximal() == other.isMaximal();
}

} // namespace shardwise::core
