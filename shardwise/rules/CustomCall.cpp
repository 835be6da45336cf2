// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Custom calls, by target name, in this order:
//   1. Structured targets have a rule that looks at shapes; with other operands than it expects,
//      the call is unknown.
//   2. Identities and the point-wise targets have one factor a dimension.
//   3. Callbacks and the like are known to have no rule.
//   4. All others are unknown: shardings stop there, with a warning, unless a rule is attached.
// Example: @Qr of 2x4x3 is `([i, j, k])->([i, j, k], [i, l])`, and only the batch i may be cut.

#include "shardwise/dialect/stablehlo/CustomCallTargets.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/SheetTable.h"

#include "llvm/ADT/StringMap.h"

namespace shardwise::rules {

namespace {

using core::FactorKind;
using llvm::ArrayRef;

/// Leading dimensions, all but the last two, of operand 0 and of the tensors that have them.
void addBatchDims(RuleBuilder &builder, ArrayRef<int64_t> shape) {
  for (int64_t dim = 0; dim + 2 < static_cast<int64_t>(shape.size()); ++dim)
    builder.addFactorOnAll(dim, shape[dim]);
}

/// Eigenvectors keep both matrix dimensions; eigenvalues follow the columns.
RuleAnswer eigh(mlir::Operation *op) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  int64_t row = static_cast<int64_t>(shape.size()) - 2, column = row + 1;
  RuleBuilder builder(op);
  addBatchDims(builder, shape);
  builder.addFactor({row}, {row, kNoDim}, shape[row]);
  builder.addFactor({column}, {column, row}, shape[column]);
  return builder.build();
}

/// Qr: matrix -> matrix and a vector of scalars.
RuleAnswer qr(mlir::Operation *op) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> scalarsShape = shapeOf(op->getResult(1));
  if (scalarsShape.empty())
    return RuleState::Unknown;
  int64_t row = static_cast<int64_t>(shape.size()) - 2, column = row + 1;
  RuleBuilder builder(op);
  addBatchDims(builder, shape);
  builder.addFactor({row}, {row, kNoDim}, shape[row], kNeedReplication);
  builder.addFactor({column}, {column, kNoDim}, shape[column], kNeedReplication);
  int64_t lastDim = static_cast<int64_t>(scalarsShape.size()) - 1;
  builder.addFactor({kNoDim}, {kNoDim, lastDim}, scalarsShape[lastDim], kNeedReplication);
  return builder.build();
}

/// The inverse direction: matrix and vector of scalars -> matrix.
RuleAnswer householderProduct(mlir::Operation *op) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> scalarsShape = shapeOf(op->getOperand(1));
  if (scalarsShape.empty())
    return RuleState::Unknown;
  int64_t row = static_cast<int64_t>(shape.size()) - 2, column = row + 1;
  RuleBuilder builder(op);
  addBatchDims(builder, shape);
  builder.addFactor({row, kNoDim}, {row}, shape[row], kNeedReplication);
  builder.addFactor({column, kNoDim}, {column}, shape[column], kNeedReplication);
  int64_t lastDim = static_cast<int64_t>(scalarsShape.size()) - 1;
  builder.addFactor({kNoDim, lastDim}, {kNoDim}, scalarsShape[lastDim], kNeedReplication);
  return builder.build();
}

RuleAnswer topK(mlir::Operation *op) {
  ArrayRef<int64_t> inShape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> outShape = shapeOf(op->getResult(0));
  if (inShape.size() != outShape.size())
    return RuleState::Unknown;
  return RuleBuilder(op)
      .addPointwise(inShape,
                    [&](int64_t dim) -> FactorTraits {
                      // The searched dimension is the one that changes its size.
                      if (inShape[dim] == outShape[dim])
                        return kPassThrough;
                      return {FactorKind::NeedReplication, /*isBlocked=*/true};
                    })
      .build();
}

/// Values and their indices in, the best of both out; two more operands are initial values.
RuleAnswer partialReduce(mlir::Operation *op) {
  ArrayRef<int64_t> inShape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> outShape = shapeOf(op->getResult(0));
  if (inShape.size() != outShape.size())
    return RuleState::Unknown;
  RuleBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(inShape)) {
    int64_t dim = i;
    if (size == outShape[dim]) {
      builder.addFactor({dim, dim, kNoDim, kNoDim}, {dim, dim}, size);
      continue;
    }
    // How the reduced dimension is cut says nothing of the candidates that are left of it.
    builder.addFactor({dim, dim, kNoDim, kNoDim}, {kNoDim, kNoDim}, size);
    builder.addResultFactor(dim, outShape[dim], {FactorKind::NeedReplication, /*isBlocked=*/true});
  }
  return builder.build();
}

