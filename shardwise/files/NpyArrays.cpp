// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/files/NpyArrays.h"

#include "shardwise/files/DeviceArrays.h"
#include "shardwise/files/NpyHeaders.h"

namespace shardwise::files {
namespace {

/// Reads the headers of `files`. Bytes of types that NumPy lacks get `rawByte` for their type.
Result<std::vector<DeviceArray>> readArrays(const FileSet &files, const ElementFormat &rawByte) {
  std::vector<DeviceArray> arrays;
  for (FileNumber file = 0; file < files.size(); ++file) {
    Result<runtime::NpyHeader> header = readNpyHeader(files, file);
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
  // Of the floats of 8 bits NumPy writes no name but `|V1`, bytes: only the index knows which they
  // are. Where it says a type of more bytes, they stay bytes, and are then refused as another type.
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
