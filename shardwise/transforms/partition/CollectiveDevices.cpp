// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups and pairs by the rules of StableHLO (extensions/ProcessGroups.h), asked for one device of
// each group: costs the number of devices, once for groups that are written alike.

#include "shardwise/transforms/partition/CollectiveDevices.h"

#include "shardwise/dialect/extensions/ProcessGroups.h"
#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/transforms/partition/LocalForms.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

#include <algorithm>

namespace shardwise::partition {

namespace {

/// How the ids of `op` name devices.
core::GroupStrategy strategyOf(mlir::ModuleOp module, mlir::Operation *op) {
  bool isReducing =
      mlir::isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::ReduceScatterOp>(op);
  return extensions::groupStrategy(module, stablehlo::channelOf(op), isReducing,
                                   op->hasAttr("use_global_device_ids"));
}

} // namespace

llvm::FailureOr<CollectiveDevices> CollectiveDevices::create(mlir::ModuleOp module) {
  core::ProcessGrid grid = extensions::processGridOf(module);
  if (!grid.partitions || *grid.partitions < 1 || grid.replicas.value_or(1) != 1)
    return module->emitError("is no per-device program: expected mhlo.num_partitions = N and "
                             "mhlo.num_replicas = 1; run sdy-convert-global-to-local first");
  return CollectiveDevices(module, *grid.partitions);
}

llvm::FailureOr<const DeviceRows *> CollectiveDevices::rowsOf(mlir::Operation *op) {
  mlir::Attribute groups = stablehlo::replicaGroupsOf(op);
  core::GroupStrategy strategy = strategyOf(module, op);
  auto [entry, isNew] =
      known.try_emplace({groups.getAsOpaquePointer(), static_cast<int>(strategy)});
  DeviceRows &rows = entry->second;
  if (!isNew)
    return &rows;
  auto fail = [&]() -> llvm::FailureOr<const DeviceRows *> {
    known.erase(entry);
    return llvm::failure();
  };
  auto processGroups = extensions::processGroupsOf(*op, groups, strategy);
  if (failed(processGroups))
    return fail();
  std::vector<bool> isListed(deviceCount, false);
  for (int64_t device = 0; device < deviceCount; ++device) {
    if (isListed[device] || !processGroups->hasGroup(device, deviceCount))
      continue;
    auto group = processGroups->groupOf(device, deviceCount);
    if (!group) {
      op->emitOpError() << group.error().message;
      return fail();
    }
    for (int64_t member : *group)
      isListed[member] = true;
    rows.push_back(std::move(*group));
  }
  return &rows;
}

llvm::FailureOr<std::vector<int64_t>>
CollectiveDevices::pairsOf(stablehlo::CollectivePermuteOp op) {
  auto pairs = mlir::dyn_cast<mlir::DenseIntElementsAttr>(op.getSourceTargetPairs());
  if (!pairs || pairs.getNumElements() % 2 != 0)
    return op.emitOpError() << "has source_target_pairs " << op.getSourceTargetPairs()
                            << "; expected a list of pairs";
  core::GroupStrategy strategy = strategyOf(module, op);
  // Ids of replicas are the same for every partition; of partitions, there is one replica.
  bool areReplicas = strategy == core::GroupStrategy::CrossReplica;
  std::vector<int64_t> numbers;
  for (int64_t partition = 0; partition < (areReplicas ? deviceCount : 1); ++partition)
    for (int64_t id : pairs.getValues<int64_t>()) {
      int64_t device = core::rankOfId(id, strategy, partition, deviceCount);
      if (device < 0 || device >= deviceCount)
        return op.emitOpError() << "names device " << id << ", but the program is for "
                                << deviceCount;
      numbers.push_back(device);
    }
  return numbers;
}

mlir::DenseIntElementsAttr toAttr(mlir::MLIRContext *context, const DeviceRows &rows) {
  size_t width = 0;
  for (const std::vector<int64_t> &row : rows)
    width = std::max(width, row.size());
  llvm::SmallVector<int64_t> ids;
  ids.reserve(rows.size() * width);
  for (const std::vector<int64_t> &row : rows) {
    ids.append(row.begin(), row.end());
    ids.append(width - row.size(), -1);
  }
  auto type = mlir::RankedTensorType::get({std::ssize(rows), static_cast<int64_t>(width)},
                                          mlir::IntegerType::get(context, 64));
  return mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int64_t>(ids));
}

mlir::DenseIntElementsAttr pairsAttr(mlir::MLIRContext *context, std::span<const int64_t> numbers) {
  auto type = mlir::RankedTensorType::get({std::ssize(numbers) / 2, 2},
                                          mlir::IntegerType::get(context, 64));
  return mlir::DenseIntElementsAttr::get(type,
                                         llvm::ArrayRef<int64_t>(numbers.data(), numbers.size()));
}

mlir::Value elementAt(mlir::OpBuilder &builder, mlir::Location location,
                      mlir::DenseElementsAttr table, mlir::Value index) {
  mlir::Type element = table.getElementType();
  mlir::Value all = stablehlo::createConstant(builder, location, table);
  mlir::Value one = stablehlo::createDynamicSlice(builder, location, all, index, {1});
  return createValue<stablehlo::ReshapeOp>(builder, location,
                                           mlir::RankedTensorType::get({}, element), one);
}

} // namespace shardwise::partition
