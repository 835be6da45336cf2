// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-convert-global-to-local: global shapes become local shapes, in three walks over the
// module.
//   1. Every op is checked: can it work on its parts, one device without the others? And are they
//      on one mesh? Nothing has changed when an op is refused. What it reads of padding is noted.
//   2. All values get their local types.
//   3. Ops are brought into local form (LocalForms.h). They find all types local, whatever their
//      order, loops included. Padding that they read is masked before (PaddingMasks.h). What runs
//      on a single device goes into a branch (OneDeviceForm.h). Collectives stay, on shards.
// Then, unless collectives are to be kept, these become StableHLO's (CollectiveLowering.h).
// Each costs the number of ops and values. With x=2 and %a `[{"x"}, {}]`:
//   %0 = stablehlo.transpose %a : (8x4) -> 4x8
// becomes
//   %0 = stablehlo.transpose %a : (4x4) -> 4x4

#include "shardwise/core/EvenSharding.h"
#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/propagation/AxesPerFactor.h"
#include "shardwise/rules/AlikeOps.h"
#include "shardwise/rules/OpSheet.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/partition/CollectiveLowering.h"
#include "shardwise/transforms/partition/LocalForms.h"
#include "shardwise/transforms/partition/LocalProgram.h"
#include "shardwise/transforms/partition/OneDeviceForm.h"
#include "shardwise/transforms/partition/PaddingMasks.h"
#include "shardwise/transforms/partition/Passes.h"
#include "shardwise/transforms/reshard/ChooseFactorAxes.h"
#include "shardwise/transforms/reshard/OneDevice.h"
#include "shardwise/transforms/reshard/RowsOfGroups.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <iterator>
#include <variant>

