// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Meshes and shardings as tuples and lists, of which the package makes its classes. Grammar,
// printer and rules are those of `core`.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/Sharding.h"

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace shardwise::python {

/// Names and sizes of the axes, and device ids, empty if they are the positions.
using MeshParts = std::tuple<std::vector<std::pair<std::string, int64_t>>, std::vector<int64_t>>;
/// Name, and (pre-size, size) of a sub-axis.
using AxisParts = std::tuple<std::string, std::optional<std::pair<int64_t, int64_t>>>;
/// Axes, whether closed, priority.
using DimParts = std::tuple<std::vector<AxisParts>, bool, std::optional<int64_t>>;
/// Dimensions, replicated and unreduced axes, and how partial values combine: "sum", "max", "min".
using ShardingParts =
    std::tuple<std::vector<DimParts>, std::vector<AxisParts>, std::vector<AxisParts>, std::string>;

MeshParts partsOf(const core::Mesh &mesh);
ShardingParts partsOf(const core::WrittenSharding &sharding);

/// Throw if the parts make no mesh, or no sharding of it.
core::Mesh meshOf(const MeshParts &parts);
core::WrittenSharding shardingOf(const ShardingParts &parts);

void bindShardings(nanobind::module_ &module);

} // namespace shardwise::python
