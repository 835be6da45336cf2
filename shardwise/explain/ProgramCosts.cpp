// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes, arithmetic and modelled time of one device.
//
// The time of an op is that of the roofline: the longer of what it computes and what it reads and
// writes. Example, a product of 8x16xf32 and 16x32xf32 with rows over {"x"=2}, one device:
//   computes   2 * 4 * 16 * 32 = 4096 flops, by the rate of f32 products
//   touches    4 * (4*16 + 16*32 + 4*32) = 2816 bytes, by the rate of memory
// Ops are priced one by one, without a compiler's fusion, but for one rule (`isFused`): chains of
// element-wise ops and what they end in are read and written once. Otherwise memory would decide
// every program. What is read and written in another way than by element-wise ops has the rate of
// that way, if the machine says one (`planner::Access`); a convolution then takes what its product
// takes and, before it, its patches.
//
// Devices along the axes in `LoopNest::uncut` all do the same. Where devices share cores, one does
// it for all of them, in a share of the time (`commonWorkShare`).

#include "shardwise/explain/ProgramCosts.h"

#include "shardwise/core/MovedAxes.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/SwappedProducts.h"
#include "shardwise/planner/verify/Price.h"
#include "shardwise/propagation/ShardingProjection.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/reshard/LoopCounts.h"
#include "shardwise/transforms/reshard/OpAccess.h"
#include "shardwise/transforms/reshard/PlannedCosts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <optional>
#include <vector>

using namespace mlir;

namespace shardwise::explain {

namespace {

double localBytesOf(Value value, reshard::ShardedProgram &program) {
  if (!isa<RankedTensorType>(value.getType()))
    return 0;
  return double(core::numElements(
             core::localShape(reshard::shapeOf(value), program.placementOf(value)))) *
         double(reshard::elementBytesOf(value));
}

/// Elements of the largest operand or result on a device: what an op that is no product computes. A
/// loop nest over its factors would be too much: who scatters rows into a table does not go through
/// the table for each of them.
int64_t largestLocalElements(Operation *op, reshard::ShardedProgram &program) {
  int64_t most = 0;
  auto add = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()))
      most = std::max(most, core::numElements(core::localShape(reshard::shapeOf(value),
                                                               program.placementOf(value))));
  };
  llvm::for_each(op->getOperands(), add);
  llvm::for_each(op->getResults(), add);
  return most;
}

bool isRaggedProduct(Operation *op) {
  return op->getName().getStringRef() == "chlo.ragged_dot";
}

/// The axes of manual computations around an op: devices along them run programs of their own.
void addManualAxes(Operation *op, const core::Mesh &mesh, core::AxisList &axes) {
  for (auto manual = op->getParentOfType<sdy::ManualComputationOp>(); manual;
       manual = manual->getParentOfType<sdy::ManualComputationOp>())
    for (StringAttr name : manual.getManualAxes().getAxes())
      if (Result<core::Axis> axis = core::resolve(core::AxisRef{name.str(), std::nullopt}, mesh))
        axes.push_back(*axis);
}

/// Adds axes that are not there yet.
void addNew(core::AxisList &axes, std::span<const core::Axis> more) {
  core::AxisList added = core::setDifference(more, axes);
  axes.insert(axes.end(), added.begin(), added.end());
}

/// A product whose rows belong to one group each multiplies every row once: of rows mxk, matrices
/// gxkxn and the result mxn that is m*k*n, where the factors of the rule say g*m*k*n.
void setRaggedNest(Operation *op, reshard::ShardedProgram &program, LoopNest &nest,
                   core::AxisList &used) {
  auto nestOf = [&](auto shapeOf) {
    core::Shape result = shapeOf(op->getResult(0));
    return core::numElements(shapeOf(op->getOperand(0))) * (result.empty() ? 1 : result.back());
  };
  nest.program = nestOf([](Value value) { return reshard::shapeOf(value); });
  nest.local = nestOf([&](Value value) {
    return core::localShape(reshard::shapeOf(value), program.placementOf(value));
  });
  for (Value value : {op->getOperand(0), Value(op->getResult(0))})
    for (const core::DimSharding &dim : program.placementOf(value).dims)
      addNew(used, dim.axes);
}

