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

/// All files of an output, and where in them the tensors are.
struct OutputPlan {
  FileForm form = FileForm::Npy;
  std::vector<PlannedFile> files;
  /// File numbers are positions in `files`.
  std::vector<StoredTensor> tensors;
  std::optional<DeviceIndex> index;
};

/// Plans one .npy file called `name` with all of `tensor`. Fails if NumPy has no such type.
Result<OutputPlan> planNpyFile(const std::string &name, const StoredTensor &tensor);
/// Plans a .npy file for each device.
Result<OutputPlan> planNpyFolder(const StoredTensor &tensor, const TensorCut &cut);

} // namespace shardwise::files
