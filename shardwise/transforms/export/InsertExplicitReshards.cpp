// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-insert-explicit-reshards, as the reference tool has it. Ops are visited in program
// order, those in regions before the op that has them; what is inserted is not visited.
//
// Everywhere, changes of unreduced axes are made explicit, operands of calls are resharded to what
// the callee expects, values enter and leave maximal meshes through a replicated sharding, and
// concatenations get operands that agree. The full version also reshards around every other op
// with a rule, at data-flow edges and where functions return. The minimal one leaves concatenations
// alone whose operands and results have identical shardings, even if the dimension is cut.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/export/CommonFactorAxes.h"
#include "shardwise/transforms/export/MaximalReshards.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/export/ReshardUse.h"
#include "shardwise/transforms/import/CallGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_INSERTEXPLICITRESHARDS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using core::AxisList;
using sdy::TensorShardingAttr;

/// One op with a rule: its tensors on a mesh, and what the op is changed to. A barrier may have
/// another sharding than its input; if not said otherwise, that of the input counts.
class RuleOp {
public:
  /// Requires: `rule` has one mapping per operand and result of `op`.
  RuleOp(mlir::Operation *op, const core::ShardingRule &rule, const mlir::SymbolTable &symbols)
      : op(op), rule(rule), symbols(symbols) {
    for (mlir::ValueRange values :
         {mlir::ValueRange(op->getOperands()), mlir::ValueRange(op->getResults())})
      for (mlir::Value value : values) {
        shardings.push_back(sdy::getSharding(sdy::bypassBarriers(value)));
        sizes.push_back(numElements(value.getType()));
      }
  }

  /// Reshards operands and results so that they agree.
  void reshard();
  /// For a contraction whose operands agree: a result that has on one factor just the axes that are
  /// summed over takes the axes of the operands there.
  void freeResultOfSummedAxes();
  /// Only combines results that are to stay unreduced along some axes: over what else the op sums.
  void combineUnreduced();

private:
  static int64_t numElements(mlir::Type type) {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
    return shaped && shaped.hasStaticShape() ? shaped.getNumElements() : 1;
  }

  int64_t rankOf(size_t tensor) const {
    size_t numOperands = rule.operands.size();
    return static_cast<int64_t>(tensor < numOperands ? rule.operands[tensor].size()
                                                     : rule.results[tensor - numOperands].size());
  }
  bool findMesh();
  bool isValid(const FactorChoice &choice) const;
  void project();
  TensorShardingAttr shardingOf(size_t tensor, const FactorChoice &choice) const;
  bool differs(TensorShardingAttr old, TensorShardingAttr updated) const;
  bool changesFactors(int64_t tensor, const FactorChoice &choice) const;
  void reshardOperands(const FactorChoice &choice);
  void reshardResults(const FactorChoice &choice, const AxisList &reduced);
  mlir::Value combine(mlir::OpBuilder &builder, mlir::Value result, TensorShardingAttr sharding,
                      const AxisList &reduced) const;

  mlir::Operation *op;
  const core::ShardingRule &rule;
  const mlir::SymbolTable &symbols;
  /// Operands first.
  llvm::SmallVector<TensorShardingAttr> shardings;
  llvm::SmallVector<int64_t> sizes;
  mlir::Attribute meshRef;
  sdy::MeshAttr mesh;
  std::vector<core::Sharding> resolved;
  propagation::ShardingProjection projection;
};

/// Meshes may differ in the order of devices. Most of the sharded tensors decide, those whose
/// number is reached first if that is undecided. Returns false if there is no mesh, or meshes
/// differ in axes.
bool RuleOp::findMesh() {
  llvm::SmallDenseMap<mlir::Attribute, int64_t> counts;
  int64_t most = 0;
  for (TensorShardingAttr sharding : shardings) {
    sdy::MeshAttr own = sharding ? sdy::getMesh(sharding, symbols) : sdy::MeshAttr();
    if (!own || sdy::toCore(own).isEmpty())
      continue;
    if (!mesh) {
      mesh = own;
      meshRef = sharding.getMeshOrRef();
    }
    if (!sdy::toCore(mesh).equalsIgnoringDeviceIds(sdy::toCore(own)))
      return false;
    if (sharding.isFullyReplicated())
      continue;
    if (int64_t count = ++counts[sharding.getMeshOrRef()]; count > most) {
      most = count;
      meshRef = sharding.getMeshOrRef();
    }
  }
  if (!mesh || sdy::toCore(mesh).isMaximal())
    return false;
  mesh = sdy::getMesh(meshRef, symbols);
  return true;
}