/// Rows go where lists say, so they must be whole, as the lists must; other dimensions are sent as
/// they are.
RuleAnswer raggedAllToAll(mlir::Operation *op) {
  ArrayRef<int64_t> rows = shapeOf(op->getOperand(0)), output = shapeOf(op->getResult(0));
  if (rows.size() != output.size())
    return RuleState::Unknown;
  auto factor = [&](RuleBuilder &builder, int64_t rowsDim, int64_t outputDim, int64_t listDim,
                    int64_t size, FactorTraits traits) {
    builder.addFactor({rowsDim, outputDim, listDim, listDim, listDim, listDim}, {outputDim}, size,
                      traits);
  };
  RuleBuilder builder(op);
  for (int64_t dim = 1; dim < static_cast<int64_t>(rows.size()); ++dim)
    factor(builder, dim, dim, kNoDim, rows[dim], kPassThrough);
  factor(builder, 0, kNoDim, kNoDim, rows[0], kNeedReplication);
  factor(builder, kNoDim, 0, kNoDim, output[0], kNeedReplication);
  factor(builder, kNoDim, kNoDim, 0, shapeOf(op->getOperand(2))[0], kNeedReplication);
  return builder.build();
}

/// The state that is combined for a random number generator must be whole.
RuleAnswer x64Combine(mlir::Operation *op) {
  bool feedsGenerator = llvm::any_of(op->getUsers(), llvm::IsaPred<stablehlo::RngBitGeneratorOp>);
  FactorTraits traits;
  if (feedsGenerator)
    traits = {FactorKind::NeedReplication, /*isBlocked=*/true};
  return RuleBuilder(op)
      .addPointwise(shapeOf(op->getResult(0)), [&](int64_t) { return traits; })
      .build();
}

/// How many operands and results a structured target has; its rule looks at their shapes.
struct Structured {
  RuleAnswer (*rule)(mlir::Operation *);
  unsigned numOperands, numResults;
  int64_t minRank;
};

const llvm::StringMap<Structured> &structuredTargets() {
  static const llvm::StringMap<Structured> targets = {
      {"Eigh", {eigh, 1, 2, 2}},
      {"Qr", {qr, 1, 2, 2}},
      {"QrDecompositionBlock", {qr, 1, 2, 2}},
      {"ProductOfElementaryHouseholderReflectors", {householderProduct, 2, 1, 2}},
      {"mhlo.topk", {topK, 1, 2, 0}},
      {"ApproxTopK", {partialReduce, 4, 2, 0}},
      {"PartialReduce", {partialReduce, 4, 2, 0}},
      {"X64Combine", {x64Combine, 2, 1, 0}},
      {"ragged_all_to_all", {raggedAllToAll, 6, 1, 1}},
  };
  return targets;
}

/// Those that are not point-wise to a device say so in `customCallUses`: shardings pass through
/// them, and yet a shard of the result needs more than a shard of the operand. A matrix op works on
/// the last two dimensions, a shift moves elements along the one that its backend_config names.
enum class Target { Pointwise, Matrix, Shift, NoRule };

const llvm::StringMap<Target> &simpleTargets() {
  static const llvm::StringMap<Target> targets = {
      {"Cholesky", Target::Matrix},
      {"CompactWyHelper", Target::Matrix},
      {"InspectSharding", Target::Pointwise},
      {"InvertDiagBlocksLowerTriangular", Target::Matrix},
      {"InvertDiagBlocksUpperTriangular", Target::Matrix},
      {"mhlo.erf", Target::Pointwise},
      {"MoveToDevice", Target::Pointwise},
      {"MoveToHost", Target::Pointwise},
      {"X64SplitHigh", Target::Pointwise},
      {"X64SplitLow", Target::Pointwise},
      {"xla.megascale.provide_metadata", Target::Pointwise},
      {"_SPMDInternalOp_MultiPad", Target::Shift},
      {"_SPMDInternalOp_RotateRight", Target::Shift},
      {"_SPMDInternalOp_MultiRotate", Target::Shift},
      {"_SPMDInternalOp_MultiSlice", Target::Shift},
      {"_SPMDInternalOp_Wrap", Target::Shift},
      {"sdy_testonly", Target::NoRule},
      {"tpu_custom_call", Target::NoRule},
      {"xla_python_cpu_callback", Target::NoRule},
      {"xla_python_gpu_callback", Target::NoRule},
      {"xla_ffi_python_cpu_callback", Target::NoRule},
      {"xla_ffi_python_gpu_callback", Target::NoRule},
      {"xla.debug.Log", Target::NoRule},
  };
  return targets;
}

bool fits(const Structured &target, mlir::Operation *op) {
  return op->getNumOperands() == target.numOperands && op->getNumResults() == target.numResults &&
         rankOf(op->getOperand(0)) >= target.minRank;
}

