// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/files/NpyArrays.h"

#include "shardwise/core/Text.h"
#include "shardwise/runtime/NpyFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

/// An array of a folder.
struct OpenArray {
  runtime::NpyHeader header;
  FileNumber file = 0;
};

/// Opens the files of all devices.
Result<std::vector<OpenArray>> openArrays(const std::string &folder, const core::Mesh &mesh,
                                          FileSet &files) {
  DeviceIndex names;
  std::vector<OpenArray> arrays;
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    Result<FileNumber> file = files.open(fmt::format("{}/{}", folder, names.fileName(position)));
    if (!file)
      return invalid(fmt::format("{}; the mesh <{}> has {} devices, each with a file",
                                 file.error().message, core::toString(mesh), mesh.numDevices()));
    Result<runtime::NpyHeader> header = readHeader(files, *file);
    if (!header)
      return header.error();
    arrays.push_back({std::move(*header), *file});
  }
  return arrays;
}

/// Returns the shape of which `cut` gives the arrays: along each dimension, the sum of the blocks.
core::Shape wholeShape(const std::vector<OpenArray> &arrays, const TensorCut &cut, size_t rank) {
  core::Shape shape(rank, 0);
  for (size_t dim = 0; dim < rank; ++dim) {
    std::map<int64_t, int64_t> blocks;
    for (size_t position = 0; position < arrays.size(); ++position)
      blocks.emplace(core::coordinateAlong(cut.sharding.dims[dim].axes, cut.mesh,
                                           static_cast<int64_t>(position)),
                     arrays[position].header.shape[dim]);
    for (const auto &[coordinate, size] : blocks)
      shape[dim] += size;
  }
  return shape;
}

Result<void> checkArray(const OpenArray &array, const runtime::NpyHeader &first,
                        const core::Shape &expected, const std::string &path,
                        const StoredTensor &tensor, int64_t position) {
  if (array.header.type != first.type || array.header.isRawByte != first.isRawByte)
    return invalid(fmt::format("'{}' has elements of {}, expected {}, as the others have", path,
                               runtime::toString(array.header.type),
                               runtime::toString(first.type)));
  if (array.header.shape != expected)
    return invalid(fmt::format(
        "'{}' has {}; device {} of <{}> holds {} of {} with the sharding {}; padding is not "
        "part of it",
        path, typeText(tensor.format, array.header.shape), position,
        core::toString(tensor.cut.mesh), typeText(tensor.format, expected),
        typeText(tensor.format, tensor.shape),
        core::toString(tensor.cut.sharding, tensor.cut.mesh)));
  return {};
}

/// Makes the tensor of its arrays.
Result<StoredTensors> assemble(FileSet files, const std::vector<OpenArray> &arrays,
                               StoredTensor tensor) {
  for (size_t position = 0; position < arrays.size(); ++position) {
    const OpenArray &array = arrays[position];
    auto number = static_cast<int64_t>(position);
    ArrayLayout layout = arrayLayout(tensor.shape, tensor.cut, number);
    if (Result<void> checked = checkArray(array, arrays.front().header, layout.shape,
                                          files.path(array.file), tensor, number);
        !checked)
      return checked.error();
    addArray(tensor.arrays, std::move(layout), {array.file, array.header.dataOffset},
             array.header.isFortranOrder);
  }
  StoredTensors stored{FileForm::NpyPerDevice, std::move(files), {}, {}, {}};
  stored.tensors.push_back(std::move(tensor));
  return stored;
}

} // namespace

Result<StoredTensors> openNpyFile(const std::string &path) {
  FileSet files;
  Result<FileNumber> file = files.open(path);
  if (!file)
    return file.error();
  Result<runtime::NpyHeader> header = readHeader(files, *file);
  if (!header)
    return header.error();
  StoredTensor tensor{"", npyFormat(header->type), header->shape, {}, {}};
  tensor.cut = wholeCut(static_cast<int64_t>(tensor.shape.size()));
  addArray(tensor.arrays, arrayLayout(tensor.shape, tensor.cut, 0), {*file, header->dataOffset},
           header->isFortranOrder);
  StoredTensors stored{FileForm::Npy, std::move(files), {}, {}, {}};
  stored.tensors.push_back(std::move(tensor));
  return stored;
}

Result<StoredTensors> openNpyFolder(const std::string &folder, const DeviceIndex &index) {
  FileSet files;
  Result<std::vector<OpenArray>> arrays = openArrays(folder, index.mesh, files);
  if (!arrays)
    return arrays.error();
  const IndexedTensor &indexed = index.tensors.front();
  const runtime::NpyHeader &first = arrays->front().header;
  ElementFormat inFile = npyFormat(first.type);
  // Bytes of types that NumPy lacks have their type from the index.
  if (first.isRawByte && indexed.format.groupBytes == 1)
    inFile = indexed.format;
  if (inFile != indexed.format)
    return invalid(fmt::format("'{}' has elements of {}, '{}/{}' says {}",
                               files.path(arrays->front().file), inFile.name, folder, kIndexName,
                               indexed.format.name));
  return assemble(std::move(files), *arrays, {"", indexed.format, indexed.shape, indexed.cut, {}});
}

Result<StoredTensors> openNpyFolder(const std::string &folder, const TensorCut &cut) {
  FileSet files;
  Result<std::vector<OpenArray>> arrays = openArrays(folder, cut.mesh, files);
  if (!arrays)
    return arrays.error();
  size_t rank = cut.sharding.dims.size();
  for (const OpenArray &array : *arrays)
    if (array.header.shape.size() != rank)
      return invalid(fmt::format("'{}' has {} dimensions, the sharding {} has {}",
                                 files.path(array.file), array.header.shape.size(),
                                 core::toString(cut.sharding, cut.mesh), rank));
  StoredTensor tensor{
      "", npyFormat(arrays->front().header.type), wholeShape(*arrays, cut, rank), cut, {}};
  if (Result<void> checked = checkCut(tensor.shape, cut); !checked)
    return checked.error();
  return assemble(std::move(files), *arrays, std::move(tensor));
}

} // namespace shardwise::files
