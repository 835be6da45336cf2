// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in files, from one sharding to another: what `shardwise reshard` does.

#pragma once

#include "shardwise/files/StoredTensors.h"
#include "shardwise/runtime/Communicator.h"
#include "shardwise/support/Result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace shardwise::files {

/// How far a call has come.
struct ReshardProgress {
  int64_t doneBytes = 0;  ///< Of the tensors.
  int64_t totalBytes = 0; ///< Of those that are to be written.
};

/// Which files a folder is to have.
enum class FolderForm {
  AsInput,     ///< For each device: .npy where the input is that, else .safetensors.
  Npy,         ///< A .npy file for each device.
  Safetensors, ///< A .safetensors file for each device.
  HuggingFace  ///< Whole tensors in several files, and their index.
};

struct ReshardFilesOptions {
  /// Mesh and sharding of the input, in sdy notation. Empty where the input says it.
  std::string mesh;
  std::string from;
  /// Those of the output. The mesh is that of the input if it is empty.
  std::string toMesh;
  std::string to;
  /// A file that says it by names of tensors (CutSpecs.h); empty for none.
  std::string specs;
  /// What such a file would have, if there is none.
  std::string specsText;
  FolderForm form = FolderForm::AsInput;
  /// Of Hugging Face's form: the bytes of a file's tensors.
  int64_t fileBytes = int64_t{5} << 30;
  /// For the buffers of elements.
  int64_t memoryBytes = int64_t{256} << 20;
  /// Verifies the checksums that the input has, and writes those of the output.
  bool withChecksums = false;
  /// Processes that divide the work: all make the same call, and see the same files. Null for one.
  runtime::Communicator *communicator = nullptr;
  /// Waits until the output is on the disk before it gets its name.
  bool isSynced = false;
  /// Called by the threads that work, one at a time.
  std::function<void(const ReshardProgress &)> onProgress = {};
  /// The call ends soon after it is true, and fails.
  const std::atomic<bool> *isStopped = nullptr;
};

/// What a call has done.
struct ReshardFilesReport {
  FileForm from = FileForm::Npy;
  FileForm to = FileForm::Npy;
  int64_t numTensors = 0;
  /// Of these, tensors that an interrupted call had written before.
  int64_t numResumed = 0;
  int64_t numFiles = 0; ///< Of the output.
  int64_t tensorBytes = 0;
  int64_t readBytes = 0;
  int64_t writtenBytes = 0;
  /// Of the specs: those that are not the first to fit the name of a tensor, as mistyped ones.
  std::vector<std::string> unusedPatterns;
  int64_t numVerified = 0; ///< Files of the input whose checksums are right.
  /// Whether an earlier call was killed when only names were left to change, and this one has ended
  /// it. Nothing else is known then.
  bool isRecovered = false;
  double seconds = 0;
};

/// Writes the tensors at `input` to `output`, in the sharding that the options say. What is at
/// `output` stays until all of the new is there, and is then replaced; the two paths may be the
/// same. What an interrupted call has left beside it is used, or removed.
///
/// `output` is a .npy or .safetensors file, or a folder, which is made or replaced; one that has
/// other files is refused. Fails, before anything is written, if an input is not as its header
/// says.
/// Of several processes, each writes the files of its devices; the report is that of all.
Result<ReshardFilesReport> reshardFiles(const std::string &input, const std::string &output,
                                        const ReshardFilesOptions &options);

} // namespace shardwise::files
