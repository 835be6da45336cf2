// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of which every device has a part in a file.

#pragma once

#include "shardwise/files/StoredTensors.h"

#include <vector>

namespace shardwise::files {

/// What the file of a device has of a tensor.
struct DeviceArray {
  ElementFormat format;
  core::Shape shape;
  FilePlace place;
  bool isColumnMajor = false;
};

/// Gives `tensor`, of which all but the arrays is known, the arrays of its devices, by position.
/// Fails, naming the file, if one has another type or shape than the cut gives it.
Result<StoredTensor> assembleTensor(StoredTensor tensor, const std::vector<DeviceArray> &arrays,
                                    const FileSet &files);

/// The same for a tensor of which only name and cut are known: its shape is that of which the cut
/// gives the arrays.
Result<StoredTensor> assembleUnindexed(const std::string &name, const TensorCut &cut,
                                       const std::vector<DeviceArray> &arrays,
                                       const FileSet &files);

/// Opens the files of all devices of `mesh`, as `names` calls them, in this order.
Result<FileSet> openDeviceFiles(const std::string &folder, const core::Mesh &mesh,
                                const DeviceIndex &names);

/// The same where no index says that this is the mesh: fails if there is a file of one more device.
Result<FileSet> openUnindexedFiles(const std::string &folder, const core::Mesh &mesh,
                                   const DeviceIndex &names);

} // namespace shardwise::files
