// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function computes which op, control flow aside.

#include "shardwise/reference/BlockEvaluator.h"
#include "shardwise/reference/ElementTypes.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/Diagnostics.h>

namespace shardwise::reference {
namespace {

/// Ops of the sdy dialect that say where a value lives, not what it is.
bool isShardingOp(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"sdy.sharding_constraint",
                                          "sdy.reshard",
                                          "sdy.propagation_barrier",
                                          "sdy.data_flow_edge",
                                          "sdy.all_gather",
                                          "sdy.all_slice",
                                          "sdy.all_to_all",
                                          "sdy.collective_permute",
                                          "sdy.all_reduce",
                                          "sdy.reduce_scatter",
                                          "sdy.replicated_to_unreduced",
                                          "sdy.sharded_to_unreduced"};
  return names.contains(name);
}

bool isIdentityTarget(llvm::StringRef target) {
  static const llvm::StringSet<> targets = {"Sharding", "annotate_device_placement",
                                            "LayoutConstraint", "xla.sdy.FuncResultSharding"};
  return targets.contains(target);
}

} // namespace

bool BlockEvaluator::tryIdentity(mlir::Operation &op) {
  auto custom = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  bool isIdentity = llvm::isa<stablehlo::OptimizationBarrierOp>(op) ||
                    isShardingOp(op.getName().getStringRef()) ||
                    (custom && isIdentityTarget(custom.getCallTargetName()));
  if (isIdentity && op.getNumOperands() == op.getNumResults() &&
      op.getOperandTypes() == op.getResultTypes()) {
    defineAs(op.getResults(), listOf(op.getOperands()));
    return true;
  }
  return false;
}

bool BlockEvaluator::tryMovement(mlir::Operation &op) {
  auto one = [&](HostTensor tensor) {
    define(op.getResult(0), std::move(tensor));
    return true;
  };
  auto operand = [&](unsigned number) -> const HostTensor & { return at(op.getOperand(number)); };
  auto from = [&](unsigned number) { return allOf(op.getOperands().drop_front(number)); };
  return llvm::TypeSwitch<mlir::Operation *, bool>(&op)
      .Case<stablehlo::IotaOp>([&](auto typed) { return one(evaluate(typed)); })
      .Case<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, stablehlo::TransposeOp,
            stablehlo::ReverseOp, stablehlo::SliceOp>(
          [&](auto typed) { return one(evaluate(typed, operand(0))); })
      .Case<stablehlo::BitcastConvertOp>([&](auto typed) {
        return operand(0).bytes.size() == zerosOf(op.getResult(0).getType()).bytes.size() &&
               one(evaluate(typed, operand(0)));
      })
      .Case<stablehlo::PadOp, stablehlo::DotGeneralOp, stablehlo::ConvolutionOp,
            stablehlo::GatherOp>(
          [&](auto typed) { return one(evaluate(typed, operand(0), operand(1))); })
      .Case<stablehlo::ConcatenateOp>([&](auto typed) { return one(evaluate(typed, from(0))); })
      .Case<stablehlo::DynamicSliceOp>(
          [&](auto typed) { return one(evaluate(typed, operand(0), from(1))); })
      .Case<stablehlo::DynamicUpdateSliceOp>(
          [&](auto typed) { return one(evaluate(typed, operand(0), operand(1), from(2))); })
      .Default([](mlir::Operation *) { return false; });
}

mlir::FailureOr<bool> BlockEvaluator::tryScalarRegion(mlir::Operation &op) {
  if (!llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp,
                 stablehlo::SortOp, stablehlo::MapOp, stablehlo::SelectAndScatterOp>(op))
    return false;
  auto lookup = [&](mlir::Value value) -> const HostTensor * {
    auto found = values.find(value);
    return found == values.end() ? nullptr : found->second.get();
  };
  auto operands = allOf(op.getOperands());
  mlir::FailureOr<ScalarRegion> first = ScalarRegion::create(op.getRegion(0), lookup);
  if (mlir::failed(first))
    return mlir::failure();
  if (auto select = llvm::dyn_cast<stablehlo::SelectAndScatterOp>(op)) {
    mlir::FailureOr<ScalarRegion> second = ScalarRegion::create(op.getRegion(1), lookup);
    if (mlir::failed(second))
      return mlir::failure();
    define(op.getResult(0), evaluate(select, operands, *first, *second));
    return true;
  }
  if (llvm::isa<stablehlo::MapOp>(op)) {
    auto function = [&](llvm::ArrayRef<Scalar> elements) { return (*first)(elements)[0]; };
    define(op.getResult(0), applyElementwise(function, op.getResult(0).getType(), operands));
    return true;
  }
  llvm::TypeSwitch<mlir::Operation *>(&op)
      .Case<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp,
            stablehlo::SortOp>(
          [&](auto typed) { define(op.getResults(), evaluate(typed, operands, *first)); });
  return true;
}

mlir::FailureOr<bool> BlockEvaluator::tryOther(mlir::Operation &op) {
  llvm::StringRef name = op.getName().getStringRef();
  if (name == "stablehlo.constant" || name == "sdy.constant") {
    auto attr =
        llvm::dyn_cast_or_null<mlir::ElementsAttr>(op.getInherentAttr("value").value_or(nullptr));
    std::optional<HostTensor> tensor = attr ? constantOf(attr) : std::nullopt;
    if (!tensor)
      return op.emitOpError() << "has no readable value";
    define(op.getResult(0), std::move(*tensor));
    return true;
  }
  if (auto size = llvm::dyn_cast<stablehlo::GetDimensionSizeOp>(op)) {
    int64_t dim = static_cast<int64_t>(size.getDimension());
    define(op.getResult(0),
           tensorOf(Scalar::ofInteger(DataType::I32, at(op.getOperand(0)).shape[dim])));
    return true;
  }
  if (llvm::isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op)) {
    define(op.getResult(0), zerosOf(op.getResult(0).getType()));
    return true;
  }
  if (auto generator = llvm::dyn_cast<stablehlo::RngBitGeneratorOp>(op)) {
    const HostTensor &state = at(op.getOperand(0));
    if (state.type != DataType::U64 || state.numElements() < 2)
      return op.emitOpError() << "has a state of type " << op.getOperand(0).getType()
                              << "; expected tensor<2xui64> or tensor<3xui64>";
    define(op.getResults(), evaluate(generator, state));
    return true;
  }
  auto custom = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  if (name == "chlo.top_k" || (custom && custom.getCallTargetName() == "mhlo.topk")) {
    define(op.getResults(), topK(op.getResultTypes(), at(op.getOperand(0))));
    return true;
  }
  if (custom)
    return op.emitOpError() << "custom call target '" << custom.getCallTargetName()
                            << "' is not supported";
  return false;
}

} // namespace shardwise::reference
