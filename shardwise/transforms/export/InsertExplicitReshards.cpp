// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-insert-explicit-reshards, as Shardy has it: the walk over the module. What happens
// around one op with a rule is in OpReshards.h, the ops that bring one use to a sharding in
// ReshardUse.h. Ops are visited in program order, those in regions before the op that has them;
// what is inserted is not visited. The first of these that holds decides what is done at an op:
//   1. Its results are on a maximal mesh: values enter and leave it by way of a replicated
//      sharding.
//   2. It returns from a function: operands get the shardings of the function's results, behind the
//      last op. The minimal version only makes changes of unreduced axes explicit.
//   3. It passes values through regions: what feeds a data-flow edge gets the sharding of its
//      owner, right behind the definition of the value, so outside of the region. Minimal: as in
//      (2).
//   4. It is a call: operands get what the callee expects, in both versions.
//   5. It has no result, or is a collective: nothing.
//   6. It is a reshard to axes along which its operand is not unreduced: the ops that do so take
//      its place, as in (2).
//   7. Anything else: operands are combined over the axes along which the result is not unreduced.
//      Then, if it has a rule that no user wrote,
//      a. full version, or a concatenation: operands and results are made to agree. The minimal
//         version leaves concatenations alone whose operands and results have identical shardings
//         as written, even if the dimension is cut;
//      b. a result is unreduced: it is combined over what else the op sums over;
//      c. a dot: its result is freed of axes that the dot sums over.
// What the minimal version does not do is left to the partitioner that comes later. The pass fails
// where a result is declared unreduced by another function than its op combines by: no reshard
// makes that right.
// Example of (7a): `stablehlo.add %a, %b` with `[{"x"}]`, `[{"y"}]` and the result `[{"x"}]`: %b is
// resharded to `[{"x"}]`.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/export/DeclaredReductions.h"
#include "shardwise/transforms/export/MaximalReshards.h"
#include "shardwise/transforms/export/OpReshards.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/export/ReshardUse.h"
#include "shardwise/transforms/import/CallGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_INSERTEXPLICITRESHARDS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;

class ExplicitReshards {
public:
  ExplicitReshards(mlir::ModuleOp module, bool isFull)
      : symbols(module), maximal(module, symbols), isFull(isFull) {}

  /// Fails, with diagnostics, if results are declared partial by the wrong function.
  llvm::LogicalResult run(mlir::func::FuncOp function) {
    // Listed first: a walk under way would visit the reshards that it makes.
    llvm::SmallVector<mlir::Operation *> ops;
    function.walk([&](mlir::Operation *op) { ops.push_back(op); });
    bool isOk = true;
    for (mlir::Operation *op : ops) {
      // Before anything around the op is changed: what it reads is as propagation left it.
      isOk &= succeeded(verifyDeclared(op));
      visit(op);
    }
    return llvm::success(isOk);
  }

private:
  llvm::LogicalResult verifyDeclared(mlir::Operation *op) const;
  void visit(mlir::Operation *op);
  void visitByRule(mlir::Operation *op);
  void visitReturn(mlir::func::ReturnOp op);
  void visitDataFlow(sdy::ShardableDataFlowOpInterface op);
  void visitCall(mlir::func::CallOp call);
  void replaceReshard(sdy::ReshardOp reshard);
  void reshardBehindValue(mlir::OpOperand &use, TensorShardingAttr target, ReshardExtent extent);

  ReshardExtent extent() const { return isFull ? ReshardExtent::All : ReshardExtent::Unreduced; }

  mlir::SymbolTable symbols;
  MaximalReshards maximal;
  bool isFull;
};

llvm::LogicalResult ExplicitReshards::verifyDeclared(mlir::Operation *op) const {
  for (mlir::OpResult result : op->getResults()) {
    TensorShardingAttr declared = sdy::getSharding(result);
    if (!declared || sdy::toCore(declared).unreduced.empty())
      continue;
    sdy::MeshAttr mesh = sdy::getMesh(declared, symbols);
    std::optional<rules::OpSheet> sheet = mesh ? rules::opSheet(op) : std::nullopt;
    if (!sheet)
      continue;
    auto lookup = [&](mlir::Value value) {
      TensorShardingAttr sharding = sdy::getSharding(sdy::bypassBarriers(value));
      bool isOnMesh = sharding && sdy::getMesh(sharding, symbols) == mesh;
      return isOnMesh ? sdy::resolveVerified(sharding, mesh) : core::Sharding();
    };
    if (failed(verifyDeclaredReduction(op, result.getResultNumber(),
                                       sdy::resolveVerified(declared, mesh), sdy::toCore(mesh),
                                       *sheet, lookup)))
      return llvm::failure();
  }
  return llvm::success();
}

/// Right behind the definition of the value, so that a value defined outside a region is resharded
/// outside.
void ExplicitReshards::reshardBehindValue(mlir::OpOperand &use, TensorShardingAttr target,
                                          ReshardExtent extent) {
  mlir::OpBuilder builder(use.getOwner()->getContext());
  builder.setInsertionPointAfterValue(use.get());
  reshardUse(use, target, extent, builder, symbols);
}

