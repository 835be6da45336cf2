// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plug-in stays loaded: its code runs until the processes part.

#include "shardwise/runtime/StartedProcesses.h"

#include <dlfcn.h>
#include <fmt/format.h>

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

Result<void> agree(Processes &processes, const Result<void> &own) {
  constexpr std::chrono::minutes kPatience{10};
  return processes.runRanks(processes.count(), kPatience,
                            [&](Communicator &) -> Result<void> { return own; });
}

} // namespace shardwise::runtime
