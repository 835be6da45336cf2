// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding an earlier reshard of the same elements, and making the later one's shape from it. A
// later reshard is replaced by an earlier one if
//   1. the earlier one comes before it in the same block, on the same mesh, with the same
//      replicated and unreduced axes;
//   2. going up from the input of the later one through reshapes and transposes (its path), one
//      comes to a value that the earlier one reshards, at once or after reshapes;
//   3. the strides of the earlier result, followed down the path, are those of the later result.
// A reshape keeps the order of elements and so the strides; a transpose changes them with the
// dimensions (core/AxisStrides.h). Nothing is moved twice then: what is left are reshapes and
// transposes of what each device has. They have the sharding that this gives them written on them
// where the path has one, and else only where something would go wrong without.

#include "shardwise/dialect/extensions/ReshardReuse.h"

#include "shardwise/core/AxisStrides.h"
#include "shardwise/dialect/sdy/ReshardPatterns.h"
#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#include "shardwise/dialect/stablehlo/ops/ShapeOps.h"

namespace shardwise::extensions {

namespace {

using llvm::SmallVector;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Value;

using Strides = std::vector<core::AxisStride>;

// Bounds on the search, so that a value with many uses, or a long chain, does not cost the square
// of its length. What lies beyond is left alone.
constexpr int kMaxUses = 64;
constexpr size_t kMaxPath = 16;

/// The type if elements are in row-major order of a known shape; else null.
RankedTensorType plainType(Value value) {
  auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && !type.getEncoding() ? type : RankedTensorType();
}

core::Shape shapeOf(RankedTensorType type) {
  return {type.getShape().begin(), type.getShape().end()};
}

/// One later reshard and the way to its input.
class Reuse {
public:
  Reuse(sdy::ReshardOp op, sdy::MeshAttr mesh, PatternRewriter &rewriter)
      : op(op), mesh(mesh), rewriter(rewriter) {}

  /// Replaces `op`, or fails and changes nothing.
  LogicalResult run() {
    RankedTensorType type = plainType(op.getResult());
    if (!type)
      return failure();
    std::optional<Strides> strides = stridesOf(op);
    if (!strides)
      return failure();
    wanted = std::move(*strides);
    // Nearest first, so that as few ops as possible are made again.
    for (Value value = op.getInput();; value = path.back()->getOperand(0)) {
      if (succeeded(tryUsers(value, /*isSameShape=*/path.empty())))
        return success();
      Operation *shapeOp = value.getDefiningOp();
      if (!mlir::isa_and_present<stablehlo::ReshapeOp, stablehlo::TransposeOp>(shapeOp) ||
          path.size() == kMaxPath || !plainType(shapeOp->getOperand(0)))
        return failure();
      path.push_back(shapeOp);
    }
  }

private:
  std::optional<Strides> stridesOf(sdy::ReshardOp reshard) const {
    RankedTensorType type = plainType(reshard.getResult());
    return type
               ? core::axisStrides(shapeOf(type), sdy::resolveVerified(reshard.getSharding(), mesh))
               : std::nullopt;
  }

  /// Tries the reshards of `value` and of reshapes of it. One of `op`'s own input and shape is left
  /// to the dialect's own pattern.
  LogicalResult tryUsers(Value value, bool isSameShape) {
    for (Operation *user : value.getUsers()) {
      if (++numUses > kMaxUses)
        return failure();
      if (auto earlier = mlir::dyn_cast<sdy::ReshardOp>(user)) {
        if (!isSameShape && succeeded(tryReshard(earlier)))
          return success();
      } else if (mlir::isa<stablehlo::ReshapeOp>(user) && !llvm::is_contained(path, user) &&
                 succeeded(tryUsers(user->getResult(0), /*isSameShape=*/false))) {
        return success();
      }
    }
    return failure();
  }

  LogicalResult tryReshard(sdy::ReshardOp earlier) {
    if (earlier == op || earlier->getBlock() != op->getBlock() || !earlier->isBeforeInBlock(op))
      return failure();
    const core::WrittenSharding &a = sdy::toCore(earlier.getSharding());
    const core::WrittenSharding &b = sdy::toCore(op.getSharding());
    if (earlier.getSharding().getMeshOrRef() != op.getSharding().getMeshOrRef() ||
        a.replicated != b.replicated || a.unreduced != b.unreduced || a.reduction != b.reduction)
      return failure();
    std::optional<Strides> strides = stridesOf(earlier);
    if (!strides || !leadsToWanted(*strides))
      return failure();
    // Where nothing is left to annotate, uses see the earlier sharding.
    if (a.dims != b.dims && earlier.getType() == op.getType() && !hasTranspose())
      return failure();
    rewriter.replaceOp(op, followPath(earlier, *strides));
    return success();
  }

  bool hasTranspose() const { return llvm::any_of(path, llvm::IsaPred<stablehlo::TransposeOp>); }

