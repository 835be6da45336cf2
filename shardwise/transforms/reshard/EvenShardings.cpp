// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and cuts of shardings that do not divide.

#include "shardwise/transforms/reshard/EvenShardings.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"
#include "shardwise/transforms/import/CheckProgram.h"

namespace shardwise::reshard {

namespace {

using sdy::ShardingPlaceKind;

core::Sharding evenPlacement(llvm::ArrayRef<int64_t> shape, const core::Sharding &placement) {
  core::Sharding even = placement;
  for (size_t d = 0; d < even.dims.size(); ++d)
    even.dims[d].axes = core::evenPrefix(placement.dims[d].axes, shape[d]);
  return even;
}

std::optional<core::UnevenDim> unevenDimOf(const sdy::ShardingPlace &place,
                                           ShardedProgram &program) {
  auto tensor = mlir::dyn_cast_or_null<mlir::RankedTensorType>(place.type);
  if (!tensor)
    return std::nullopt;
  return core::unevenDim(tensor.getShape(), program.placementOf(place.sharding, tensor));
}

/// Whether a sharding at such a place was chosen for a value that nobody annotated.
bool isInside(ShardingPlaceKind kind) {
  return kind == ShardingPlaceKind::OpResult || kind == ShardingPlaceKind::DataFlowEdge;
}

} // namespace

llvm::LogicalResult makeShardingsEven(mlir::ModuleOp module, ShardedProgram &program) {
  bool isEven = true;
  bool keepsInside = importer::hasUnevenAnnotation(module, importer::WrittenDims::All);
  sdy::updateShardings(module, [&](const sdy::ShardingPlace &place) {
    if (!importer::needsEqualShards(place.kind) && (keepsInside || !isInside(place.kind)))
      return place.sharding;
    std::optional<core::UnevenDim> uneven = unevenDimOf(place, program);
    if (!uneven)
      return place.sharding;
    auto tensor = mlir::cast<mlir::RankedTensorType>(place.type);
    const core::Sharding &placement = program.placementOf(place.sharding, tensor);
    if (place.kind == ShardingPlaceKind::CollectiveResult) {
      const core::Mesh &mesh = program.meshAt(program.writtenMeshOf(place.sharding));
      place.op->emitError(core::toString(*uneven))
          << " (" << core::toString(placement.dims[uneven->dim].axes, mesh)
          << "); pad the dimension or choose other axes";
      isEven = false;
      return place.sharding;
    }
    // There axes get lost that somebody may have wanted.
    if (!isInside(place.kind))
      place.op->emitRemark(core::toString(*uneven))
          << " and is cut less; pad the dimension or choose other axes";
    return program.attributeFor(evenPlacement(tensor.getShape(), placement),
                                program.writtenMeshOf(place.sharding));
  });
  return llvm::success(isEven);
}

} // namespace shardwise::reshard
