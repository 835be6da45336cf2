// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An op in text form, for tests of the decisions on its factors. Shardings expected in these tests
// are those of Shardy.

#pragma once

#include "shardwise/transforms/export/AgreedAxes.h"
#include "shardwise/transforms/export/CommonFactorAxes.h"
#include "test/support/propagation/StepTesting.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwise::exporter::testing {

/// An op with its shardings; sizes of tensors are products of the sizes of their factors.
struct TestOp {
  core::Mesh mesh;
  core::ShardingRule rule;
  std::vector<core::Sharding> shardings;
  /// Per tensor; `tensors` points into it.
  std::vector<std::vector<int64_t>> shapes;
  std::vector<propagation::FactorTensor> tensors;

  TestOp(std::string_view meshText, std::string_view ruleText,
         const std::vector<std::string> &texts)
      : mesh(core::parseMesh(meshText).value()), rule(core::parseShardingRule(ruleText).value()) {
    for (const std::string &text : texts)
      shardings.push_back(*propagation::testing::shardingOf(text, mesh));
    for (size_t tensor = 0; tensor < numTensors(); ++tensor) {
      shapes.emplace_back();
      for (const core::DimMapping &dim : mapping(tensor)) {
        int64_t size = 1;
        for (core::FactorIndex factor : dim)
          size *= rule.factorSizes[factor];
        shapes.back().push_back(size);
      }
    }
    for (const std::vector<int64_t> &shape : shapes)
      tensors.push_back({shape});
  }

  size_t numTensors() const { return rule.operands.size() + rule.results.size(); }
  const core::TensorMapping &mapping(size_t tensor) const {
    return tensor < rule.operands.size() ? rule.operands[tensor]
                                         : rule.results[tensor - rule.operands.size()];
  }

  propagation::ShardingProjection project() const {
    std::vector<const core::Sharding *> pointers;
    for (const core::Sharding &sharding : shardings)
      pointers.push_back(&sharding);
    propagation::ShardingProjection projection;
    projection.fill(rule, pointers);
    return projection;
  }

  /// Shardings after a change of the op's factors to `choice`, in text form.
  std::vector<std::string> apply(const propagation::ShardingProjection &projection,
                                 const FactorChoice &choice) {
    std::vector<std::string> texts;
    for (size_t tensor = 0; tensor < numTensors(); ++tensor) {
      core::Sharding &sharding = shardings[tensor];
      sharding.dims =
          propagation::dimensionShardings(projection, int64_t(tensor), choice.of(int64_t(tensor)));
      texts.push_back(propagation::testing::textOf(sharding, mesh));
    }
    return texts;
  }

  /// Shardings after the tensors were made to agree, in text form.
  std::vector<std::string> changed() {
    propagation::ShardingProjection projection = project();
    std::optional<propagation::AxesPerFactor> agreed = agreedAxes(projection);
    return apply(projection,
                 agreed ? FactorChoice{*agreed, {}} : commonAxes({projection, tensors, mesh}));
  }
};

using Texts = std::vector<std::string>;
inline constexpr std::string_view kTwos = R"(<["a"=2, "b"=2, "c"=2]>)";
inline constexpr std::string_view kPointwise = "<([i, j], [i, j])->([i, j]) {i=16, j=64}>";
inline constexpr std::string_view kDot =
    "<([i, k], [k, j])->([i, j]) {i=64, j=32, k=32} reduction={k}>";

} // namespace shardwise::exporter::testing
