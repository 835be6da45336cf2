// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output files that several processes write together: each what its devices hold. They appear
// together or not at all.

#pragma once

#include "shardwise/driver/OutputParts.h"
#include "shardwise/files/FileSet.h"
#include "shardwise/runtime/Processes.h"
#include "shardwise/runtime/TensorType.h"
#include "shardwise/runtime/WriteFile.h"
#include "shardwise/support/Result.h"
#include "shardwise/tools/shardwise/RemovedOnInterrupt.h"

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::tools {

/// 0.npy, 1.npy, ... of a folder that all processes see, under other names until `commit`. Every
/// process has one.
class OutputFiles final : public driver::OutputParts {
public:
  /// Makes the folder, if it is not there. All processes call it; it succeeds or fails in all.
  static Result<std::unique_ptr<OutputFiles>> create(const std::string &folder,
                                                     std::vector<runtime::TensorType> types,
                                                     runtime::Processes &processes);
  /// Removes what was not committed; any process does, whoever is left.
  ~OutputFiles() override;

  Result<void> make() override;
  Result<void> put(size_t index, const core::Box &box, const std::byte *elements) override;

  /// Gives the files their names. All processes call it, and wait as long as the first one works on
  /// (`outcome`: what has become of it); it succeeds or fails in all.
  Result<void> commit(const Result<void> &outcome);

private:
  OutputFiles(const std::string &folder, std::vector<runtime::TensorType> types,
              runtime::Processes &processes)
      : folder(folder), types(std::move(types)), processes(processes) {}
  void nameFiles(const std::string &names);
  /// Whether a later output goes to the same file, by a link: it takes the place of this one.
  bool isReplaced(size_t index) const;
  Result<void> openAll(bool areNew);

  std::string folder;
  std::vector<runtime::TensorType> types;
  runtime::Processes &processes;
  bool isNewFolder = false;
  bool isCommitted = false;
  std::vector<std::string> partials; ///< By output.
  runtime::PendingFiles pending;
  std::list<RemovedOnInterrupt> guards;

  std::mutex mutex;
  std::optional<Result<void>> opened; ///< Guarded; what follows does not change once it is there.
  files::FileSet files;
  std::vector<files::FileNumber> numbers; ///< By output.
};

} // namespace shardwise::tools
