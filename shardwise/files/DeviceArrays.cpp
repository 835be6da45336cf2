// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trust is built from both sides: what the index (or the user) says a device has, and what the
// header of its file says it is. Only where the two agree for all devices is there a tensor.

#include "shardwise/files/DeviceArrays.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

namespace shardwise::files {
namespace {

/// Returns `'in/3.npy'`, or `'in/3.safetensors': tensor "a"`.
std::string nameOf(const DeviceArray &array, const std::string &tensor, const FileSet &files) {
  std::string text = fmt::format("'{}'", files.path(array.place.file));
  return tensor.empty() ? text : fmt::format("{}: tensor '{}'", text, tensor);
}

Result<void> checkArray(const DeviceArray &array, const core::Shape &expected,
                        const StoredTensor &tensor, int64_t position, const FileSet &files) {
  std::string name = nameOf(array, tensor.name, files);
  if (array.format != tensor.format)
    return invalid(fmt::format("{} has elements of {}, expected {}", name, array.format.name,
                               tensor.format.name));
  if (array.shape == expected)
    return {};
  return invalid(fmt::format(
      "{} has {}; device {} of <{}> holds {} of {} with the sharding {}; padding is not part of it",
      name, typeText(tensor.format, array.shape), position, core::toString(tensor.cut.mesh),
      typeText(tensor.format, expected), typeText(tensor.format, tensor.shape),
      core::toString(tensor.cut.sharding, tensor.cut.mesh)));
}

/// Returns the shape of which `cut` gives the arrays: along each dimension, the sum of the blocks.
///
/// Example: [{"x"}] on <["x"=3, "y"=2]>, with arrays of 2, 2, 2, 2, 1, 1 elements: each block is on
/// two devices and counts once, 2 + 2 + 1 = 5. Whether 5 elements are cut like this, and replicas
/// agree, is not asked here: `assembleTensor` cuts the shape again and compares every device.
core::Shape wholeShape(const std::vector<DeviceArray> &arrays, const TensorCut &cut) {
  core::Shape shape(cut.sharding.dims.size(), 0);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    std::map<int64_t, int64_t> blocks;
    for (size_t position = 0; position < arrays.size(); ++position)
      blocks.emplace(core::coordinateAlong(cut.sharding.dims[dim].axes, cut.mesh,
                                           static_cast<int64_t>(position)),
                     arrays[position].shape[dim]);
    for (const auto &[coordinate, size] : blocks)
      shape[dim] += size;
  }
  return shape;
}

} // namespace

Result<StoredTensor> assembleTensor(StoredTensor tensor, const std::vector<DeviceArray> &arrays,
                                    const FileSet &files) {
  for (size_t position = 0; position < arrays.size(); ++position) {
    const DeviceArray &array = arrays[position];
    auto number = static_cast<int64_t>(position);
    ArrayLayout layout = arrayLayout(tensor.shape, tensor.cut, number);
    if (Result<void> checked = checkArray(array, layout.shape, tensor, number, files); !checked)
      return checked.error();
    tensor.arrays.add(shardId(tensor.cut, number), std::move(layout), array.place,
                      array.isColumnMajor);
  }
  return tensor;
}

Result<StoredTensor> assembleUnindexed(const std::string &name, const TensorCut &cut,
                                       const std::vector<DeviceArray> &arrays,
                                       const FileSet &files) {
  for (const DeviceArray &array : arrays)
    if (array.shape.size() != cut.sharding.dims.size())
      return invalid(fmt::format("{} has {} dimensions, the sharding {} has {}",
                                 nameOf(array, name, files), array.shape.size(),
                                 core::toString(cut.sharding, cut.mesh), cut.sharding.dims.size()));
  StoredTensor tensor{name, arrays.front().format, wholeShape(arrays, cut), cut, {}};
  // Each part fits its file, but their sum may be anything: a few huge empty shards overflow it.
  if (!checkedByteCount(tensor.format, tensor.shape))
    return invalid(fmt::format("{}: the parts of all devices are {}, which is no tensor that fits "
                               "a file",
                               nameOf(arrays.front(), name, files),
                               typeText(tensor.format, tensor.shape)));
  if (Result<void> checked = checkCut(tensor.shape, cut); !checked)
    return invalid(
        fmt::format("{}: {}", nameOf(arrays.front(), name, files), checked.error().message));
  return assembleTensor(std::move(tensor), arrays, files);
}

Result<FileSet> openDeviceFiles(const std::string &folder, const core::Mesh &mesh,
                                const DeviceIndex &names) {
  FileSet files;
  for (int64_t position = 0; position < mesh.numDevices(); ++position)
    if (auto file = files.open(fmt::format("{}/{}", folder, names.fileName(position))); !file)
      return invalid(fmt::format("{}; the mesh <{}> has {} devices, each with a file",
                                 file.error().message, core::toString(mesh), mesh.numDevices()));
  return files;
}

Result<FileSet> openUnindexedFiles(const std::string &folder, const core::Mesh &mesh,
                                   const DeviceIndex &names) {
  std::error_code error;
  std::string next = names.fileName(mesh.numDevices());
  if (std::filesystem::exists(std::filesystem::path(folder) / next, error))
    return invalid(fmt::format("the folder '{}' has '{}', too, but the mesh <{}> has {} devices; "
                               "give --mesh and --from as the files were cut",
                               folder, next, core::toString(mesh), mesh.numDevices()));
  return openDeviceFiles(folder, mesh, names);
}

} // namespace shardwise::files
