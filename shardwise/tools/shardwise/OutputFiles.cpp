// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first process names the files, by its own number, and makes them; the others open them. So
// none comes to be after somebody has removed them. Who is left of a run that failed removes all:
// removing a file that is gone, or has got its name, does nothing.

#include "shardwise/tools/shardwise/OutputFiles.h"

#include "shardwise/files/NpyBoxes.h"
#include "shardwise/runtime/StartedProcesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unistd.h>

namespace shardwise::tools {
namespace {

namespace fs = std::filesystem;

std::string pathOf(const std::string &folder, size_t index) {
  return (fs::path(folder) / fmt::format("{}.npy", index)).string();
}

/// The first process prepares the folder, and says what the others have to know: its number, and
/// `+` if the folder is new.
Result<std::string> prepare(const std::string &folder, size_t numFiles) {
  std::error_code error;
  bool isNew = fs::create_directories(folder, error);
  if (error)
    return invalid(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  for (size_t index = 0; index < numFiles; ++index)
    if (runtime::partialName(pathOf(folder, index)).empty())
      return invalid(fmt::format("'{}' is no regular file: several processes cannot write to it; "
                                 "name another folder, or start one process",
                                 pathOf(folder, index)));
  return fmt::format("{}{}", ::getpid(), isNew ? "+" : "");
}

} // namespace

Result<std::unique_ptr<OutputFiles>> OutputFiles::create(const std::string &folder,
                                                         std::vector<runtime::TensorType> types,
                                                         runtime::Processes &processes) {
  bool isFirst = processes.index() == 0;
  Result<std::string> names = runtime::tellAll(
      processes, isFirst ? prepare(folder, types.size()) : Result<std::string>(std::string()));
  if (!names)
    return names.error();
  std::unique_ptr<OutputFiles> outputs(new OutputFiles(folder, std::move(types), processes));
  outputs->nameFiles(*names);
  return outputs;
}

void OutputFiles::nameFiles(const std::string &names) {
  int64_t first = 0;
  std::from_chars(names.data(), names.data() + names.size(), first);
  isNewFolder = names.ends_with('+');
  for (size_t index = 0; index < types.size(); ++index) {
    std::string path = pathOf(folder, index);
    partials.push_back(runtime::partialName(path, first));
    pending.adopt(path, partials.back());
    guards.emplace_back(path, first);
  }
}

OutputFiles::~OutputFiles() {
  if (isCommitted || !isNewFolder)
    return;
  // Unless others put something there. What is pending goes before the folder does.
  for (const std::string &partial : partials)
    std::remove(partial.c_str());
  std::error_code error;
  fs::remove(folder, error);
}

bool OutputFiles::isReplaced(size_t index) const {
  return std::find(partials.begin() + static_cast<int64_t>(index) + 1, partials.end(),
                   partials[index]) != partials.end();
}

Result<void> OutputFiles::openAll(bool areNew) {
  for (size_t index = 0; index < types.size(); ++index) {
    numbers.push_back(0);
    if (isReplaced(index))
      continue;
    Result<files::FileNumber> file =
        areNew ? files::makeNpy(files, partials[index], types[index].type, types[index].shape)
               : files.openMade(partials[index]);
    if (!file)
      return file.error();
    numbers.back() = *file;
  }
  return {};
}

Result<void> OutputFiles::make() {
  std::lock_guard lock(mutex);
  return opened.emplace(openAll(/*areNew=*/true));
}

Result<void> OutputFiles::put(size_t index, const core::Box &box, const std::byte *elements) {
  {
    std::lock_guard lock(mutex);
    if (!opened)
      opened.emplace(openAll(/*areNew=*/false));
    if (!*opened)
      return *opened;
  }
  if (isReplaced(index))
    return {};
  return files::writeNpyBox(files, numbers[index], types[index].type, types[index].shape, box,
                            elements);
}

Result<void> OutputFiles::commit(const Result<void> &outcome) {
  // Verification may take any time. A process that dies is noticed.
  constexpr std::chrono::hours kAnyTime{24 * 365};
  Result<void> done = processes.runRanks(processes.count(), kAnyTime,
                                         [&](runtime::Communicator &communicator) -> Result<void> {
                                           if (communicator.rank() != 0 || !outcome)
                                             return outcome;
                                           return pending.commit();
                                         });
  isCommitted = done.ok();
  return done;
}

} // namespace shardwise::tools
