// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and cuts of shardings that do not divide. Blocks of a tensor have to be of one size, since
// all devices run one program with one local shape. What binds the user or the meaning of an op is
// refused; what only propagation decided is cut to the longest prefix that divides.

#include "shardwise/transforms/reshard/EvenShardings.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"

namespace shardwise::reshard {

namespace {

using sdy::ShardingPlaceKind;

/// Whether what is uneven at such a place is refused: its sharding is part of what the op means, or
/// of how the program is called. Elsewhere propagation may have chosen the sharding, or extended a
/// constraint.
bool isBinding(ShardingPlaceKind kind) {
  switch (kind) {
  case ShardingPlaceKind::FunctionArgument:
  case ShardingPlaceKind::FunctionResult:
  case ShardingPlaceKind::CollectiveResult:
  case ShardingPlaceKind::ManualOperand:
  case ShardingPlaceKind::ManualResult:
  case ShardingPlaceKind::NamedOperand:
  case ShardingPlaceKind::NamedResult:
    return true;
  case ShardingPlaceKind::OpResult:
  case ShardingPlaceKind::Constraint:
  case ShardingPlaceKind::Reshard:
  case ShardingPlaceKind::DataFlowEdge:
    return false;
  }
  llvm_unreachable("not a kind of place");
}

/// Refuses a dimension at a binding place. The message starts with the argument or result where the
/// op is a function, which has many.
void refuse(const sdy::ShardingPlace &place, const core::UnevenDim &uneven,
            const core::AxisList &axes, const core::Mesh &mesh) {
  std::string names;
  for (const core::Axis &axis : axes)
    names += (names.empty() ? "" : ", ") + core::toString(axis, mesh);
  bool isOfFunction = mlir::isa<mlir::func::FuncOp>(place.op);
  place.op->emitError(isOfFunction ? sdy::toString(place) + ": " : "")
      << core::toString(uneven) << " (" << names << "); pad the dimension or choose other axes";
}

} // namespace

core::Sharding evenPlacement(const core::Shape &shape, const core::Sharding &placement) {
  core::Sharding even = placement;
  for (size_t d = 0; d < even.dims.size(); ++d)
    even.dims[d].axes =
        shape[d] == 0 ? core::AxisList() : core::evenPrefix(placement.dims[d].axes, shape[d]);
  return even;
}

llvm::LogicalResult makeShardingsEven(mlir::ModuleOp module, ShardedProgram &program) {
  bool isEven = true;
  sdy::updateShardings(module, [&](const sdy::ShardingPlace &place) {
    auto tensor = mlir::dyn_cast_or_null<mlir::RankedTensorType>(place.type);
    if (!tensor)
      return place.sharding;
    const core::Sharding &placement = program.placementOf(place.sharding, tensor);
    std::optional<core::UnevenDim> uneven = core::unevenDim(tensor.getShape(), placement);
    if (!uneven)
      return place.sharding;
    if (isBinding(place.kind)) {
      refuse(place, *uneven, placement.dims[uneven->dim].axes,
             program.meshAt(program.writtenMeshOf(place.sharding)));
      isEven = false;
      return place.sharding;
    }
    // Whoever wrote the sharding gets less than they asked for, and should know.
    if (place.kind == ShardingPlaceKind::Constraint || place.kind == ShardingPlaceKind::Reshard)
      place.op->emitRemark(core::toString(*uneven))
          << " and is cut less; pad the dimension or choose other axes";
    return program.attributeFor(evenPlacement(tensor.getShape().vec(), placement),
                                program.writtenMeshOf(place.sharding));
  });
  return llvm::success(isEven);
}

} // namespace shardwise::reshard
