// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which form something has is seen from its name and its first bytes.

#include "shardwise/files/StoredTensors.h"

#include "shardwise/files/NpyArrays.h"
#include "shardwise/files/SafetensorsArrays.h"

#include <fmt/format.h>

#include <filesystem>

namespace shardwise::files {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLongestIndex = int64_t{256} << 20;

Result<StoredTensors> openIndexed(const std::string &folder, const std::string &indexPath) {
  Result<std::string> text = readText(indexPath, kLongestIndex);
  if (!text)
    return text.error();
  Result<DeviceIndex> index = parseDeviceIndex(*text, indexPath);
  if (!index)
    return index.error();
  Result<StoredTensors> stored =
      index->isNpy ? openNpyFolder(folder, *index) : openSafetensorsFolder(folder, *index);
  if (!stored)
    return stored;
  for (const auto &[name, checksum] : index->checksums)
    stored->checksums[fmt::format("{}/{}", folder, name)] = checksum;
  return stored;
}

Result<StoredTensors> openFolder(const std::string &folder, const MeshOf &meshOf,
                                 const CutOf &cutOf) {
  auto has = [&](const char *name) {
    std::error_code error;
    return fs::exists(fs::path(folder) / name, error);
  };
  auto path = [&](const char *name) { return fmt::format("{}/{}", folder, name); };
  // In falling order of what each says of the tensors: an index of ours has mesh and shardings,
  // that of Hugging Face names and files, and bare shards nothing, which is why the call must.
  if (has(kIndexName))
    return openIndexed(folder, path(kIndexName));
  if (has(kHuggingFaceIndexName))
    return openHuggingFace(folder, path(kHuggingFaceIndexName));
  if (has("model.safetensors"))
    return openSafetensorsFile(path("model.safetensors"));
  if (has("0.npy")) {
    Result<TensorCut> cut = cutOf("", -1);
    if (!cut)
      return cut.error();
    return openNpyFolder(folder, *cut);
  }
  if (!has("0.safetensors"))
    return invalid(fmt::format("the folder '{}' has no tensors: none of {}, {}, model.safetensors, "
                               "0.npy, 0.safetensors",
                               folder, kIndexName, kHuggingFaceIndexName));
  Result<core::Mesh> mesh = meshOf();
  if (!mesh)
    return mesh.error();
  return openSafetensorsFolder(folder, *mesh, cutOf);
}

/// Whether the file is, or claims to be, a .safetensors file.
bool isSafetensors(const fs::path &path) {
  return path.extension() == ".safetensors";
}

} // namespace

std::string_view toString(FileForm form) {
  switch (form) {
  case FileForm::Npy:
    return "a .npy file";
  case FileForm::NpyPerDevice:
    return "a .npy file for each device";
  case FileForm::Safetensors:
    return "a .safetensors file";
  case FileForm::SafetensorsPerDevice:
    return "a .safetensors file for each device";
  case FileForm::HuggingFace:
    return "Hugging Face's .safetensors files";
  }
  return "";
}

bool isPerDevice(FileForm form) {
  return form == FileForm::NpyPerDevice || form == FileForm::SafetensorsPerDevice;
}

bool isFolder(FileForm form) {
  return isPerDevice(form) || form == FileForm::HuggingFace;
}

Result<StoredTensors> openTensors(const std::string &path, const MeshOf &meshOf,
                                  const CutOf &cutOf) {
  std::error_code error;
  // `shards/` has no file name; without the slash it is the folder.
  fs::path place(path);
  if (!place.has_filename())
    place = place.parent_path();
  if (fs::is_directory(place, error))
    return openFolder(place.string(), meshOf, cutOf);
  return isSafetensors(place) ? openSafetensorsFile(path) : openNpyFile(path);
}

} // namespace shardwise::files