/// Every element of the result of a convolution multiplies what the kernel has for one output
/// feature: 8x32x32x16 elements and a kernel of 3x3x4x16 are 8*32*32*16 * 3*3*4. The factors of its
/// rule do not say that: a window is as many as its stride.
void setConvolutionNest(stablehlo::ConvolutionOp op, reshard::ShardedProgram &program,
                        LoopNest &nest) {
  auto nestOf = [&](auto shapeOf) {
    core::Shape kernel = shapeOf(op.getRhs());
    kernel[op.getDimensionNumbers().getKernelOutputFeatureDimension()] = 1;
    return core::numElements(shapeOf(op.getResult())) * core::numElements(kernel);
  };
  nest.program = nestOf([](Value value) { return reshard::shapeOf(value); });
  nest.local = nestOf([&](Value value) {
    return core::localShape(reshard::shapeOf(value), program.placementOf(value));
  });
}

/// What an op reads and writes.
class TouchedBytes {
public:
  TouchedBytes(reshard::ShardedProgram &program, const planner::PriceList &prices)
      : program(program), areReductionsApart(prices.isApart(planner::Access::Reduce)) {}

  /// Bytes that a device reads and writes for `op`. Who takes a slice reads that much, and an
  /// update is written in its place.
  double of(Operation *op);
  /// Whether `value` is made on the way to what reads it element by element, and never stored. All
  /// users must be of that kind, and in the same block: for any other it has to be in memory, and a
  /// loop body reads in every round what was made before it.
  bool isFused(Value value);

private:
  bool findFused(Value value) const;
  double bytesOf(Value value) { return isFused(value) ? 0 : localBytesOf(value, program); }

  reshard::ShardedProgram &program;
  /// Whether reductions read what is in memory, and are no end of a chain.
  bool areReductionsApart;
  /// What `isFused` said of values before: it looks at all users of a value.
  llvm::DenseMap<Value, bool> fused;
};

bool TouchedBytes::findFused(Value value) const {
  Operation *maker = value.getDefiningOp();
  auto isFusable = [](Operation *op) {
    return rules::isElementwise(op) || isa<stablehlo::BroadcastInDimOp, stablehlo::IotaOp,
                                           stablehlo::ConstantOp, stablehlo::ReshapeOp>(op);
  };
  if (!maker || !isFusable(maker))
    return false;
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user->getBlock() == maker->getBlock() &&
           (isFusable(user) || (!areReductionsApart && isa<stablehlo::ReduceOp>(user)));
  });
}

bool TouchedBytes::isFused(Value value) {
  auto [known, isNew] = fused.try_emplace(value, false);
  if (isNew)
    known->second = findFused(value);
  return known->second;
}

double TouchedBytes::of(Operation *op) {
  if (isa<stablehlo::SliceOp, stablehlo::DynamicSliceOp, stablehlo::GatherOp>(op))
    return 2 * bytesOf(op->getResult(0));
  if (isa<stablehlo::DynamicUpdateSliceOp>(op))
    return 2 * bytesOf(op->getOperand(1));
  if (isa<stablehlo::ReshapeOp, stablehlo::OptimizationBarrierOp>(op))
    return 0;
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
    // A product with its sides swapped writes its transpose.
    auto product = transpose.getOperand().getDefiningOp<stablehlo::DotGeneralOp>();
    if (product && stablehlo::swappingTransposeOf(product) == transpose)
      return 0;
  }
  double bytes = 0;
  for (Value value : op->getOperands())
    bytes += bytesOf(value);
  for (Value value : op->getResults())
    bytes += bytesOf(value);
  return bytes;
}

/// What an op computes, in weights.
double computedWeight(Operation *op, const LoopNest &nest, const planner::PriceList &prices,
                      reshard::ShardedProgram &program) {
  if (reshard::isMovement(op))
    return 0;
  if (!isProduct(op))
    return double(largestLocalElements(op, program)) * prices.weightOfElement();
  std::string type;
  llvm::raw_string_ostream(type) << getElementTypeOrSelf(op->getOperand(0).getType());
  double perTerm = prices.weightOfProduct(type);
  if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op))
    perTerm += prices.weightOfPatches(reshard::patchesPerTerm(convolution, [&](Value value) {
      return core::localShape(reshard::shapeOf(value), program.placementOf(value));
    }));
  return double(nest.local) * perTerm;
}

} // namespace

bool isWork(Operation *op) {
  return (isa<stablehlo::StablehloDialect>(op->getDialect()) || isRaggedProduct(op)) &&
         op->getNumResults() > 0 &&
         !isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp, stablehlo::ConstantOp>(op) &&
         !isa<stablehlo::ReduceOp>(op->getParentOp());
}

bool isProduct(Operation *op) {
  return isa<stablehlo::DotGeneralOp, stablehlo::DotOp, stablehlo::ConvolutionOp>(op) ||
         isRaggedProduct(op);
}

