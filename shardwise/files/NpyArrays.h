// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in .npy files: one with all of it, or one for each device.

#pragma once

#include "shardwise/files/StoredTensors.h"

#include <string>

namespace shardwise::files {

/// Opens the .npy file at `path`.
Result<StoredTensors> openNpyFile(const std::string &path);

/// Opens 0.npy, 1.npy, ... of `folder`, as `index` says.
Result<StoredTensors> openNpyFolder(const std::string &folder, const DeviceIndex &index);
/// The same without an index: the shape is that of which `cut` gives the files.
Result<StoredTensors> openNpyFolder(const std::string &folder, const TensorCut &cut);

} // namespace shardwise::files
