// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Propagation steps written in sdy notation, for tests only.

#pragma once

#include "shardwise/core/Text.h"
#include "shardwise/propagation/PropagationStep.h"

#include <cassert>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::propagation::testing {

/// Looks `text` up in `mesh`; axes in tests are single letters or words, so `{x:(1)2}` and `{data}`
/// are allowed for `{"x":(1)2}` and `{"data"}`. "none" is a missing sharding.
inline std::optional<core::Sharding> shardingOf(const std::string &text, const core::Mesh &mesh) {
  if (text == "none")
    return std::nullopt;
  std::string quoted;
  bool isInBraces = false;
  bool isInWord = false;
  for (char c : text) {
    bool isLetter = c >= 'a' && c <= 'z';
    isInBraces = c == '{' || (isInBraces && c != '}');
    if (isInBraces && isLetter != isInWord) {
      quoted += '"';
      isInWord = isLetter;
    } else if (!isInBraces && isInWord) {
      quoted += '"';
      isInWord = false;
    }
    quoted += c;
  }
  auto written = core::parseSharding(quoted);
  assert(written.ok() && "malformed sharding in a test");
  auto resolved = core::resolve(*written, mesh);
  assert(resolved.ok() && "invalid sharding in a test");
  return *resolved;
}

/// Prints in the same way, without quotes.
inline std::string textOf(const std::optional<core::Sharding> &sharding, const core::Mesh &mesh) {
  if (!sharding)
    return "none";
  std::string text;
  for (char c : core::toString(*sharding, mesh))
    if (c != '"')
      text += c;
  return text;
}

/// What `ShardingProjection::fill` takes.
inline std::vector<const core::Sharding *>
pointersTo(const std::vector<core::Sharding> &shardings) {
  std::vector<const core::Sharding *> pointers;
  for (const core::Sharding &sharding : shardings)
    pointers.push_back(&sharding);
  return pointers;
}

/// Properties of an op and of a run, other than mesh, rule and shardings.
struct StepSettings {
  FactorStrategy strategy = FactorStrategy::Aggressive;
  bool isElementwise = false;
  bool isConservative = false;
  PropagationDirection direction = PropagationDirection::Both;
  std::vector<PropagationDirection> factorDirections = {};
};

/// Runs one step and applies its updates to `shardings` (operands, then results). Returns how many
/// there were.
inline size_t runStep(const core::Mesh &mesh, const core::ShardingRule &rule,
                      const StepSettings &settings,
                      std::vector<std::optional<core::Sharding>> &shardings) {
  std::vector<TensorSharding> tensors;
  for (const auto &sharding : shardings)
    tensors.push_back({sharding ? &*sharding : nullptr});
  auto all = std::span<const TensorSharding>(tensors);
  StepInput step{mesh,
                 rule,
                 all.first(rule.operands.size()),
                 all.subspan(rule.operands.size()),
                 settings.direction,
                 settings.factorDirections,
                 settings.strategy,
                 settings.isElementwise,
                 settings.isConservative};
  std::vector<TensorUpdate> updates = propagate(step);
  for (TensorUpdate &update : updates)
    shardings[update.tensor] = std::move(update.sharding);
  return updates.size();
}

/// Runs one step on shardings in text form and returns all of them after it.
inline std::vector<std::string> stepInText(const std::string &mesh, const std::string &rule,
                                           const std::vector<std::string> &shardings,
                                           const StepSettings &settings = {}) {
  core::Mesh parsedMesh = core::parseMesh(mesh).value();
  std::vector<std::optional<core::Sharding>> values;
  for (const std::string &text : shardings)
    values.push_back(shardingOf(text, parsedMesh));
  runStep(parsedMesh, core::parseShardingRule(rule).value(), settings, values);
  std::vector<std::string> texts;
  for (const auto &value : values)
    texts.push_back(textOf(value, parsedMesh));
  return texts;
}

} // namespace shardwise::propagation::testing