void RuleOp::project() {
  resolved.reserve(shardings.size());
  std::vector<const core::Sharding *> pointers;
  for (size_t tensor = 0; tensor < shardings.size(); ++tensor) {
    // Where there is none, nothing may be added but by an explicit reshard.
    TensorShardingAttr own = shardings[tensor];
    resolved.push_back(own ? sdy::resolveVerified(own, sdy::getMesh(own, symbols))
                           : core::replicatedSharding(rankOf(tensor)));
    pointers.push_back(&resolved.back());
  }
  projection.fill(rule, pointers);
}

/// Dimensions are as open as they were.
TensorShardingAttr RuleOp::shardingOf(size_t tensor, const FactorChoice &choice) const {
  core::Sharding sharding = resolved[tensor];
  auto number = static_cast<int64_t>(tensor);
  sharding.dims = dimensionShardings(projection, number, choice.of(number));
  sharding.replicated = core::setDifference(sharding.replicated, core::dimensionAxes(sharding));
  return sdy::toAttr(meshRef, sharding, sdy::toCore(mesh));
}

/// Names of equal meshes say the same.
bool RuleOp::differs(TensorShardingAttr old, TensorShardingAttr updated) const {
  if (old && sdy::getMesh(old, symbols) == mesh)
    old = sdy::toAttr(meshRef, sdy::resolveVerified(old, mesh), sdy::toCore(mesh));
  return old ? !sdy::isEquivalent(old, updated) : !updated.isFullyReplicated();
}

/// Whether factors of the tensor get other axes. The reference then reshards an operand even if the
/// factors of a dimension only exchange axes and it stays as it was.
bool RuleOp::changesFactors(int64_t tensor, const FactorChoice &choice) const {
  for (uint32_t i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i) {
    const propagation::FactorEntry &entry = projection.entry(i);
    AxisList axes(projection.axes(entry).begin(), projection.axes(entry).end());
    axes.insert(axes.end(), projection.overflow(entry).begin(), projection.overflow(entry).end());
    if (axes != choice.of(tensor)[entry.factor])
      return true;
  }
  return false;
}

void RuleOp::reshardOperands(const FactorChoice &choice) {
  mlir::OpBuilder builder(op);
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    // Where axes were dealt out anew, it is the value itself that has to have the new sharding.
    bool isDealt = !choice.ofTensors.empty();
    TensorShardingAttr old = isDealt ? sdy::getSharding(operand.get()) : shardings[number];
    TensorShardingAttr updated = shardingOf(number, choice);
    bool movesAxes = old == shardings[number] && changesFactors(number, choice);
    if (differs(old, updated) || movesAxes)
      operand.set(sdy::ReshardOp::create(builder, operand.get().getLoc(), operand.get().getType(),
                                         operand.get(), updated));
  }
}

/// Combines `result` over those of `reduced` along which it is not to stay unreduced.
mlir::Value RuleOp::combine(mlir::OpBuilder &builder, mlir::Value result,
                            TensorShardingAttr sharding, const AxisList &reduced) const {
  AxisList unreduced;
  if (sharding)
    unreduced = sdy::resolveVerified(sharding, sdy::getMesh(sharding, symbols)).unreduced;
  AxisList axes = core::setDifference(reduced, unreduced);
  if (axes.empty())
    return result;
  if (!sharding)
    sharding = sdy::getReplicatedSharding(meshRef, sdy::getShardingRank(result.getType()));
  return createAllReduce(builder, result, std::move(axes), core::ReductionKind::Sum, sharding,
                         sdy::toCore(mesh));
}

void RuleOp::reshardResults(const FactorChoice &choice, const AxisList &reduced) {
  llvm::ArrayRef<TensorShardingAttr> old =
      llvm::ArrayRef(shardings).drop_front(op->getNumOperands());
  llvm::SmallVector<TensorShardingAttr> updated(old);
  for (mlir::OpResult result : op->getResults()) {
    unsigned index = result.getResultNumber();
    TensorShardingAttr sharding = shardingOf(op->getNumOperands() + index, choice);
    if (differs(old[index], sharding))
      updated[index] = sharding;
  }
  if (llvm::ArrayRef(updated) != old) {
    for (auto [result, sharding] : llvm::zip_equal(op->getResults(), updated))
      sdy::setSharding(result, sharding);
  }
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  llvm::SmallVector<mlir::Value> values;
  for (mlir::OpResult result : op->getResults())
    values.push_back(combine(builder, result, updated[result.getResultNumber()], reduced));
  bool isFirst = true;
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values)) {
    unsigned index = result.getResultNumber();
    llvm::SmallPtrSet<mlir::Operation *, 2> inserted;
    if (value != result)
      inserted.insert(value.getDefiningOp());
    if (updated[index] != old[index]) {
      TensorShardingAttr target = old[index];
      // Once one result has a sharding, those without one are open.
      if (!target)
        target = isFirst ? sdy::getReplicatedSharding(meshRef, updated[index].getRank())
                         : sdy::getOpenSharding(meshRef, updated[index].getRank());
      isFirst = false;
      value = sdy::ReshardOp::create(builder, result.getLoc(), result.getType(), value, target);
      inserted.insert(value.getDefiningOp());
    }
    if (value != result)
      result.replaceAllUsesExcept(value, inserted);
  }
}

