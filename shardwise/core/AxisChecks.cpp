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
#include <numeric>
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

/// Letters to insert, drop, replace or swap with their neighbour until `from` is `to`: 1 from
/// "tensro" to "tensor". One row of the table of all prefixes is made from the two above it.
/// Source: optimal string alignment distance (Damerau 1964; Boytsov 2011).
size_t editDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> beforeLast(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      bool isSame = from[i - 1] == to[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (isSame ? 0 : 1)});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
    std::swap(beforeLast, last);
    std::swap(last, row);
  }
  return last[to.size()];
}

/// The axis of `mesh` whose name is `name` but for a slip: at most a third of its letters differ,
/// so that nothing is proposed for a name of two letters. Null if there is none.
const MeshAxis *axisOfSimilarNameOrNull(std::string_view name, const Mesh &mesh) {
  const MeshAxis *nearest = nullptr;
  size_t least = name.size() / 3 + 1;
  for (const MeshAxis &axis : mesh.axes()) {
    // A difference of lengths is one of letters; names of any length may be given.
    size_t lengths =
        std::max(name.size(), axis.name.size()) - std::min(name.size(), axis.name.size());
    if (lengths >= least)
      continue;
    if (size_t distance = editDistance(name, axis.name); distance < least) {
      least = distance;
      nearest = &axis;
    }
  }
  return nearest;
}

} // namespace

Error unknownAxisError(std::string_view name, const Mesh &mesh) {
  const MeshAxis *similar = axisOfSimilarNameOrNull(name, mesh);
  return invalid(fmt::format("unknown axis name: \"{}\" is not in the mesh {}{}", name,
                             toString(mesh),
                             similar ? fmt::format("; did you mean \"{}\"?", similar->name) : ""));
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
