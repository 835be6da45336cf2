// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first process of a host makes an anonymous file, and the others open it by way of that
// process' descriptors in /proc.

#include "shardwise/mpi/HostSegment.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace shardwise::mpi {
namespace {

/// -1 where the system has no such thing.
int openProcess(int64_t pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0));
#else
  return -1;
#endif
}

/// What the processes of a host tell each other first.
struct Introduction {
  int64_t process = 0;
  int64_t pid = 0;
  int64_t file = -1;
};

} // namespace

HostSegment::HostSegment(MPI_Comm all) {
  MPI_Comm host = MPI_COMM_NULL;
  int process = 0;
  MPI_Comm_rank(all, &process);
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, process, MPI_INFO_NULL, &host);
  int index = 0;
  int count = 1;
  MPI_Comm_rank(host, &index);
  MPI_Comm_size(host, &count);
  int64_t bytes = static_cast<int64_t>(sizeof(SharedArea)) * count;
  int file = index == 0 ? memfd_create("shardwise", MFD_CLOEXEC) : -1;
  if (file >= 0 && ftruncate(file, bytes) != 0) {
    close(file);
    file = -1;
  }
  Introduction own{process, getpid(), file};
  std::vector<Introduction> known(static_cast<size_t>(count));
  MPI_Allgather(&own, sizeof(own), MPI_BYTE, known.data(), sizeof(own), MPI_BYTE, host);
  if (index > 0 && known.front().file >= 0)
    file = open(fmt::format("/proc/{}/fd/{}", known.front().pid, known.front().file).c_str(),
                O_RDWR | O_CLOEXEC);
  void *mapped = MAP_FAILED;
  if (file >= 0)
    mapped = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_NORESERVE, file, 0);
  // All of the host have it, or none.
  int hasIt = mapped != MAP_FAILED ? 1 : 0;
  int allHaveIt = 0;
  MPI_Allreduce(&hasIt, &allHaveIt, 1, MPI_INT, MPI_MIN, host);
  if (file >= 0)
    close(file);
  MPI_Comm_free(&host);
  if (allHaveIt == 0) {
    if (mapped != MAP_FAILED)
      munmap(mapped, static_cast<size_t>(bytes));
    return;
  }
  std::vector<int64_t> processes;
  for (const Introduction &other : known) {
    processes.push_back(other.process);
    if (other.process != process)
      descriptors.emplace(other.process, openProcess(other.pid));
  }
  ownAreas = HostAreas(static_cast<SharedArea *>(mapped), std::move(processes));
}

HostSegment::~HostSegment() {
  for (const auto &[process, descriptor] : descriptors)
    if (descriptor >= 0)
      close(descriptor);
  if (ownAreas.first())
    munmap(ownAreas.first(), ownAreas.numBytes());
}

bool HostSegment::isGone(int64_t process) const {
  auto found = descriptors.find(process);
  if (found == descriptors.end() || found->second < 0)
    return false;
  pollfd question{found->second, POLLIN, 0};
  return poll(&question, 1, 0) > 0;
}

} // namespace shardwise::mpi
