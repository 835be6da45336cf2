// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plug-in stays loaded: its code runs until the processes part.

#include "shardwise/runtime/StartedProcesses.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace shardwise::runtime {
namespace {

/// Whether one of several processes, by what Open MPI, MPICH and Slurm set.
bool isOneOfSeveral() {
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char *size = std::getenv(name))
      return std::atoi(size) > 1;
  const char *tasks = std::getenv("SLURM_NTASKS");
  return std::getenv("PMIX_RANK") && tasks && std::atoi(tasks) > 1;
}

} // namespace

Result<std::unique_ptr<Processes>> startedProcesses(const std::string &folder) {
  if (!isOneOfSeveral())
    return std::unique_ptr<Processes>(std::make_unique<OneProcess>());
  std::string path = (std::filesystem::path(folder) / "shardwise-mpi.so").string();
  // MPI loads plug-ins of its own, which look for its symbols.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return unsupported(fmt::format(
        "this is one of several processes, but {} cannot be loaded ({}); build Shardwise where "
        "MPI is installed (Debian: libopenmpi-dev openmpi-bin), or start one process",
        path, dlerror()));
  auto connect = reinterpret_cast<ConnectProcesses>(dlsym(library, "shardwiseConnectProcesses"));
  std::optional<Result<std::unique_ptr<Processes>>> outcome;
  if (connect)
    connect(&outcome);
  if (!outcome)
    return invalid(fmt::format("{} is no plug-in of Shardwise", path));
  return std::move(*outcome);
}

Result<void> agree(Processes &processes, const Result<void> &own,
                   std::chrono::milliseconds patience) {
  return processes.runRanks(processes.count(), patience,
                            [&](Communicator &) -> Result<void> { return own; });
}

Result<std::string> tellAll(Processes &processes, const Result<std::string> &own) {
  constexpr std::chrono::minutes kPatience{10};
  std::array<char, 256> text{};
  auto *bytes = reinterpret_cast<std::byte *>(text.data());
  const MessageBox box{{std::ssize(text)}, {1}, 1};
  auto tell = [&](Communicator &communicator) -> Result<void> {
    const bool isFirst = communicator.rank() == 0;
    if (isFirst && !own)
      return own.error();
    if (isFirst)
      std::copy_n(own->begin(), std::min(own->size(), text.size() - 1), text.begin());
    for (Rank peer = isFirst ? 1 : 0; peer < (isFirst ? communicator.size() : 1); ++peer) {
      MessageName name{peer, "a text for all", 0};
      auto message = isFirst ? communicator.startSend(name, bytes, box)
                             : communicator.startReceive(name, bytes, box);
      if (!message)
        return message.error();
      if (Result<void> done = communicator.wait(*message); !done)
        return done;
    }
    return {};
  };
  if (Result<void> told = processes.runRanks(processes.count(), kPatience, tell); !told)
    return told.error();
  return std::string(text.data());
}

} // namespace shardwise::runtime
