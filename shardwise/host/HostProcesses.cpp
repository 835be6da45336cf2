// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/host/HostProcesses.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace shardwise::host {
namespace {

/// A descriptor that becomes readable when the process ends; -1 where the system has no such thing.
int openProcess(int64_t pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0));
#else
  return -1;
#endif
}

/// Null if it cannot be mapped.
SharedArea *mapArea(int file) {
  void *memory = mmap(nullptr, sizeof(SharedArea), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<SharedArea *>(memory);
}

Error noMemory(int64_t process, const HostAddress &address) {
  return {ErrorKind::Infeasible,
          fmt::format("cannot map the memory that process {} (pid {}) shares: {}", process,
                      address.pid, std::strerror(errno))};
}

} // namespace

HostProcesses::HostProcesses(int64_t numProcesses, int64_t own)
    : ownProcess(own), knownAreas(numProcesses) {
  int file = memfd_create("shardwise", MFD_CLOEXEC);
  if (file < 0)
    return;
  // Zeros, of which only what is touched takes memory.
  SharedArea *area = ftruncate(file, sizeof(SharedArea)) == 0 ? mapArea(file) : nullptr;
  if (!area) {
    close(file);
    return;
  }
  ownFile = file;
  mapped.emplace(own, area);
  knownAreas.add(own, area);
}

HostProcesses::~HostProcesses() {
  for (const auto &[process, descriptor] : descriptors)
    if (descriptor >= 0)
      close(descriptor);
  for (const auto &[process, area] : mapped)
    munmap(area, sizeof(SharedArea));
  if (ownFile >= 0)
    close(ownFile);
}

std::optional<HostAddress> HostProcesses::address() const {
  if (ownFile < 0)
    return std::nullopt;
  return HostAddress{getpid(), ownFile};
}

Result<void> HostProcesses::connect(int64_t process, const HostAddress &address) {
  std::lock_guard lock(mutex);
  if (mapped.count(process) != 0)
    return {};
  int file =
      open(fmt::format("/proc/{}/fd/{}", address.pid, address.file).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    return noMemory(process, address);
  SharedArea *area = mapArea(file);
  close(file);
  if (!area)
    return noMemory(process, address);
  mapped.emplace(process, area);
  descriptors.emplace(process, openProcess(address.pid));
  knownAreas.add(process, area);
  return {};
}

bool HostProcesses::isGone(int64_t process) const {
  std::lock_guard lock(mutex);
  auto found = descriptors.find(process);
  if (found == descriptors.end() || found->second < 0)
    return false;
  pollfd question{found->second, POLLIN, 0};
  return poll(&question, 1, 0) > 0;
}

} // namespace shardwise::host
