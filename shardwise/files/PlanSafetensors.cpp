// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The headers are final when the plan is made: an array's offset in its file depends on the length
// of the header in front, and the workers that write tiles need all offsets before the first byte.

#include "shardwise/files/JsonText.h"
#include "shardwise/files/OutputPlan.h"
#include "shardwise/files/SafetensorsHeader.h"

#include <fmt/format.h>

#include <numeric>
#include <unordered_map>

namespace shardwise::files {
namespace {

/// Returns the tensors as they will be: named, without arrays, each cut as `cutOf(its number)`.
template <class CutOfNumber>
Result<std::vector<StoredTensor>> namedTensors(const StoredTensors &stored, CutOfNumber cutOf) {
  std::vector<StoredTensor> tensors;
  for (const StoredTensor &tensor : stored.tensors) {
    if (tensor.format.safetensorsName.empty())
      return unsupported(fmt::format(".safetensors files have no elements of {}{}; write .npy",
                                     tensor.format.name,
                                     tensor.name.empty() ? "" : " ('" + tensor.name + "')"));
    // Only a .npy file gives no name; the empty string is one in a .safetensors file.
    bool isNamed = stored.form != FileForm::Npy && stored.form != FileForm::NpyPerDevice;
    tensors.push_back(
        {isNamed ? tensor.name : "tensor", tensor.format, tensor.shape, cutOf(tensors.size()), {}});
  }
  return tensors;
}

/// Adds a file with what the device at `position` has of some tensors, by their numbers.
void addFile(OutputPlan &plan, std::string name, const std::vector<size_t> &tensors,
             int64_t position, const std::map<std::string, std::string> &metadata) {
  SafetensorsHeader header{{}, metadata};
  std::vector<ArrayLayout> layouts;
  std::unordered_map<std::string_view, size_t> places;
  for (size_t number : tensors) {
    const StoredTensor &tensor = plan.tensors[number];
    places[tensor.name] = layouts.size();
    layouts.push_back(arrayLayout(tensor.shape, tensor.cut, position));
    header.entries.push_back({tensor.name, tensor.format, layouts.back().shape, 0});
  }
  // This sorts the entries: which tensor is where is found by name.
  SafetensorsFile file = layOutSafetensors(std::move(header));
  for (const SafetensorsEntry &entry : file.contents.entries) {
    size_t i = places.at(entry.name);
    StoredTensor &tensor = plan.tensors[tensors[i]];
    tensor.arrays.add(shardId(tensor.cut, position), std::move(layouts[i]),
                      {plan.files.size(), entry.offset});
  }
  plan.files.push_back({std::move(name), std::move(file.header), file.bytes});
}

TensorCut wholeCutOf(const StoredTensor &tensor) {
  return wholeCut(static_cast<int64_t>(tensor.shape.size()));
}

std::vector<size_t> firstNumbers(size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  return numbers;
}

Result<OutputPlan> wholePlan(FileForm form, const StoredTensors &stored) {
  Result<std::vector<StoredTensor>> tensors =
      namedTensors(stored, [&](size_t i) { return wholeCutOf(stored.tensors[i]); });
  if (!tensors)
    return tensors.error();
  OutputPlan plan;
  plan.form = form;
  plan.tensors = std::move(*tensors);
  return plan;
}

} // namespace

Result<OutputPlan> planSafetensorsFile(const std::string &name, const StoredTensors &stored) {
  Result<OutputPlan> plan = wholePlan(FileForm::Safetensors, stored);
  if (!plan)
    return plan;
  addFile(*plan, name, firstNumbers(stored.tensors.size()), 0, stored.metadata);
  return plan;
}

Result<OutputPlan> planHuggingFace(const StoredTensors &stored, int64_t fileBytes) {
  Result<OutputPlan> plan = wholePlan(FileForm::HuggingFace, stored);
  if (!plan)
    return plan;
  std::vector<std::vector<size_t>> files;
  int64_t inFile = 0;
  int64_t total = 0;
  for (size_t i = 0; i < stored.tensors.size(); ++i) {
    int64_t bytes = byteCount(stored.tensors[i].format, stored.tensors[i].shape);
    // In the order of the input, a file after the other, as the library does it: a tensor that is
    // larger than a file gets one of its own, and neighbours stay together.
    if (files.empty() || inFile + bytes > fileBytes) {
      files.emplace_back();
      inFile = 0;
    }
    files.back().push_back(i);
    inFile += bytes;
    total += bytes;
  }
  Json index;
  index["metadata"]["total_size"] = total;
  index["weight_map"] = Json::object();
  for (size_t file = 0; file < files.size(); ++file) {
    std::string name = fmt::format("model-{:05}-of-{:05}.safetensors", file + 1, files.size());
    for (size_t tensor : files[file])
      index["weight_map"][plan->tensors[tensor].name] = name;
    addFile(*plan, name, files[file], 0, stored.metadata);
  }
  plan->text = {kHuggingFaceIndexName,
                index.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"};
  return plan;
}

Result<OutputPlan> planSafetensorsFolder(const StoredTensors &stored,
                                         const std::vector<TensorCut> &cuts) {
  Result<std::vector<StoredTensor>> tensors =
      namedTensors(stored, [&](size_t i) { return cuts[i]; });
  if (!tensors)
    return tensors.error();
  OutputPlan plan;
  plan.form = FileForm::SafetensorsPerDevice;
  plan.tensors = std::move(*tensors);
  plan.index = DeviceIndex{cuts.front().mesh, {}, {}, false};
  for (const StoredTensor &tensor : plan.tensors)
    plan.index->tensors.push_back({tensor.name, tensor.format, tensor.shape, tensor.cut});
  std::vector<size_t> all = firstNumbers(plan.tensors.size());
  for (int64_t position = 0; position < plan.index->mesh.numDevices(); ++position)
    addFile(plan, plan.index->fileName(position), all, position, stored.metadata);
  return plan;
}

} // namespace shardwise::files
