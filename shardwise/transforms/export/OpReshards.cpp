// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is around the decision on values for one op: look-up of its mesh and shardings, and the
// reshards that the decision asks for. What happens is always the same:
//   1. one mesh is found that all shardings of the op are on (`findMesh`);
//   2. the shardings are seen per factor (`project`);
//   3. AgreedAxes.h, CommonFactorAxes.h or FreedResult.h say which axes each factor gets;
//   4. operands are resharded to what these axes imply for them before the op; results get what
//      they imply, are combined over sharded reduction factors, and go back to their old shardings
//      behind it.
// So whatever the op is changed to, all other ops see the shardings that propagation gave.
// Example, a square dot with k on {"x"} in both operands and the result `[{"x"}, {}]`:
//   %0 = stablehlo.dot %a, %b                         // <@mesh, [{}, {}]>
//   %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]>
//   %2 = sdy.reshard %1 <@mesh, [{"x"}, {}]>          // used in place of %0

#include "shardwise/transforms/export/OpReshards.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/transforms/export/AgreedAxes.h"
#include "shardwise/transforms/export/FreedResult.h"
#include "shardwise/transforms/export/ReshardUse.h"

namespace shardwise::exporter {

using core::AxisList;
using sdy::TensorShardingAttr;

namespace {

std::span<const int64_t> staticShapeOf(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? std::span<const int64_t>(tensor.getShape())
                                           : std::span<const int64_t>();
}

int64_t rankOf(const core::ShardingRule &rule, size_t tensor) {
  size_t numOperands = rule.operands.size();
  return static_cast<int64_t>(tensor < numOperands ? rule.operands[tensor].size()
                                                   : rule.results[tensor - numOperands].size());
}

} // namespace

OpReshards::OpReshards(mlir::Operation *op, const core::ShardingRule &rule,
                       const mlir::SymbolTable &symbols)
    : op(op), rule(rule), symbols(symbols) {
  for (mlir::ValueRange values :
       {mlir::ValueRange(op->getOperands()), mlir::ValueRange(op->getResults())})
    for (mlir::Value value : values) {
      // A propagation barrier moves nothing: what counts is where the value is.
      shardings.push_back(sdy::getSharding(sdy::bypassBarriers(value)));
      tensors.push_back({staticShapeOf(value.getType())});
    }
}

/// The mesh of the op's new shardings:
///   1. Shardings on meshes without axes do not count. Returns false if there are no others, or if
///      their meshes differ in axes, or are of one device.
///   2. Meshes may differ in the order of devices. The one with most tensors that have axes
///      decides, so that the fewest must change theirs; of several, the one that had as many first.
///   3. If no tensor has axes, the first mesh.
bool OpReshards::findMesh() {
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

void OpReshards::project() {
  resolved.reserve(shardings.size());
  std::vector<const core::Sharding *> pointers;
  for (size_t tensor = 0; tensor < shardings.size(); ++tensor) {
    // Where there is none, nothing may be added but by an explicit reshard.
    TensorShardingAttr own = shardings[tensor];
    resolved.push_back(own ? sdy::resolveVerified(own, sdy::getMesh(own, symbols))
                           : core::replicatedSharding(rankOf(rule, tensor)));
    pointers.push_back(&resolved.back());
  }
  projection.fill(rule, pointers);
}

propagation::FactorView OpReshards::view() const {
  return {projection, tensors, sdy::toCore(mesh)};
}

/// The sharding of a tensor on the op's mesh: its dimensions as `choice` implies, each as open as
/// it was. An axis that cuts a dimension cannot be reserved for replication as well, so it leaves
/// that list.
TensorShardingAttr OpReshards::shardingOf(size_t tensor, const FactorChoice &choice) const {
  core::Sharding sharding = resolved[tensor];
  auto number = static_cast<int64_t>(tensor);
  sharding.dims = propagation::dimensionShardings(projection, number, choice.of(number));
  sharding.replicated = core::setDifference(sharding.replicated, core::dimensionAxes(sharding));
  return sdy::toAttr(meshRef, sharding, sdy::toCore(mesh));
}

/// Whether a tensor needs a reshard from `old` to `updated`. One mesh may have two names, which is
/// no difference; no sharding is the same as a replicated one.
bool OpReshards::differs(TensorShardingAttr old, TensorShardingAttr updated) const {
  if (old && sdy::getMesh(old, symbols) == mesh)
    old = sdy::toAttr(meshRef, sdy::resolveVerified(old, mesh), sdy::toCore(mesh));
  return old ? !sdy::isEquivalent(old, updated) : !updated.isFullyReplicated();
}

/// Whether factors of the tensor get other axes. Shardy then reshards an operand even if the
/// factors of a dimension only exchange axes and it stays as it was.
bool OpReshards::changesFactors(int64_t tensor, const FactorChoice &choice) const {
  for (uint32_t i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i) {
    const propagation::FactorEntry &entry = projection.entry(i);
    AxisList axes(projection.axes(entry).begin(), projection.axes(entry).end());
    axes.insert(axes.end(), projection.overflow(entry).begin(), projection.overflow(entry).end());
    if (axes != choice.of(tensor)[entry.factor])
      return true;
  }
  return false;
}

void OpReshards::reshardOperands(const FactorChoice &choice) {
  mlir::OpBuilder builder(op);
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    // Where axes were distributed anew, it is the value itself that has to have the new sharding.
    TensorShardingAttr old =
        choice.isPerTensor() ? sdy::getSharding(operand.get()) : shardings[number];
    TensorShardingAttr updated = shardingOf(number, choice);
    bool movesAxes = old == shardings[number] && changesFactors(number, choice);
    if (differs(old, updated) || movesAxes)
      operand.set(sdy::ReshardOp::create(builder, operand.get().getLoc(), operand.get().getType(),
                                         operand.get(), updated));
  }
}

/// Combines `result` over those of `reduced` along which it is not to stay unreduced. A device then
/// has summed only over its own part of the reduction factors, so without this the result would be
/// wrong.
mlir::Value OpReshards::combine(mlir::OpBuilder &builder, mlir::Value result,
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

void OpReshards::reshardResults(const FactorChoice &choice, const AxisList &reduced) {
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
  // Sums before moves: a reshard of a value that is still partial would not know that it is.
  for (mlir::OpResult result : op->getResults())
    values.push_back(combine(builder, result, updated[result.getResultNumber()], reduced));
  bool isFirst = true;
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values)) {
    unsigned index = result.getResultNumber();
    // What is inserted behind the result goes on reading it; all other uses take the last of it.
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

void OpReshards::combineUnreduced() {
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

bool OpReshards::isValid(const FactorChoice &choice) const {
  for (size_t tensor = 0; tensor < shardings.size(); ++tensor) {
    auto number = static_cast<int64_t>(tensor);
    AxisList seen = resolved[tensor].unreduced;
    for (const core::DimSharding &dim :
         propagation::dimensionShardings(projection, number, choice.of(number)))
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

void OpReshards::reshard() {
  if (!findMesh())
    return;
  project();
  std::optional<propagation::AxesPerFactor> agreed = agreedAxes(projection);
  FactorChoice choice = agreed ? FactorChoice{std::move(*agreed), {}} : commonAxes(view());
  // Axes that a tensor has unreduced cannot cut it as well. Neither can parts of one axis that no
  // refinement of the mesh has both. The op then stays as it is.
  if (!isValid(choice))
    return;
  reshardOperands(choice);
  // A tensor has axes of its own only around reshapes, which sum nothing.
  AxisList reduced;
  if (!choice.isPerTensor())
    for (core::FactorIndex factor : rule.reduction)
      reduced.insert(reduced.end(), choice.axes[factor].begin(), choice.axes[factor].end());
  reshardResults(choice, reduced);
}

void OpReshards::freeResultOfSummedAxes() {
  if (!shardings[op->getNumOperands()] || !findMesh())
    return;
  project();
  if (std::optional<propagation::AxesPerFactor> axes = axesForFreedResult(view()))
    reshardResults({std::move(*axes), {}}, {});
}

} // namespace shardwise::exporter
