// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which form something has is seen from its name and its first bytes.

#include "shardwise/files/StoredTensors.h"

#include "shardwise/files/NpyArrays.h"

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
  Result<StoredTensors> stored = openNpyFolder(folder, *index);
  if (!stored)
    return stored;
  for (const auto &[name, checksum] : index->checksums)
    stored->checksums[fmt::format("{}/{}", folder, name)] = checksum;
  return stored;
}

Result<StoredTensors> openFolder(const std::string &folder, const CutOf &cutOf) {
  std::string indexPath = fmt::format("{}/{}", folder, kIndexName);
  std::error_code error;
  if (fs::exists(indexPath, error))
    return openIndexed(folder, indexPath);
  if (!fs::exists(folder + "/0.npy", error))
    return invalid(fmt::format("the folder '{}' has neither {} nor 0.npy", folder, kIndexName));
  Result<TensorCut> cut = cutOf("", -1);
  if (!cut)
    return cut.error();
  return openNpyFolder(folder, *cut);
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
  }
  return "";
}

bool isPerDevice(FileForm form) {
  return form == FileForm::NpyPerDevice || form == FileForm::SafetensorsPerDevice;
}

Result<StoredTensors> openTensors(const std::string &path, const CutOf &cutOf) {
  std::error_code error;
  fs::path place(path);
  if (!place.has_filename())
    place = place.parent_path();
  if (fs::is_directory(place, error))
    return openFolder(place.string(), cutOf);
  return openNpyFile(path);
}

} // namespace shardwise::files
