// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in files, resharded; meanwhile Python is told how far it is.

#include "FileBindings.h"

#include "Failure.h"
#include "Interruptible.h"

#include "shardwise/files/ReshardFiles.h"

#include <atomic>
#include <utility>

#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace shardwise::python {
namespace {

using files::ReshardFilesOptions;
using files::ReshardFilesReport;

ReshardFilesOptions makeOptions(const nb::dict &given) {
  auto text = [&](const char *key) { return nb::cast<std::string>(given[key]); };
  ReshardFilesOptions options;
  options.mesh = text("mesh");
  options.from = text("from");
  options.toMesh = text("to_mesh");
  options.to = text("to");
  options.specs = text("specs");
  options.specsText = text("specs_text");
  std::string form = text("form");
  options.form = form == "npy"           ? files::FolderForm::Npy
                 : form == "safetensors" ? files::FolderForm::Safetensors
                 : form == "huggingface" ? files::FolderForm::HuggingFace
                                         : files::FolderForm::AsInput;
  options.fileBytes = nb::cast<int64_t>(given["file_size"]);
  options.memoryBytes = nb::cast<int64_t>(given["memory"]);
  options.withChecksums = nb::cast<bool>(given["checksum"]);
  options.isSynced = nb::cast<bool>(given["sync"]);
  return options;
}

nb::dict toDict(const ReshardFilesReport &report) {
  nb::dict dict;
  dict["recovered"] = report.isRecovered;
  dict["tensors"] = report.numTensors;
  dict["resumed_tensors"] = report.numResumed;
  dict["files"] = report.numFiles;
  dict["tensor_bytes"] = report.tensorBytes;
  dict["read_bytes"] = report.readBytes;
  dict["written_bytes"] = report.writtenBytes;
  dict["verified_files"] = report.numVerified;
  nb::list unused;
  for (const std::string &pattern : report.unusedPatterns)
    unused.append(pattern);
  dict["unused_patterns"] = nb::tuple(unused);
  dict["seconds"] = report.seconds;
  return dict;
}

nb::dict reshardFiles(const std::string &input, const std::string &output, const nb::dict &given,
                      const nb::object &onProgress) {
  ReshardFilesOptions options = makeOptions(given);
  std::atomic<int64_t> doneBytes{0};
  std::atomic<int64_t> totalBytes{0};
  options.onProgress = [&](const files::ReshardProgress &progress) {
    doneBytes = progress.doneBytes;
    totalBytes = progress.totalBytes;
  };
  Result<ReshardFilesReport> report = runInterruptibly(
      [&](const std::atomic<bool> &isStopped) {
        options.isStopped = &isStopped;
        return files::reshardFiles(input, output, options);
      },
      [&] {
        if (!onProgress.is_none() && totalBytes > 0)
          onProgress(doneBytes.load(), totalBytes.load());
      });
  return toDict(valueOf(std::move(report)));
}

} // namespace

void bindFiles(nb::module_ &module) {
  module.def("reshard_files", reshardFiles, "input"_a, "output"_a, "options"_a,
             "progress"_a.none());
}

} // namespace shardwise::python
