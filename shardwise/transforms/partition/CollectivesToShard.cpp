// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-collectives-to-shard. A grid is a mesh without an order of devices: process i
// is the one at row-major position i. All meshes of a program have the same axes, so there is one
// grid.
//
// Devices of each collective are looked at as lists (CollectiveDevices.h), so that groups over axes
// and groups that a user listed are one case:
//   1. Groups: the axes over which the grid has just these groups. Axes that are written are tried
//      first, then all subsets in mesh order. On 2x4, [[0, 4], [1, 5], [2, 6], [3, 7]] is axis 0.
//   2. Pairs: every device sends, each the same number of steps along one axis, around its end: a
//      rotation. [[0, 1], [1, 2], [2, 3], [3, 0]] is offset 1 on a grid of 4.
//   3. A broadcast is one along all axes, from the coordinates of its root.
// What fits nowhere is refused: the dialect has no lists.

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/transforms/partition/CollectiveDevices.h"
#include "shardwise/transforms/partition/LocalForms.h"
#include "shardwise/transforms/partition/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>

namespace shardwise::partition {

#define GEN_PASS_DEF_COLLECTIVESTOSHARD
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

namespace shard = mlir::shard;

/// What one collective does, in terms of the dialect.
using GridAxes = llvm::SmallVector<int16_t>;

struct Rotation {
  int16_t axis = 0;
  int64_t offset = 0;
};

/// The axes of `written` if all of them are whole axes of `mesh`.
std::optional<GridAxes> wholeAxes(stablehlo::ReplicaGroupMeshAxesAttr written,
                                  const core::Mesh &mesh) {
  GridAxes axes;
  for (stablehlo::AxisRefAttr ref : written.getAxes()) {
    std::optional<int64_t> axis = mesh.axisIndexOrNull(ref.getName());
    if (!axis || ref.getSubAxisInfo())
      return std::nullopt;
    axes.push_back(static_cast<int16_t>(*axis));
  }
  return axes;
}

bool areGroupsOver(const GridAxes &axes, const DeviceRows &rows, const core::Mesh &mesh) {
  core::AxisList list;
  for (int16_t axis : axes)
    list.push_back(core::fullAxis(mesh, axis));
  if (rows.empty() || core::shardedSize(list) != std::ssize(rows.front()))
    return false;
  std::vector<core::ReplicaGroup> groups = core::replicaGroups(mesh, list);
  // Rows come by their smallest device, as they were found.
  std::ranges::sort(groups, {}, [](const auto &group) { return *std::ranges::min_element(group); });
  return std::ranges::equal(groups, rows);
}

std::optional<GridAxes> axesOf(mlir::Operation *op, const DeviceRows &rows,
                               const core::Mesh &mesh) {
  if (auto written = op->getAttrOfType<stablehlo::ReplicaGroupMeshAxesAttr>("replica_groups"))
    if (auto axes = wholeAxes(written, mesh); axes && areGroupsOver(*axes, rows, mesh))
      return axes;
  // A mesh has few axes; more than these are not tried.
  for (uint32_t subset = 0; subset < 1u << std::min<int64_t>(mesh.numAxes(), 10); ++subset) {
    GridAxes axes;
    for (int16_t axis = 0; axis < mesh.numAxes(); ++axis)
      if (subset & 1u << axis)
        axes.push_back(axis);
    if (areGroupsOver(axes, rows, mesh))
      return axes;
  }
  return std::nullopt;
}

std::optional<Rotation> rotationOf(std::span<const int64_t> pairs, const core::Mesh &mesh) {
  if (std::ssize(pairs) != 2 * mesh.numDevices())
    return std::nullopt;
  auto offsets = [&](size_t pair) {
    std::vector<int64_t> source = mesh.coordinates(pairs[pair]);
    std::vector<int64_t> steps = mesh.coordinates(pairs[pair + 1]);
    for (size_t axis = 0; axis < steps.size(); ++axis) {
      int64_t size = mesh.axisSize(static_cast<int64_t>(axis));
      steps[axis] = (steps[axis] - source[axis] + size) % size;
    }
    return steps;
  };
  std::vector<int64_t> first = offsets(0);
  for (size_t pair = 2; pair < pairs.size(); pair += 2)
    if (offsets(pair) != first)
      return std::nullopt;
  auto moves = std::ranges::find_if(first, [](int64_t steps) { return steps != 0; });
  if (moves == first.end() || std::any_of(moves + 1, first.end(), [](int64_t s) { return s != 0; }))
    return std::nullopt;
  return Rotation{static_cast<int16_t>(moves - first.begin()), *moves};
}

/// The reduction of the region of `op`; none if the dialect has none for it.
std::optional<shard::ReductionKind> reductionOf(mlir::Operation *op) {
  std::optional<core::ReductionKind> kind = stablehlo::reductionOf(op->getRegion(0));
  if (!kind)
    return std::nullopt;
  bool isBoolean = mlir::getElementTypeOrSelf(op->getOperand(0).getType()).isInteger(1);
  switch (*kind) {
  case core::ReductionKind::Sum:
    return isBoolean ? shard::ReductionKind::BitwiseOr : shard::ReductionKind::Sum;
  case core::ReductionKind::Max:
    return isBoolean ? shard::ReductionKind::BitwiseOr : shard::ReductionKind::Max;
  case core::ReductionKind::Min:
    return isBoolean ? shard::ReductionKind::BitwiseAnd : shard::ReductionKind::Min;
  case core::ReductionKind::Product:
    return isBoolean ? shard::ReductionKind::BitwiseAnd : shard::ReductionKind::Product;
  case core::ReductionKind::And:
    return shard::ReductionKind::BitwiseAnd;
  case core::ReductionKind::Or:
    return shard::ReductionKind::BitwiseOr;
  }
  return std::nullopt;
}

/// Rewrites the ops of one module.
class ToShard {
public:
  ToShard(mlir::ModuleOp module, core::Mesh mesh, CollectiveDevices devices)
      : mesh(std::move(mesh)), devices(std::move(devices)), builder(module.getContext()) {
    std::vector<int64_t> shape;
    for (const core::MeshAxis &axis : this->mesh.axes())
      shape.push_back(axis.size);
    // Inserted by the table, which finds another name if there is a symbol `grid`.
    auto op = shard::GridOp::create(builder, module.getLoc(), "grid", shape);
    grid = mlir::SymbolTable(module).insert(op, module.getBody()->begin()).getValue();
  }

