// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-list-devices: groups of collectives as lists, for compilers that do not know
// the axes of meshes.
//
// All that a program says of devices is here, so that it can be said in two ways:
//                    as partitions                        as replicas
//   module           1 replica, N partitions              N replicas, 1 partition
//   own number       partition_id; replica_id is 0        replica_id; partition_id is 0
//   groups           channel, use_global_device_ids       neither: ids are then those of replicas
// A group that lists no device which is there (CrossReplica ids of a user) becomes the devices that
// it means. The size of the text grows with the number of devices: whoever wants it small has axes.

#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/transforms/partition/CollectiveDevices.h"
#include "shardwise/transforms/partition/Passes.h"

#include <algorithm>

namespace shardwise::partition {

#define GEN_PASS_DEF_LISTDEVICES
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

class ListDevicesPass : public impl::ListDevicesBase<ListDevicesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    auto devices = CollectiveDevices::create(getOperation());
    if (failed(devices))
      return signalPassFailure();
    // Channels of collectives that have none come behind those that are taken.
    llvm::SmallVector<mlir::Operation *> collectives;
    getOperation().walk([&](mlir::Operation *op) {
      if (!stablehlo::collectiveKind(op))
        return;
      collectives.push_back(op);
      lastChannel = std::max(lastChannel, stablehlo::channelOf(op));
    });
    for (mlir::Operation *op : collectives)
      if (failed(list(op, *devices)))
        return signalPassFailure();
    if (asReplicas)
      nameReplicas(devices->numDevices());
    else
      replaceByZero<stablehlo::ReplicaIdOp>();
  }

private:
  llvm::LogicalResult list(mlir::Operation *op, CollectiveDevices &devices) {
    mlir::MLIRContext *context = op->getContext();
    if (auto permute = mlir::dyn_cast<stablehlo::CollectivePermuteOp>(op)) {
      auto pairs = devices.pairsOf(permute);
      if (failed(pairs))
        return llvm::failure();
      op->setAttr("source_target_pairs", pairsAttr(context, *pairs));
    } else {
      auto rows = devices.rowsOf(op);
      if (failed(rows))
        return llvm::failure();
      stablehlo::setReplicaGroups(op, toAttr(context, **rows));
    }
    bool mayBeGlobal =
        mlir::isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::ReduceScatterOp>(op);
    if (asReplicas) {
      stablehlo::setChannel(op, 0);
      if (mayBeGlobal)
        op->removeAttr("use_global_device_ids");
      return llvm::success();
    }
    if (stablehlo::channelOf(op) <= 0)
      stablehlo::setChannel(op, ++lastChannel);
    if (mayBeGlobal)
      op->setAttr("use_global_device_ids", mlir::UnitAttr::get(context));
    return llvm::success();
  }

  /// There is one of what `Op` counts.
  template <class Op> void replaceByZero() {
    getOperation().walk([](Op op) {
      mlir::OpBuilder builder(op);
      auto type = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
      op->getResult(0).replaceAllUsesWith(stablehlo::createZeros(builder, op.getLoc(), type));
      op->erase();
    });
  }

  void nameReplicas(int64_t numDevices) {
    replaceByZero<stablehlo::ReplicaIdOp>();
    getOperation().walk([](stablehlo::PartitionIdOp op) {
      mlir::OpBuilder builder(op);
      auto id = stablehlo::ReplicaIdOp::create(builder, op.getLoc(), op->getResultTypes(),
                                               mlir::ValueRange(),
                                               llvm::ArrayRef<mlir::NamedAttribute>());
      op->replaceAllUsesWith(id);
      op->erase();
    });
    mlir::Builder builder(&getContext());
    getOperation()->setAttr("mhlo.num_replicas",
                            builder.getI32IntegerAttr(static_cast<int32_t>(numDevices)));
    getOperation()->setAttr("mhlo.num_partitions", builder.getI32IntegerAttr(1));
  }

  int64_t lastChannel = 0;
};

} // namespace

} // namespace shardwise::partition
