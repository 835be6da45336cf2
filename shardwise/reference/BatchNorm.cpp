// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The batch_norm ops by their formulas in StableHLO's specification, in double precision and
// rounded once. Per feature, with n elements x, mean m, variance v (of n, not n - 1), d = sqrt(v +
// epsilon) and the gradient g of the result:
//
//     result            scale * (x - m) / d + offset
//     gradient of x     scale / (n d) * (n g - sum g - (x - m) / d^2 * sum(g * (x - m)))
//     of scale          sum(g * (x - m)) / d
//     of offset         sum g

#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/Operations.h"
#include "shardwise/reference/Products.h"

#include <cmath>

namespace shardwise::reference {
namespace {

/// The elements of one feature: where they are, and how many.
struct Feature {
  int64_t number;
  int64_t start;
  const std::vector<int64_t> &offsets;

  double count() const { return static_cast<double>(offsets.size()); }
  /// Sums `term(position)` over the elements.
  template <class Term> double sum(Term term) const {
    double total = 0;
    for (int64_t offset : offsets)
      total += term(start + offset);
    return total;
  }
};

double at(const HostTensor &tensor, int64_t position) {
  return load(tensor, position).real();
}

void put(HostTensor &tensor, int64_t position, double value) {
  store(tensor, position, Scalar::ofReal(tensor.type, value));
}

template <class Visit> void forEachFeature(const HostTensor &operand, uint64_t dim, Visit visit) {
  auto featureDim = static_cast<int64_t>(dim);
  auto offsets = offsetsAlong(operand.shape, otherDims(operand.rank(), {featureDim}));
  int64_t stride = stridesOf(operand.shape)[dim];
  for (int64_t number = 0; number < operand.shape[dim]; ++number)
    visit(Feature{number, number * stride, offsets});
}

/// Writes scale * (x - mean) / sqrt(variance + epsilon) + offset.
void normalize(HostTensor &result, const HostTensor &operand, const Feature &feature, double scale,
               double offset, double mean, double deviation) {
  for (int64_t element : feature.offsets) {
    int64_t position = feature.start + element;
    put(result, position, scale * (at(operand, position) - mean) / deviation + offset);
  }
}

} // namespace

Results evaluate(stablehlo::BatchNormInferenceOp op, Tensors operands) {
  Results results = {zerosOf(op.getType())};
  forEachFeature(*operands[0], op.getFeatureIndex(), [&](const Feature &feature) {
    int64_t i = feature.number;
    double deviation = std::sqrt(at(*operands[4], i) + op.getEpsilon().convertToDouble());
    normalize(results[0], *operands[0], feature, at(*operands[1], i), at(*operands[2], i),
              at(*operands[3], i), deviation);
  });
  return results;
}

Results evaluate(stablehlo::BatchNormTrainingOp op, Tensors operands) {
  Results results;
  for (mlir::Type type : op->getResultTypes())
    results.push_back(zerosOf(type));
  const HostTensor &operand = *operands[0];
  forEachFeature(operand, op.getFeatureIndex(), [&](const Feature &feature) {
    double mean = feature.sum([&](int64_t p) { return at(operand, p); }) / feature.count();
    double variance = feature.sum([&](int64_t p) {
      double distance = at(operand, p) - mean;
      return distance * distance;
    }) / feature.count();
    put(results[1], feature.number, mean);
    put(results[2], feature.number, variance);
    normalize(results[0], operand, feature, at(*operands[1], feature.number),
              at(*operands[2], feature.number), mean,
              std::sqrt(variance + op.getEpsilon().convertToDouble()));
  });
  return results;
}

Results evaluate(stablehlo::BatchNormGradOp op, Tensors operands) {
  Results results;
  for (mlir::Type type : op->getResultTypes())
    results.push_back(zerosOf(type));
  const HostTensor &operand = *operands[0];
  const HostTensor &gradient = *operands[4];
  forEachFeature(operand, op.getFeatureIndex(), [&](const Feature &feature) {
    int64_t i = feature.number;
    double scale = at(*operands[1], i);
    double mean = at(*operands[2], i);
    double variance = at(*operands[3], i) + op.getEpsilon().convertToDouble();
    double deviation = std::sqrt(variance);
    double sum = feature.sum([&](int64_t p) { return at(gradient, p); });
    double sumOfProducts =
        feature.sum([&](int64_t p) { return at(gradient, p) * (at(operand, p) - mean); });
    for (int64_t element : feature.offsets) {
      int64_t p = feature.start + element;
      double centered = at(operand, p) - mean;
      double slope = feature.count() * at(gradient, p) - sum - centered * sumOfProducts / variance;
      put(results[0], p, scale / (deviation * feature.count()) * slope);
    }
    put(results[1], i, sumOfProducts / deviation);
    put(results[2], i, sum);
  });
  return results;
}

} // namespace shardwise::reference
