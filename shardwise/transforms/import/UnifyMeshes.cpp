// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-unify-meshes: a program that cuts its devices in several ways is told on one
// mesh. core/CommonMesh.h says which, and what the axes of the others are on it.
//   sdy.mesh @grid = <["data"=4, "model"=2]>
//   sdy.mesh @experts = <["expert"=8]>
//   #sdy.sharding<@experts, [{"expert"}, {}]>
// becomes
//   #sdy.sharding<@grid, [{"data", "model"}, {}]>
// Everything behind this pass knows meshes of the same axes only. Groups of collectives that users
// wrote stay: they say their own mesh, which is still there.
//
// Two walks find out what is asked of the common mesh, and one rewrites:
//   1. the meshes that shardings name, each once by value (two names of one mesh are one);
//   2. what the program says of their axes: parts ("x":(1)2), which the common mesh must be able to
//      cut, and axes of manual computations, which it must have as whole axes, since `manual_axes`
//      names no parts;
//   3. shardings, manual axes and the lists of collectives, all by one translation for each mesh.

#include "shardwise/transforms/import/UnifyMeshes.h"

#include "shardwise/core/CommonMesh.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"
#include "shardwise/transforms/import/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwise::importer {

#define GEN_PASS_DEF_UNIFYMESHESPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

constexpr StringLiteral kAxesAttr = "shardwise.axes";

/// The mesh of a manual computation; null if it names none with axes.
sdy::MeshAttr meshOf(sdy::ManualComputationOp manual, const SymbolTable &symbols) {
  for (sdy::TensorShardingPerValueAttr shardings :
       {manual.getInShardings(), manual.getOutShardings()})
    for (sdy::TensorShardingAttr sharding : shardings.getShardings())
      if (sdy::MeshAttr mesh = sdy::getMesh(sharding, symbols); mesh && !mesh.isEmpty())
        return mesh;
  return {};
}

