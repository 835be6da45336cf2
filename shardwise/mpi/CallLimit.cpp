// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All processes wait for the one that is stopped, and one message is enough: the first ones give up
// first, five seconds apart, and the message of one is the end of all.

#include "shardwise/mpi/CallLimit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace shardwise::mpi {
namespace {

using Clock = std::chrono::steady_clock;

/// Number of this process, by what Open MPI and MPICH set before MPI itself can say.
int64_t ownNumber() {
  for (const char *name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char *number = std::getenv(name))
      return std::max(0LL, std::atoll(number));
  return 0;
}

std::chrono::seconds limit() {
  constexpr int64_t kSeconds = 120;
  const char *text = std::getenv("SHARDWISE_MPI_SECONDS");
  int64_t seconds = text ? std::atoll(text) : 0;
  return std::chrono::seconds(seconds > 0 ? seconds : kSeconds);
}

} // namespace

CallLimit::CallLimit(std::string call) : call(std::move(call)), watcher([this] { watch(); }) {}

CallLimit::~CallLimit() {
  {
    std::lock_guard lock(mutex);
    hasReturned = true;
  }
  changed.notify_all();
  watcher.join();
}

void CallLimit::watch() {
  constexpr std::chrono::milliseconds kBetweenLooks{200};
  // mpirun takes some seconds to end the others where cores are busy.
  constexpr std::chrono::seconds kTurn{5};
  constexpr int64_t kMostTurns = 10;
  const int64_t number = ownNumber();
  const Clock::duration longest = limit() + kTurn * std::min(number, kMostTurns);
  Clock::duration waited{};
  Clock::time_point last = Clock::now();
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, kBetweenLooks, [&] { return hasReturned; })) {
    Clock::time_point now = Clock::now();
    waited += std::min<Clock::duration>(now - last, 2 * kBetweenLooks);
    last = now;
    if (waited < longest)
      continue;
    fmt::print(stderr,
               "process {} has waited {} s in {} for the others: one may be stopped, or not call "
               "it; SHARDWISE_MPI_SECONDS sets another limit\n",
               number, limit().count(), call);
    std::fflush(stderr);
    std::_Exit(1);
  }
}

} // namespace shardwise::mpi