void ExplicitReshards::visitReturn(mlir::func::ReturnOp op) {
  auto function = op->getParentOfType<mlir::func::FuncOp>();
  mlir::OpBuilder builder(op);
  for (mlir::OpOperand &use : op->getOpOperands())
    reshardUse(use, sdy::getFuncResultSharding(function, use.getOperandNumber()), extent(), builder,
               symbols);
}

void ExplicitReshards::visitDataFlow(sdy::ShardableDataFlowOpInterface op) {
  auto visitOwners = [&](auto owners, llvm::ArrayRef<TensorShardingAttr> ownerShardings) {
    for (auto [index, owner] : llvm::enumerate(owners)) {
      TensorShardingAttr sharding;
      if (index < ownerShardings.size() && ownerShardings[index])
        // As the source sees it: what a manual computation takes has the manual axes, what its body
        // returns has not.
        sharding = op.transformTargetSharding(owner, ownerShardings[index],
                                              sdy::EdgeTransform::BeforePropagation);
      for (mlir::OpOperand *source : op.getSources(owner))
        reshardBehindValue(*source, sharding, extent());
    }
  };
  visitOwners(op.getResultOwners(), op.getResultOwnerShardings());
  visitOwners(op.getBlockArgumentOwners(), op.getBlockArgumentOwnerShardings());
}

void ExplicitReshards::visitCall(mlir::func::CallOp call) {
  auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
  if (!callee)
    return;
  sdy::TensorShardingPerValueAttr expected = importer::expectedArgumentShardings(callee, symbols);
  for (mlir::OpOperand &use : call->getOpOperands()) {
    unsigned number = use.getOperandNumber();
    reshardBehindValue(use, expected ? expected[number] : sdy::getFuncArgSharding(callee, number),
                       ReshardExtent::All);
  }
}

void ExplicitReshards::replaceReshard(sdy::ReshardOp reshard) {
  mlir::OpBuilder builder(reshard);
  reshardUse(reshard.getInputMutable(), reshard.getSharding(), ReshardExtent::Unreduced, builder,
             symbols);
  reshard.getResult().replaceAllUsesWith(reshard.getInput());
  reshard.erase();
}

bool hasUnreducedResult(mlir::Operation *op) {
  TensorShardingAttr sharding = sdy::getSharding(op->getResult(0));
  return sharding && !sdy::toCore(sharding).unreduced.empty();
}

/// Whether operands and results have one and the same sharding, or none of them has any. What
/// barriers say counts, and so does all that a sharding says, such as which dimensions are open.
bool haveIdenticalShardings(mlir::Operation *op) {
  TensorShardingAttr first = sdy::getSharding(op->getResult(0));
  auto isSame = [&](mlir::Value value) { return sdy::getSharding(value) == first; };
  return llvm::all_of(op->getOperands(), isSame) && llvm::all_of(op->getResults(), isSame);
}

void ExplicitReshards::visit(mlir::Operation *op) {
  // First: an op on one device takes and gives whole tensors, whatever its rule says.
  if (maximal.visit(op))
    return;
  if (auto ret = mlir::dyn_cast<mlir::func::ReturnOp>(op))
    return visitReturn(ret);
  if (auto flow = mlir::dyn_cast<sdy::ShardableDataFlowOpInterface>(op))
    return visitDataFlow(flow);
  if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
    return visitCall(call);
  if (op->getNumResults() == 0 || mlir::isa<sdy::CollectiveOpInterface>(op))
    return;
  if (auto reshard = mlir::dyn_cast<sdy::ReshardOp>(op);
      reshard &&
      becomesUnreduced(sdy::getSharding(reshard.getInput()), reshard.getSharding(), symbols))
    return replaceReshard(reshard);
  // A property of the op as written: combining partial values may make shardings identical.
  bool isLeftAlone =
      !isFull && mlir::isa<stablehlo::ConcatenateOp>(op) && haveIdenticalShardings(op);
  mlir::OpBuilder builder(op);
  for (mlir::OpOperand &use : op->getOpOperands())
    allReduceUse(use, sdy::getSharding(op->getResult(0)), builder, symbols);
  if (!isLeftAlone)
    visitByRule(op);
}

void ExplicitReshards::visitByRule(mlir::Operation *op) {
  bool isConcatenate = mlir::isa<stablehlo::ConcatenateOp>(op);
  bool isDot = mlir::isa<stablehlo::DotOp, stablehlo::DotGeneralOp>(op);
  bool isUnreduced = hasUnreducedResult(op);
  if (!isFull && !isConcatenate && !isDot && !isUnreduced)
    return;
  std::optional<core::ShardingRule> rule = rules::shardingRule(op);
  // Whoever wrote a rule by hand knows how the op is partitioned.
  if (!rule || rule->isCustom)
    return;
  OpReshards reshards(op, *rule, symbols);
  if (isFull || isConcatenate)
    reshards.reshard();
  else if (isUnreduced)
    reshards.combineUnreduced();
  else
    reshards.freeResultOfSummedAxes();
}

struct InsertExplicitReshardsPass : impl::InsertExplicitReshardsBase<InsertExplicitReshardsPass> {
  using Base::Base;

  void runOnOperation() override {
    ExplicitReshards inserter(getOperation(), enableFullVersion);
    for (auto function : getOperation().getOps<mlir::func::FuncOp>())
      if (failed(inserter.run(function)))
        signalPassFailure();
  }
};

} // namespace

} // namespace shardwise::exporter
