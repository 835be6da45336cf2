// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pattern is what is cut over an axis: data, parameters, state of the optimiser.
//
//   data  parameters  state   pattern
//   yes   no          no      data parallel: gradients are summed
//   yes   no          yes     ZeRO-1: gradients are summed in parts, parameters gathered
//   yes   yes                 ZeRO-3 (FSDP): weights are gathered for use
//   no    yes                 tensor parallel; by the axis' name expert parallel, pipeline
//
// Data that is cut along a dimension but the first is cut along the sequence. With n devices along
// the axis and parameters of P bytes on a device, if it were not cut over the axis, a sum in parts
// and a gather receive P (n-1)/n each.

#include "shardwise/explain/Patterns.h"

#include "shardwise/core/Text.h"
#include "shardwise/explain/ArgumentKinds.h"
#include "shardwise/terminal/ByteText.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::explain {
namespace {

/// What is known of one axis.
struct AxisUse {
  bool isOnBatch = false;
  bool isOnSequence = false;
  bool isOnParameters = false;
  /// It cuts a dimension of a parameter alone, or other axes cut its parts further.
  bool isFirstOnParameters = false;
  bool isOnState = false;
  /// Of the parameters, on a device, but for this axis.
  double parameterBytes = 0;
};

double bytesOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast_or_null<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !tensor.getElementType().isIntOrFloat())
    return 0;
  return static_cast<double>(tensor.getNumElements()) *
         std::max(1u, tensor.getElementTypeBitWidth() / 8);
}

/// The devices that share a value along all axes but `axis`; sub-axes count as what they are.
double partsBeside(const core::WrittenSharding &sharding, const std::string &axis,
                   const core::Mesh &mesh) {
  double parts = 1;
  for (const auto &dim : sharding.dims)
    for (const core::AxisRef &ref : dim.axes)
      if (ref.name != axis)
        if (Result<core::Axis> found = core::resolve(ref, mesh))
          parts *= static_cast<double>(found->size);
  return parts;
}

void addUse(AxisUse &use, const ExplainedValue &value, MemoryKind kind, const std::string &axis,
            const core::Mesh &mesh) {
  static const core::WrittenSharding kWhole;
  const core::WrittenSharding &sharding = value.sharding ? *value.sharding : kWhole;
  if (kind == MemoryKind::Parameters)
    use.parameterBytes += bytesOf(value.type) / partsBeside(sharding, axis, mesh);
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim) {
    const std::vector<core::AxisRef> &axes = sharding.dims[dim].axes;
    for (const core::AxisRef &ref : axes) {
      if (ref.name != axis)
        continue;
      use.isOnBatch |= kind == MemoryKind::Inputs && dim == 0;
      use.isOnSequence |= kind == MemoryKind::Inputs && dim > 0;
      use.isOnParameters |= kind == MemoryKind::Parameters;
      use.isFirstOnParameters |= kind == MemoryKind::Parameters && &ref == axes.data();
      use.isOnState |= kind == MemoryKind::OptimizerState;
    }
  }
}

/// Calls `visit` with every argument that has a name in the user's source, and what it is.
void forEachArgument(const Explanation &explanation, const ProgramNames &names,
                     llvm::function_ref<void(const ExplainedValue &, MemoryKind)> visit) {
  for (const ExplainedValue &value : explanation.values) {
    // Results are what arguments become.
    std::string label = names.labelOf(value.value);
    if (!value.value.isResult() && !value.value.id.isOpResult() && !label.empty())
      visit(value, argumentKindOf(label));
  }
}

AxisUse useOf(const Explanation &explanation, const ProgramNames &names, const std::string &axis) {
  AxisUse use;
  forEachArgument(explanation, names, [&](const ExplainedValue &value, MemoryKind kind) {
    addUse(use, value, kind, axis, explanation.mesh);
  });
  return use;
}

