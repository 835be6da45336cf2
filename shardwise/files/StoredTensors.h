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
  Npy,                  ///< One .npy file with the whole tensor.
  NpyPerDevice,         ///< A folder with 0.npy, 1.npy, ... by mesh position, and index.json.
  Safetensors,          ///< One .safetensors file with whole tensors.
  SafetensorsPerDevice, ///< A folder with 0.safetensors, 1.safetensors, ..., and index.json.
  HuggingFace ///< A folder with whole tensors in several .safetensors files, and an index.
};

/// Returns `a .npy file`, for messages.
std::string_view toString(FileForm form);
/// Whether there is a file for each device.
bool isPerDevice(FileForm form);
/// Whether it is a folder.
bool isFolder(FileForm form);

/// Name of the index of Hugging Face's form.
inline constexpr const char *kHuggingFaceIndexName = "model.safetensors.index.json";

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

/// How the tensor called `name`, of `rank` dimensions, is cut in a folder that does not say it; of
/// .npy files `rank` is -1, and the sharding says it. Tensors of a folder have one mesh.
using CutOf = std::function<Result<TensorCut>(const std::string &name, int64_t rank)>;
using MeshOf = std::function<Result<core::Mesh>()>;

/// Opens what is at `path`. Fails, naming the file, with what was found and what was expected.
Result<StoredTensors> openTensors(const std::string &path, const MeshOf &meshOf,
                                  const CutOf &cutOf);

} // namespace shardwise::files
