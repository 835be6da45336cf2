// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass: global shapes become local shapes, in three sweeps over the module. The first checks
// that every op can work on its parts, the second gives all values their local types, the third
// brings ops into local form. Each costs the number of ops and values.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/OpSheet.h"
#include "shardwise/transforms/partition/LocalForms.h"
#include "shardwise/transforms/partition/LocalProgram.h"
#include "shardwise/transforms/partition/Passes.h"
#include "shardwise/transforms/reshard/EvenShardings.h"
#include "shardwise/transforms/reshard/FactorAxes.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

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

llvm::LogicalResult checkEven(mlir::Operation *op, mlir::Value value,
                              reshard::ShardedProgram &program) {
  if (!isTensor(value))
    return llvm::success();
  const core::Sharding &placement = program.placementOf(value);
  core::Shape shape = reshard::shapeOf(value);
  std::optional<int64_t> dim = reshard::unevenDim(shape, placement);
  if (!dim)
    return llvm::success();
  return op->emitError("dimension ")
         << *dim << " of size " << shape[*dim] << " is not divisible by "
         << core::shardedSize(placement.dims[*dim].axes)
         << "; pad the dimension or choose other axes";
}

/// Whether op's tensors are cut as one choice of factor axes says, with no factor cut that the op
/// needs whole.
llvm::LogicalResult checkFactors(mlir::Operation *op, const rules::OpSheet &sheet,
                                 reshard::ShardedProgram &program) {
  const core::ShardingRule &rule = sheet.rule;
  reshard::FactorAxes axes(rule.factorSizes.size());
  std::vector<bool> isKnown(axes.size(), false);
  auto fail = [&](llvm::StringRef kind, unsigned number) {
    return op->emitOpError(kind) << ' ' << number
                                 << " has a sharding that the op cannot work on; run "
                                    "shardwise-insert-partition-reshards first";
  };
  auto visit = [&](mlir::Value value, const core::TensorMapping &mapping) {
    reshard::TensorOnFactors tensor{reshard::shapeOf(value), 1, mapping,
                                    program.placementOf(value)};
    auto lists = reshard::axesOfFactors(tensor, rule.factorSizes);
    for (size_t factor = 0; factor < axes.size(); ++factor) {
      if (!lists[factor])
        continue;
      if (!sheet.uses[factor].mayBeCut() && !lists[factor]->empty())
        return false;
      if (isKnown[factor] && axes[factor] != *lists[factor])
        return false;
      axes[factor] = *lists[factor];
      isKnown[factor] = true;
    }
    // Axes that no factor can carry are left out above.
    core::Sharding implied = reshard::shardingOfFactors(mapping, axes);
    for (size_t d = 0; d < implied.dims.size(); ++d)
      if (implied.dims[d].axes != tensor.placement.dims[d].axes)
        return false;
    return true;
  };
  // Partial values pass through linear ops only; everything else needs the whole.
  core::AxisList passed;
  if (!sheet.linearOperands.empty())
    passed = program.placementOf(op->getOperand(sheet.linearOperands.front())).unreduced;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    const core::AxisList &partial = program.placementOf(operand).unreduced;
    bool mayBePartial = llvm::is_contained(sheet.linearOperands, number);
    bool isExpected = mayBePartial ? partial == passed : partial.empty();
    if (!visit(operand, rule.operands[number]) || !isExpected)
      return fail("operand", number);
  }
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    core::AxisList unreduced =
        reshard::resultShardingOfFactors(rule.results[number], axes, sheet.uses).unreduced;
    unreduced.insert(unreduced.end(), passed.begin(), passed.end());
    if (!visit(result, rule.results[number]) ||
        program.placementOf(result).unreduced != core::sortAndMerge(std::move(unreduced)))
      return fail("result", number);
  }
  return llvm::success();
}

