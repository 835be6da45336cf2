// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files that are to be written.

#pragma once

#include "shardwise/files/StoredTensors.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwise::files {

/// A file as it will be.
struct PlannedFile {
  std::string name;
  /// What stands before the elements.
  std::string header;
  int64_t bytes = 0;
};

/// A small file that is not resharded.
struct PlannedText {
  std::string name;
  std::string text;
};

/// All files of an output, and where in them the tensors are.
struct OutputPlan {
  FileForm form = FileForm::Npy;
  std::vector<PlannedFile> files;
  /// File numbers are positions in `files`. In the order of the input.
  std::vector<StoredTensor> tensors;
  std::optional<DeviceIndex> index;
  std::optional<PlannedText> text;
};

/// Plans one .npy file called `name` with all of `tensor`. Fails if NumPy has no such type.
Result<OutputPlan> planNpyFile(const std::string &name, const StoredTensor &tensor);
/// Plans a .npy file for each device.
Result<OutputPlan> planNpyFolder(const StoredTensor &tensor, const TensorCut &cut);

// In .safetensors files, a tensor without a name, as of .npy files, is called `tensor`. These fail
// if the format does not have the type of one.

/// Plans one .safetensors file called `name` with all tensors of `stored`.
Result<OutputPlan> planSafetensorsFile(const std::string &name, const StoredTensors &stored);
/// Plans files of at most `fileBytes` of elements, or one tensor, and their index.
Result<OutputPlan> planHuggingFace(const StoredTensors &stored, int64_t fileBytes);
/// Plans a .safetensors file for each device; `cuts` are by tensor, and of one mesh.
Result<OutputPlan> planSafetensorsFolder(const StoredTensors &stored,
                                         const std::vector<TensorCut> &cuts);

} // namespace shardwise::files