RuleAnswer customCall(stablehlo::CustomCallOp op) {
  llvm::StringRef name = op.getCallTargetName();
  if (auto it = structuredTargets().find(name); it != structuredTargets().end())
    return fits(it->second, op) ? it->second.rule(op) : RuleState::Unknown;
  // @Sharding is of the partitioner before Shardy, which has no rule for it: programs for Shardy
  // have a constraint in its place.
  bool isIdentity = stablehlo::isIdentityTarget(name) && name != "Sharding";
  auto it = simpleTargets().find(name);
  if (!isIdentity && it == simpleTargets().end())
    return RuleState::Unknown;
  bool isPointwise = isIdentity || it->second != Target::NoRule;
  // Tokens have no dimensions.
  if (!isPointwise || !mlir::isa<mlir::ShapedType>(op->getResult(0).getType()))
    return RuleState::None;
  return pointwiseRule(op);
}

/// What a target needs whole, apart from what its rule says.
Target targetOf(llvm::StringRef name) {
  if (name.starts_with("lapack_") || name == "Eigh")
    return Target::Matrix;
  auto it = simpleTargets().find(name);
  return it == simpleTargets().end() ? Target::NoRule : it->second;
}

bool isTriangularSolve(stablehlo::CustomCallOp op) {
  llvm::StringRef name = op.getCallTargetName();
  return name == "lapack_strsm_ffi" || name == "lapack_dtrsm_ffi";
}

/// N of a backend_config that is text and has `dimension=N` in it.
std::optional<int64_t> namedDimension(stablehlo::CustomCallOp op) {
  auto config =
      mlir::dyn_cast_if_present<mlir::StringAttr>(op.getBackendConfig().value_or(nullptr));
  int64_t dim = 0;
  llvm::StringRef rest = config ? config.getValue().split("dimension=").second : "";
  if (rest.consumeInteger(10, dim))
    return std::nullopt;
  return dim;
}

/// Rules of custom calls are written by users and exporters, for whom a factor that only operands
/// or only results have is a dimension that is needed as a whole. Matrix ops need whole matrices,
/// whatever their rules say: what is left are the dimensions before the last two, and of triangular
/// solves the right-hand sides, which are independent. Of shifts, the
/// dimension along which elements move is whole; all are if it is not known, or has another size.
/// Example: potrf with `([i, j, k])->([i, l, m], [i])` can be cut along i.
void customCallUses(mlir::Operation *op, FactorUses &uses) {
  auto call = mlir::cast<stablehlo::CustomCallOp>(op);
  const core::ShardingRule &rule = uses.rule();
  // Nobody knows what they do with elements that are none.
  uses.keepEven();
  if (isTriangularSolve(call))
    return triangularSolveUses(op, uses);
  Target target = rule.operands.empty() ? Target::NoRule : targetOf(call.getCallTargetName());
  int64_t rank = rule.operands.empty() ? 0 : static_cast<int64_t>(rule.operands[0].size());
  std::optional<int64_t> moving = namedDimension(call);
  bool isKnownShift = moving && op->getNumOperands() > 0 && op->getNumResults() > 0 &&
                      shapeOf(op->getOperand(0)) == shapeOf(op->getResult(0));
  uses.keepOnly([&](core::FactorIndex factor) {
    auto isIn = [&](const core::TensorMapping &mapping) {
      return dimOf(mapping, factor) != kNoDim;
    };
    auto isBatch = [&](const core::TensorMapping &mapping) {
      return isIn(mapping) && dimOf(mapping, factor) < rank - 2;
    };
    bool isOnBothSides = llvm::any_of(rule.operands, isIn) && llvm::any_of(rule.results, isIn);
    switch (target) {
    case Target::Matrix:
      return llvm::all_of(rule.operands, isBatch) && llvm::all_of(rule.results, isBatch);
    case Target::Shift:
      return isOnBothSides && isKnownShift && dimOf(rule.operands[0], factor) != *moving;
    case Target::Pointwise:
    case Target::NoRule:
      return isOnBothSides;
    }
    llvm_unreachable("all targets are above");
  });
}

} // namespace

std::optional<core::ShardingRule> ownRuleOfCall(mlir::Operation *op) {
  auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op);
  // Where it is no triangular solve but in name, the program is refused before it is partitioned.
  if (!call || !isTriangularSolve(call) || op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      rankOf(op->getOperand(0)) < 2 || rankOf(op->getOperand(1)) != rankOf(op->getOperand(0)))
    return std::nullopt;
  return triangularSolveRule(op, stablehlo::lapackCharacter(call, "side", 'L') == 'L',
                             stablehlo::lapackCharacter(call, "trans_x", 'N') != 'N');
}

void addCustomCallSheet(SheetTable &table) {
  table.add<stablehlo::CustomCallOp>({ruleOf<customCall>, customCallUses});
}

} // namespace shardwise::rules
