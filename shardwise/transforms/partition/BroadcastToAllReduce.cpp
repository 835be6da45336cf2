// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-broadcast-to-all-reduce, for compilers without collective_broadcast.
//
// The sum of a value and of zeros is the value, but for -0.0 and for the bits of a NaN: numbers are
// summed as the integers that have their bits. A complex number is summed part by part.
//   1. Devices that are first in their group keep the bits, all others have zeros.
//   2. all_reduce over the same groups; one of its own for a device in none, which gets zeros.

#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/transforms/partition/CollectiveDevices.h"
#include "shardwise/transforms/partition/LocalForms.h"
#include "shardwise/transforms/partition/Passes.h"

namespace shardwise::partition {

#define GEN_PASS_DEF_BROADCASTTOALLREDUCE
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

/// Writes the ops for one broadcast.
class Broadcast {
public:
  Broadcast(stablehlo::CollectiveBroadcastOp op, const DeviceRows &rows, int64_t numDevices)
      : op(op), builder(op), location(op.getLoc()), rows(rows), numDevices(numDevices) {}

  void replace() {
    mlir::Value isFirst = firstFlag();
    DeviceRows all = rows;
    std::vector<bool> isListed(numDevices, false);
    for (const std::vector<int64_t> &row : rows)
      for (int64_t device : row)
        isListed[device] = true;
    for (int64_t device = 0; device < numDevices; ++device)
      if (!isListed[device])
        all.push_back({device});
    groups = toAttr(op->getContext(), all);
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      result.replaceAllUsesWith(sumOf(operand, isFirst));
    op->erase();
  }

private:
  template <class Op>
  mlir::Value create(mlir::Type type, mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return createValue<Op>(builder, location, type, operands, attributes);
  }

  /// Whether this device is the first of a group.
  mlir::Value firstFlag() {
    mlir::Type ui32 = builder.getIntegerType(32, /*isSigned=*/false);
    mlir::Type i1 = builder.getI1Type();
    auto scalar = mlir::RankedTensorType::get({}, ui32);
    mlir::Value id = create<stablehlo::PartitionIdOp>(scalar, {});
    if (rows.size() == 1) {
      mlir::Value first = stablehlo::createConstant(
          builder, location,
          mlir::DenseElementsAttr::get(scalar, static_cast<uint32_t>(rows[0][0])));
      auto direction = stablehlo::ComparisonDirectionAttr::get(builder.getContext(),
                                                               stablehlo::ComparisonDirection::EQ);
      return create<stablehlo::CompareOp>(mlir::RankedTensorType::get({}, i1), {id, first},
                                          builder.getNamedAttr("comparison_direction", direction));
    }
    llvm::SmallVector<bool> isFirst(numDevices, false);
    for (const std::vector<int64_t> &row : rows)
      isFirst[row[0]] = true;
    auto table = mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({numDevices}, i1),
                                              llvm::ArrayRef<bool>(isFirst));
    return elementAt(builder, location, table, id);
  }

  mlir::Value sumOf(mlir::Value value, mlir::Value isFirst) {
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type.getElementType())) {
      auto part = type.clone(complex.getElementType());
      mlir::Value real = sumOf(create<stablehlo::RealOp>(part, value), isFirst);
      mlir::Value imag = sumOf(create<stablehlo::ImagOp>(part, value), isFirst);
      return create<stablehlo::ComplexOp>(type, {real, imag});
    }
    if (mlir::isa<mlir::FloatType>(type.getElementType())) {
      auto bits = type.clone(builder.getIntegerType(type.getElementTypeBitWidth(), false));
      value = sumOf(create<stablehlo::BitcastConvertOp>(bits, value), isFirst);
      return create<stablehlo::BitcastConvertOp>(type, value);
    }
    mlir::Value zeros = stablehlo::createZeros(builder, location, type);
    mlir::Value own = create<stablehlo::SelectOp>(type, {isFirst, value, zeros});
    // The groups are of device numbers, whatever the ids of the broadcast were.
    mlir::Attribute channel = op->getAttr("channel_handle");
    if (!channel)
      channel = stablehlo::ChannelHandleAttr::get(op->getContext(), /*handle=*/1, /*type=*/1);
    auto reduced = stablehlo::AllReduceOp::create(
        builder, location, mlir::TypeRange(type), mlir::ValueRange(own),
        llvm::ArrayRef<mlir::NamedAttribute>{
            builder.getNamedAttr("replica_groups", groups),
            builder.getNamedAttr("channel_handle", channel),
            builder.getNamedAttr("use_global_device_ids", builder.getUnitAttr())});
    stablehlo::buildReducer(builder, location, reduced.getComputation(), core::ReductionKind::Sum,
                            type.clone(llvm::ArrayRef<int64_t>{}));
    return reduced->getResult(0);
  }

  stablehlo::CollectiveBroadcastOp op;
  mlir::OpBuilder builder;
  mlir::Location location;
  const DeviceRows &rows;
  int64_t numDevices;
  mlir::DenseIntElementsAttr groups;
};

class BroadcastToAllReducePass : public impl::BroadcastToAllReduceBase<BroadcastToAllReducePass> {
public:
  using Base::Base;

  void runOnOperation() override {
    llvm::SmallVector<stablehlo::CollectiveBroadcastOp> broadcasts;
    getOperation().walk([&](stablehlo::CollectiveBroadcastOp op) { broadcasts.push_back(op); });
    if (broadcasts.empty())
      return;
    auto devices = CollectiveDevices::create(getOperation());
    if (failed(devices))
      return signalPassFailure();
    for (stablehlo::CollectiveBroadcastOp op : broadcasts) {
      if (op.getHasDynamicRoot()) {
        op.emitOpError("has its root as an operand, which is not supported; expected the first "
                       "process of each group as root");
        return signalPassFailure();
      }
      auto rows = devices->rowsOf(op);
      if (failed(rows))
        return signalPassFailure();
      Broadcast(op, **rows, devices->numDevices()).replace();
    }
  }
};

} // namespace

} // namespace shardwise::partition
