// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of which nothing follows, so that ops which are alike are looked at once. Layers repeat: of
// four steps of a model of 48 layers three were in vain before, for an op of another layer.

#pragma once

#include "shardwise/core/ShardingRule.h"
#include "shardwise/transforms/propagate/MeshSharding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardwise::propagate {

/// A table of a fixed size: a step takes the place of another that falls on it, so it may forget,
/// but what it says is true.
class StepsInVain {
public:
  /// All that a step depends on: rule, shardings, and how it goes. Rules and shardings are kept
  /// once (Interner.h), so their addresses say what they are.
  struct Key {
    static constexpr size_t kMostTensors = 6;
    const core::ShardingRule *rule = nullptr;
    uint64_t options = 0;
    std::array<const MeshSharding *, kMostTensors> shardings{};

    bool operator==(const Key &) const = default;
  };

  /// Returns the key of a step with an interned rule and interned shardings, null for none; nothing
  /// if it has too many tensors.
  static std::optional<Key> keyOf(const core::ShardingRule *rule, uint64_t options,
                                  std::span<const MeshSharding *const> shardings) {
    if (shardings.size() > Key::kMostTensors)
      return std::nullopt;
    Key key{rule, options, {}};
    std::copy(shardings.begin(), shardings.end(), key.shardings.begin());
    return key;
  }

  bool contains(const Key &key) const { return slots[slotOf(key)] == key; }
  void add(const Key &key) { slots[slotOf(key)] = key; }

private:
  static constexpr unsigned kBits = 12;

  static size_t slotOf(const Key &key) {
    // Fibonacci hashing: all addresses are even, and lie close together.
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    uint64_t hash = (reinterpret_cast<uintptr_t>(key.rule) ^ key.options) * kGoldenRatio;
    for (const MeshSharding *sharding : key.shardings)
      hash = ((hash >> 32) ^ hash ^ reinterpret_cast<uintptr_t>(sharding)) * kGoldenRatio;
    return hash >> (64 - kBits);
  }

  std::vector<Key> slots = std::vector<Key>(size_t(1) << kBits);
};

} // namespace shardwise::propagate
