// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/files/JsonText.h"
#include "shardwise/files/OutputPlan.h"
#include "shardwise/files/SafetensorsHeader.h"

#include <fmt/format.h>

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
    tensors.push_back({tensor.name.empty() ? "tensor" : tensor.name,
                       tensor.format,
                       tensor.shape,
                       cutOf(tensors.size()),
                       {}});
  }
  return tensors;
}

/// Adds a file with the layouts of some tensors, by their numbers.
struct FileContents {
  std::vector<size_t> tensors;
  std::vector<ArrayLayout> layouts;
};
void addFile(OutputPlan &plan, std::string name, FileContents contents,
             const std::map<std::string, std::string> &metadata) {
  SafetensorsHeader header{{}, metadata};
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < contents.tensors.size(); ++i) {
    const StoredTensor &tensor = plan.tensors[contents.tensors[i]];
    header.entries.push_back({tensor.name, tensor.format, contents.layouts[i].shape, 0});
    places[tensor.name] = i;
  }
  SafetensorsFile file = layOutSafetensors(std::move(header));
  for (const SafetensorsEntry &entry : file.contents.entries) {
    size_t i = places.at(entry.name);
    addArray(plan.tensors[contents.tensors[i]].arrays, std::move(contents.layouts[i]),
             {plan.files.size(), entry.offset});
  }
  plan.files.push_back({std::move(name), std::move(file.header), file.bytes});
}

TensorCut wholeCutOf(const StoredTensor &tensor) {
  return wholeCut(static_cast<int64_t>(tensor.shape.size()));
}

/// Adds a file with all of some tensors.
void addWholeFile(OutputPlan &plan, std::string name, std::vector<size_t> tensors,
                  const std::map<std::string, std::string> &metadata) {
  FileContents contents{std::move(tensors), {}};
  for (size_t tensor : contents.tensors)
    contents.layouts.push_back(
        arrayLayout(plan.tensors[tensor].shape, plan.tensors[tensor].cut, 0));
  addFile(plan, std::move(name), std::move(contents), metadata);
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
  std::vector<size_t> all(stored.tensors.size());
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  addWholeFile(*plan, name, std::move(all), stored.metadata);
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
    addWholeFile(*plan, name, std::move(files[file]), stored.metadata);
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
  for (int64_t position = 0; position < plan.index->mesh.numDevices(); ++position) {
    FileContents contents;
    for (size_t i = 0; i < plan.tensors.size(); ++i) {
      contents.tensors.push_back(i);
      contents.layouts.push_back(arrayLayout(plan.tensors[i].shape, plan.tensors[i].cut, position));
    }
    addFile(plan, plan.index->fileName(position), std::move(contents), stored.metadata);
  }
  return plan;
}

} // namespace shardwise::files
