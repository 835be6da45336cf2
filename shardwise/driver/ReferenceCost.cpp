// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weights were measured, f32, on one core: per second 1.0e9 multiply-adds of dot_general, 8e7
// of convolution, 1.6e7 elements added, 1.2e7 of exp, 2.4e7 transposed, 9e6 reduced, 6.5e6
// comparisons of a sort.

#include "shardwise/driver/ReferenceCost.h"

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/reshard/LoopCounts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace shardwise::driver {
namespace {

// What one element costs, in multiply-adds of a dot_general: 1.0e9 a second over 2.4e7 is 40, and
// so on.
constexpr double kMove = 40;
constexpr double kCompute = 70;
constexpr double kFold = 110;
constexpr double kConvolve = 12;
/// Of a loop of which the number of trips is not known. A guess: it decides who evaluates first,
/// and an evaluation that takes longer is still right.
constexpr double kUnknownTrips = 16;

double elements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? static_cast<double>(tensor.getNumElements()) : 1;
}

class CostOf {
public:
  explicit CostOf(ModuleOp module) : symbols(module) {}

  double function(Operation *op) {
    auto found = known.find(op);
    if (found != known.end())
      return found->second;
    known[op] = 0; // Of a function that calls itself, which is refused elsewhere.
    double cost = region(op->getRegion(0));
    known[op] = cost;
    return cost;
  }

private:
  double region(Region &region) {
    double cost = 0;
    for (Operation &op : region.getOps())
      cost += this->op(&op);
    return cost;
  }

  double call(StringRef callee) {
    Operation *function = symbols.lookup(callee);
    return isa_and_nonnull<func::FuncOp>(function) && !function->getRegion(0).empty()
               ? this->function(function)
               : 0;
  }

  double op(Operation *op) {
    double largest = 0;
    for (Type type : op->getResultTypes())
      largest = std::max(largest, elements(type));
    double read = 0;
    for (Type type : op->getOperandTypes())
      read = std::max(read, elements(type));
    return llvm::TypeSwitch<Operation *, double>(op)
        .Case([&](stablehlo::WhileOp loop) {
          auto trips = reshard::tripCount(loop);
          double times = trips ? static_cast<double>(*trips) : kUnknownTrips;
          return times * (region(loop.getCond()) + region(loop.getBody()));
        })
        .Case<stablehlo::IfOp, stablehlo::CaseOp>([&](Operation *) {
          double dearest = 0;
          for (Region &branch : op->getRegions())
            dearest = std::max(dearest, region(branch));
          return dearest;
        })
        .Case([&](func::CallOp inner) { return call(inner.getCallee()); })
        .Case([&](stablehlo::CompositeOp inner) { return call(inner.getDecomposition()); })
        .Case([&](stablehlo::DotGeneralOp dot) {
          auto shape = cast<RankedTensorType>(dot.getLhs().getType()).getShape();
          double terms = 1;
          for (int64_t dim : dot.getDotDimensionNumbers().getLhsContractingDimensions())
            terms *= static_cast<double>(shape[dim]);
          return largest * (terms + kMove) + kMove * read;
        })
        .Case([&](stablehlo::ConvolutionOp) {
          // Of the elements of the filter, those of one output feature meet each result element.
          auto dims = cast<RankedTensorType>(op->getOperand(1).getType()).getShape();
          auto numbers = cast<stablehlo::ConvolutionOp>(op).getDimensionNumbers();
          auto features = static_cast<double>(dims[numbers.getKernelOutputFeatureDimension()]);
          return kConvolve * largest * elements(op->getOperand(1).getType()) /
                 std::max(1.0, features);
        })
        .Case([&](stablehlo::SortOp) { return kFold * read * std::log2(read + 2); })
        .Case([&](stablehlo::ReduceWindowOp window) {
          double size = 1;
          for (int64_t dim : window.getWindowDimensions())
            size *= static_cast<double>(dim);
          return kFold * largest * size;
        })
        .Case<stablehlo::ReduceOp, stablehlo::ScatterOp, stablehlo::MapOp,
              stablehlo::SelectAndScatterOp>(
            [&](Operation *) { return kFold * std::max(largest, read); })
        .Default([&](Operation *) {
          if (op->getNumRegions() > 0) {
            double cost = 0;
            for (Region &inner : op->getRegions())
              cost += region(inner);
            return cost;
          }
          bool moves = isa<stablehlo::BroadcastInDimOp, stablehlo::TransposeOp, stablehlo::SliceOp,
                           stablehlo::ReshapeOp, stablehlo::ConcatenateOp, stablehlo::PadOp>(op);
          return (moves ? kMove : kCompute) * largest;
        });
  }

  SymbolTable symbols;
  llvm::DenseMap<Operation *, double> known;
};

} // namespace

double referenceCost(ModuleOp module) {
  func::FuncOp entry = stablehlo::entryFunctionOrNull(module);
  return entry ? CostOf(module).function(entry) : 0;
}

} // namespace shardwise::driver
