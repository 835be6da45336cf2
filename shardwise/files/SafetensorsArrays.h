// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in .safetensors files: whole, in one or several files, or a part of each for each device.

#pragma once

#include "shardwise/files/StoredTensors.h"

#include <string>

namespace shardwise::files {

/// Opens the .safetensors file at `path`.
Result<StoredTensors> openSafetensorsFile(const std::string &path);

/// Opens the files of `folder` that the index at `indexPath` names, as Hugging Face's checkpoints
/// have them: `{"weight_map": {"a": "model-00001-of-00002.safetensors", ...}}`.
Result<StoredTensors> openHuggingFace(const std::string &folder, const std::string &indexPath);

/// Opens 0.safetensors, 1.safetensors, ... of `folder`, as `index` says.
Result<StoredTensors> openSafetensorsFolder(const std::string &folder, const DeviceIndex &index);
/// The same without an index, of as many devices as `mesh` has.
Result<StoredTensors> openSafetensorsFolder(const std::string &folder, const core::Mesh &mesh,
                                            const CutOf &cutOf);

} // namespace shardwise::files
