// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-update-non-divisible-input-output-shardings: at the borders of functions and calls
// axes that do not divide a dimension are cut off. Inside of a program shards may be padded; what
// is passed in and out has to consist of equal shards, since nobody there knows of padding. With
// x=4 and y=2:
//   tensor<6x8xf32>, [{"x"}, {"y"}]    becomes [{"x":(1)2}, {"y"}]
//   tensor<3x8xf32>, [{"x", "y"}, {}]  becomes [{}, {}]

#include "shardwise/core/EvenSharding.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/import/CheckProgram.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_UPDATENONDIVISIBLEINPUTOUTPUTSHARDINGS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using sdy::ShardingPlaceKind;
using sdy::TensorShardingAttr;

class UpdateNonDivisibleInputOutputShardingsPass
    : public impl::UpdateNonDivisibleInputOutputShardingsBase<
          UpdateNonDivisibleInputOutputShardingsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    // Propagation never closes a dimension: what is closed was written.
    bool keepsFunctions =
        keepFunctions || (keepWritten && importer::hasUnevenAnnotation(
                                             getOperation(), importer::WrittenDims::Closed));
    bool changed = sdy::updateShardings(getOperation(), [&](const sdy::ShardingPlace &place) {
      bool isKept = keepsFunctions && mlir::isa<mlir::func::FuncOp>(place.op);
      return mustBeDivisible(place) && !isKept ? divisible(place.sharding, place.type, symbols)
                                               : place.sharding;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  /// At the borders of functions, at calls, and where an op asks for it.
  static bool mustBeDivisible(const sdy::ShardingPlace &place) {
    switch (place.kind) {
    case ShardingPlaceKind::FunctionArgument:
    case ShardingPlaceKind::FunctionResult:
      return true;
    case ShardingPlaceKind::OpResult:
      if (auto withRule = mlir::dyn_cast<sdy::ShardingRuleOpInterface>(place.op))
        if (withRule.shouldKeepOutputShardingsDivisible())
          return true;
      return mlir::isa<mlir::func::CallOp>(place.op) || keepsOwnersDivisible(place.op);
    case ShardingPlaceKind::ManualOperand:
    case ShardingPlaceKind::ManualResult:
    case ShardingPlaceKind::NamedOperand:
    case ShardingPlaceKind::NamedResult:
      // Of a manual computation the shardings of the global values count.
      return keepsOwnersDivisible(place.op);
    case ShardingPlaceKind::Constraint:
    case ShardingPlaceKind::Reshard:
    case ShardingPlaceKind::DataFlowEdge:
    case ShardingPlaceKind::CollectiveResult:
    case ShardingPlaceKind::LocalOperand:
      return false;
    }
    llvm_unreachable("not a kind of place");
  }

  static bool keepsOwnersDivisible(mlir::Operation *op) {
    auto flow = mlir::dyn_cast<sdy::ShardableDataFlowOpInterface>(op);
    return flow && flow.shouldKeepOwnerShardingsDivisible();
  }

  static TensorShardingAttr divisible(TensorShardingAttr sharding, mlir::Type type,
                                      const mlir::SymbolTable &symbols) {
    auto shaped = mlir::dyn_cast_or_null<mlir::ShapedType>(type);
    sdy::MeshAttr mesh = sdy::getMesh(sharding, symbols);
    if (!mesh || !shaped || !shaped.hasStaticShape() || sharding.isFullyReplicated())
      return sharding;
    core::Sharding resolved = sdy::resolveVerified(sharding, mesh);
    for (auto [dim, size] : llvm::zip_equal(resolved.dims, shaped.getShape()))
      dim.axes = core::evenPrefix(dim.axes, size);
    return sdy::toAttr(sharding.getMeshOrRef(), resolved, sdy::toCore(mesh));
  }
};

} // namespace
} // namespace shardwise::exporter
