// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rule must satisfy, and look-up in it.
//
// The order of the checks is that of the sdy verifier; the first that fails is reported:
//   1. operands, then results: a mapping for each value, of its rank, and in every dimension
//      factors that exist, occur once in the tensor, and have not size 1 beside others;
//   2. every factor is used, and no size is negative;
//   3. the groups of special kinds, then the blocked factors, are sorted without repetition; no
//      factor is of two kinds;
//   4. no reduction factor is in a result: a result has no loop that was summed over.
// Example: `([i, k], [k, j])->([i, k]) {i=4, j=6, k=8} reduction={k}` breaks 4.

#include "shardwise/core/ShardingRule.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace shardwise::core {
namespace {

/// Checks mappings of one tensor after the other and remembers which factors they use.
class MappingChecker {
public:
  explicit MappingChecker(const ShardingRule &rule)
      : rule(rule), lastUser(rule.factorSizes.size(), 0) {}

  Result<void> check(std::span<const TensorMapping> mappings, std::span<const int64_t> ranks,
                     std::string_view kind) {
    if (mappings.size() != ranks.size())
      return invalid(fmt::format("{} - number of values and mappings must match: {} != {}", kind,
                                 ranks.size(), mappings.size()));
    for (size_t i = 0; i < mappings.size(); ++i) {
      Result<void> checked = checkTensor(mappings[i], ranks[i]);
      if (!checked)
        return invalid(fmt::format("{} {} - {}", kind, i, checked.error().message));
    }
    return {};
  }

  /// Size 0 is that of an empty dimension.
  Result<void> checkSizes() const {
    for (int64_t factor = 0; factor < rule.numFactors(); ++factor)
      if (rule.factorSizes[factor] < 0)
        return invalid(fmt::format("has factor {}={}, but sizes of factors cannot be negative",
                                   factorSymbol(factor), rule.factorSizes[factor]));
    return {};
  }

  Result<void> checkAllUsed() const {
    for (int64_t factor = 0; factor < rule.numFactors(); ++factor)
      if (lastUser[factor] == 0)
        return invalid(fmt::format("has factor {}={} that isn't used in operands and results",
                                   factorSymbol(factor), rule.factorSizes[factor]));
    return {};
  }

private:
  Result<void> checkTensor(const TensorMapping &mapping, int64_t rank) {
    ++numTensors;
    if (static_cast<int64_t>(mapping.size()) != rank)
      return invalid(fmt::format("mapping rank must match the rank of the type: {} != {}",
                                 mapping.size(), rank));
    for (size_t dim = 0; dim < mapping.size(); ++dim)
      if (Result<void> checked = checkDim(mapping[dim], dim); !checked)
        return checked;
    return {};
  }

  Result<void> checkDim(const DimMapping &factors, size_t dim) {
    if (factors.empty())
      return invalid(fmt::format("dim {} must have at least one factor", dim));
    for (FactorIndex factor : factors) {
      if (factor < 0 || factor >= rule.numFactors())
        return invalid(fmt::format("dim {} has factor index {}, which must be less than "
                                   "num_factors {}",
                                   dim, factor, rule.numFactors()));
      if (lastUser[factor] == numTensors)
        return invalid(fmt::format("cannot reuse factors for the same tensor: {} in dim {}",
                                   factorSymbol(factor), dim));
      lastUser[factor] = numTensors;
    }
    // Beside others it would add nothing to the size of the dimension, and where it stands among
    // them would mean nothing.
    for (FactorIndex factor : factors)
      if (factors.size() > 1 && rule.factorSizes[factor] == 1)
        return invalid(fmt::format("dim {} cannot have the factor of size 1 {} among several "
                                   "factors",
                                   dim, factorSymbol(factor)));
    return {};
  }

