// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes to a parsed program.

#include "ProgramMutation.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwise::fuzz {
namespace {

using core::testing::Random;

class ProgramMutator {
public:
  ProgramMutator(ModuleOp module, Random &random)
      : module(module), random(random), builder(module.getContext()) {}

  void changeOnce() {
    collect();
    if (values.empty())
      return;
    switch (random.below(12)) {
    case 0:
      return changeMesh();
    case 1:
      return rewireOperand();
    case 2:
      return eraseOp();
    case 3:
      return duplicateOp();
    case 4:
      return insertBarrierOrGroup();
    case 5:
      return wrapInNamedComputation();
    case 6:
      return wrapInManualComputation();
    case 7:
      return addFunctionResult();
    case 8:
    case 9:
      return insertConstraint();
    default:
      return changeSharding();
    }
  }

private:
  void collect() {
    ops.clear();
    values.clear();
    meshes.clear();
    module.walk([&](Operation *op) {
      if (auto mesh = dyn_cast<sdy::MeshOp>(op))
        meshes.push_back(mesh);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::append_range(values, block.getArguments());
      if (isa<ModuleOp, func::FuncOp, sdy::MeshOp>(op))
        return;
      ops.push_back(op);
      llvm::append_range(values, op->getResults());
    });
  }

  /// A sharding of `value` on some mesh, which is made if the program has none.
  sdy::TensorShardingAttr someSharding(Type type) {
    if (meshes.empty())
      addMesh();
    sdy::MeshOp mesh = random.choose(meshes);
    const core::Mesh &axes = sdy::toCore(mesh.getMesh());
    core::Sharding sharding =
        core::testing::randomSharding(random, axes, sdy::getShardingRank(type));
    if (random.chance(80)) {
      sharding.unreduced.clear();
      sharding.reduction = core::ReductionKind::Sum;
    }
    return sdy::toAttr(FlatSymbolRefAttr::get(mesh.getSymNameAttr()), sharding, axes);
  }

  void addMesh() {
    builder.setInsertionPointToStart(module.getBody());
    meshes.push_back(sdy::MeshOp::create(
        builder, module.getLoc(), builder.getStringAttr("fuzz_mesh"),
        sdy::toAttr(module.getContext(), core::testing::randomMesh(random, 3))));
  }

  void changeMesh() {
    if (meshes.empty())
      return addMesh();
    sdy::MeshOp mesh = random.choose(meshes);
    static const std::vector<int64_t> kSizes = {1, 2, 2, 3, 4, 4, 6, 8};
    std::vector<core::MeshAxis> axes = sdy::toCore(mesh.getMesh()).axes();
    if (axes.empty())
      return;
    if (random.chance(30))
      random.shuffle(axes);
    else
      axes[random.below(static_cast<int64_t>(axes.size()))].size = random.choose(kSizes);
    if (auto changed = core::Mesh::create(std::move(axes)))
      mesh.setMeshAttr(sdy::toAttr(module.getContext(), std::move(*changed)));
  }

