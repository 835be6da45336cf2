// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops round, and how deep their roundings lie. The list is that of the ops that do not: one
// that is not known is taken to round.
//
// Example. Behind each op that rounds stands a call that moves every element by up to `steps` units
// in the last place, in a direction that depends on seed and value:
//
//     %0 = dot_general %a, %b : 64 terms      %1 = call @round(%0) {steps = 6}     log2 of 64
//     %2 = transpose %1                       nothing: its elements are those of %1
//     %3 = add %2, %c                         %4 = call @round(%3) {steps = 1}
//
// Taking too few ops to round makes excuses too small, and right programs fail; taking too many
// makes them too large, and wrong ones pass. The first is noticed. So an op counts as exact only if
// its results are elements of its operands, or are computed without rounding at all.

#include "shardwise/driver/DisturbRoundings.h"

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/sdy/PlacementOps.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/CustomCallTargets.h"
#include "shardwise/dialect/stablehlo/ExpandBatchNorm.h"
#include "shardwise/dialect/stablehlo/RaggedAllToAll.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/RoundingCall.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardwise::driver {
namespace {

/// Whether the regions of `op` work on single elements, one call per element.
bool hasScalarRegions(Operation *op) {
  return isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp,
             stablehlo::SortOp, stablehlo::MapOp, stablehlo::SelectAndScatterOp,
             stablehlo::AllReduceOp, stablehlo::ReduceScatterOp>(op);
}

/// Whether `region` only chooses among its arguments: a maximum, or the newer of two.
bool onlyChooses(Region &region) {
  std::optional<core::ReductionKind> kind = stablehlo::reductionOf(region);
  if (kind)
    return *kind == core::ReductionKind::Max || *kind == core::ReductionKind::Min;
  auto chooses = [](Operation &op) {
    return isa<stablehlo::SelectOp, stablehlo::CompareOp, stablehlo::AndOp, stablehlo::OrOp,
               stablehlo::XorOp, stablehlo::NotOp, stablehlo::ConstantOp, stablehlo::MaxOp,
               stablehlo::MinOp>(op);
  };
  return llvm::all_of(region.front().without_terminator(), chooses);
}

/// Whether a conversion keeps every number: from a narrower float, or from an integer.
bool isWidening(stablehlo::ConvertOp op) {
  Type from = getElementTypeOrSelf(op.getOperand().getType());
  Type to = getElementTypeOrSelf(op.getType());
  if (auto complex = dyn_cast<ComplexType>(from))
    from = complex.getElementType();
  if (auto complex = dyn_cast<ComplexType>(to))
    to = complex.getElementType();
  auto fromFloat = dyn_cast<FloatType>(from);
  auto toFloat = dyn_cast<FloatType>(to);
  if (!fromFloat || !toFloat)
    return true;
  const llvm::fltSemantics &narrow = fromFloat.getFloatSemantics();
  const llvm::fltSemantics &wide = toFloat.getFloatSemantics();
  return llvm::APFloat::semanticsPrecision(narrow) <= llvm::APFloat::semanticsPrecision(wide) &&
         llvm::APFloat::semanticsMaxExponent(narrow) <= llvm::APFloat::semanticsMaxExponent(wide);
}

/// Whether `op` adds what devices have: their blocks are whole numbers only in the body of a manual
/// computation. Elsewhere the collectives of this dialect give their operand back.
bool addsOverDevices(Operation *op) {
  auto reduce = dyn_cast<sdy::AllReduceOp>(op);
  return reduce && reduce.getReductionOp() == sdy::ReductionKind::Sum &&
         op->getParentOfType<sdy::ManualComputationOp>();
}

/// Whether the elements of the results are elements of the operands, or computed without rounding.
bool isExact(Operation *op) {
  if (addsOverDevices(op))
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>() ||
      sdy::changesOnlyPlacement(op) || op->getName().getDialectNamespace() == "sdy")
    return true;
  if (auto custom = dyn_cast<stablehlo::CustomCallOp>(op))
    return stablehlo::isIdentityTarget(custom.getCallTargetName()) ||
           custom.getCallTargetName() == "mhlo.topk" || stablehlo::isRaggedAllToAll(op);
  if (auto convert = dyn_cast<stablehlo::ConvertOp>(op))
    return isWidening(convert);
  if (isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp,
          stablehlo::AllReduceOp, stablehlo::ReduceScatterOp>(op))
    return onlyChooses(op->getRegion(0));
  if (auto scatter = dyn_cast<stablehlo::SelectAndScatterOp>(op))
    return onlyChooses(scatter.getScatter());
  // Data movement, between devices too; choices; control flow, whose bodies are disturbed
  // themselves; what negates, truncates or divides with remainder.
  return isa<stablehlo::IotaOp, stablehlo::BroadcastInDimOp, stablehlo::BroadcastOp,
             stablehlo::ReshapeOp, stablehlo::TransposeOp, stablehlo::ReverseOp, stablehlo::SliceOp,
             stablehlo::PadOp, stablehlo::ConcatenateOp, stablehlo::DynamicSliceOp,
             stablehlo::DynamicUpdateSliceOp, stablehlo::GatherOp, stablehlo::BitcastConvertOp,
             stablehlo::OptimizationBarrierOp, stablehlo::RealOp, stablehlo::ImagOp,
             stablehlo::ComplexOp>(op) ||
         isa<stablehlo::AllGatherOp, stablehlo::AllToAllOp, stablehlo::CollectiveBroadcastOp,
             stablehlo::CollectivePermuteOp>(op) ||
         isa<stablehlo::SelectOp, stablehlo::ClampOp, stablehlo::MaxOp, stablehlo::MinOp,
             stablehlo::SortOp, chlo::TopKOp>(op) ||
         isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp, chlo::ScanOp, func::CallOp,
             stablehlo::CompositeOp, stablehlo::TupleOp, stablehlo::GetTupleElementOp>(op) ||
         isa<stablehlo::NegOp, stablehlo::SignOp, stablehlo::FloorOp, stablehlo::CeilOp,
             stablehlo::RoundOp, stablehlo::RoundNearestEvenOp, stablehlo::RemOp>(op) ||
         (isa<stablehlo::AbsOp>(op) &&
          !isa<ComplexType>(getElementTypeOrSelf(op->getOperand(0).getType())));
}