/// Whether some argument is known to be a parameter, or state of an optimizer. Where none is, what
/// look like data may be weights, and an axis on these is anything.
bool knowsParameters(const Explanation &explanation, const ProgramNames &names) {
  bool isKnown = false;
  forEachArgument(explanation, names, [&](const ExplainedValue &, MemoryKind kind) {
    isKnown |= kind != MemoryKind::Inputs;
  });
  return isKnown;
}

/// Whether the name of an axis is, or begins with, one of `words`.
bool isCalled(const std::string &axis, std::initializer_list<llvm::StringRef> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](llvm::StringRef word) { return llvm::StringRef(axis).starts_with(word); });
}

void addRecipe(AxisPattern &pattern, const AxisUse &use, int64_t size) {
  double part = use.parameterBytes * static_cast<double>(size - 1) / static_cast<double>(size);
  auto weights = [&](const char *name, int times, const char *expected) {
    pattern.name = name;
    pattern.expected = expected;
    pattern.expectedBytes = static_cast<int64_t>(times * part);
  };
  auto activations = [&](const char *name, const char *expected) {
    pattern.name = name;
    pattern.expected = expected;
  };
  // Behind a dimension of microbatches a batch is not the first.
  bool isOnBatch = use.isOnBatch ||
                   (use.isOnSequence && isCalled(pattern.axis, {"data", "batch", "dp", "fsdp"}));
  if (isCalled(pattern.axis, {"stage", "pipe", "pp"}))
    activations("pipeline", "one collective_permute of a microbatch in each tick");
  else if (isCalled(pattern.axis, {"exp", "ep", "moe"}) && use.isOnParameters)
    activations("expert parallel",
                "2 all_to_all a layer and way: tokens to their experts and back");
  else if (isOnBatch && use.isOnParameters)
    weights("ZeRO-3 (FSDP)", 3, "weights gathered twice, gradients summed in parts once");
  else if (isOnBatch && use.isOnState)
    weights("ZeRO-1", 2, "gradients summed in parts, parameters gathered");
  else if (isOnBatch)
    weights("data parallel", 2, "one all_reduce of all gradients");
  else if (use.isFirstOnParameters)
    activations(
        "tensor parallel (Megatron)",
        "4 all_reduces a layer, or as many pairs of reduce_scatter and all_gather; 5 or 6 if "
        "it is computed again");
  else if (use.isOnSequence)
    activations("sequence or context parallel",
                "keys and values gathered, or passed on in a ring, in each layer");
  else if (use.isOnParameters)
    activations("storage of parameters, behind other axes", "transfers over all of these together");
  else if (use.isOnState)
    activations("optimizer state cut", "gradients summed in parts");
}

} // namespace

std::string AxisPattern::text() const {
  std::string bytes = expectedBytes > 0 ? fmt::format(", {} in the types of the parameters",
                                                      terminal::bytesText(expectedBytes))
                                        : "";
  return fmt::format("\"{}\" is {}: expected {}{}; actual {}", axis, name, expected, bytes,
                     actual.empty() ? "nothing" : actual);
}

std::vector<AxisPattern> axisPatterns(const Explanation &explanation, const ProgramNames &names) {
  std::vector<AxisPattern> patterns;
  if (!knowsParameters(explanation, names))
    return patterns;
  for (const core::MeshAxis &axis : explanation.mesh.axes()) {
    AxisPattern pattern;
    pattern.axis = axis.name;
    if (axis.size > 1)
      addRecipe(pattern, useOf(explanation, names, axis.name), axis.size);
    if (pattern.name.empty())
      continue;
    std::string alone = core::toString(std::vector<core::AxisRef>{{axis.name, std::nullopt}});
    for (const AxisTraffic &row : explanation.traffic) {
      if (row.axes != alone)
        continue;
      pattern.actualBytes += row.receivedBytes;
      pattern.actual += fmt::format("{}{} {} {}", pattern.actual.empty() ? "" : ", ", row.calls,
                                    row.kind, terminal::bytesText(row.receivedBytes));
    }
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

} // namespace shardwise::explain
