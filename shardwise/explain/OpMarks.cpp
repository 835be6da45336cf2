// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mark is an opaque location: the number of the op, and the location that it had.

#include "shardwise/explain/OpMarks.h"

#include "shardwise/dialect/sdy/SdyOps.h"

using namespace mlir;

namespace shardwise::explain {

void forEachNumberedOp(Block &block, llvm::function_ref<void(Operation *)> visit) {
  for (Operation &op : block)
    op.walk<WalkOrder::PreOrder>(visit);
}

namespace {

/// What tells marks from the opaque locations of others.
TypeID markType() {
  static SelfOwningTypeID type;
  return type;
}

} // namespace

void markOps(ModuleOp module) {
  uintptr_t number = 0;
  forEachNumberedOp(*module.getBody(), [&](Operation *op) {
    op->setLoc(OpaqueLoc::get(number++, markType(), op->getLoc()));
  });
}

int64_t opNumberOf(Location location) {
  if (auto mark = dyn_cast<OpaqueLoc>(location))
    return mark.getUnderlyingTypeID() == markType()
               ? static_cast<int64_t>(mark.getUnderlyingLocation())
               : opNumberOf(mark.getFallbackLocation());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return opNumberOf(call.getCallee());
  if (auto named = dyn_cast<NameLoc>(location))
    return opNumberOf(named.getChildLoc());
  auto fused = dyn_cast<FusedLoc>(location);
  if (!fused)
    return -1;
  for (Location part : fused.getLocations())
    if (int64_t number = opNumberOf(part); number >= 0)
      return number;
  return -1;
}

ValueId valueIdOf(Value value) {
  if (auto edge = value.getDefiningOp<sdy::DataFlowEdgeOp>())
    return valueIdOf(edge.getInput());
  if (auto result = dyn_cast<OpResult>(value))
    return {opNumberOf(result.getOwner()->getLoc()), -1,
            static_cast<int32_t>(result.getResultNumber())};
  auto argument = cast<BlockArgument>(value);
  return {opNumberOf(argument.getOwner()->getParentOp()->getLoc()),
          static_cast<int32_t>(argument.getParentRegion()->getRegionNumber()),
          static_cast<int32_t>(argument.getArgNumber())};
}

} // namespace shardwise::explain
