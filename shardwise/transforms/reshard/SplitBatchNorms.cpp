// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-split-batch-norms: where the operand of a batch_norm_training or
// batch_norm_grad is cut, the op becomes the sums and element-wise ops of its formula, for which
// all that partition knows of such ops holds: devices sum over their part of batch and space, the
// sums of features are added up, and features that are cut need nobody. The op itself would want
// its operands whole.
//
//   1. Values of the operand's shape are proposed to be where the operand is, or, where that is
//      whole, where the gradient or the result is; values per feature where that has its features.
//   2. A result that propagation put somewhere stays there. One of the operand's shape that nothing
//      was said about is proposed to be where the operand is.
//   3. An op whose tensors are whole stays: its kernel reads them fewer times.
//   4. What only results that nobody uses are made of is not computed, and above all not added up.
//
// Example, %x: 16x8 on [{"x"}, {}]:
//   %y:3 = batch_norm_training %x, %scale, %offset, feature_index = 1
// becomes
//   %sum = reduce add %x over [0]         [{}]  each device its rows, then an all_reduce of 8 sums
//   %mean = divide %sum, 16               [{}]
//   %c = subtract %x, broadcast(%mean)    [{"x"}, {}]
//   ...                                         and once more for the variance

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/ExpandBatchNorm.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/reshard/Passes.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace shardwise::reshard {

#define GEN_PASS_DEF_SPLITBATCHNORMS
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

bool isCut(const core::Sharding &placement) {
  return llvm::any_of(placement.dims, [](const auto &dim) { return !dim.axes.empty(); });
}

/// Returns the value by which the formula is placed: the first of the operand's shape that is cut;
/// null if none is.
mlir::Value leader(mlir::Operation *op, ShardedProgram &program) {
  mlir::Type shaped = op->getOperand(0).getType();
  llvm::SmallVector<mlir::Value> values(op->getOperands());
  values.push_back(op->getResult(0));
  for (mlir::Value value : values)
    if (value.getType() == shaped && isCut(program.placementOf(value)))
      return value;
  return {};
}

int64_t featureDimOf(mlir::Operation *op) {
  if (auto training = mlir::dyn_cast<stablehlo::BatchNormTrainingOp>(op))
    return static_cast<int64_t>(training.getFeatureIndex());
  return static_cast<int64_t>(mlir::cast<stablehlo::BatchNormGradOp>(op).getFeatureIndex());
}

void split(mlir::Operation *op, mlir::Value leading, ShardedProgram &program) {
  core::Sharding wide = program.placementOf(leading);
  mlir::Attribute mesh = program.meshOf(leading);
  core::Sharding perFeature = program.replicated(1);
  perFeature.dims[0] = wide.dims[featureDimOf(op)];
  auto shape = mlir::cast<mlir::RankedTensorType>(leading.getType()).getShape();
  llvm::SmallVector<mlir::Operation *> made;
  // (1)
  llvm::SmallVector<mlir::Value> results = stablehlo::expandBatchNorm(op, [&](mlir::Value value) {
    made.push_back(value.getDefiningOp());
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    if (type.getRank() > 0)
      sdy::setSharding(value,
                       program.attributeFor(type.getShape() == shape ? wide : perFeature, mesh));
  });
  for (auto [old, value] : llvm::zip_equal(op->getResults(), results)) {
    // (2)
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(old))
      sdy::setSharding(value, sharding);
    old.replaceAllUsesWith(value);
  }
  op->erase();
  // (4) Users before what they use.
  for (mlir::Operation *unused : llvm::reverse(made))
    if (mlir::isOpTriviallyDead(unused))
      unused->erase();
}

struct SplitBatchNormsPass : impl::SplitBatchNormsBase<SplitBatchNormsPass> {
  void runOnOperation() override {
    llvm::SmallVector<mlir::Operation *> norms;
    getOperation().walk([&](mlir::Operation *op) {
      if (stablehlo::sumsOverBatch(op))
        norms.push_back(op);
    });
    if (norms.empty())
      return;
    llvm::FailureOr<ShardedProgram> program = ShardedProgram::create(getOperation());
    if (failed(program))
      return signalPassFailure();
    for (mlir::Operation *op : norms) {
      // (3)
      mlir::Value leading = leader(op, *program);
      if (leading && !program->isOneDevice(program->meshOf(leading)))
        split(op, leading, *program);
    }
  }
};

} // namespace

} // namespace shardwise::reshard