int64_t product(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  int64_t result = 1;
  for (int64_t dim : dims)
    result *= shape[dim];
  return result;
}

/// How many devices give a term to a sum over devices. 2 where the text of `op` alone does not say:
/// it is then still a sum.
int64_t numDevicesOf(Operation *op) {
  auto groups = dyn_cast_or_null<DenseIntElementsAttr>(
      op->getInherentAttr("replica_groups").value_or(nullptr));
  return groups && !groups.empty() ? groups.getType().getDimSize(1) : 2;
}

/// How many terms the longest sum in a result element of `op` has.
int64_t numTerms(Operation *op) {
  auto shape = [&](unsigned operand) {
    return cast<RankedTensorType>(op->getOperand(operand).getType()).getShape();
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](stablehlo::DotGeneralOp dot) {
        return product(shape(0), dot.getDotDimensionNumbers().getLhsContractingDimensions());
      })
      .Case([&](stablehlo::DotOp) { return shape(0).back(); })
      .Case([&](chlo::RaggedDotOp dot) {
        return product(shape(0), dot.getRaggedDotDimensionNumbers().getLhsContractingDimensions());
      })
      .Case([&](stablehlo::ConvolutionOp) {
        // Every element of a filter is a term of some output feature: more than the terms of one
        // element by the number of features, of which the logarithm makes little.
        return ShapedType::getNumElements(shape(1));
      })
      .Case([&](stablehlo::ReduceOp reduce) { return product(shape(0), reduce.getDimensions()); })
      .Case<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(
          [&](Operation *) { return shape(0).back(); })
      .Case([&](stablehlo::CustomCallOp) { // LAPACK
        return op->getNumOperands() == 0 || shape(0).empty() ? 1 : shape(0).back();
      })
      .Case<stablehlo::AllReduceOp, stablehlo::ReduceScatterOp, sdy::AllReduceOp>(
          [&](Operation *) { return numDevicesOf(op); })
      .Case<stablehlo::ReduceWindowOp, stablehlo::ScatterOp, stablehlo::SelectAndScatterOp,
            stablehlo::FftOp>([&](Operation *) { return ShapedType::getNumElements(shape(0)); })
      .Default([](Operation *) { return 1; });
}

/// The call that belongs behind `op`, number `position`, of a result of type `type`.
stablehlo::RoundingCall callFor(Operation *op, size_t position, Type type, uint64_t seed) {
  stablehlo::RoundingCall call{.seed = seed};
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  int64_t terms = std::max<int64_t>(1, numTerms(op));
  if (type.isF32() || type.isF64())
    call.steps = std::max<int64_t>(1, llvm::Log2_64_Ceil(terms));
  // Two sums that are equal but for the order of their terms round differently; the same number out
  // of an element-wise op does not.
  if (terms > 1)
    call.seed += (position + 1) << 32;
  if (auto reduced = dyn_cast<stablehlo::ReducePrecisionOp>(op)) {
    int mantissaBits = static_cast<int>(llvm::APFloat::semanticsPrecision(
                           cast<FloatType>(type).getFloatSemantics())) -
                       1;
    call.unusedBits = std::max(0, mantissaBits - static_cast<int>(reduced.getMantissaBits()));
  }
  return call;
}