namespace shardwise::partition {

#define GEN_PASS_DEF_CONVERTGLOBALTOLOCAL
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

bool isTensor(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Checks on the global program
//===----------------------------------------------------------------------===//

/// The factors that an op's tensors are cut along, tensor by tensor.
class FactorCheck {
public:
  /// `sheet`, that of `op`, must outlive this.
  FactorCheck(mlir::Operation *op, const rules::OpSheet &sheet, reshard::ShardedProgram &program)
      : uses(sheet.uses), paddings(sheet.paddings), axes(uses.size()), isKnown(uses.size(), false),
        numOperands(op->getNumOperands()) {
    llvm::SmallVector<const core::Sharding *> placements;
    for (mlir::Value operand : op->getOperands())
      placements.push_back(&program.placementOf(operand));
    for (mlir::Value result : op->getResults())
      placements.push_back(&program.placementOf(result));
    projection.fill(sheet.rule, placements, propagation::Remainder::CutOffInProducts);
  }

  /// Adds tensor number `tensor`. Returns whether it is cut
  ///   1. along no factor that the op needs whole, or computes in two phases, and as a result along
  ///      no factor that a cut of the operands leaves whole there;
  ///   2. as the tensors before it along the factors that they have;
  ///   3. by axes that all belong to a factor;
  ///   4. into equal parts, where the op cannot live with padding.
  bool add(int64_t tensor) {
    bool isResult = tensor >= numOperands;
    for (uint32_t i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i) {
      core::FactorIndex factor = projection.entry(i).factor;
      std::span<const core::Axis> own = projection.axes(projection.entry(i));
      bool isLeftWhole = isResult && !uses[factor].cutsResults();
      bool mayBeCut = uses[factor].mayBeCut() && !uses[factor].isTwoPhase() && !isLeftWhole;
      if (!mayBeCut && !own.empty())
        return false;
      if (isLeftWhole)
        continue;
      if (isKnown[factor] && !std::ranges::equal(axes[factor], own))
        return false;
      if (paddings[factor] == core::Padding::Refused && isUneven(factor, own))
        return false;
      axes[factor].assign(own.begin(), own.end());
      isKnown[factor] = true;
    }
    core::Sharding implied = isResult
                                 ? reshard::resultShardingOfFactors(projection, tensor, axes, uses)
                                 : reshard::shardingOfFactors(projection, tensor, axes);
    for (size_t d = 0; d < implied.dims.size(); ++d)
      if (implied.dims[d].axes != projection.sharding(tensor)->dims[d].axes)
        return false;
    return true;
  }

  /// Returns the axes along which the op leaves result `tensor` partial.
  core::AxisList unreducedOf(int64_t tensor) const {
    return reshard::resultShardingOfFactors(projection, tensor, axes, uses).unreduced;
  }

  /// Whether no axis is on two factors that cannot share it. Requires: all tensors have been added.
  bool areCompatible(const rules::OpSheet &sheet) const {
    return core::areCompatible(sheet.exchanges, uses, axes);
  }

  /// Returns what operands of `op` must hold in their padding. Requires: all tensors have been
  /// added.
  llvm::SmallVector<NeutralOperand, 2> neutralOperands(mlir::Operation *op,
                                                       const rules::OpSheet &sheet) const {
    llvm::SmallVector<NeutralOperand, 2> found;
    auto add = [&](unsigned operand, int64_t dim, NeutralOperand::Filling filling) {
      bool isNext =
          !found.empty() && found.back().operand == operand && found.back().filling == filling;
      if (!isNext)
        found.push_back({operand, {}, filling});
      found.back().dims.push_back(dim);
    };
    auto isUnevenDim = [&](int64_t operand, int64_t dim, core::FactorIndex factor) {
      int64_t size = reshard::shapeOf(op->getOperand(operand))[dim];
      return size % core::shardedSize(axes[factor]) != 0;
    };
    for (uint32_t i = 0; i < projection.firstEntry(projection.numOperands()); ++i) {
      const propagation::FactorEntry &entry = projection.entry(i);
      if (paddings[entry.factor] == core::Padding::Neutral &&
          isUnevenDim(entry.tensor, entry.dim, entry.factor))
        add(entry.tensor, entry.dim, uses[entry.factor].combination());
    }
    for (const core::OperandWindow &window : sheet.windows) {
      if (paddings[window.factor] != core::Padding::Outside ||
          !isUnevenDim(window.operand, window.dim, window.factor))
        continue;
      int64_t size = reshard::shapeOf(op->getOperand(window.operand))[window.dim];
      if (core::readsBehind(window.window, window.numIndices, size))
        add(window.operand, window.dim, reshard::valueOutside(op, window.operand));
    }
    return found;
  }

private:
  bool isUneven(core::FactorIndex factor, std::span<const core::Axis> own) const {
    return projection.rule().factorSizes[factor] % core::shardedSize(own) != 0;
  }

  propagation::ShardingProjection projection;
  std::span<const core::FactorUse> uses;
  std::span<const core::Padding> paddings;
  propagation::AxesPerFactor axes;
  std::vector<bool> isKnown;
  int64_t numOperands;
};

/// Whether op's tensors are cut as one choice of factor axes says, with no factor cut that the op
/// needs whole. Adds to `neutral` what it needs of padding.
llvm::LogicalResult checkFactors(mlir::Operation *op, const rules::OpSheet &sheet,
                                 reshard::ShardedProgram &program, NeutralOperands &neutral) {
  FactorCheck factors(op, sheet, program);
  auto fail = [&](llvm::StringRef kind, unsigned number) {
    return op->emitOpError(kind) << ' ' << number
                                 << " has a sharding that the op cannot work on; run "
                                    "shardwise-insert-partition-reshards first";
  };
  // Partial values pass through linear ops only; everything else needs the whole.
  auto unreducedOf = [&](unsigned number) -> const core::AxisList & {
    return program.placementOf(op->getOperand(number)).unreduced;
  };
  auto isPartial = [&](unsigned number) { return !unreducedOf(number).empty(); };
  const rules::LinearOperands *linear =
      rules::findLinearSet(sheet.linearSets, op->getNumOperands(), isPartial);
  // Rows of groups pass through what computes row by row.
  rules::LinearOperands ofRows;
  if (op->removeAttr(reshard::kRowsOfGroupsAttr)) {
    llvm::copy_if(llvm::seq(op->getNumOperands()), std::back_inserter(ofRows), isPartial);
    linear = ofRows.empty() ? nullptr : &ofRows;
  }
  core::AxisList passed;
  if (linear)
    passed = unreducedOf(linear->front());
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    const core::AxisList &partial = program.placementOf(operand).unreduced;
    bool mayBePartial = linear && llvm::is_contained(*linear, number);
    bool isExpected = mayBePartial ? partial == passed : partial.empty();
    if (!factors.add(static_cast<int64_t>(number)) || !isExpected)
      return fail("operand", number);
  }
  for (const core::OperandWindow &window : sheet.windows) {
    const core::Sharding &placement = program.placementOf(op->getOperand(window.operand));
    int64_t parts = core::shardedSize(placement.dims[window.dim].axes);
    if (parts > 1 && !core::blockInterval(window, parts))
      return fail("operand", window.operand);
  }
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    auto tensor = static_cast<int64_t>(op->getNumOperands() + number);
    core::AxisList unreduced = factors.unreducedOf(tensor);
    // A ragged_dot that takes rows of groups leaves sums over the groups, or rows, by itself.
    if (!mlir::isa<chlo::RaggedDotOp>(op))
      unreduced.insert(unreduced.end(), passed.begin(), passed.end());
    if (!factors.add(tensor) ||
        program.placementOf(result).unreduced != core::sortAndMerge(std::move(unreduced)))
      return fail("result", number);
  }
  if (!factors.areCompatible(sheet))
    return fail("operand", 0);
  if (llvm::SmallVector<NeutralOperand, 2> operands = factors.neutralOperands(op, sheet);
      !operands.empty())
    neutral[op] = std::move(operands);
  return llvm::success();
}

