// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/files/NpyArrays.h"

#include "shardwise/files/DeviceArrays.h"
#include "shardwise/runtime/NpyFile.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::files {
namespace {

/// No array has as many dimensions.
constexpr int64_t kLongestHeader = int64_t{16} << 20;

Result<runtime::NpyHeader> readHeader(const FileSet &files, FileNumber file) {
  const std::string &path = files.path(file);
  std::vector<std::byte> start(
      std::min<size_t>(runtime::kNpyStartBytes, static_cast<size_t>(files.bytes(file))));
  if (Result<void> done = files.read(file, 0, start); !done)
    return done.error();
  Result<int64_t> headerBytes = runtime::npyHeaderBytes(start, path);
  if (!headerBytes)
    return headerBytes.error();
  if (*headerBytes > std::min(files.bytes(file), kLongestHeader))
    return invalid(fmt::format("'{}' ends inside the .npy header: that has {} bytes, the file {}",
                               path, *headerBytes, files.bytes(file)));
  start.resize(static_cast<size_t>(*headerBytes));
  if (Result<void> done = files.read(file, 0, start); !done)
    return done.error();
  Result<runtime::NpyHeader> header = runtime::parseNpyHeader(start, files.bytes(file), path);
  if (!header)
    return header;
  ElementFormat format = npyFormat(header->type);
  if (!checkedByteCount(format, header->shape))
    return invalid(fmt::format("'{}' has a dimension that is too large: {}", path,
                               typeText(format, header->shape)));
  return header;
}

/// Reads the headers of `files`. Bytes of types that NumPy lacks get `rawByte` for their type.
Result<std::vector<DeviceArray>> readArrays(const FileSet &files, const ElementFormat &rawByte) {
  std::vector<DeviceArray> arrays;
  for (FileNumber file = 0; file < files.size(); ++file) {
    Result<runtime::NpyHeader> header = readHeader(files, file);
    if (!header)
      return header.error();
    arrays.push_back({header->isRawByte ? rawByte : npyFormat(header->type),
                      std::move(header->shape),
                      {file, header->dataOffset},
                      header->isFortranOrder});
  }
  return arrays;
}

Result<StoredTensors> asStored(FileForm form, FileSet files, Result<StoredTensor> tensor) {
  if (!tensor)
    return tensor.error();
  StoredTensors stored{form, std::move(files), {}, {}, {}};
  stored.tensors.push_back(std::move(*tensor));
  return stored;
}

constexpr runtime::DataType kRawByte = runtime::DataType::U8;

} // namespace

Result<StoredTensors> openNpyFile(const std::string &path) {
  FileSet files;
  if (Result<FileNumber> file = files.open(path); !file)
    return file.error();
  Result<std::vector<DeviceArray>> arrays = readArrays(files, npyFormat(kRawByte));
  if (!arrays)
    return arrays.error();
  const DeviceArray &whole = arrays->front();
  StoredTensor tensor{
      "", whole.format, whole.shape, wholeCut(static_cast<int64_t>(whole.shape.size())), {}};
  Result<StoredTensor> assembled = assembleTensor(std::move(tensor), *arrays, files);
  return asStored(FileForm::Npy, std::move(files), std::move(assembled));
}

Result<StoredTensors> openNpyFolder(const std::string &folder, const DeviceIndex &index) {
  Result<FileSet> files = openDeviceFiles(folder, index.mesh, index);
  if (!files)
    return files.error();
  const IndexedTensor &indexed = index.tensors.front();
  bool isByte = indexed.format.groupBytes == 1;
  Result<std::vector<DeviceArray>> arrays =
      readArrays(*files, isByte ? indexed.format : npyFormat(kRawByte));
  if (!arrays)
    return arrays.error();
  Result<StoredTensor> tensor =
      assembleTensor({"", indexed.format, indexed.shape, indexed.cut, {}}, *arrays, *files);
  return asStored(FileForm::NpyPerDevice, std::move(*files), std::move(tensor));
}

Result<StoredTensors> openNpyFolder(const std::string &folder, const TensorCut &cut) {
  Result<FileSet> files = openUnindexedFiles(folder, cut.mesh, DeviceIndex{});
  if (!files)
    return files.error();
  Result<std::vector<DeviceArray>> arrays = readArrays(*files, npyFormat(kRawByte));
  if (!arrays)
    return arrays.error();
  Result<StoredTensor> tensor = assembleUnindexed("", cut, *arrays, *files);
  return asStored(FileForm::NpyPerDevice, std::move(*files), std::move(tensor));
}

} // namespace shardwise::files