  /// Replaces `op`, a collective. Fails with a diagnostic.
  llvm::LogicalResult convert(mlir::Operation *op) {
    builder.setInsertionPoint(op);
    if (auto permute = mlir::dyn_cast<stablehlo::CollectivePermuteOp>(op))
      return shift(permute);
    auto rows = devices.rowsOf(op);
    if (failed(rows))
      return llvm::failure();
    if (auto broadcast = mlir::dyn_cast<stablehlo::CollectiveBroadcastOp>(op))
      return this->broadcast(broadcast, **rows);
    if (!mlir::isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::ReduceScatterOp,
                   stablehlo::AllToAllOp>(op))
      return refuse(op, "the dialect has no such collective");
    std::optional<GridAxes> axes = axesOf(op, **rows, mesh);
    if (!axes)
      return refuse(op, "its groups are not those along whole axes of the grid");
    std::optional<shard::ReductionKind> kind = shard::ReductionKind::Sum;
    if (mlir::isa<stablehlo::AllReduceOp, stablehlo::ReduceScatterOp>(op))
      kind = reductionOf(op);
    if (!kind)
      return refuse(op, "its region is not one reduction");
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults())) {
      if (operand.getType() == result.getType() || !mlir::isa<stablehlo::AllReduceOp>(op)) {
        result.replaceAllUsesWith(create(op, operand, result.getType(), *axes, *kind));
        continue;
      }
      return refuse(op, "it changes the element type");
    }
    op->erase();
    return llvm::success();
  }

  void convert(stablehlo::PartitionIdOp op) {
    builder.setInsertionPoint(op);
    mlir::Location location = op.getLoc();
    mlir::Value index = shard::ProcessLinearIndexOp::create(builder, location, grid);
    auto scalar = [](mlir::Type type) { return mlir::RankedTensorType::get({}, type); };
    mlir::Value tensor = mlir::tensor::FromElementsOp::create(
        builder, location, scalar(builder.getIndexType()), mlir::ValueRange(index));
    mlir::Value number =
        mlir::arith::IndexCastUIOp::create(builder, location, scalar(builder.getI32Type()), tensor);
    op->getResult(0).replaceAllUsesWith(
        mlir::tensor::BitcastOp::create(builder, location, op->getResult(0).getType(), number));
    op->erase();
  }