  const ShardingRule &rule;
  /// Number of the last tensor that a factor was seen in, counted from 1; 0 for none. So nothing
  /// has to be cleared between tensors.
  std::vector<int64_t> lastUser;
  int64_t numTensors = 0;
};

Result<void> checkGroup(std::span<const FactorIndex> factors, int64_t numFactors,
                        std::string_view name) {
  for (size_t i = 1; i < factors.size(); ++i)
    if (factors[i] < factors[i - 1])
      return invalid(fmt::format("indices of {} factors must be sorted: {} after {}", name,
                                 factorSymbol(factors[i]), factorSymbol(factors[i - 1])));
  for (size_t i = 1; i < factors.size(); ++i)
    if (factors[i] == factors[i - 1])
      return invalid(fmt::format("indices of {} factors must be unique: {} twice", name,
                                 factorSymbol(factors[i])));
  for (FactorIndex factor : factors)
    if (factor < 0 || factor >= numFactors)
      return invalid(fmt::format("index {} of {} factors must be less than the number of factors "
                                 "{}",
                                 factor, name, numFactors));
  return {};
}

/// Requires valid groups.
Result<void> checkDisjointKinds(const ShardingRule &rule) {
  std::vector<bool> hasKind(rule.factorSizes.size(), false);
  for (const auto *group : {&rule.reduction, &rule.needReplication, &rule.permutation}) {
    for (FactorIndex factor : *group) {
      if (hasKind[factor])
        return invalid(fmt::format("factor {} can only be in one of the reduction, "
                                   "need_replication and permutation factors",
                                   factorSymbol(factor)));
      hasKind[factor] = true;
    }
  }
  return {};
}

Result<void> checkReductionNotInResults(const ShardingRule &rule) {
  for (const TensorMapping &mapping : rule.results)
    for (const DimMapping &factors : mapping)
      for (FactorIndex factor : factors)
        if (std::binary_search(rule.reduction.begin(), rule.reduction.end(), factor))
          return invalid(
              fmt::format("reduction factor {} cannot be in result", factorSymbol(factor)));
  return {};
}

} // namespace

FactorKind ShardingRule::kind(FactorIndex factor) const {
  // Groups are sorted, which is part of the invariant.
  auto has = [&](const std::vector<FactorIndex> &group) {
    return std::binary_search(group.begin(), group.end(), factor);
  };
  if (has(reduction))
    return FactorKind::Reduction;
  if (has(needReplication))
    return FactorKind::NeedReplication;
  if (has(permutation))
    return FactorKind::Permutation;
  return FactorKind::PassThrough;
}

bool ShardingRule::isBlocked(FactorIndex factor) const {
  return std::binary_search(blockedPropagation.begin(), blockedPropagation.end(), factor);
}

Result<void> check(const ShardingRule &rule, std::span<const int64_t> operandRanks,
                   std::span<const int64_t> resultRanks) {
  MappingChecker mappings(rule);
  if (auto checked = mappings.check(rule.operands, operandRanks, "operand"); !checked)
    return checked;
  if (auto checked = mappings.check(rule.results, resultRanks, "result"); !checked)
    return checked;
  if (auto checked = mappings.checkAllUsed(); !checked)
    return checked;
  if (auto checked = mappings.checkSizes(); !checked)
    return checked;
  if (auto checked = checkGroup(rule.reduction, rule.numFactors(), "reduction"); !checked)
    return checked;
  if (auto checked = checkGroup(rule.needReplication, rule.numFactors(), "need_replication");
      !checked)
    return checked;
  if (auto checked = checkGroup(rule.permutation, rule.numFactors(), "permutation"); !checked)
    return checked;
  if (auto checked = checkDisjointKinds(rule); !checked)
    return checked;
  if (auto checked = checkGroup(rule.blockedPropagation, rule.numFactors(), "blocked_propagation");
      !checked)
    return checked;
  return checkReductionNotInResults(rule);
}

std::optional<FactorPosition> findFactor(const TensorMapping &mapping, FactorIndex factor) {
  for (size_t dim = 0; dim < mapping.size(); ++dim)
    for (size_t i = 0; i < mapping[dim].size(); ++i)
      if (mapping[dim][i] == factor)
        return FactorPosition{static_cast<int64_t>(dim), static_cast<int64_t>(i)};
  return std::nullopt;
}

ShardingRule pointwiseRule(std::span<const int64_t> shape, int64_t numOperands,
                           int64_t numResults) {
  ShardingRule rule;
  rule.factorSizes.assign(shape.begin(), shape.end());
  TensorMapping mapping;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    mapping.push_back({static_cast<FactorIndex>(dim)});
  rule.operands.assign(numOperands, mapping);
  rule.results.assign(numResults, mapping);
  return rule;
}

} // namespace shardwise::core