  void changeSharding() {
    Value value = random.choose(values);
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function = dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp());
      if (function && function.getNumResults() > 0 && random.chance(40)) {
        int64_t result = random.below(function.getNumResults());
        return sdy::setFuncResultSharding(function, result,
                                          someSharding(function.getResultTypes()[result]));
      }
    }
    sdy::setSharding(value,
                     random.chance(15) ? sdy::TensorShardingAttr() : someSharding(value.getType()));
  }

  /// Sets the insertion point after what makes `value`.
  void insertAfter(Value value) {
    if (Operation *op = value.getDefiningOp())
      builder.setInsertionPointAfter(op);
    else
      builder.setInsertionPointToStart(cast<BlockArgument>(value).getOwner());
  }

  /// Gives some uses of `value`, or all, to `other`, which `except` made from it.
  void moveUses(Value value, Value other, Operation *except) {
    int64_t percent = random.chance(50) ? 100 : 50;
    value.replaceUsesWithIf(
        other, [&](OpOperand &use) { return use.getOwner() != except && random.chance(percent); });
  }

  void insertConstraint() {
    Value value = random.choose(values);
    insertAfter(value);
    sdy::TensorShardingAttr sharding = someSharding(value.getType());
    Location loc = value.getLoc();
    Operation *op =
        random.chance(60)
            ? sdy::ShardingConstraintOp::create(builder, loc, value.getType(), value, sharding)
                  .getOperation()
            : sdy::ReshardOp::create(builder, loc, value.getType(), value, sharding).getOperation();
    if (random.chance(85))
      moveUses(value, op->getResult(0), op);
  }

  void insertBarrierOrGroup() {
    Value value = random.choose(values);
    if (!isa<RankedTensorType>(value.getType()))
      return;
    insertAfter(value);
    if (random.chance(50)) {
      sdy::ShardingGroupOp::create(builder, value.getLoc(), value, random.below(2));
      return;
    }
    auto direction = static_cast<sdy::PropagationDirection>(random.below(3));
    auto barrier = sdy::PropagationBarrierOp::create(builder, value.getLoc(), value.getType(),
                                                     value, direction);
    moveUses(value, barrier, barrier);
  }

  /// A value of the type of `value`, made before `user`; null if there is none.
  Value valueLike(Value value, Operation *user) {
    DominanceInfo dominance(module);
    std::vector<Value> candidates;
    for (Value other : values)
      if (other != value && other.getType() == value.getType() &&
          dominance.properlyDominates(other, user))
        candidates.push_back(other);
    return candidates.empty() ? Value() : random.choose(candidates);
  }

  void rewireOperand() {
    Operation *op = ops.empty() ? nullptr : random.choose(ops);
    if (!op || op->getNumOperands() == 0)
      return;
    unsigned index = static_cast<unsigned>(random.below(op->getNumOperands()));
    if (Value other = valueLike(op->getOperand(index), op))
      op->setOperand(index, other);
  }

  void eraseOp() {
    Operation *op = ops.empty() ? nullptr : random.choose(ops);
    if (!op || op->hasTrait<OpTrait::IsTerminator>())
      return;
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      Value other = valueLike(result, op);
      if (!other)
        return;
      result.replaceAllUsesWith(other);
    }
    op->erase();
  }

  void duplicateOp() {
    Operation *op = ops.empty() ? nullptr : random.choose(ops);
    if (!op || op->hasTrait<OpTrait::IsTerminator>())
      return;
    builder.setInsertionPointAfter(op);
    Operation *copy = builder.clone(*op);
    for (auto [old, fresh] : llvm::zip(op->getResults(), copy->getResults()))
      moveUses(old, fresh, copy);
  }

  /// An op on tensors that can move into a region of its own.
  Operation *opToWrap() {
    Operation *op = ops.empty() ? nullptr : random.choose(ops);
    if (!op || op->getNumRegions() > 0 || op->getNumResults() == 0 ||
        op->hasTrait<OpTrait::IsTerminator>() || op->getNumOperands() == 0)
      return nullptr;
    builder.setInsertionPointAfter(op);
    return op;
  }

  /// Moves `op` into the empty region of `wrapper`, whose operands and results are those of `op`.
  void moveInto(Operation *op, Operation *wrapper) {
    op->replaceAllUsesWith(wrapper->getResults());
    Block &block = wrapper->getRegion(0).emplaceBlock();
    SmallVector<Location> locations(op->getNumOperands(), op->getLoc());
    block.addArguments(op->getOperandTypes(), locations);
    op->moveBefore(&block, block.end());
    op->setOperands(block.getArguments());
    builder.setInsertionPointToEnd(&block);
    sdy::ReturnOp::create(builder, op->getLoc(), op->getResults());
  }

  sdy::TensorShardingPerValueAttr someShardings(TypeRange types) {
    SmallVector<sdy::TensorShardingAttr> shardings;
    for (Type type : types)
      shardings.push_back(someSharding(type));
    return sdy::makePerValue(module.getContext(), types, shardings);
  }

  void wrapInNamedComputation() {
    Operation *op = opToWrap();
    if (!op)
      return;
    auto shardings = [&](TypeRange types) {
      return random.chance(30) ? someShardings(types) : sdy::TensorShardingPerValueAttr();
    };
    auto in = shardings(op->getOperandTypes());
    auto out = shardings(op->getResultTypes());
    builder.setInsertionPointAfter(op);
    auto wrapper = sdy::NamedComputationOp::create(builder, op->getLoc(), op->getResultTypes(),
                                                   builder.getStringAttr("layer"),
                                                   SmallVector<Value>(op->getOperands()), in, out);
    moveInto(op, wrapper);
  }

  /// Of no manual axes, or of one that no sharding uses: types in the body are the global ones.
  void wrapInManualComputation() {
    Operation *op = opToWrap();
    if (!op)
      return;
    if (meshes.empty())
      addMesh();
    builder.setInsertionPointAfter(op);
    sdy::MeshOp mesh = random.choose(meshes);
    const std::vector<core::MeshAxis> &axes = sdy::toCore(mesh.getMesh()).axes();
    SmallVector<StringAttr> manual;
    if (!axes.empty() && random.chance(70))
      manual.push_back(builder.getStringAttr(random.choose(axes).name));
    auto shardings = [&](TypeRange types) {
      SmallVector<sdy::TensorShardingAttr> list;
      for (Type type : types)
        list.push_back(sdy::getOpenSharding(FlatSymbolRefAttr::get(mesh.getSymNameAttr()),
                                            sdy::getShardingRank(type)));
      return sdy::TensorShardingPerValueAttr::get(module.getContext(), list);
    };
    auto wrapper = sdy::ManualComputationOp::create(
        builder, op->getLoc(), op->getResultTypes(), SmallVector<Value>(op->getOperands()),
        shardings(op->getOperandTypes()), shardings(op->getResultTypes()),
        sdy::ManualAxesAttr::get(module.getContext(), manual));
    moveInto(op, wrapper);
  }

  void addFunctionResult() {
    Value value = random.choose(values);
    auto function = dyn_cast_or_null<func::FuncOp>(value.getParentBlock()->getParentOp());
    if (!function || function.isExternal())
      return;
    auto terminator = dyn_cast<func::ReturnOp>(value.getParentBlock()->getTerminator());
    if (!terminator || !SymbolTable::symbolKnownUseEmpty(function, module))
      return;
    unsigned index = function.getNumResults();
    if (failed(function.insertResult(index, value.getType(), DictionaryAttr())))
      return;
    terminator->insertOperands(index, value);
    if (random.chance(50))
      sdy::setFuncResultSharding(function, index, someSharding(value.getType()));
  }

  ModuleOp module;
  Random &random;
  OpBuilder builder;
  std::vector<Operation *> ops;
  std::vector<Value> values;
  std::vector<sdy::MeshOp> meshes;
};

} // namespace

void mutateProgram(ModuleOp module, Random &random) {
  ProgramMutator mutator(module, random);
  for (int64_t count = random.between(1, 6); count > 0; --count)
    mutator.changeOnce();
}

} // namespace shardwise::fuzz
