// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in files, in every form that is read.

#pragma once

#include "shardwise/files/DeviceIndex.h"
#include "shardwise/files/TensorMove.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::files {

/// What tensors in files look like.
enum class FileForm {
  Npy,                 ///< One .npy file with the whole tensor.
  NpyPerDevice,        ///< A folder with 0.npy, 1.npy, ... by mesh position, and index.json.
  Safetensors,         ///< One .safetensors file with whole tensors.
  SafetensorsPerDevice ///< A folder with 0.safetensors, 1.safetensors, ..., and index.json.
};

/// Returns `a .npy file`, for messages.
std::string_view toString(FileForm form);
/// Whether there is a file for each device.
bool isPerDevice(FileForm form);

/// Tensors that are there: their files are open, and have what their headers say.
struct StoredTensors {
  FileForm form = FileForm::Npy;
  FileSet files;
  std::vector<StoredTensor> tensors;
  /// Of whole tensors in .safetensors files: what these say of themselves.
  std::map<std::string, std::string> metadata;
  /// Of the index; keys are paths.
  Checksums checksums;
};

/// How the tensor called `name`, of `rank` dimensions, is cut in a folder that does not say it.
using CutOf = std::function<Result<TensorCut>(const std::string &name, int64_t rank)>;

/// Opens what is at `path`. Fails, naming the file, with what was found and what was expected.
Result<StoredTensors> openTensors(const std::string &path, const CutOf &cutOf);

} // namespace shardwise::files
