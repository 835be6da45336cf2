// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside a manual computation no sharding names its manual axes, so that a value is partial along
// one of them shows at the border only:
//   %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{}], unreduced={"x"}>]
//       out_shardings=[<@m, [{}]>] manual_axes={"x"} (%l: tensor<8xf32>) {
//     %n = stablehlo.negate %l                  // partial along "x"
//     sdy.return %n : tensor<8xf32>             // whole: an error
//   }
// One walk over the body in program order follows the axes:
//   1. An argument has the manual axes along which its `in_sharding` is unreduced.
//   2. Results and region arguments of an op have those of all operands, however the op uses them.
//   3. An op with effects has none: devices may exchange values there, and combine them as they
//      like.
// Axes may appear in `out_shardings` alone: each device then gives its own part of a sum.

#include "shardwise/transforms/export/PartialsInManualComputations.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace shardwise::exporter {

namespace {

/// Manual axes along which a value is partial.
struct Partial {
  core::AxisList axes;
  core::ReductionKind kind = core::ReductionKind::Sum;
};

class Follower {
public:
  Follower(sdy::ManualComputationOp manual, const mlir::SymbolTable &symbols)
      : manual(manual), symbols(symbols) {}

  mlir::LogicalResult verify() {
    for (auto [argument, sharding] :
         llvm::zip_equal(manual.getBody().getArguments(), manual.getInShardings().getShardings()))
      add(argument, manualPart(sharding));
    if (partials.empty())
      return mlir::success();
    manual.getBody().walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) { follow(op); });
    bool isOk = true;
    for (mlir::OpOperand &operand : manual.getBody().front().getTerminator()->getOpOperands())
      isOk &= succeeded(verifyResult(operand));
    return mlir::success(isOk);
  }

private:
  Partial manualPart(sdy::TensorShardingAttr sharding) {
    Partial part;
    sdy::MeshAttr own = sdy::getMesh(sharding, symbols);
    if (!own || sdy::toCore(sharding).unreduced.empty())
      return part;
    mesh = own;
    core::Sharding resolved = sdy::resolveVerified(sharding, own);
    part.kind = resolved.reduction;
    for (const core::Axis &axis : resolved.unreduced)
      if (manual.getManualAxesAttr().contains(sdy::toCore(own).axes()[axis.index].name))
        part.axes.push_back(axis);
    return part;
  }

  void add(mlir::Value value, const Partial &partial) {
    if (!partial.axes.empty())
      partials[value] = partial;
  }

  /// Whether devices may exchange values in `op`.
  static bool mayCombine(mlir::Operation *op) {
    // Edges and constraints have effects so that nothing erases them.
    if (mlir::isa<sdy::SdyDialect>(op->getDialect()))
      return mlir::isa<sdy::CollectiveOpInterface>(op);
    return !mlir::isMemoryEffectFree(op);
  }

  void follow(mlir::Operation *op) {
    if (mayCombine(op))
      return;
    Partial joined;
    for (mlir::Value operand : op->getOperands()) {
      auto known = partials.find(operand);
      if (known == partials.end())
        continue;
      if (joined.axes.empty())
        joined.kind = known->second.kind;
      for (const core::Axis &axis : core::setDifference(known->second.axes, joined.axes))
        joined.axes.push_back(axis);
    }
    for (mlir::Value result : op->getResults())
      add(result, joined);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Value argument : region.getArguments())
        add(argument, joined);
  }

  mlir::LogicalResult verifyResult(mlir::OpOperand &operand) {
    auto known = partials.find(operand.get());
    if (known == partials.end())
      return mlir::success();
    Partial out = manualPart(manual.getOutShardings().getShardings()[operand.getOperandNumber()]);
    core::Sharding source, target;
    source.unreduced = core::sortAndMerge(known->second.axes);
    source.reduction = known->second.kind;
    target.unreduced = out.axes;
    target.reduction = out.kind;
    auto emitError = [&] {
      return std::move(operand.getOwner()->emitOpError("operand ")
                       << operand.getOperandNumber() << " to the result of the computation - ");
    };
    return sdy::verifyUnreducedTransition(source, target, mesh, {out.kind, std::nullopt, false},
                                          emitError);
  }

  sdy::ManualComputationOp manual;
  const mlir::SymbolTable &symbols;
  sdy::MeshAttr mesh;
  llvm::DenseMap<mlir::Value, Partial> partials;
};

} // namespace

mlir::LogicalResult verifyPartialsIn(sdy::ManualComputationOp manual,
                                     const mlir::SymbolTable &symbols) {
  return Follower(manual, symbols).verify();
}

} // namespace shardwise::exporter