/// Whether an op passes values on, so that each of them may be on another mesh. Where it changes a
/// mesh on the way, its local form knows.
bool passesValuesOn(mlir::Operation *op, reshard::ShardedProgram &program) {
  return !reshard::deviceOf(op, program) &&
         mlir::isa<sdy::ReshardOp, sdy::CollectivePermuteOp, sdy::ExchangeOp,
                   sdy::ShardingConstraintOp, sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
                   sdy::FuncDataFlowEdgeOp, sdy::ManualComputationOp, sdy::NamedComputationOp,
                   mlir::func::CallOp, stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp,
                   stablehlo::OptimizationBarrierOp>(op);
}

/// Whether what a function returns, and what a loop starts from, is on the mesh of what it becomes.
llvm::LogicalResult checkPassedOn(mlir::Operation *op, reshard::ShardedProgram &program) {
  auto function = mlir::dyn_cast<mlir::func::FuncOp>(op->getParentOp());
  bool isReturn = mlir::isa<mlir::func::ReturnOp>(op) && function;
  if (!isReturn && !mlir::isa<stablehlo::WhileOp, stablehlo::OptimizationBarrierOp>(op))
    return llvm::success();
  for (mlir::OpOperand &use : op->getOpOperands()) {
    unsigned number = use.getOperandNumber();
    sdy::TensorShardingAttr sharding = isReturn ? sdy::getFuncResultSharding(function, number)
                                                : sdy::getSharding(op->getResult(number));
    mlir::Attribute own = program.meshOf(use.get());
    mlir::Attribute wanted = program.meshOf(sharding, use.get().getType());
    bool isThere = own == wanted || (!own && program.isOneDevice(wanted));
    if (isTensor(use.get()) && !isThere)
      return op->emitOpError("operand ")
             << number << " is on other devices than what it becomes; run "
             << "shardwise-insert-partition-reshards first";
  }
  return llvm::success();
}

/// Whether all values of an op are on one mesh: the axes of several have the same names, but mean
/// other devices. On a single device only what runs there has values.
llvm::LogicalResult checkMeshes(mlir::Operation *op, reshard::ShardedProgram &program) {
  if (passesValuesOn(op, program) || op->hasTrait<mlir::OpTrait::IsTerminator>())
    return checkPassedOn(op, program);
  if (program.isOnOneMesh())
    return llvm::success();
  mlir::Attribute mesh = reshard::deviceOf(op, program);
  auto check = [&](mlir::Value value) -> llvm::LogicalResult {
    mlir::Attribute own = program.meshOf(value);
    if (own && !mesh && !program.isOneDevice(own))
      mesh = own;
    bool isMade = mlir::isa_and_nonnull<stablehlo::ConstantOp, sdy::ConstantOp, stablehlo::IotaOp>(
        value.getDefiningOp());
    if (!isTensor(value) || !own || own == mesh || (isMade && value.getDefiningOp() == op))
      return llvm::success();
    return op->emitOpError("has values on different meshes; run "
                           "shardwise-insert-partition-reshards first");
  };
  for (mlir::Value operand : op->getOperands())
    if (failed(check(operand)))
      return llvm::failure();
  if (program.isOneDevice(mesh))
    for (mlir::OpOperand *use : reshard::usesFromOutside(op))
      if (failed(check(use->get())))
        return llvm::failure();
  for (mlir::Value result : op->getResults())
    if (failed(check(result)))
      return llvm::failure();
  return llvm::success();
}