  /// Strides after a transpose; none if those before are not a sharding of its operand.
  std::optional<Strides> transposed(stablehlo::TransposeOp transpose,
                                    const Strides &strides) const {
    auto before = core::shardingOfStrides(shapeOf(plainType(transpose.getOperand())), strides);
    if (!before)
      return std::nullopt;
    core::Sharding after = *before;
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      after.dims[to] = before->dims[from];
    return core::axisStrides(shapeOf(plainType(transpose.getResult())), after);
  }

  /// Whether a tensor placed by `strides` before the path is placed as wanted after it.
  bool leadsToWanted(Strides strides) const {
    for (Operation *step : llvm::reverse(path))
      if (auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(step)) {
        std::optional<Strides> next = transposed(transpose, strides);
        if (!next)
          return false;
        strides = std::move(*next);
      }
    return strides == wanted;
  }

  /// `op`'s sharding, with the dimensions of a tensor of `type` that is placed by `strides`.
  sdy::TensorShardingAttr shardingAt(mlir::Type type, const Strides &strides) {
    core::Shape shape = shapeOf(mlir::cast<RankedTensorType>(type));
    core::WrittenSharding written = sdy::toCore(op.getSharding());
    written.dims =
        core::toWritten(*core::shardingOfStrides(shape, strides), sdy::toCore(mesh)).dims;
    return sdy::toAttr(op.getSharding().getMeshOrRef(), std::move(written));
  }

  /// A value without sharding has no unreduced axes, so those of partial values are written always.
  bool isPartial() { return !sdy::toCore(op.getSharding()).unreduced.empty(); }

  /// Another reshard or a collective starts from what its operand says; one that says nothing is
  /// whole on every device.
  bool isShardingRead() {
    return llvm::any_of(op->getUsers(), llvm::IsaPred<sdy::ReshardOp, sdy::CollectiveOpInterface>);
  }

  /// Gives a new op the attributes of `model`, which may be null, and `sharding` for the one that
  /// `model` has.
  Value like(Operation *model, Operation *shapeOp, sdy::TensorShardingAttr sharding) {
    if (model)
      for (mlir::NamedAttribute attr : model->getDiscardableAttrs())
        if (!attr.getName().strref().starts_with("sdy."))
          shapeOp->setDiscardableAttr(attr.getName(), attr.getValue());
    if (isPartial() || (model && sdy::getSharding(model->getResult(0))))
      sdy::setResultShardings(shapeOp, sharding);
    return shapeOp->getResult(0);
  }

  Value reshapeTo(mlir::Type type, Value value, Operation *model,
                  sdy::TensorShardingAttr sharding) {
    mlir::Location location = model ? model->getLoc() : op.getLoc();
    return like(model, stablehlo::ReshapeOp::create(rewriter, location, type, value), sharding);
  }

  /// The result of `earlier` in the shape of `op`: the steps of the path again, one reshape for
  /// each run of them.
  Value followPath(sdy::ReshardOp earlier, Strides strides) {
    Value value = earlier.getResult();
    Operation *lastReshape = nullptr;
    for (Operation *step : llvm::reverse(path)) {
      auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(step);
      if (!transpose) {
        lastReshape = step;
        continue;
      }
      mlir::Type before = transpose.getOperand().getType();
      if (value.getType() != before)
        value = reshapeTo(before, value, lastReshape, shardingAt(before, strides));
      strides = *transposed(transpose, strides);
      Operation *again = stablehlo::TransposeOp::create(
          rewriter, transpose.getLoc(), transpose.getType(), value, transpose.getPermutationAttr());
      value = like(transpose, again, shardingAt(transpose.getType(), strides));
      lastReshape = nullptr;
    }
    if (value.getType() != op.getType())
      value = reshapeTo(op.getType(), value, lastReshape, op.getSharding());
    if (value != earlier.getResult() && (sdy::getSharding(value) || isShardingRead()))
      sdy::setResultShardings(value.getDefiningOp(), op.getSharding());
    return value;
  }

  sdy::ReshardOp op;
  sdy::MeshAttr mesh;
  PatternRewriter &rewriter;
  Strides wanted;
  /// Reshapes and transposes above `op`, nearest first.
  SmallVector<Operation *> path;
  int numUses = 0;
};

struct ReuseThroughShapes final : mlir::OpRewritePattern<sdy::ReshardOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sdy::ReshardOp op, PatternRewriter &rewriter) const override {
    sdy::MeshAttr mesh = sdy::getMesh(op.getSharding(), op);
    return mesh && !mesh.isMaximal() ? Reuse(op, mesh, rewriter).run() : failure();
  }
};

struct StablehloReshardPatterns final : sdy::ReshardPatterns {
  using ReshardPatterns::ReshardPatterns;

  void addPatterns(mlir::RewritePatternSet &patterns) const override {
    patterns.addWithLabel<ReuseThroughShapes>({sdy::kReshardLabel}, patterns.getContext());
  }
};

} // namespace

void registerReshardReuse(mlir::DialectRegistry &registry) {
  registry.addExtension(
      +[](mlir::MLIRContext *, sdy::SdyDialect *dialect, stablehlo::StablehloDialect *) {
        dialect->addInterfaces<StablehloReshardPatterns>();
      });
}

} // namespace shardwise::extensions
