// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tensors are cut before and after, as the user says it.

#pragma once

#include "shardwise/files/CutSpecs.h"
#include "shardwise/files/StoredTensors.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwise::files {

/// What is written of a reshard, in sdy notation; empty where nothing is.
struct WrittenCuts {
  std::string mesh, from;
  std::string toMesh, to;
  /// By name; what is not written there is as above.
  CutSpecs specs;
};

/// The same, looked up.
class CutRules {
public:
  static Result<CutRules> parse(WrittenCuts written);

  /// The mesh of an input that does not say it.
  Result<core::Mesh> fromMesh() const;
  /// How a tensor of the input is cut, where its folder does not say it.
  Result<TensorCut> fromCut(const std::string &name, int64_t rank) const;
  /// How a tensor is to be cut. Its mesh is the one it has, if no other is written.
  Result<TensorCut> toCut(const StoredTensor &tensor) const;
  /// Whether what is written for all tensors cuts the output. Fails if it is no sharding.
  Result<bool> cutsOutput() const;
  /// The patterns of the specs by which none of `tensors` goes, as a mistyped one.
  std::vector<std::string> unusedPatterns(const std::vector<StoredTensor> &tensors) const;
  /// Fails if `tensor`, whose folder says how it is cut, is cut differently from what is written.
  Result<void> checkStored(const StoredTensor &tensor) const;

private:
  WrittenCuts written;
  std::optional<core::Mesh> mesh;
  std::optional<core::Mesh> toMesh;
};

} // namespace shardwise::files