/// Whether an element-wise op has all its tensors in one place, with nothing to add up. Then it
/// works there, and its sheet has nothing to say; most ops of a program are such.
bool isElementwiseInPlace(mlir::Operation *op, reshard::ShardedProgram &program) {
  if (!op->hasTrait<stablehlo::Elementwise>() || rules::isUnknownToShardingRules(op->getName()) ||
      sdy::getShardingRule(op) || op->getDiscardableAttr(reshard::kRowsOfGroupsAttr))
    return false;
  const core::Sharding &place = program.placementOf(op->getResult(0));
  // Placements of a program are the same if they are in one place in memory.
  return place.unreduced.empty() && llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
           return &program.placementOf(operand) == &place;
         });
}

/// Ops that can work on their parts, and read nothing of padding: others that are alike, with the
/// same placements, are not checked again.
using KnownOps = rules::AlikeOps<std::monostate>;

mlir::InFlightDiagnostic refuse(mlir::Operation *op) {
  return op->emitOpError("has no local form; leave its operands and results unsharded");
}

llvm::LogicalResult checkBySheet(mlir::Operation *op, reshard::ShardedProgram &program,
                                 NeutralOperands &neutral, KnownOps &known) {
  llvm::SmallVector<const void *> placements;
  bool hasAlike = rules::hasSheetOfKind(op) && !op->hasAttr(reshard::kRowsOfGroupsAttr);
  if (hasAlike) {
    // Placements of a program are the same if they are in one place in memory.
    auto add = [&](mlir::Value value) { placements.push_back(&program.placementOf(value)); };
    llvm::for_each(op->getOperands(), add);
    llvm::for_each(op->getResults(), add);
    if (known.find(op, placements))
      return llvm::success();
  }
  std::optional<rules::OpSheet> sheet = rules::opSheet(op);
  if (!sheet) {
    // Custom calls that nobody knows, and element-wise ops of quantized types.
    bool needsSheet =
        mlir::isa<stablehlo::CustomCallOp>(op) || op->hasTrait<stablehlo::Elementwise>();
    return needsSheet ? llvm::LogicalResult(refuse(op)) : llvm::success();
  }
  if (failed(checkFactors(op, *sheet, program, neutral)))
    return llvm::failure();
  if (hasAlike && !neutral.contains(op))
    known.add(op, placements, {});
  return llvm::success();
}

llvm::LogicalResult checkOp(mlir::Operation *op, reshard::ShardedProgram &program,
                            NeutralOperands &neutral, KnownOps &known) {
  if (failed(checkMeshes(op, program)))
    return llvm::failure();
  auto isCut = [&](mlir::Value value) {
    const core::Sharding &placement = program.placementOf(value);
    return isTensor(value) && (!core::isFullyReplicated(placement) || !placement.unreduced.empty());
  };
  if (llvm::none_of(op->getOperands(), isCut) && llvm::none_of(op->getResults(), isCut))
    return llvm::success();
  if (!LocalFormRegistry::instance().lookUp(op))
    return refuse(op);
  // Their local form refuses them if they change a placement.
  if (mlir::isa<sdy::ReshardOp, sdy::ShardingConstraintOp, sdy::PropagationBarrierOp>(op))
    return llvm::success();
  if (isElementwiseInPlace(op, program))
    return llvm::success();
  return checkBySheet(op, program, neutral, known);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

void makeTypesLocal(mlir::Operation *op, LocalProgram &program) {
  for (mlir::Value result : op->getResults())
    program.makeLocal(result);
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      for (mlir::BlockArgument argument : block.getArguments())
        program.makeLocal(argument);
}

/// Also tells the global types of padded arguments and results: whoever runs the program must know
/// how much of the last shards counts.
void makeFunctionTypeLocal(mlir::func::FuncOp function, LocalProgram &program) {
  auto local = [&](mlir::Type type, sdy::TensorShardingAttr sharding) -> mlir::Type {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor || tensor.getRank() == 0)
      return type;
    return localType(tensor, program.shardings().placementOf(sharding, type));
  };
  llvm::SmallVector<mlir::Type> arguments, results;
  auto isPadded = [&](mlir::Type type, sdy::TensorShardingAttr sharding) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return tensor &&
           core::unevenDim(tensor.getShape(), program.shardings().placementOf(sharding, type));
  };
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    sdy::TensorShardingAttr sharding = sdy::getFuncArgSharding(function, index);
    arguments.push_back(local(type, sharding));
    if (isPadded(type, sharding))
      function.setArgAttr(index, sdy::kGlobalTypeAttr, mlir::TypeAttr::get(type));
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    sdy::TensorShardingAttr sharding = sdy::getFuncResultSharding(function, index);
    results.push_back(local(type, sharding));
    if (isPadded(type, sharding))
      function.setResultAttr(index, sdy::kGlobalTypeAttr, mlir::TypeAttr::get(type));
  }
  function.setFunctionType(mlir::FunctionType::get(function.getContext(), arguments, results));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Drops the sdy attributes of `op`; those of function arguments and results stay, and what a
