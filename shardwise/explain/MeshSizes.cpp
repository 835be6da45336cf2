// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shardings name axes, and all other shapes are those of whole values: only meshes change.

#include "shardwise/explain/MeshSizes.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

using namespace mlir;

namespace shardwise::explain {
namespace {

using Sizes = std::map<std::string, int64_t>;

Result<Sizes> parseSizes(llvm::StringRef text) {
  Result<core::Mesh> mesh = core::parseMesh(text);
  if (!mesh)
    return invalid(fmt::format("--mesh {}: {}; expected sizes of axes, as in data=8,tensor=4",
                               text.str(), mesh.error().message));
  if (!mesh->deviceIds().empty())
    return invalid(
        fmt::format("--mesh {}: axes get other sizes, devices no other order", text.str()));
  Sizes sizes;
  for (const core::MeshAxis &axis : mesh->axes())
    sizes.emplace(axis.name, axis.size);
  return sizes;
}

/// Sets the sizes of the axes of one mesh, and notes which of `sizes` it has.
Result<void> setSizes(sdy::MeshOp op, const Sizes &sizes, std::set<std::string> &found) {
  core::Mesh mesh = sdy::toCore(op.getMesh());
  std::vector<core::MeshAxis> axes = mesh.axes();
  bool isChanged = false;
  for (core::MeshAxis &axis : axes)
    if (auto size = sizes.find(axis.name); size != sizes.end()) {
      found.insert(axis.name);
      isChanged |= axis.size != size->second;
      axis.size = size->second;
    }
  if (!isChanged)
    return {};
  if (!mesh.deviceIds().empty())
    return invalid(fmt::format("--mesh: mesh @{} lists its devices, so its axes cannot get other "
                               "sizes; export the program again",
                               op.getSymName().str()));
  Result<core::Mesh> changed = core::Mesh::create(std::move(axes));
  if (!changed.ok())
    return changed.error();
  op.setMeshAttr(sdy::toAttr(op.getContext(), *changed));
  return {};
}

int64_t mostDevices(ModuleOp module) {
  int64_t most = 1;
  for (auto op : module.getOps<sdy::MeshOp>())
    most = std::max(most, sdy::toCore(op.getMesh()).numDevices());
  return most;
}

} // namespace

Result<void> setMeshSizes(ModuleOp module, std::string_view text) {
  Result<Sizes> sizes = parseSizes(llvm::StringRef(text.data(), text.size()));
  if (!sizes.ok())
    return sizes.error();
  int64_t before = mostDevices(module);
  std::set<std::string> found;
  std::set<std::string> axes;
  for (auto op : module.getOps<sdy::MeshOp>()) {
    for (const core::MeshAxis &axis : sdy::toCore(op.getMesh()).axes())
      axes.insert(fmt::format("\"{}\"", axis.name));
    if (Result<void> done = setSizes(op, *sizes, found); !done.ok())
      return done;
  }
  for (const auto &[name, size] : *sizes)
    if (!found.contains(name)) {
      std::string known;
      for (const std::string &axis : axes)
        known += (known.empty() ? "" : ", ") + axis;
      return invalid(fmt::format("--mesh {}: no mesh has an axis \"{}\"; there is {}", text, name,
                                 known.empty() ? "no mesh with axes" : known));
    }
  // It says the number of devices as well.
  auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  if (partitions && partitions.getInt() == before)
    module->setAttr("mhlo.num_partitions",
                    IntegerAttr::get(partitions.getType(), mostDevices(module)));
  std::string reason;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    if (reason.empty())
      reason = diagnostic.str();
    return success();
  });
  if (failed(verify(module)))
    return invalid(fmt::format("--mesh {}: the program is not one on this mesh: {}; bodies of "
                               "shard_map have the shapes that they were exported with: export it "
                               "again",
                               text, reason));
  return {};
}

} // namespace shardwise::explain
