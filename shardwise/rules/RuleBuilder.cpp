// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule builder. Factors are numbered, and appended to their dimensions, in the order in which a
// family adds them. So in a dimension with several factors the major one has to be added first, and
// the order of the calls is what decides which factor is called `i`.

#include "shardwise/rules/RuleBuilder.h"

#include "mlir/IR/BuiltinTypes.h"

namespace shardwise::rules {

using core::FactorIndex;
using core::FactorKind;
using core::ShardingRule;
using core::TensorMapping;
using llvm::ArrayRef;

ArrayRef<int64_t> shapeOf(mlir::Type type) {
  // Nearly all: a look at the class of a type is faster than one at its interfaces.
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    return tensor.getShape();
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  return shaped && shaped.hasRank() ? shaped.getShape() : ArrayRef<int64_t>();
}

ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return shapeOf(value.getType());
}

// Values that are no ranked tensors, like tokens, count as rank 0: they have no dimensions to map.
RuleBuilder::RuleBuilder(mlir::Operation *op) {
  rule.operands.reserve(op->getNumOperands());
  for (mlir::Value operand : op->getOperands())
    rule.operands.emplace_back(rankOf(operand));
  rule.results.reserve(op->getNumResults());
  for (mlir::Value result : op->getResults())
    rule.results.emplace_back(rankOf(result));
}

FactorIndex RuleBuilder::newFactor(int64_t size, FactorTraits traits) {
  FactorIndex factor = rule.numFactors();
  // Numbers ascend, so the groups below come out sorted, as `core::check` demands.
  rule.factorSizes.push_back(size);
  switch (traits.kind) {
  case FactorKind::PassThrough:
    break;
  case FactorKind::Reduction:
    rule.reduction.push_back(factor);
    break;
  case FactorKind::NeedReplication:
    rule.needReplication.push_back(factor);
    break;
  case FactorKind::Permutation:
    rule.permutation.push_back(factor);
    break;
  }
  if (traits.isBlocked)
    rule.blockedPropagation.push_back(factor);
  return factor;
}

void RuleBuilder::append(TensorMapping &mapping, int64_t dim, FactorIndex factor) {
  // Tensors of lower rank, like the scalars of `select` and `clamp`, lack the dimension.
  if (dim == kNoDim || dim >= static_cast<int64_t>(mapping.size()))
    return;
  core::DimMapping &factors = mapping[dim];
  // `core::check` lets a factor of size 1 stand only alone.
  if (rule.factorSizes[factor] == 1 && !factors.empty())
    return;
  factors.push_back(factor);
}

RuleBuilder &RuleBuilder::addFactor(ArrayRef<int64_t> operandDims, ArrayRef<int64_t> resultDims,
                                    int64_t size, FactorTraits traits) {
  FactorIndex factor = newFactor(size, traits);
  for (auto [i, dim] : llvm::enumerate(operandDims.take_front(rule.operands.size())))
    append(rule.operands[i], dim, factor);
  for (auto [i, dim] : llvm::enumerate(resultDims.take_front(rule.results.size())))
    append(rule.results[i], dim, factor);
  return *this;
}

RuleBuilder &RuleBuilder::addFactorOnAll(int64_t dim, int64_t size, FactorTraits traits) {
  FactorIndex factor = newFactor(size, traits);
  for (TensorMapping &mapping : rule.operands)
    append(mapping, dim, factor);
  for (TensorMapping &mapping : rule.results)
    append(mapping, dim, factor);
  return *this;
}

RuleBuilder &RuleBuilder::addOperandFactor(int64_t dim, int64_t size, FactorTraits traits) {
  FactorIndex factor = newFactor(size, traits);
  for (TensorMapping &mapping : rule.operands)
    append(mapping, dim, factor);
  return *this;
}

RuleBuilder &RuleBuilder::addResultFactor(int64_t dim, int64_t size, FactorTraits traits) {
  FactorIndex factor = newFactor(size, traits);
  for (TensorMapping &mapping : rule.results)
    append(mapping, dim, factor);
  return *this;
}

RuleBuilder &RuleBuilder::addPointwise(ArrayRef<int64_t> shape) {
  return addPointwise(shape, [](int64_t) { return kPassThrough; });
}

RuleBuilder &RuleBuilder::addPointwise(ArrayRef<int64_t> shape,
                                       llvm::function_ref<FactorTraits(int64_t dim)> traitsOf) {
  for (auto [dim, size] : llvm::enumerate(shape))
    addFactorOnAll(dim, size, traitsOf(dim));
  return *this;
}

ShardingRule RuleBuilder::build() {
  // A rule maps every dimension. A factor that no other tensor has relates the dimension to
  // nothing.
  auto fill = [&](std::vector<TensorMapping> &mappings) {
    for (TensorMapping &mapping : mappings)
      for (core::DimMapping &factors : mapping)
        if (factors.empty())
          factors.push_back(newFactor(1, kPassThrough));
  };
  fill(rule.operands);
  fill(rule.results);
  return std::move(rule);
}

ShardingRule pointwiseRule(mlir::Operation *op) {
  return RuleBuilder(op).addPointwise(shapeOf(op->getResult(0))).build();
}

} // namespace shardwise::rules
