// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three questions, each of the program as it was written:
//   1. `programMesh`: on which devices does it run? One set for all shardings, so all meshes need
//      the same axes. Several meshes are made one before (shardwise-unify-meshes); what is left
//      here are orders of devices, and single devices: with <["x"=2, "y"=2]>,
//      <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]> and <device_ids=[3]> are fine, <["z"=4]> is not.
//   2. `checkEvenShardings`: does each dimension divide where shards must be equal? Elsewhere the
//      last shards are padded, and nothing is to be checked.
//   3. `checkShardingForm`: are the shardings in a form that is read at all?

#include "shardwise/transforms/import/CheckProgram.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;

namespace shardwise::importer {
namespace {

/// Calls `visit` for every sharding, those in a body before those of its op: complaints about a
/// function come last. sdy::forEachSharding takes the op first, and is for where order is none.
void forEachWrittenSharding(ModuleOp module,
                            llvm::function_ref<void(const sdy::ShardingPlace &)> visit) {
  module.walk([&](Operation *op) { sdy::forEachShardingOf(op, visit); });
}

void findUneven(const sdy::ShardingPlace &place, const SymbolTable &symbols,
                std::vector<UnevenSharding> &found) {
  auto tensor = dyn_cast_if_present<RankedTensorType>(place.type);
  sdy::MeshAttr meshAttr = sdy::getMesh(place.sharding, symbols);
  if (!tensor || !meshAttr || !needsEqualShards(place.kind))
    return;
  const core::Mesh &mesh = sdy::toCore(meshAttr);
  auto sharding = core::resolve(sdy::toCore(place.sharding), mesh);
  if (!sharding)
    return; // The verifier has refused it already.
  std::optional<core::UnevenDim> uneven = core::unevenDim(tensor.getShape(), *sharding);
  for (; uneven; uneven = core::unevenDim(tensor.getShape(), *sharding, uneven->dim + 1)) {
    // Says more than core::toString(UnevenDim), which passes use: the line is the user's, so the
    // type, the axes and the multiple to pad to are shown.
    std::string message;
    llvm::raw_string_ostream(message)
        << sdy::toString(place) << " of type '" << place.type << "': dimension " << uneven->dim
        << " of size " << uneven->size << " does not divide into " << uneven->numParts
        << " equal shards over " << core::toString(sharding->dims[uneven->dim].axes, mesh);
    bool isCut = isCutToEqualShards(place.kind);
    if (isCut)
      llvm::raw_string_ostream(message)
          << ", so that it is cut over "
          << core::toString(core::evenPrefix(sharding->dims[uneven->dim].axes, uneven->size), mesh);
    llvm::raw_string_ostream(message)
        << "; pad the dimension to a multiple of " << uneven->numParts
        << (isCut ? " to have all" : " or shard it over fewer devices");
    found.push_back({place.location(), place.op, std::move(message), isCut});
  }
}

/// A mesh that shardings use, and the first place where one does.
struct UsedMesh {
  core::Mesh mesh;
  Location location;
};

/// Each mesh once, in the order of shardings; those without axes or a device do not count. Ops
/// without results have a sharding to say on which device they run: no axes are meant there.
std::vector<UsedMesh> usedMeshes(ModuleOp module) {
  SymbolTable symbols(module);
  std::vector<UsedMesh> meshes;
  llvm::DenseSet<Attribute> seen;
  forEachWrittenSharding(module, [&](const sdy::ShardingPlace &place) {
    Attribute meshOrRef = place.sharding.getMeshOrRef();
    if (seen.contains(meshOrRef))
      return;
    sdy::MeshAttr mesh = sdy::getMesh(place.sharding, symbols);
    if (!mesh || mesh.isEmpty() || (!place.type && !mesh.isMaximal()))
      return;
    // Once by value, and once by each of its names.
    bool isNew = seen.insert(mesh).second;
    seen.insert(meshOrRef);
    if (isNew)
      meshes.push_back({sdy::toCore(mesh), place.location()});
  });
  return meshes;
}

/// Refuses `other` in a program on `mesh`.
LogicalResult checkMeshes(const core::Mesh &mesh, const UsedMesh &other) {
  bool isInOrder = !mesh.isMaximal() && other.mesh.axes() == mesh.axes();
  bool isDevice =
      !mesh.isMaximal() && other.mesh.isMaximal() && other.mesh.deviceAt(0) < mesh.numDevices();
  if (other.mesh == mesh || isInOrder || isDevice)
    return success();
  auto diagnostic = emitError(other.location)
                    << "sharding on mesh <" << core::toString(other.mesh)
                    << "> in a program that uses mesh <" << core::toString(mesh) << ">; ";
  if (other.mesh.isMaximal())
    return diagnostic << "that has no device " << other.mesh.deviceAt(0)
                      << ": name one of its devices";
  if (other.mesh.numDevices() != mesh.numDevices())
    return diagnostic << "one program runs on one set of devices, but these are "
                      << other.mesh.numDevices() << " and " << mesh.numDevices()
                      << ": write all shardings on meshes of the same devices";
  return diagnostic << "all meshes of a program need the same axes, in any order of devices: run "
                       "shardwise-unify-meshes first";
}

/// As many as `shardwise plan` takes: what devices hold is counted one by one, and more than an i32
/// has would not fit `mhlo.num_partitions`.
constexpr int64_t kMostDevices = int64_t{1} << 24;

} // namespace

FailureOr<core::Mesh> programMesh(ModuleOp module, std::optional<int64_t> maxDevices) {
  // Meshes with axes go before single devices: an op on device 3 says that there is one, not how
  // many there are.
  std::vector<UsedMesh> used = usedMeshes(module);
  std::optional<core::Mesh> found;
  for (const UsedMesh &one : used)
    if (!found && !one.mesh.isMaximal())
      found = one.mesh;
  // Without a sharding, propagation has nothing to go by, but the mesh still says how many devices
  // run the program.
  for (auto op : module.getOps<sdy::MeshOp>())
    if (!found && !sdy::toCore(op.getMesh()).axes().empty())
      found = sdy::toCore(op.getMesh());
  if (!found && !used.empty())
    found = used.front().mesh;
  for (const UsedMesh &one : used)
    if (failed(checkMeshes(*found, one)))
      return failure();
  core::Mesh mesh = found.value_or(core::Mesh());
  if (mesh.numDevices() <= std::min(maxDevices.value_or(kMostDevices), kMostDevices))
    return mesh;

  Location location = module.getLoc();
  for (auto op : module.getOps<sdy::MeshOp>())
    if (sdy::toCore(op.getMesh()) == mesh)
      location = op.getLoc();
  auto diagnostic = emitError(location) << "mesh <" << core::toString(mesh) << "> has "
                                        << mesh.numDevices() << " devices, but at most ";
  if (maxDevices && *maxDevices < kMostDevices)
    diagnostic << *maxDevices << " are allowed (--devices); allow more or make the mesh smaller";
  else
    diagnostic << kMostDevices << " can be planned for; make the mesh smaller";
  return failure();
}

LogicalResult checkShardingForm(ModuleOp module) {
  // With a mesh the program has shardings of the form that is read; others beside them do no harm.
  if (!module.getOps<sdy::MeshOp>().empty())
    return success();
  auto check = [](Location location, DictionaryAttr attributes) -> LogicalResult {
    auto sharding = attributes ? attributes.getAs<StringAttr>("mhlo.sharding") : nullptr;
    // Without a list of devices every device has all of it.
    if (!sharding || !sharding.getValue().contains("devices="))
      return success();
    return emitError(location) << "sharding mhlo.sharding = " << sharding
                               << " is of the partitioner before Shardy; export with Shardy "
                                  "(jax.config.update(\"jax_use_shardy_partitioner\", True)), "
                                  "which writes sdy.sharding";
  };
  WalkResult walk = module.walk([&](Operation *op) {
    bool isKnown = succeeded(check(op->getLoc(), op->getDiscardableAttrDictionary()));
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (unsigned i = 0; isKnown && i < function.getNumArguments(); ++i)
        isKnown = succeeded(
            check(function.isExternal() ? function.getLoc() : function.getArgument(i).getLoc(),
                  function.getArgAttrDict(i)));
      for (unsigned i = 0; isKnown && i < function.getNumResults(); ++i)
        isKnown = succeeded(check(function.getLoc(), function.getResultAttrDict(i)));
    }
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return success(!walk.wasInterrupted());
}

bool needsEqualShards(sdy::ShardingPlaceKind kind) {
  switch (kind) {
  case sdy::ShardingPlaceKind::CollectiveResult:
  case sdy::ShardingPlaceKind::ManualOperand:
  case sdy::ShardingPlaceKind::ManualResult:
  case sdy::ShardingPlaceKind::NamedOperand:
  case sdy::ShardingPlaceKind::NamedResult:
    return true;
  case sdy::ShardingPlaceKind::FunctionArgument:
  case sdy::ShardingPlaceKind::FunctionResult:
  case sdy::ShardingPlaceKind::OpResult:
  case sdy::ShardingPlaceKind::Constraint:
  case sdy::ShardingPlaceKind::Reshard:
  case sdy::ShardingPlaceKind::DataFlowEdge:
  case sdy::ShardingPlaceKind::LocalOperand:
    return false;
  }
  llvm_unreachable("not a kind of place");
}

bool isCutToEqualShards(sdy::ShardingPlaceKind kind) {
  return kind == sdy::ShardingPlaceKind::ManualOperand ||
         kind == sdy::ShardingPlaceKind::ManualResult;
}

bool hasUnevenAnnotation(ModuleOp module, WrittenDims written) {
  SymbolTable symbols(module);
  bool isUneven = false;
  sdy::forEachSharding(module, [&](const sdy::ShardingPlace &place) {
    // What a user writes: shardings of op results and data-flow edges are there after propagation
    // too, which does not ask whether they divide.
    bool isOfFunction = isa<func::FuncOp>(place.op);
    if (!isOfFunction && place.kind != sdy::ShardingPlaceKind::Constraint &&
        place.kind != sdy::ShardingPlaceKind::Reshard)
      return;
    auto tensor = dyn_cast_if_present<RankedTensorType>(place.type);
    sdy::MeshAttr mesh = sdy::getMesh(place.sharding, symbols);
    if (!tensor || !mesh || place.sharding.hasNoAxes())
      return;
    auto sharding = core::resolve(sdy::toCore(place.sharding), sdy::toCore(mesh));
    if (!sharding)
      return; // The verifier has refused it already.
    for (auto uneven = core::unevenDim(tensor.getShape(), *sharding); uneven;
         uneven = core::unevenDim(tensor.getShape(), *sharding, uneven->dim + 1))
      isUneven |=
          !isOfFunction || written == WrittenDims::All || sharding->dims[uneven->dim].isClosed;
  });
  return isUneven;
}

std::vector<UnevenSharding> unevenShardings(ModuleOp module) {
  SymbolTable symbols(module);
  std::vector<UnevenSharding> found;
  forEachWrittenSharding(
      module, [&](const sdy::ShardingPlace &place) { findUneven(place, symbols, found); });
  return found;
}

LogicalResult checkEvenShardings(ModuleOp module) {
  std::vector<UnevenSharding> uneven = unevenShardings(module);
  bool isRefused = false;
  for (const UnevenSharding &sharding : uneven) {
    if (sharding.isCut)
      emitWarning(sharding.location) << sharding.message;
    else
      emitError(sharding.location) << sharding.message;
    isRefused |= !sharding.isCut;
  }
  return success(!isRefused);
}

} // namespace shardwise::importer
