// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of the sdy dialect in a per-device program: they stay, on shards. What gives their
// operand says no more how it lies, so they say it themselves (dialect/sdy/LocalCollectives.h):
//   %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@m, [{}]>          : tensor<8xf32>
// becomes
//   %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@m, [{}]>
//       {sdy.in_sharding = #sdy.sharding<@m, [{"x"}]>}              : (tensor<4xf32>) ->
//       tensor<8xf32>
// CollectiveLowering.cpp has what becomes of them.

#include "shardwise/core/EvenSharding.h"
#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

namespace shardwise::partition {

namespace {

/// Lets `op` say how its operand lies, and what type both its values are shards of if they do not
/// say it.
void makeLocal(mlir::Operation *op, sdy::TensorShardingAttr in, mlir::RankedTensorType global,
               LocalProgram &program) {
  op->setAttr(sdy::kInShardingAttr, in);
  auto isUneven = [&](sdy::TensorShardingAttr sharding) {
    return core::unevenDim(global.getShape(), program.shardings().placementOf(sharding, global))
        .has_value();
  };
  if (isUneven(in) || isUneven(sdy::getSharding(op->getResult(0))))
    op->setAttr(sdy::kGlobalTypeAttr, mlir::TypeAttr::get(global));
}

llvm::LogicalResult collective(mlir::Operation *op, LocalProgram &program) {
  sdy::TensorShardingAttr in = sdy::getSharding(op->getOperand(0));
  if (!in) {
    sdy::TensorShardingAttr out = sdy::getSharding(op->getResult(0));
    in = sdy::getReplicatedSharding(out.getMeshOrRef(), out.getRank());
  }
  makeLocal(op, in, program.globalType(op->getOperand(0)), program);
  return llvm::success();
}

/// A reshard from a single device becomes one to all devices, and a slice:
///   %1 = sdy.reshard %0 <@mesh, [{}, {}]> {sdy.in_sharding = <@device, []>}  : tensor<8x4xf32>
///   %2 = sdy.all_slice [{"x"}, {}] %1 out_sharding=<@mesh, [{"x"}, {}]> ...
void reshardFromDevice(sdy::ReshardOp op, LocalProgram &program) {
  reshard::ShardedProgram &shardings = program.shardings();
  mlir::OpBuilder builder(op);
  mlir::Value value = op.getInput();
  mlir::RankedTensorType global = program.globalType(value);
  mlir::Attribute from = shardings.meshOf(value), to = shardings.meshOf(op.getResult());
  const core::Sharding &target = shardings.placementOf(op.getResult());
  sdy::TensorShardingAttr onAll = shardings.attributeFor(
      shardings.replicated(global.getRank()), shardings.isOneDevice(to) ? mlir::Attribute() : to);
  if (from != to) {
    auto broadcast = sdy::ReshardOp::create(builder, op.getLoc(), global, value, onAll);
    makeLocal(broadcast, shardings.attributeFor(core::Sharding(), from), global, program);
    value = broadcast;
  }
  if (!core::isFullyReplicated(target)) {
    sdy::AxisRefLists lists;
    for (const core::DimSharding &dim : target.dims) {
      lists.emplace_back();
      for (const core::Axis &axis : dim.axes)
        lists.back().push_back(core::toRef(axis, program.mesh()));
    }
    auto slice =
        sdy::AllSliceOp::create(builder, op.getLoc(), op.getType(), value,
                                sdy::ListOfAxisRefListsAttr::get(op.getContext(), std::move(lists)),
                                shardings.attributeFor(target, to));
    makeLocal(slice, onAll, global, program);
    value = slice;
  }
  program.replaceInTheEnd(op.getResult(), value);
  program.eraseInTheEnd(op);
}

/// Only what collectives of the dialect cannot say is left here: the way from a single device.
llvm::LogicalResult reshard(mlir::Operation *op, LocalProgram &program) {
  reshard::ShardedProgram &shardings = program.shardings();
  auto reshardOp = mlir::cast<sdy::ReshardOp>(op);
  const core::Sharding &target = shardings.placementOf(op->getResult(0));
  if (shardings.isOneDevice(shardings.meshOf(op->getOperand(0))) && target.unreduced.empty()) {
    reshardFromDevice(reshardOp, program);
    return llvm::success();
  }
  if (!shardings.isAt(op->getOperand(0), target, shardings.meshOf(op->getResult(0))))
    return op->emitOpError("changes a sharding and has no local form; run "
                           "shardwise-insert-partition-reshards and sdy-reshard-to-collectives "
                           "first");
  program.replaceInTheEnd(op->getResult(0), op->getOperand(0));
  program.eraseInTheEnd(op);
  return llvm::success();
}

} // namespace

void addCollectiveForms(LocalFormRegistry &registry) {
  registry.add<sdy::ReshardOp>(reshard);
  registry.add<sdy::AllGatherOp, sdy::AllReduceOp, sdy::AllSliceOp, sdy::AllToAllOp,
               sdy::CollectivePermuteOp, sdy::ExchangeOp, sdy::ReduceScatterOp,
               sdy::ReplicatedToUnreducedOp, sdy::ShardedToUnreducedOp>(collective);
  // Collectives that the user wrote, inside manual computations, are per device already.
  registry
      .add<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::ReduceScatterOp,
           stablehlo::AllToAllOp, stablehlo::CollectivePermuteOp, stablehlo::CollectiveBroadcastOp>(
          keepForm);
}

} // namespace shardwise::partition