private:
  llvm::LogicalResult refuse(mlir::Operation *op, llvm::StringRef reason) {
    return op->emitOpError("cannot be said in MLIR's dialect shard: ")
           << reason << "; use another form";
  }

  mlir::Value create(mlir::Operation *op, mlir::Value operand, mlir::Type type,
                     const GridAxes &axes, shard::ReductionKind kind) {
    mlir::Location location = op->getLoc();
    auto dim = [&](llvm::StringRef name) {
      return llvm::APInt(64, op->getAttrOfType<mlir::IntegerAttr>(name).getInt());
    };
    if (mlir::isa<stablehlo::AllGatherOp>(op))
      return shard::AllGatherOp::create(builder, location, type, grid, axes, operand,
                                        dim("all_gather_dim"));
    if (mlir::isa<stablehlo::AllReduceOp>(op))
      return shard::AllReduceOp::create(builder, location, type, grid, axes, operand, kind);
    if (mlir::isa<stablehlo::ReduceScatterOp>(op))
      return shard::ReduceScatterOp::create(builder, location, type, grid, axes, operand, kind,
                                            dim("scatter_dimension"));
    return shard::AllToAllOp::create(builder, location, type, grid, axes, operand,
                                     dim("split_dimension"), dim("concat_dimension"));
  }

  llvm::LogicalResult shift(stablehlo::CollectivePermuteOp op) {
    auto pairs = devices.pairsOf(op);
    if (failed(pairs))
      return llvm::failure();
    std::optional<Rotation> rotation = rotationOf(*pairs, mesh);
    auto type = mlir::cast<mlir::RankedTensorType>(op.getOperand().getType());
    if (!rotation || type.getRank() == 0)
      return refuse(op, rotation ? "it shifts scalars"
                                 : "it is not a rotation of all devices along one axis");
    op->getResult(0).replaceAllUsesWith(
        shard::ShiftOp::create(builder, op.getLoc(), type, grid, {rotation->axis}, op.getOperand(),
                               llvm::APInt(64, rotation->axis), rotation->offset, /*rotate=*/true));
    op->erase();
    return llvm::success();
  }

  llvm::LogicalResult broadcast(stablehlo::CollectiveBroadcastOp op, const DeviceRows &rows) {
    if (op.getHasDynamicRoot() || rows.size() != 1 || std::ssize(rows.front()) != mesh.numDevices())
      return refuse(op, "it is not from one device to all");
    GridAxes axes;
    for (int16_t axis = 0; axis < mesh.numAxes(); ++axis)
      axes.push_back(axis);
    std::vector<int64_t> root = mesh.coordinates(rows.front().front());
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      result.replaceAllUsesWith(shard::BroadcastOp::create(
          builder, op.getLoc(), result.getType(), grid, axes, operand, root, mlir::ValueRange()));
    op->erase();
    return llvm::success();
  }

  core::Mesh mesh;
  CollectiveDevices devices;
  mlir::OpBuilder builder;
  /// Name of the grid.
  llvm::StringRef grid;
};

/// The mesh that becomes the grid: one whose devices are in order. Without a mesh, a row of
/// devices. Fails with a diagnostic if there are only others.
llvm::FailureOr<core::Mesh> gridOf(mlir::ModuleOp module, int64_t numDevices) {
  sdy::MeshOp other;
  for (auto op : module.getOps<sdy::MeshOp>()) {
    const core::Mesh &mesh = sdy::toCore(op.getMesh());
    if (mesh.axes().empty() || mesh.numDevices() != numDevices)
      continue;
    if (mesh.deviceIds().empty())
      return mesh;
    other = op;
  }
  if (other)
    return other->emitOpError("cannot be said in MLIR's dialect shard: its devices have an order "
                              "of their own; number them in the order of the mesh");
  return core::Mesh::create({{"devices", numDevices}}).value();
}

class CollectivesToShardPass : public impl::CollectivesToShardBase<CollectivesToShardPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    auto devices = CollectiveDevices::create(getOperation());
    if (failed(devices))
      return signalPassFailure();
    auto mesh = gridOf(getOperation(), devices->numDevices());
    if (failed(mesh))
      return signalPassFailure();
    llvm::SmallVector<mlir::Operation *> ops;
    getOperation().walk([&](mlir::Operation *op) {
      if (stablehlo::collectiveKind(op) || mlir::isa<stablehlo::PartitionIdOp>(op))
        ops.push_back(op);
    });
    ToShard toShard(getOperation(), std::move(*mesh), std::move(*devices));
    bool hasFailed = false;
    for (mlir::Operation *op : ops) {
      if (auto id = mlir::dyn_cast<stablehlo::PartitionIdOp>(op))
        toShard.convert(id);
      else
        hasFailed |= failed(toShard.convert(op));
    }
    if (hasFailed)
      signalPassFailure();
  }
};

} // namespace

} // namespace shardwise::partition