/// The functions that single elements go through: those called in regions on scalars.
llvm::DenseSet<Operation *> scalarFunctions(ModuleOp module) {
  llvm::DenseSet<Operation *> functions;
  SmallVector<Operation *> toVisit;
  SymbolTable symbols(module);
  auto addCallees = [&](Operation *root) {
    root->walk([&](Operation *op) {
      StringRef name;
      if (auto call = dyn_cast<func::CallOp>(op))
        name = call.getCallee();
      else if (auto composite = dyn_cast<stablehlo::CompositeOp>(op))
        name = composite.getDecomposition();
      Operation *callee = name.empty() ? nullptr : symbols.lookup(name);
      if (callee && functions.insert(callee).second)
        toVisit.push_back(callee);
    });
  };
  module.walk([&](Operation *op) {
    if (!hasScalarRegions(op))
      return;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        addCallees(&inner);
  });
  while (!toVisit.empty())
    addCallees(toVisit.pop_back_val());
  return functions;
}

bool isFloat(Type type) {
  return isa<RankedTensorType>(type) && isa<FloatType, ComplexType>(getElementTypeOrSelf(type));
}

/// Takes the product of floats that `op` is in `numParts` parts, as devices would. The product of a
/// part can be infinite or zero where that of all elements is not, which no unit in the last place
/// tells.
void splitProduct(stablehlo::ReduceOp op, int64_t numParts) {
  auto shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  int64_t dim = *llvm::max_element(op.getDimensions(),
                                   [&](int64_t a, int64_t b) { return shape[a] < shape[b]; });
  int64_t partSize = llvm::divideCeil(shape[dim], numParts);
  OpBuilder builder(op);
  Value product;
  for (int64_t start = 0; start < shape[dim]; start += partSize) {
    Value part = stablehlo::createSlice(builder, op.getLoc(), op->getOperand(0), dim, start,
                                        std::min(partSize, shape[dim] - start));
    Value init = op->getOperand(1);
    if (product) {
      auto one = stablehlo::identityOf(core::ReductionKind::Product,
                                       cast<RankedTensorType>(init.getType()));
      init = stablehlo::createConstant(builder, op.getLoc(), one);
    }
    Operation *reduced = builder.clone(*op);
    reduced->setOperands({part, init});
    Value factor = reduced->getResult(0);
    product = product ? stablehlo::MulOp::create(builder, op.getLoc(), product, factor) : factor;
  }
  op->getResult(0).replaceAllUsesWith(product);
  op->erase();
}

void splitProducts(ModuleOp module, uint64_t seed) {
  constexpr int64_t kParts[] = {2, 3, 4, 8};
  SmallVector<stablehlo::ReduceOp> products;
  module.walk([&](stablehlo::ReduceOp op) {
    auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    bool isOfFloats = op->getNumResults() == 1 && type && isa<FloatType>(type.getElementType()) &&
                      getElementTypeOrSelf(op->getResult(0).getType()) == type.getElementType();
    auto isLong = [&](int64_t dim) { return type.getDimSize(dim) > 1; };
    if (isOfFloats && llvm::any_of(op.getDimensions(), isLong) &&
        stablehlo::reductionOf(op.getBody()) == core::ReductionKind::Product)
      products.push_back(op);
  });
  for (stablehlo::ReduceOp op : products)
    splitProduct(op, kParts[seed % std::size(kParts)]);
}

/// Writes the formulas of batch norms. Their results may be differences of larger numbers: of a
/// feature with a single element the gradient is g f - g f + a small rest, and its error is one of
/// rounding g f, not of rounding the rest.
void expandBatchNorms(ModuleOp module) {
  SmallVector<Operation *> norms;
  module.walk([&](Operation *op) {
    if (stablehlo::sumsOverBatch(op))
      norms.push_back(op);
  });
  for (Operation *op : norms) {
    op->replaceAllUsesWith(stablehlo::expandBatchNorm(op));
    op->erase();
  }
}

} // namespace

void disturbRoundings(ModuleOp module, uint64_t seed) {
  expandBatchNorms(module);
  splitProducts(module, seed);
  llvm::DenseSet<Operation *> untouched = scalarFunctions(module);
  SmallVector<Operation *> rounding;
  // Collected first and changed afterwards: the calls that are put in would be walked over. Regions
  // on single elements are left out, as a call in one would run for every element, and what rounds
  // in them is counted with the op around (`numTerms`).
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (untouched.contains(op))
      return WalkResult::skip();
    if (op->getBlock() && !isa<ModuleOp, func::FuncOp>(op) && !isExact(op))
      rounding.push_back(op);
    return hasScalarRegions(op) ? WalkResult::skip() : WalkResult::advance();
  });
  OpBuilder builder(module.getContext());
  for (auto [position, op] : llvm::enumerate(rounding)) {
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      if (!isFloat(result.getType()))
        continue;
      Operation *call = stablehlo::createRoundingCall(
          builder, result, callFor(op, position, getElementTypeOrSelf(result.getType()), seed));
      result.replaceAllUsesExcept(call->getResult(0), call);
    }
  }
}

} // namespace shardwise::driver