void RuleOp::combineUnreduced() {
  if (!findMesh())
    return;
  project();
  // Where the tensors disagree on a factor there are no axes that could be named.
  AxisList reduced;
  for (core::FactorIndex factor : rule.reduction)
    if (std::optional<AxisList> axes = agreedAxesOf(projection, factor))
      reduced.insert(reduced.end(), axes->begin(), axes->end());
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (mlir::OpResult result : op->getResults()) {
    TensorShardingAttr sharding = shardings[op->getNumOperands() + result.getResultNumber()];
    mlir::Value value = combine(builder, result, sharding, reduced);
    if (value != result)
      result.replaceAllUsesExcept(value, value.getDefiningOp());
  }
}

bool RuleOp::isValid(const FactorChoice &choice) const {
  for (size_t tensor = 0; tensor < shardings.size(); ++tensor) {
    auto number = static_cast<int64_t>(tensor);
    AxisList seen = resolved[tensor].unreduced;
    for (const core::DimSharding &dim : dimensionShardings(projection, number, choice.of(number)))
      for (const core::Axis &axis : dim.axes) {
        for (const core::Axis &other : seen)
          if (axis.index == other.index &&
              (core::overlaps(axis, other) || !core::canCoexist(axis, other)))
            return false;
        seen.push_back(axis);
      }
  }
  return true;
}

void RuleOp::reshard() {
  if (!findMesh())
    return;
  project();
  std::optional<AxesPerFactor> agreed = agreedAxes(projection);
  FactorChoice choice = agreed ? FactorChoice{std::move(*agreed), {}}
                               : commonAxes(projection, sizes, sdy::toCore(mesh));
  // Axes that a tensor has unreduced cannot cut it as well; the op then stays as it is.
  if (!isValid(choice))
    return;
  reshardOperands(choice);
  AxisList reduced;
  if (choice.ofTensors.empty())
    for (core::FactorIndex factor : rule.reduction)
      reduced.insert(reduced.end(), choice.axes[factor].begin(), choice.axes[factor].end());
  reshardResults(choice, reduced);
}

void RuleOp::freeResultOfSummedAxes() {
  if (!shardings[op->getNumOperands()] || !findMesh())
    return;
  project();
  FactorChoice choice;
  choice.axes.resize(rule.numFactors());
  std::optional<core::FactorIndex> contested;
  AxisList wanted;
  for (core::FactorIndex factor = 0; factor < rule.numFactors(); ++factor) {
    std::optional<AxisList> ofOperands;
    for (uint32_t index : projection.entriesOf(factor)) {
      const propagation::FactorEntry &entry = projection.entry(index);
      AxisList axes(projection.axes(entry).begin(), projection.axes(entry).end());
      if (!ofOperands) {
        ofOperands = std::move(axes);
      } else if (*ofOperands != axes) {
        if (entry.tensor < projection.numOperands() || contested)
          return;
        contested = factor;
        wanted = std::move(axes);
      }
    }
    if (ofOperands)
      choice.axes[factor] = std::move(*ofOperands);
  }
  if (!contested || wanted.empty() || choice.axes[*contested].empty())
    return;
  // Only where resharding the result moves no more than resharding one of the operands.
  int64_t operandSize = 0;
  for (uint32_t index : projection.entriesOf(*contested))
    if (int64_t tensor = projection.entry(index).tensor; tensor < projection.numOperands())
      operandSize = std::max(operandSize, sizes[tensor]);
  if (operandSize < sizes[op->getNumOperands()])
    return;
  AxisList seen;
  for (const AxisList &axes : choice.axes) {
    if (core::overlaps(axes, seen))
      return;
    seen.insert(seen.end(), axes.begin(), axes.end());
  }
  if (llvm::any_of(rule.reduction, [&](core::FactorIndex f) { return choice.axes[f] == wanted; }))
    reshardResults(choice, {});
}

