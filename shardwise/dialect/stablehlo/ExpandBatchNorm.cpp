// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formulas, in the form that the kernels compute them. With n elements x per feature, mean m,
// variance v (of n, not n - 1), d = sqrt(v + epsilon), and the gradient g of the output:
//
//     output         (x - m) * (scale / d) + offset
//     grad_operand   g * f + (x - m) * (-f * sum(g (x - m)) / (n (v + epsilon))) - f * sum(g) / n
//                    where f = scale / d
//     grad_scale     sum(g (x - m)) / d
//     grad_offset    sum(g)
//
// The variance comes from distances to the mean, not from squares less the square of the mean,
// which cancels where the mean is large.

#include "shardwise/dialect/stablehlo/ExpandBatchNorm.h"

#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

namespace shardwise::stablehlo {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

RankedTensorType typeOf(Value value) {
  return mlir::cast<RankedTensorType>(value.getType());
}

/// Writes ops on tensors of the operand's shape (`wide`) and of one element per feature.
class Formula {
public:
  Formula(mlir::Operation *op, uint64_t featureIndex, const llvm::APFloat &epsilon,
          llvm::function_ref<void(Value)> onValue)
      : builder(op), location(op->getLoc()), onValue(onValue),
        featureDim(static_cast<int64_t>(featureIndex)), given(typeOf(op->getOperand(0))) {
    mlir::Type element = given.getElementType();
    if (element.getIntOrFloatBitWidth() < 32)
      element = builder.getF32Type();
    wide = given.clone(element);
    perFeature = RankedTensorType::get({given.getDimSize(featureDim)}, element);
    numElements = 1;
    for (int64_t dim = 0; dim < given.getRank(); ++dim)
      if (dim != featureDim)
        numElements *= given.getDimSize(dim);
    epsilonValue = epsilon.convertToDouble();
  }

  Value read(Value value) { return converted(value, wide.getElementType()); }
  Value result(Value value) { return converted(value, given.getElementType()); }

  template <class Op> Value binary(Value lhs, Value rhs) {
    return made(
        Op::create(builder, location, mlir::TypeRange(lhs.getType()), mlir::ValueRange{lhs, rhs})
            ->getResult(0));
  }
  Value add(Value lhs, Value rhs) { return binary<AddOp>(lhs, rhs); }
  Value subtract(Value lhs, Value rhs) { return binary<SubtractOp>(lhs, rhs); }
  Value multiply(Value lhs, Value rhs) { return binary<MulOp>(lhs, rhs); }
  Value divide(Value lhs, Value rhs) { return binary<DivOp>(lhs, rhs); }

  template <class Op> Value unary(Value value) {
    return made(
        Op::create(builder, location, mlir::TypeRange(value.getType()), mlir::ValueRange{value})
            ->getResult(0));
  }

  Value spread(Value value) {
    return made(createBroadcast(builder, location, value, wide, {featureDim}));
  }

  /// Sums over all dimensions but that of features.
  Value sum(Value value) {
    llvm::SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < wide.getRank(); ++dim)
      if (dim != featureDim)
        dims.push_back(dim);
    auto scalar = RankedTensorType::get({}, wide.getElementType());
    Value zero = made(createZeros(builder, location, scalar));
    auto reduce = ReduceOp::create(
        builder, location, mlir::TypeRange(perFeature), mlir::ValueRange{value, zero},
        builder.getNamedAttr("dimensions", builder.getDenseI64ArrayAttr(dims)));
    buildReducer(builder, location, reduce.getBody(), core::ReductionKind::Sum, scalar);
    return made(reduce->getResult(0));
  }

  /// Divides by the number of elements of a feature.
  Value mean(Value value) { return divide(value, splat(static_cast<double>(numElements))); }
  Value withEpsilon(Value variance) { return add(variance, splat(epsilonValue)); }

private:
  Value made(Value value) {
    if (onValue)
      onValue(value);
    return value;
  }

  Value splat(double number) {
    auto attribute = mlir::FloatAttr::get(perFeature.getElementType(), number);
    return made(
        createConstant(builder, location, mlir::DenseElementsAttr::get(perFeature, attribute)));
  }

  Value converted(Value value, mlir::Type element) {
    RankedTensorType type = typeOf(value);
    if (type.getElementType() == element)
      return value;
    return made(ConvertOp::create(builder, location, mlir::TypeRange(type.clone(element)),
                                  mlir::ValueRange{value})
                    ->getResult(0));
  }

  mlir::OpBuilder builder;
  mlir::Location location;
  llvm::function_ref<void(Value)> onValue;
  int64_t featureDim;
  RankedTensorType given, wide, perFeature;
  int64_t numElements = 1;
  double epsilonValue = 0;
};

llvm::SmallVector<Value> expand(BatchNormTrainingOp op, Formula &f) {
  Value x = f.read(op.getOperand());
  Value mean = f.mean(f.sum(x));
  Value centered = f.subtract(x, f.spread(mean));
  Value variance = f.mean(f.sum(f.multiply(centered, centered)));
  Value factor = f.divide(f.read(op.getScale()), f.unary<SqrtOp>(f.withEpsilon(variance)));
  Value scaled = f.multiply(centered, f.spread(factor));
  Value output = f.add(scaled, f.spread(f.read(op.getOffset())));
  return {f.result(output), f.result(mean), f.result(variance)};
}

llvm::SmallVector<Value> expand(BatchNormGradOp op, Formula &f) {
  Value gradient = f.read(op.getGradOutput());
  Value centered = f.subtract(f.read(op.getOperand()), f.spread(f.read(op.getMean())));
  Value spreadOfX = f.withEpsilon(f.read(op.getVariance()));
  Value deviation = f.unary<SqrtOp>(spreadOfX);
  Value sum = f.sum(gradient);
  Value sumOfProducts = f.sum(f.multiply(gradient, centered));
  Value factor = f.divide(f.read(op.getScale()), deviation);
  Value ofX = f.mean(f.divide(f.multiply(factor, sumOfProducts), spreadOfX));
  Value constant = f.mean(f.multiply(factor, sum));
  Value direct = f.multiply(gradient, f.spread(factor));
  Value sloped = f.subtract(direct, f.multiply(centered, f.spread(ofX)));
  Value ofOperand = f.subtract(sloped, f.spread(constant));
  return {f.result(ofOperand), f.result(f.divide(sumOfProducts, deviation)), f.result(sum)};
}

} // namespace

bool sumsOverBatch(mlir::Operation *op) {
  return mlir::isa<BatchNormTrainingOp, BatchNormGradOp>(op);
}

llvm::SmallVector<Value> expandBatchNorm(mlir::Operation *op,
                                         llvm::function_ref<void(Value)> onValue) {
  auto write = [&](auto norm) {
    Formula formula(op, norm.getFeatureIndex(), norm.getEpsilon(), onValue);
    return expand(norm, formula);
  };
  if (auto training = mlir::dyn_cast<BatchNormTrainingOp>(op))
    return write(training);
  return write(mlir::cast<BatchNormGradOp>(op));
}

} // namespace shardwise::stablehlo
