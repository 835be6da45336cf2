// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of axis lists as written: names are looked up, but no `Axis` is made, since what is wrong
// often has none. Each check reports the first axis that breaks it, in the user's notation.
//
// Example on x=4, y=2: {"x":(1)2, "x":(2)2} is refused because it must be written {"x"};
// {"x":(1)2} in one dimension and {"x"} in another, because both have the major half of "x".

#include "shardwise/core/AxisChecks.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace shardwise::core {
namespace {

/// Position of `ref` in the order within one mesh axis: sub-axes with pre-size 1, then the full
/// axis, then other sub-axes.
auto orderWithinAxis(const AxisRef &ref) {
  return ref.subAxis ? std::tuple(ref.subAxis->preSize, ref.subAxis->size)
                     : std::tuple(int64_t{1}, std::numeric_limits<int64_t>::max());
}

/// Returns pre-size times size, none if that is more than any axis can have.
std::optional<int64_t> nextPreSize(const SubAxis &sub) {
  int64_t product;
  if (__builtin_mul_overflow(sub.preSize, sub.size, &product))
    return std::nullopt;
  return product;
}

bool areMergeable(const AxisRef &major, const AxisRef &minor) {
  return major.name == minor.name && major.subAxis && minor.subAxis &&
         nextPreSize(*major.subAxis) == minor.subAxis->preSize;
}

} // namespace

Error unknownAxisError(std::string_view name, const Mesh &mesh) {
  return invalid(
      fmt::format("unknown axis name: \"{}\" is not in the mesh {}", name, toString(mesh)));
}

Result<void> checkSubAxis(const AxisRef &ref, int64_t axisSize) {
  const SubAxis &sub = *ref.subAxis;
  if (sub.preSize < 1)
    return invalid(fmt::format("sub-axis pre-size must be at least 1: {}", toString(ref)));
  if (sub.size <= 1)
    return invalid(fmt::format("sub-axis sizes must be greater than 1: {}", toString(ref)));
  std::optional<int64_t> next = nextPreSize(sub);
  if (!next || axisSize % *next != 0)
    return invalid(fmt::format("sub-axis next pre-size {}*{} doesn't divide the size {} of the "
                               "full axis: {}",
                               sub.preSize, sub.size, axisSize, toString(ref)));
  if (sub.size == axisSize)
    return invalid(fmt::format("sub-axis size is equal to the full axis size {}: {}; write \"{}\"",
                               axisSize, toString(ref), ref.name));
  return {};
}

Result<void> checkMeshOrder(std::span<const AxisRef> axes, const Mesh &mesh,
                            std::string_view listName) {
  auto indexOf = [&](const AxisRef &ref) {
    return mesh.axisIndexOrNull(ref.name).value_or(mesh.numAxes());
  };
  for (size_t i = 1; i < axes.size(); ++i) {
    int64_t before = indexOf(axes[i - 1]);
    int64_t after = indexOf(axes[i]);
    if (before == after && before == mesh.numAxes())
      continue;
    if (before > after ||
        (before == after && orderWithinAxis(axes[i - 1]) > orderWithinAxis(axes[i])))
      return invalid(fmt::format("{} axes are not ordered w.r.t. mesh: {} must come before {}",
                                 listName, toString(axes[i]), toString(axes[i - 1])));
  }
  return {};
}

Result<void> AxisListChecker::add(std::span<const AxisRef> axes) {
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<int64_t> index = mesh.axisIndexOrNull(axes[i].name);
    if (!index)
      return unknownAxisError(axes[i].name, mesh);
    // A scan, as a sharding has a handful of axes.
    for (const Entry &entry : seen)
      if (entry.index == *index && entry.ref->subAxis == axes[i].subAxis)
        return invalid(fmt::format("duplicate axis ref: {}", toString(axes[i])));
    if (i > 0 && areMergeable(axes[i - 1], axes[i]))
      return invalid(fmt::format("two consecutive sub-axes can be merged: {}, {}",
                                 toString(axes[i - 1]), toString(axes[i])));
    seen.push_back({*index, &axes[i]});
  }
  return {};
}

Result<void> AxisListChecker::checkSubAxes() const {
  // Most shardings have no sub-axes at all.
  if (std::none_of(seen.begin(), seen.end(), [](const Entry &e) { return e.ref->subAxis; }))
    return {};
  std::vector<Entry> sorted = seen;
  std::sort(sorted.begin(), sorted.end(), [](const Entry &a, const Entry &b) {
    return std::tuple(a.index, orderWithinAxis(*a.ref)) <
           std::tuple(b.index, orderWithinAxis(*b.ref));
  });
  for (size_t begin = 0; begin < sorted.size();) {
    size_t end = begin;
    size_t numSubAxes = 0;
    for (; end < sorted.size() && sorted[end].index == sorted[begin].index; ++end)
      numSubAxes += sorted[end].ref->subAxis.has_value();
    // Parts of a full axis overlap it, whichever they are.
    if (numSubAxes > 0 && numSubAxes != end - begin)
      return invalid(fmt::format("both sub-axis and full-axis are used for axis name: \"{}\"",
                                 sorted[begin].ref->name));
    for (size_t i = begin; i < end && numSubAxes > 0; ++i) {
      const AxisRef &ref = *sorted[i].ref;
      if (Result<void> checked = checkSubAxis(ref, mesh.axisSize(sorted[i].index)); !checked)
        return checked;
      // In order of pre-sizes, parts that do not overlap their neighbours overlap none. The product
      // of the one before fits: `checkSubAxis` has passed it.
      if (i > begin && *nextPreSize(*sorted[i - 1].ref->subAxis) > ref.subAxis->preSize)
        return invalid(fmt::format("overlapping sub-axes: {}, {}", toString(*sorted[i - 1].ref),
                                   toString(ref)));
    }
    begin = end;
  }
  return {};
}

} // namespace shardwise::core