LoopNest loopNestOf(Operation *op, reshard::ShardedProgram &program) {
  LoopNest nest;
  core::AxisList used;
  std::optional<core::ShardingRule> rule = rules::shardingRule(op);
  if (isRaggedProduct(op)) {
    setRaggedNest(op, program, nest, used);
  } else if (rule) {
    std::vector<const core::Sharding *> placements;
    for (Value value : op->getOperands())
      placements.push_back(&program.placementOf(value));
    for (Value value : op->getResults())
      placements.push_back(&program.placementOf(value));
    propagation::ShardingProjection projection;
    projection.fill(*rule, placements);
    nest.local = nest.program = 1;
    for (core::FactorIndex factor = 0; factor < rule->numFactors(); ++factor) {
      // Operands may have a factor whole that the result has cut: a device computes for the part of
      // the tensor that is cut most. Rounded up, as the device with a full part takes longest.
      int64_t parts = 1;
      for (auto i : projection.entriesOf(factor)) {
        auto axes = projection.axes(projection.entry(i));
        parts = std::max(parts, core::shardedSize(axes));
        addNew(used, axes);
      }
      nest.local *= (rule->factorSizes[factor] + parts - 1) / parts;
      nest.program *= rule->factorSizes[factor];
    }
    if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op))
      setConvolutionNest(convolution, program, nest);
  }
  // Types in a manual computation are local already, so the whole program does that much more.
  core::AxisList manual;
  addManualAxes(op, program.mesh(), manual);
  nest.program *= core::shardedSize(manual);
  addNew(used, manual);
  nest.uncut = core::axesBeside(program.mesh(), used);
  llvm::erase_if(nest.uncut, [](const core::Axis &axis) { return axis.size == 1; });
  return nest;
}

std::vector<OpWork> worksOf(ModuleOp module, reshard::ShardedProgram &program,
                            const planner::Machine &machine) {
  planner::PriceList prices(machine, program.mesh());
  reshard::LoopCounts loops;
  TouchedBytes touched(program, prices);
  std::vector<OpWork> works;
  module.walk([&](Operation *op) {
    if (!isWork(op))
      return;
    LoopNest nest;
    // Of most ops nobody asks more than how large they are.
    if (isProduct(op) || prices.sharesCommonWork())
      nest = loopNestOf(op, program);
    std::optional<planner::Access> access = reshard::accessOf(op);
    double perByte = access ? prices.weightOfByte(*access) : prices.weightOfByte();
    double share = prices.shareOfCommonWork(core::shardedSize(nest.uncut));
    works.push_back({op, loops.frequencyOf(op).times, isProduct(op) ? 2 * nest.local : 0,
                     share * prices.secondsOfWeight(computedWeight(op, nest, prices, program)),
                     share * prices.secondsOfWeight(touched.of(op) * perByte)});
  });
  return works;
}

WorkSeconds secondsOf(llvm::ArrayRef<OpWork> works) {
  WorkSeconds seconds;
  for (const OpWork &work : works)
    (work.isCompute() ? seconds.compute : seconds.memory) += work.seconds();
  return seconds;
}

FailureOr<Machines> machinesFor(const ExplainOptions &options, ModuleOp module) {
  auto planned = reshard::machineOf(options.choices.topology, module);
  auto priced = reshard::machineOf(options.topology, module);
  if (failed(planned) || failed(priced))
    return failure();
  return Machines{std::move(*planned), std::move(*priced)};
}

void addWorkAndArguments(ModuleOp module, reshard::ShardedProgram &program,
                         llvm::ArrayRef<OpWork> works, ProgramCosts &costs) {
  costs.workSeconds += secondsOf(works).sum();
  for (const OpWork &work : works)
    costs.flops += work.flops * work.runs;
  for (BlockArgument argument : stablehlo::entryFunctionOrNull(module).getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      costs.argumentBytes += reshard::elementBytesOf(argument) *
                             core::numElements(core::localShape(reshard::shapeOf(argument),
                                                                program.placementOf(argument)));
}

FailureOr<ProgramCosts> costsOf(ModuleOp module, const Machines &machines) {
  auto program = reshard::ShardedProgram::create(module);
  if (failed(program))
    return failure();
  ProgramCosts costs;
  forEachTransfer(module, *program, machines, [&](const auto &transfer) {
    costs.addTransfer(transfer.receivedBytes, transfer.seconds);
  });
  addWorkAndArguments(module, *program, worksOf(module, *program, machines.priced), costs);
  return costs;
}

} // namespace shardwise::explain