/// collective says of its operand.
void dropShardingAttributes(mlir::Operation *op) {
  llvm::SmallVector<mlir::StringAttr> names;
  for (mlir::NamedAttribute attribute : op->getDiscardableAttrs())
    if (attribute.getName().getValue().starts_with("sdy.") &&
        attribute.getName() != sdy::kInShardingAttr)
      names.push_back(attribute.getName());
  for (mlir::StringAttr name : names)
    op->removeDiscardableAttr(name);
}

void setDeviceCounts(mlir::ModuleOp module, int64_t numDevices) {
  mlir::Builder builder(module.getContext());
  module->setAttr("mhlo.num_partitions",
                  builder.getI32IntegerAttr(static_cast<int32_t>(numDevices)));
  module->setAttr("mhlo.num_replicas", builder.getI32IntegerAttr(1));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Checks all ops but those in bodies that run on one device, where everything is whole.
llvm::LogicalResult checkOps(mlir::ModuleOp module, reshard::ShardedProgram &shardings,
                             NeutralOperands &neutral) {
  llvm::DenseSet<mlir::Operation *> onDevice;
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (!reshard::deviceOf(op, shardings))
      return mlir::WalkResult::advance();
    for (mlir::Region &region : op->getRegions())
      region.walk([&](mlir::Operation *inner) { onDevice.insert(inner); });
    return mlir::WalkResult::skip();
  });
  bool hasFailed = false;
  KnownOps known;
  module.walk([&](mlir::Operation *op) {
    hasFailed |= !onDevice.contains(op) && failed(checkOp(op, shardings, neutral, known));
  });
  return llvm::success(!hasFailed);
}

llvm::LogicalResult convert(mlir::ModuleOp module, reshard::ShardedProgram &shardings,
                            bool keepsCollectives) {
  NeutralOperands neutral;
  if (failed(checkOps(module, shardings, neutral)))
    return llvm::failure();

  LocalProgram program(shardings, module);
  module.walk([&](mlir::Operation *op) { program.recordFetches(op); });
  llvm::SmallVector<mlir::Operation *> ops;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    makeFunctionTypeLocal(function, program);
    function->walk([&](mlir::Operation *op) {
      makeTypesLocal(op, program);
      if (op != function)
        ops.push_back(op);
    });
  }
  PaddingMasks masks(program);
  // Bodies come before the op that has them, so that they are local when they are inlined.
  for (mlir::Operation *op : ops) {
    if (mlir::Attribute device = reshard::deviceOf(op, shardings)) {
      runOnDevice(op, shardings.meshAt(device).deviceAt(0), program);
      continue;
    }
    if (auto found = neutral.find(op); found != neutral.end())
      masks.mask(op, found->second);
    LocalForm form = LocalFormRegistry::instance().lookUp(op);
    if (form && failed(form(op, program)))
      return llvm::failure();
  }
  program.finish();
  module.walk(dropShardingAttributes);
  setDeviceCounts(module, shardings.mesh().numDevices());
  return keepsCollectives ? llvm::success()
                          : lowerLocalCollectives(module, program, /*keepsExchanges=*/false);
}

struct ConvertGlobalToLocalPass : impl::ConvertGlobalToLocalBase<ConvertGlobalToLocalPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::FailureOr<reshard::ShardedProgram> shardings =
        reshard::ShardedProgram::create(getOperation());
    if (failed(shardings) || failed(convert(getOperation(), *shardings, keepCollectives)))
      signalPassFailure();
  }
};

} // namespace

} // namespace shardwise::partition
