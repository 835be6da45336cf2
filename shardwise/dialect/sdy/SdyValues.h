// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain values held by attributes of the dialect for which the core has no type of its own.

#pragma once

#include "shardwise/dialect/sdy/CoreHash.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardwise::sdy {

/// Axes, most major first, and one such list per tensor dimension.
using AxisRefs = std::vector<core::AxisRef>;
using AxisRefLists = std::vector<AxisRefs>;

/// `{"x"}: 0->2`: the minor axes `axes` of dimension `source` become those of `target`.
struct AllToAllParam {
  AxisRefs axes;
  int64_t source = 0;
  int64_t target = 0;

  bool operator==(const AllToAllParam &) const = default;
};
using AllToAllParams = std::vector<AllToAllParam>;

/// `operand-0` or `result-1` of the operation that carries the attribute.
struct EdgeValueRef {
  bool isResult = false;
  int64_t index = 0;

  bool operator==(const EdgeValueRef &) const = default;
};

/// `{"x" = operand-0 -> [result-0]}`: `axis` spread from `source` to `targets`.
struct AxisPropagation {
  core::AxisRef axis;
  EdgeValueRef source;
  std::vector<EdgeValueRef> targets;

  bool operator==(const AxisPropagation &) const = default;
};

/// What happened in one propagation step.
struct PropagationStep {
  int64_t index = 0;
  std::vector<AxisPropagation> axes;

  bool operator==(const PropagationStep &) const = default;
};
using PropagationSteps = std::vector<PropagationStep>;

/// Text in sdy notation.
std::string toString(const AxisRefLists &lists);
std::string toString(const AllToAllParam &param);
std::string toString(const EdgeValueRef &value);
std::string toString(const AxisPropagation &details);
std::string toString(const PropagationStep &step);

inline llvm::hash_code hash_value(const AllToAllParam &param) {
  return llvm::hash_combine(core::hashEach(param.axes), param.source, param.target);
}
inline llvm::hash_code hash_value(const AllToAllParams &params) {
  return core::hashEach(params);
}
inline llvm::hash_code hash_value(const EdgeValueRef &value) {
  return llvm::hash_combine(value.isResult, value.index);
}
inline llvm::hash_code hash_value(const AxisPropagation &details) {
  return llvm::hash_combine(details.axis, details.source, core::hashEach(details.targets));
}
inline llvm::hash_code hash_value(const PropagationStep &step) {
  return llvm::hash_combine(step.index, core::hashEach(step.axes));
}
inline llvm::hash_code hash_value(const PropagationSteps &steps) {
  return core::hashEach(steps);
}

} // namespace shardwise::sdy
