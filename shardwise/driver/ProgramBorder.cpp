// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The border as JSON. Users of meshes elsewhere have no sub-axes, so a mesh is written with axes as
// fine as its values need: an axis is cut wherever a part of it begins or ends. Positions of
// devices stay, since the parts of an axis follow each other, major first. With x=8 and a value on
// `"x":(2)2`:
//   cuts of "x"     1, 2, 4, 8
//   finer axes      "x:(1)2"=2, "x:(2)2"=2, "x:(4)2"=2

#include "shardwise/driver/ProgramBorder.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace shardwise::driver {
namespace {

using Json = nlohmann::ordered_json;

/// The axes of a mesh, cut into parts.
class FinerAxes {
public:
  static Result<FinerAxes> create(const ProgramBorder &border) {
    FinerAxes finer(border.mesh);
    for (const auto *values : {&border.arguments, &border.results})
      for (const ShardedValue &value : *values) {
        core::AxisList axes = core::dimensionAxes(value.sharding);
        axes.insert(axes.end(), value.sharding.unreduced.begin(), value.sharding.unreduced.end());
        for (const core::Axis &axis : axes)
          finer.cuts[finer.indexOf(axis, value.mesh)].insert({axis.preSize, axis.nextPreSize()});
      }
    for (size_t axis = 0; axis < finer.cuts.size(); ++axis)
      for (auto at = finer.cuts[axis].begin(); std::next(at) != finer.cuts[axis].end(); ++at)
        if (*std::next(at) % *at != 0)
          return Error{ErrorKind::Invalid,
                       fmt::format("arguments and results use parts of axis \"{}\" that are not "
                                   "whole axes of any finer mesh: ends {} and {}; shard them over "
                                   "parts of which one size divides the other",
                                   border.mesh.axes()[axis].name, *at, *std::next(at))};
    return finer;
  }

  Json mesh() const {
    Json axes = Json::object();
    for (size_t axis = 0; axis < cuts.size(); ++axis)
      forEachPart(core::fullAxis(coarse, static_cast<int64_t>(axis)), coarse,
                  [&](const std::string &name, int64_t size) { axes[name] = size; });
    Json json{{"axes", axes}};
    if (!coarse.deviceIds().empty())
      json["device_ids"] = coarse.deviceIds();
    return json;
  }

  /// `axes` are of `mesh`.
  Json names(const core::AxisList &axes, const core::Mesh &mesh) const {
    Json list = Json::array();
    for (const core::Axis &axis : axes)
      forEachPart(axis, mesh, [&](const std::string &name, int64_t) { list.push_back(name); });
    return list;
  }

private:
  explicit FinerAxes(const core::Mesh &mesh) : coarse(mesh) {
    for (const core::MeshAxis &axis : mesh.axes())
      cuts.push_back({1, axis.size});
  }

  /// The number of an axis in the mesh of the program. Values may be on one without the axes of
  /// size 1.
  int64_t indexOf(const core::Axis &axis, const core::Mesh &mesh) const {
    return coarse.axisIndexOrNull(mesh.axes()[axis.index].name).value();
  }

  /// Calls `visit` with name and size of each part of `axis`, an axis of `mesh`, major to minor.
  template <class Visit>
  void forEachPart(const core::Axis &axis, const core::Mesh &mesh, Visit visit) const {
    const std::string &name = mesh.axes()[axis.index].name;
    const std::set<int64_t> &ends = cuts[indexOf(axis, mesh)];
    for (auto at = ends.find(axis.preSize); *at != axis.nextPreSize(); ++at) {
      int64_t size = *std::next(at) / *at;
      visit(ends.size() == 2 ? name : fmt::format("{}:({}){}", name, *at, size), size);
    }
    // An axis of size 1 begins where it ends.
    if (axis.size == 1 && ends.size() == 1)
      visit(name, 1);
  }

  core::Mesh coarse;
  std::vector<std::set<int64_t>> cuts;
};

Json toJson(const ShardedValue &value, const core::Mesh &mesh, const FinerAxes &finer) {
  Json json;
  if (!value.name.empty())
    json["name"] = value.name;
  json["dtype"] = runtime::toString(value.type);
  json["global_shape"] = value.globalShape;
  json["local_shape"] = core::localShape(value.globalShape, value.sharding);
  // What is on one device has a sharding without dimensions.
  json["spec"] = Json::array();
  for (size_t dim = 0; dim < value.globalShape.size(); ++dim)
    json["spec"].push_back(dim < value.sharding.dims.size()
                               ? finer.names(value.sharding.dims[dim].axes, value.mesh)
                               : Json::array());
  if (!value.sharding.unreduced.empty())
    json["unreduced"] = {{"axes", finer.names(value.sharding.unreduced, value.mesh)},
                         {"reduction", core::toString(value.sharding.reduction)}};
  if (value.mesh.numDevices() == mesh.numDevices() && value.mesh.deviceIds() == mesh.deviceIds())
    return json;
  json["device_ids"] = Json::array();
  for (int64_t position = 0; position < value.mesh.numDevices(); ++position)
    json["device_ids"].push_back(value.mesh.deviceAt(position));
  return json;
}

} // namespace

Result<std::string> toJson(const ProgramBorder &border, std::string_view form) {
  Result<FinerAxes> finer = FinerAxes::create(border);
  if (!finer.ok())
    return finer.error();
  // A line a value: files of large programs are read by people, too.
  auto lines = [&](const std::vector<ShardedValue> &values) {
    std::string text;
    for (const ShardedValue &value : values)
      text +=
          (text.empty() ? "\n    " : ",\n    ") +
          toJson(value, border.mesh, *finer).dump(-1, ' ', false, Json::error_handler_t::replace);
    return text;
  };
  return fmt::format("{{\n  \"form\": {},\n  \"devices\": {},\n  \"mesh\": {},\n"
                     "  \"arguments\": [{}],\n  \"results\": [{}]\n}}\n",
                     Json(form).dump(), border.mesh.numDevices(),
                     finer->mesh().dump(-1, ' ', false, Json::error_handler_t::replace),
                     lines(border.arguments), lines(border.results));
}

} // namespace shardwise::driver