/// Finds the meshes of a program and rewrites it.
class MeshUnifier {
public:
  explicit MeshUnifier(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult run() {
    collectMeshes();
    bool isOne = llvm::all_of(uses, [&](const auto &use) {
      return use.second.mesh.axes() == uses.front().second.mesh.axes();
    });
    // One program runs on one set of devices; who asks for the mesh of the program refuses others.
    bool areDevices = llvm::all_of(uses, [&](const auto &use) {
      return use.second.mesh.numDevices() == uses.front().second.mesh.numDevices();
    });
    if (uses.empty() || isOne || !areDevices)
      return success();
    collectParts();
    std::vector<core::MeshUse> list;
    for (const auto &use : uses)
      list.push_back(use.second);
    auto common = core::commonMesh(list);
    if (!common)
      return emitError(locations.lookup(uses.front().first).value_or(module.getLoc()))
             << common.error().message;
    translate(*common);
    return success();
  }

private:
  void collectMeshes() {
    sdy::forEachSharding(module, [&](const sdy::ShardingPlace &place) {
      sdy::MeshAttr mesh = sdy::getMesh(place.sharding, symbols);
      // An op without results has a sharding to say on which device it runs.
      if (!mesh || mesh.isEmpty() || mesh.isMaximal() || !place.type)
        return;
      if (uses.try_emplace(mesh, core::MeshUse{sdy::toCore(mesh), {}, {}}).second)
        locations[mesh] = place.location();
    });
  }

  /// Each part once; of whole axes there is nothing to note.
  void addParts(core::MeshUse &use, ArrayRef<core::AxisRef> axes) {
    for (const core::AxisRef &ref : axes)
      if (auto axis = core::resolve(ref, use.mesh); axis && !axis->isFull(use.mesh))
        if (!llvm::is_contained(use.parts, *axis))
          use.parts.push_back(*axis);
  }

  void collectParts() {
    sdy::forEachSharding(module, [&](const sdy::ShardingPlace &place) {
      auto use = uses.find(sdy::getMesh(place.sharding, symbols));
      if (use == uses.end())
        return;
      const core::WrittenSharding &sharding = sdy::toCore(place.sharding);
      for (const core::WrittenDimSharding &dim : sharding.dims)
        addParts(use->second, dim.axes);
      addParts(use->second, sharding.replicated);
      addParts(use->second, sharding.unreduced);
    });
    module.walk([&](sdy::ManualComputationOp manual) {
      auto use = uses.find(meshOf(manual, symbols));
      if (use == uses.end())
        return;
      for (StringAttr name : manual.getManualAxes().getAxes())
        if (auto axis = use->second.mesh.axisIndexOrNull(name.getValue()))
          use->second.wholeAxes.push_back(int32_t(*axis));
    });
  }

  void translate(const core::CommonMesh &common) {
    for (auto [use, translation] : llvm::zip_equal(uses, common.translations)) {
      translations[use.first] = &translation;
      references[use.first] = referenceTo(translation.mesh, use.first);
    }
    // Manual computations and collectives first: their meshes are found by their shardings, which
    // name the common mesh once they are replaced.
    module.walk([&](sdy::ManualComputationOp manual) { translateManualAxes(manual); });
    module.walk([&](sdy::CollectiveOpInterface collective) { translateAxesOf(collective); });
    sdy::replaceShardings(module,
                          [&](sdy::TensorShardingAttr sharding) { return translated(sharding); });
    for (auto op : llvm::to_vector(module.getOps<sdy::MeshOp>()))
      noteAxes(op);
  }

  /// The reference to `mesh`: its first name, `own` where it is written in place, else a new name.
  Attribute referenceTo(const core::Mesh &mesh, sdy::MeshAttr own) {
    sdy::MeshAttr attr = sdy::toAttr(module.getContext(), mesh);
    sdy::MeshOp last;
    for (auto op : module.getOps<sdy::MeshOp>()) {
      if (op.getMesh() == attr)
        return FlatSymbolRefAttr::get(op.getSymNameAttr());
      last = op;
    }
    if (attr == own)
      return own;
    OpBuilder builder(module.getContext());
    builder.setInsertionPointToStart(module.getBody());
    if (last)
      builder.setInsertionPointAfter(last);
    const std::string base = mesh.deviceIds().empty() ? "common_mesh" : "common_mesh_reordered";
    std::string name = base;
    for (int i = 0; symbols.lookup(name); ++i)
      name = base + "_" + std::to_string(i);
    auto op = sdy::MeshOp::create(builder, module.getLoc(), name, attr);
    symbols.insert(op, Block::iterator(builder.getInsertionPoint()));
    return FlatSymbolRefAttr::get(op.getSymNameAttr());
  }

  /// In the order of `axes`, which decides who has which block: if "expert" is "data", "model" on
  /// the common mesh, {"expert"} is {"data", "model"}. Neighbours that make up an axis are merged.
  std::vector<core::AxisRef> translated(ArrayRef<core::AxisRef> axes, sdy::MeshAttr mesh) {
    const core::MeshTranslation &translation = *translations.lookup(mesh);
    core::AxisList list;
    for (const core::AxisRef &ref : axes)
      if (auto axis = core::resolve(ref, sdy::toCore(mesh)))
        for (const core::Axis &part : translation.translate(*axis))
          core::appendOrMerge(list, part);
    return toRefs(list, translation.mesh);
  }

  static std::vector<core::AxisRef> toRefs(const core::AxisList &axes, const core::Mesh &mesh) {
    std::vector<core::AxisRef> refs;
    for (const core::Axis &axis : axes)
      refs.push_back(core::toRef(axis, mesh));
    return refs;
  }

  /// The same for sets of axes (replicated, unreduced), which sdy wants in the order of the mesh:
  /// that of the common one may be another.
  std::vector<core::AxisRef> sorted(ArrayRef<core::AxisRef> axes, sdy::MeshAttr mesh) {
    const core::Mesh &common = translations.lookup(mesh)->mesh;
    core::AxisList list;
    for (const core::AxisRef &ref : translated(axes, mesh))
      list.push_back(core::resolve(ref, common).value());
    return toRefs(core::sortAndMerge(std::move(list)), common);
  }

  sdy::TensorShardingAttr translated(sdy::TensorShardingAttr sharding) {
    sdy::MeshAttr mesh = sdy::getMesh(sharding, symbols);
    if (!translations.contains(mesh))
      return sharding;
    core::WrittenSharding written = sdy::toCore(sharding);
    for (core::WrittenDimSharding &dim : written.dims) {
      dim.axes = translated(dim.axes, mesh);
      // Axes of size 1 are none; a closed dimension without any has no priority.
      if (dim.axes.empty() && dim.isClosed)
        dim.priority.reset();
    }
    written.replicated = sorted(written.replicated, mesh);
    written.unreduced = sorted(written.unreduced, mesh);
    return sdy::toAttr(references.lookup(mesh), std::move(written));
  }

  void translateManualAxes(sdy::ManualComputationOp manual) {
    sdy::MeshAttr mesh = meshOf(manual, symbols);
    if (!translations.contains(mesh))
      return;
    SmallVector<StringAttr> names;
    for (StringAttr name : manual.getManualAxes().getAxes())
      for (const core::AxisRef &axis :
           translated({core::AxisRef{name.getValue().str(), std::nullopt}}, mesh))
        names.push_back(StringAttr::get(module.getContext(), axis.name));
    manual.setManualAxesAttr(sdy::ManualAxesAttr::get(module.getContext(), names));
  }

  /// The lists of a collective, which say what changes from one sharding to the other.
  void translateAxesOf(sdy::CollectiveOpInterface collective) {
    sdy::MeshAttr mesh = sdy::getMesh(collective.getOutSharding(), symbols);
    if (!translations.contains(mesh))
      return;
    MLIRContext *context = module.getContext();
    for (NamedAttribute attribute : collective->getAttrDictionary()) {
      Attribute value = attribute.getValue();
      if (auto list = dyn_cast<sdy::AxisRefListAttr>(value)) {
        value = sdy::AxisRefListAttr::get(context, translated(list.getAxes(), mesh));
      } else if (auto lists = dyn_cast<sdy::ListOfAxisRefListsAttr>(value)) {
        sdy::AxisRefLists all;
        for (const sdy::AxisRefs &axes : lists.getLists())
          all.push_back(translated(axes, mesh));
        value = sdy::ListOfAxisRefListsAttr::get(context, std::move(all));
      } else if (auto moves = dyn_cast<sdy::AllToAllParamListAttr>(value)) {
        sdy::AllToAllParams all;
        for (sdy::AllToAllParam move : moves.getParams()) {
          move.axes = translated(move.axes, mesh);
          all.push_back(std::move(move));
        }
        value = sdy::AllToAllParamListAttr::get(context, std::move(all));
      }
      if (value != attribute.getValue())
        collective->setAttr(attribute.getName(), value);
    }
  }

  /// Writes at `op` what its axes are now, a dimension for each.
  void noteAxes(sdy::MeshOp op) {
    const core::MeshTranslation *translation = translations.lookup(op.getMesh());
    if (!translation || translation->mesh == sdy::toCore(op.getMesh()))
      return;
    core::WrittenSharding axes;
    for (const core::AxisList &list : translation->axes) {
      core::WrittenDimSharding &dim = axes.dims.emplace_back();
      dim.axes = toRefs(list, translation->mesh);
    }
    op->setAttr(kAxesAttr, sdy::toAttr(references.lookup(op.getMesh()), std::move(axes)));
  }

  ModuleOp module;
  SymbolTable symbols;
  /// In the order in which shardings name them, so that the first decides between equals. That and
  /// the maps below are by the meshes as they were.
  llvm::MapVector<sdy::MeshAttr, core::MeshUse> uses;
  llvm::DenseMap<sdy::MeshAttr, std::optional<Location>> locations;
  llvm::DenseMap<sdy::MeshAttr, const core::MeshTranslation *> translations;
  llvm::DenseMap<sdy::MeshAttr, Attribute> references;
};

class UnifyMeshesPass : public impl::UnifyMeshesPassBase<UnifyMeshesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    if (failed(unifyMeshes(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult unifyMeshes(ModuleOp module) {
  return MeshUnifier(module).run();
}

std::vector<std::string> otherMeshes(ModuleOp module) {
  std::vector<std::string> lines;
  SymbolTable symbols(module);
  for (auto op : module.getOps<sdy::MeshOp>()) {
    auto axes = op->getAttrOfType<sdy::TensorShardingAttr>(kAxesAttr);
    sdy::MeshAttr common = axes ? sdy::getMesh(axes, symbols) : sdy::MeshAttr();
    if (!common)
      continue;
    const core::Mesh &mesh = sdy::toCore(op.getMesh());
    std::string line = "@" + op.getSymName().str() + " <" + core::toString(mesh) + "> has";
    core::Sharding resolved = sdy::resolveVerified(axes, common);
    for (size_t i = 0; i < resolved.dims.size(); ++i)
      line += (i ? ", \"" : " \"") + mesh.axes()[i].name +
              "\" = " + core::toString(resolved.dims[i].axes, sdy::toCore(common));
    if (!sdy::toCore(common).deviceIds().empty())
      line += " of <" + core::toString(sdy::toCore(common)) + ">";
    lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace shardwise::importer