llvm::LogicalResult checkOp(mlir::Operation *op, reshard::ShardedProgram &program) {
  for (mlir::Value result : op->getResults())
    if (failed(checkEven(op, result, program)))
      return llvm::failure();
  auto isCut = [&](mlir::Value value) {
    const core::Sharding &placement = program.placementOf(value);
    return isTensor(value) && (!core::isFullyReplicated(placement) || !placement.unreduced.empty());
  };
  if (llvm::none_of(op->getOperands(), isCut) && llvm::none_of(op->getResults(), isCut))
    return llvm::success();
  auto refuse = [&] {
    return op->emitOpError("has no local form; leave its operands and results unsharded");
  };
  if (!LocalFormRegistry::instance().lookUp(op))
    return refuse();
  if (mlir::isa<sdy::ReshardOp, sdy::ShardingConstraintOp, sdy::PropagationBarrierOp>(op))
    return llvm::success();
  if (std::optional<rules::OpSheet> sheet = rules::opSheet(op))
    return checkFactors(op, *sheet, program);
  // Custom calls that nobody knows, and element-wise ops of quantized types.
  bool needsSheet =
      mlir::isa<stablehlo::CustomCallOp>(op) || op->hasTrait<stablehlo::Elementwise>();
  return needsSheet ? refuse() : llvm::success();
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

llvm::LogicalResult makeFunctionTypeLocal(mlir::func::FuncOp function, LocalProgram &program) {
  auto local = [&](mlir::Type type, sdy::TensorShardingAttr sharding) -> mlir::Type {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor || tensor.getRank() == 0)
      return type;
    const core::Sharding &placement = program.shardings().placementOf(sharding, type);
    core::Shape shape(tensor.getShape().begin(), tensor.getShape().end());
    if (reshard::unevenDim(shape, placement))
      return {};
    return localType(tensor, placement);
  };
  llvm::SmallVector<mlir::Type> arguments, results;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    arguments.push_back(local(type, sdy::getFuncArgSharding(function, index)));
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    results.push_back(local(type, sdy::getFuncResultSharding(function, index)));
  if (llvm::is_contained(arguments, mlir::Type()) || llvm::is_contained(results, mlir::Type()))
    return function.emitError("an argument or result is sharded unevenly; pad the dimension or "
                              "choose other axes");
  function.setFunctionType(mlir::FunctionType::get(function.getContext(), arguments, results));
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Drops the sdy attributes of `op`; those of function arguments and results stay.
void dropShardingAttributes(mlir::Operation *op) {
  llvm::SmallVector<mlir::StringAttr> names;
  for (mlir::NamedAttribute attribute : op->getDiscardableAttrs())
    if (attribute.getName().getValue().starts_with("sdy."))
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

llvm::LogicalResult convert(mlir::ModuleOp module, reshard::ShardedProgram &shardings) {
  bool hasFailed = false;
  module.walk([&](mlir::Operation *op) { hasFailed |= failed(checkOp(op, shardings)); });
  if (hasFailed)
    return llvm::failure();

  LocalProgram program(shardings, module);
  llvm::SmallVector<mlir::Operation *> ops;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (failed(makeFunctionTypeLocal(function, program)))
      return llvm::failure();
    function->walk([&](mlir::Operation *op) {
      makeTypesLocal(op, program);
      if (op != function)
        ops.push_back(op);
    });
  }
  // Bodies come before the op that has them, so that they are local when they are inlined.
  for (mlir::Operation *op : ops) {
    LocalForm form = LocalFormRegistry::instance().lookUp(op);
    if (form && failed(form(op, program)))
      return llvm::failure();
  }
  program.finish();
  module.walk(dropShardingAttributes);
  setDeviceCounts(module, shardings.mesh().numDevices());
  return llvm::success();
}

struct ConvertGlobalToLocalPass : impl::ConvertGlobalToLocalBase<ConvertGlobalToLocalPass> {
  void runOnOperation() override {
    llvm::FailureOr<reshard::ShardedProgram> shardings =
        reshard::ShardedProgram::create(getOperation());
    if (failed(shardings) || failed(convert(getOperation(), *shardings)))
      signalPassFailure();
  }
};

} // namespace

} // namespace shardwise::partition
