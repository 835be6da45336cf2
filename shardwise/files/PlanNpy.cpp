// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A .npy file is its header and one array. The header names the shape of the array in the file, so
// it is the device's, and differs where sizes do not divide.

#include "shardwise/files/OutputPlan.h"

#include "shardwise/runtime/NpyFile.h"

#include <fmt/format.h>

namespace shardwise::files {
namespace {

/// Adds a file with what the device at `position` has of the only tensor.
void addFile(OutputPlan &plan, std::string name, runtime::DataType type, int64_t position) {
  StoredTensor &tensor = plan.tensors.front();
  ArrayLayout layout = arrayLayout(tensor.shape, tensor.cut, position);
  std::string header = runtime::npyHeader(type, layout.shape);
  auto offset = static_cast<int64_t>(header.size());
  int64_t bytes = offset + byteCount(tensor.format, layout.shape);
  tensor.arrays.add(shardId(tensor.cut, position), std::move(layout), {plan.files.size(), offset});
  plan.files.push_back({std::move(name), std::move(header), bytes});
}

Result<runtime::DataType> npyType(const StoredTensor &tensor) {
  auto type = runtime::parseDataType(tensor.format.name);
  if (type && npyFormat(*type) == tensor.format)
    return *type;
  return unsupported(
      fmt::format("elements of {} are packed, {} in {} bytes, which .npy files cannot "
                  "have; write .safetensors",
                  tensor.format.name, tensor.format.groupElements, tensor.format.groupBytes));
}

} // namespace

Result<OutputPlan> planNpyFile(const std::string &name, const StoredTensor &tensor) {
  Result<runtime::DataType> type = npyType(tensor);
  if (!type)
    return type.error();
  OutputPlan plan;
  TensorCut whole = wholeCut(static_cast<int64_t>(tensor.shape.size()));
  plan.tensors.push_back({tensor.name, tensor.format, tensor.shape, std::move(whole), {}});
  addFile(plan, name, *type, 0);
  return plan;
}

Result<OutputPlan> planNpyFolder(const StoredTensor &tensor, const TensorCut &cut) {
  Result<runtime::DataType> type = npyType(tensor);
  if (!type)
    return type.error();
  OutputPlan plan;
  plan.form = FileForm::NpyPerDevice;
  plan.index = DeviceIndex{cut.mesh, {}, {}, true};
  plan.index->tensors.push_back({"", tensor.format, tensor.shape, cut});
  plan.tensors.push_back({tensor.name, tensor.format, tensor.shape, cut, {}});
  for (int64_t position = 0; position < cut.mesh.numDevices(); ++position)
    addFile(plan, plan.index->fileName(position), *type, position);
  return plan;
}

} // namespace shardwise::files
