// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers of all files are read when they are opened, elements only while tiles move. Of a
// checkpoint in many files, this is all that is in memory: names, shapes and offsets.

#include "shardwise/files/SafetensorsArrays.h"

#include "shardwise/files/DeviceArrays.h"
#include "shardwise/files/JsonText.h"
#include "shardwise/files/SafetensorsHeader.h"

#include <fmt/format.h>

#include <set>

namespace shardwise::files {
namespace {

constexpr int64_t kLongestIndex = int64_t{256} << 20;

/// Adds the tensors of a file, which has all of each, and its metadata.
Result<void> addWholeTensors(StoredTensors &stored, FileNumber file) {
  Result<SafetensorsHeader> header = readSafetensorsHeader(stored.files, file);
  if (!header)
    return header.error();
  stored.metadata.merge(header->metadata);
  for (SafetensorsEntry &entry : header->entries) {
    StoredTensor tensor{std::move(entry.name), entry.format, std::move(entry.shape), {}, {}};
    tensor.cut = wholeCut(static_cast<int64_t>(tensor.shape.size()));
    tensor.arrays.add({}, arrayLayout(tensor.shape, tensor.cut, 0), {file, entry.offset});
    stored.tensors.push_back(std::move(tensor));
  }
  return {};
}

/// By tensor, its arrays by position.
using ArraysByName = std::map<std::string, std::vector<DeviceArray>>;

/// Also adds the metadata of the files to `metadata`.
Result<ArraysByName> readArrays(const FileSet &files,
                                std::map<std::string, std::string> &metadata) {
  ArraysByName arrays;
  for (FileNumber file = 0; file < files.size(); ++file) {
    Result<SafetensorsHeader> header = readSafetensorsHeader(files, file);
    if (!header)
      return header.error();
    metadata.merge(header->metadata);
    for (SafetensorsEntry &entry : header->entries) {
      // Files come by position, so a list with one array for each file before this one is complete
      // so far. One that is shorter has missed a file: it stays short, and is found below.
      std::vector<DeviceArray> &list = arrays[entry.name];
      if (list.size() == file)
        list.push_back({entry.format, std::move(entry.shape), {file, entry.offset}, false});
    }
  }
  // The first file without a tensor ended its list.
  for (const auto &[name, list] : arrays)
    if (list.size() < files.size())
      return invalid(fmt::format("'{}' lacks the tensor '{}', which others have",
                                 files.path(list.size()), name));
  return arrays;
}

/// Checks that a name of an index is that of a file in the same folder.
Result<void> checkFileName(const std::string &file, const std::string &tensor,
                           const std::string &indexPath) {
  // An index from elsewhere must not reach out of its folder, as `../../secret` would.
  if (!file.empty() && file != "." && file != ".." && file.find('/') == std::string::npos &&
      file.find('\0') == std::string::npos)
    return {};
  return invalid(fmt::format("'{}': tensor '{}' is in {}, expected a file of the same folder",
                             indexPath, tensor, Json(file).dump()));
}

/// Returns the file of each tensor.
Result<std::map<std::string, std::string>> readWeightMap(const std::string &indexPath) {
  Result<std::string> text = readText(indexPath, kLongestIndex);
  if (!text)
    return text.error();
  Result<Json> json = parseJson(*text, indexPath);
  if (!json)
    return json.error();
  Result<JsonObject> object = asObject(*json, fmt::format("'{}'", indexPath));
  if (!object)
    return object.error();
  Result<JsonObject> map = object->object("weight_map");
  if (!map)
    return map.error();
  std::map<std::string, std::string> fileOf;
  for (const auto &[tensor, value] : map->json.items()) {
    Result<std::string> file = map->string(tensor.c_str());
    if (!file)
      return file.error();
    if (Result<void> checked = checkFileName(*file, tensor, indexPath); !checked)
      return checked.error();
    fileOf[tensor] = *file;
  }
  return fileOf;
}

} // namespace

Result<StoredTensors> openSafetensorsFile(const std::string &path) {
  StoredTensors stored{FileForm::Safetensors, {}, {}, {}, {}};
  Result<FileNumber> file = stored.files.open(path);
  if (!file)
    return file.error();
  if (Result<void> added = addWholeTensors(stored, *file); !added)
    return added.error();
  return stored;
}

Result<StoredTensors> openHuggingFace(const std::string &folder, const std::string &indexPath) {
  auto fileOf = readWeightMap(indexPath);
  if (!fileOf)
    return fileOf.error();
  // The map and the headers must say the same, both ways: what is found is crossed off, so that in
  // the end nothing may be left.
  std::set<std::string> names;
  for (const auto &[tensor, file] : *fileOf)
    names.insert(file);
  StoredTensors stored{FileForm::HuggingFace, {}, {}, {}, {}};
  for (const std::string &name : names) {
    Result<FileNumber> file = stored.files.open(fmt::format("{}/{}", folder, name));
    if (!file)
      return file.error();
    size_t first = stored.tensors.size();
    if (Result<void> added = addWholeTensors(stored, *file); !added)
      return added.error();
    for (size_t i = first; i < stored.tensors.size(); ++i) {
      auto known = fileOf->find(stored.tensors[i].name);
      if (known == fileOf->end() || known->second != name)
        return invalid(
            fmt::format("'{}' has the tensor '{}', which '{}' {}", stored.files.path(*file),
                        stored.tensors[i].name, indexPath,
                        known == fileOf->end() ? "does not name" : "says is in " + known->second));
      fileOf->erase(known);
    }
  }
  if (!fileOf->empty())
    return invalid(fmt::format("'{}/{}' lacks the tensor '{}', which '{}' says is there", folder,
                               fileOf->begin()->second, fileOf->begin()->first, indexPath));
  return stored;
}

Result<StoredTensors> openSafetensorsFolder(const std::string &folder, const DeviceIndex &index) {
  Result<FileSet> files = openDeviceFiles(folder, index.mesh, index);
  if (!files)
    return files.error();
  StoredTensors stored{FileForm::SafetensorsPerDevice, std::move(*files), {}, {}, {}};
  Result<ArraysByName> arrays = readArrays(stored.files, stored.metadata);
  if (!arrays)
    return arrays.error();
  for (const IndexedTensor &indexed : index.tensors) {
    auto known = arrays->find(indexed.name);
    if (known == arrays->end())
      return invalid(fmt::format("'{}' lacks the tensor '{}', which '{}/{}' names",
                                 stored.files.path(0), indexed.name, folder, kIndexName));
    Result<StoredTensor> tensor =
        assembleTensor({indexed.name, indexed.format, indexed.shape, indexed.cut, {}},
                       known->second, stored.files);
    if (!tensor)
      return tensor.error();
    stored.tensors.push_back(std::move(*tensor));
    arrays->erase(known);
  }
  if (!arrays->empty())
    return invalid(fmt::format("'{}' has the tensor '{}', which '{}/{}' does not name",
                               stored.files.path(0), arrays->begin()->first, folder, kIndexName));
  return stored;
}

Result<StoredTensors> openSafetensorsFolder(const std::string &folder, const core::Mesh &mesh,
                                            const CutOf &cutOf) {
  DeviceIndex names;
  names.isNpy = false;
  Result<FileSet> files = openUnindexedFiles(folder, mesh, names);
  if (!files)
    return files.error();
  StoredTensors stored{FileForm::SafetensorsPerDevice, std::move(*files), {}, {}, {}};
  Result<ArraysByName> arrays = readArrays(stored.files, stored.metadata);
  if (!arrays)
    return arrays.error();
  for (const auto &[name, list] : *arrays) {
    Result<TensorCut> cut = cutOf(name, static_cast<int64_t>(list.front().shape.size()));
    if (!cut)
      return cut.error();
    Result<StoredTensor> tensor = assembleUnindexed(name, *cut, list, stored.files);
    if (!tensor)
      return tensor.error();
    stored.tensors.push_back(std::move(*tensor));
  }
  return stored;
}

} // namespace shardwise::files
