// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeded random meshes, shardings and rules, for property tests only.

#pragma once

#include "shardwise/core/Axis.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/core/ShardingRule.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace shardwise::core::testing {

/// Seed of a property test: a fixed one, or that of the environment variable SHARDWISE_TEST_SEED.
inline uint64_t testSeed() {
  const char *seed = std::getenv("SHARDWISE_TEST_SEED");
  return seed ? std::strtoull(seed, nullptr, 10) : 20240607;
}

/// Random numbers that are the same on every platform.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  /// A number from 0 to `bound` - 1.
  int64_t below(int64_t bound) {
    assert(bound > 0 && "nothing to choose from");
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(bound));
  }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool chance(int64_t percent) { return below(100) < percent; }
  template <class T> const T &choose(const std::vector<T> &items) {
    return items[below(static_cast<int64_t>(items.size()))];
  }
  template <class T> void shuffle(std::vector<T> &items) {
    for (size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[below(static_cast<int64_t>(i))]);
  }

private:
  std::mt19937_64 engine;
};

/// A mesh of up to `maxAxes` axes, a few with shuffled devices.
inline Mesh randomMesh(Random &random, int64_t maxAxes = 4) {
  static const std::vector<int64_t> kSizes = {1, 2, 2, 2, 3, 4, 4, 6, 8, 12};
  std::vector<MeshAxis> axes;
  int64_t numDevices = 1;
  int64_t numAxes = random.between(1, maxAxes);
  for (int64_t i = 0; i < numAxes; ++i) {
    axes.push_back({std::string(1, static_cast<char>('a' + i)), random.choose(kSizes)});
    numDevices *= axes.back().size;
  }
  std::vector<DeviceId> ids;
  if (random.chance(20)) {
    for (int64_t id = 0; id < numDevices; ++id)
      ids.push_back(id);
    random.shuffle(ids);
  }
  return std::move(Mesh::create(std::move(axes), std::move(ids))).value();
}

/// Cuts every axis of the mesh into parts that together are all of it, in random order. Parts are
/// single prime factors if `isFinest`. Axes of size 1 are left whole.
inline AxisList randomParts(Random &random, const Mesh &mesh, bool isFinest = false) {
  AxisList parts;
  for (int64_t i = 0; i < mesh.numAxes(); ++i) {
    int64_t rest = mesh.axisSize(i);
    std::vector<int64_t> primes;
    for (int64_t p = 2; rest > 1;)
      if (rest % p == 0) {
        primes.push_back(p);
        rest /= p;
      } else {
        ++p;
      }
    random.shuffle(primes);
    Axis part{static_cast<int32_t>(i), 1, 1};
    for (size_t k = 0; k < primes.size(); ++k) {
      part.size *= primes[k];
      if (k + 1 < primes.size() && !isFinest && random.chance(60))
        continue;
      parts.push_back(part);
      part = {part.index, part.nextPreSize(), 1};
    }
    if (primes.empty())
      parts.push_back(part);
  }
  random.shuffle(parts);
  return parts;
}

/// A valid sharding of rank `rank`: each part of the mesh is in a dimension, replicated, unreduced
/// or unused.
inline Sharding randomSharding(Random &random, const Mesh &mesh, int64_t rank,
                               bool withPriorities = true) {
  Sharding sharding = openSharding(rank);
  bool mayReserve = random.chance(40);
  for (const Axis &part : randomParts(random, mesh)) {
    int64_t place = random.below(100);
    if (place < 50 && rank > 0)
      appendOrMerge(sharding.dims[random.below(rank)].axes, part);
    else if (place < 60 && mayReserve)
      sharding.replicated.push_back(part);
    else if (place < 65 && mayReserve)
      sharding.unreduced.push_back(part);
  }
  sharding.replicated = sortAndMerge(sharding.replicated);
  sharding.unreduced = sortAndMerge(sharding.unreduced);
  if (!sharding.unreduced.empty())
    sharding.reduction = static_cast<ReductionKind>(random.below(3));
  for (DimSharding &dim : sharding.dims) {
    dim.isClosed = random.chance(30);
    if (withPriorities && random.chance(15) && !(dim.isClosed && dim.axes.empty()))
      dim.priority = random.below(4);
  }
  return sharding;
}

/// A rule that `check` accepts, of tensors of rank up to 3 and small factors.
inline ShardingRule randomRule(Random &random) {
  static const std::vector<int64_t> kSizes = {1, 2, 3, 4, 4, 6, 8, 8, 12, 16, 24, 5, 7};
  ShardingRule rule;
  int64_t numFactors = random.between(1, 6);
  for (int64_t i = 0; i < numFactors; ++i)
    rule.factorSizes.push_back(random.choose(kSizes));
  std::vector<bool> isUsed(numFactors, false);
  std::vector<bool> isInResult(numFactors, false);
  auto addTensor = [&](std::vector<TensorMapping> &tensors, bool isResult) {
    std::vector<FactorIndex> factors;
    for (FactorIndex f = 0; f < numFactors; ++f)
      factors.push_back(f);
    random.shuffle(factors);
    TensorMapping mapping;
    int64_t rank = random.below(4);
    auto take = [&] {
      mapping.back().push_back(factors.back());
      isUsed[factors.back()] = true;
      isInResult[factors.back()] = isInResult[factors.back()] || isResult;
      factors.pop_back();
    };
    for (int64_t dim = 0; dim < rank && !factors.empty(); ++dim) {
      mapping.emplace_back();
      take();
      while (rule.factorSizes[mapping.back().back()] > 1 && !factors.empty() &&
             rule.factorSizes[factors.back()] > 1 && random.chance(40))
        take();
    }
    tensors.push_back(std::move(mapping));
  };
  for (int64_t i = random.between(1, 3); i > 0; --i)
    addTensor(rule.operands, false);
  for (int64_t i = random.between(1, 2); i > 0; --i)
    addTensor(rule.results, true);
  for (FactorIndex f = 0; f < numFactors; ++f) {
    if (!isUsed[f]) {
      // One more operand for factors that no tensor has.
      rule.operands.push_back({{f}});
    }
    int64_t kind = random.below(10);
    if (kind == 0 && !isInResult[f])
      rule.reduction.push_back(f);
    else if (kind == 1)
      rule.needReplication.push_back(f);
    else if (kind == 2)
      rule.permutation.push_back(f);
    if (random.chance(5))
      rule.blockedPropagation.push_back(f);
  }
  rule.isCustom = random.chance(20);
  return rule;
}

} // namespace shardwise::core::testing