class ReshardInserter {
public:
  ReshardInserter(mlir::ModuleOp module, bool isFull)
      : symbols(module), maximal(module, symbols), isFull(isFull) {}

  void run(mlir::func::FuncOp function) {
    llvm::SmallVector<mlir::Operation *> ops;
    function.walk([&](mlir::Operation *op) { ops.push_back(op); });
    for (mlir::Operation *op : ops)
      visit(op);
  }

private:
  void visit(mlir::Operation *op);
  void visitByRule(mlir::Operation *op);
  void visitReturn(mlir::func::ReturnOp op);
  void visitDataFlow(sdy::ShardableDataFlowOpInterface op);
  void visitCall(mlir::func::CallOp call);
  void reshardBehindValue(mlir::OpOperand &use, TensorShardingAttr target, ReshardExtent extent);

  ReshardExtent extent() const { return isFull ? ReshardExtent::All : ReshardExtent::Unreduced; }

  mlir::SymbolTable symbols;
  MaximalReshards maximal;
  bool isFull;
};

/// Right behind the definition of the value, so that a value defined outside a region is resharded
/// outside.
void ReshardInserter::reshardBehindValue(mlir::OpOperand &use, TensorShardingAttr target,
                                         ReshardExtent extent) {
  mlir::OpBuilder builder(use.getOwner()->getContext());
  builder.setInsertionPointAfterValue(use.get());
  reshardUse(use, target, extent, builder, symbols);
}

void ReshardInserter::visitReturn(mlir::func::ReturnOp op) {
  auto function = op->getParentOfType<mlir::func::FuncOp>();
  mlir::OpBuilder builder(op);
  for (mlir::OpOperand &use : op->getOpOperands())
    reshardUse(use, sdy::getFuncResultSharding(function, use.getOperandNumber()), extent(), builder,
               symbols);
}

void ReshardInserter::visitDataFlow(sdy::ShardableDataFlowOpInterface op) {
  auto visitOwners = [&](auto owners, llvm::ArrayRef<TensorShardingAttr> ownerShardings) {
    for (auto [index, owner] : llvm::enumerate(owners)) {
      TensorShardingAttr sharding;
      if (index < ownerShardings.size() && ownerShardings[index])
        sharding = op.transformTargetSharding(owner, ownerShardings[index],
                                              sdy::EdgeTransform::BeforePropagation);
      for (mlir::OpOperand *source : op.getSources(owner))
        reshardBehindValue(*source, sharding, extent());
    }
  };
  visitOwners(op.getResultOwners(), op.getResultOwnerShardings());
  visitOwners(op.getBlockArgumentOwners(), op.getBlockArgumentOwnerShardings());
}

void ReshardInserter::visitCall(mlir::func::CallOp call) {
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

void ReshardInserter::visit(mlir::Operation *op) {
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
  // A property of the op as written: combining partial values may make shardings identical.
  bool isLeftAlone =
      !isFull && mlir::isa<stablehlo::ConcatenateOp>(op) && haveIdenticalShardings(op);
  mlir::OpBuilder builder(op);
  for (mlir::OpOperand &use : op->getOpOperands())
    allReduceUse(use, sdy::getSharding(op->getResult(0)), builder, symbols);
  if (!isLeftAlone)
    visitByRule(op);
}

void ReshardInserter::visitByRule(mlir::Operation *op) {
  bool isConcatenate = mlir::isa<stablehlo::ConcatenateOp>(op);
  bool isDot = mlir::isa<stablehlo::DotOp, stablehlo::DotGeneralOp>(op);
  bool isUnreduced = hasUnreducedResult(op);
  if (!isFull && !isConcatenate && !isDot && !isUnreduced)
    return;
  std::optional<core::ShardingRule> rule = rules::shardingRule(op);
  // Whoever wrote a rule by hand knows how the op is partitioned.
  if (!rule || rule->isCustom)
    return;
  RuleOp ruleOp(op, *rule, symbols);
  if (isFull || isConcatenate)
    ruleOp.reshard();
  else if (isUnreduced)
    ruleOp.combineUnreduced();
  else
    ruleOp.freeResultOfSummedAxes();
}

struct InsertExplicitReshardsPass : impl::InsertExplicitReshardsBase<InsertExplicitReshardsPass> {
  using Base::Base;

  void runOnOperation() override {
    ReshardInserter inserter(getOperation(), enableFullVersion);
    for (auto function : getOperation().getOps<mlir::func::FuncOp>())
      inserter.run(function);
  }
};

} // namespace

} // namespace shardwise::exporter
