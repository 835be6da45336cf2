// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of 8 ranks of which one does what it must not: FaultyRanks KIND RANK STEP TIMEOUT_MS, where
// KIND is kill, hang, freeze, throw, leave, drop or late; or early and last, of which the rank's
// process is stopped before MPI_Init and within MPI_Finalize; or none, with time for what is done
// to all from outside. Ends with one message, by the process that speaks.

#include "shardwise/mpi/MpiProcesses.h"
#include "shardwise/runtime/Collectives.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

#include <mpi.h>

using namespace shardwise;

namespace {

constexpr int64_t kRanks = 8;
bool stopsInFinalize = false;

/// Whether this process runs `rank`; MPI is not there yet.
bool isOfRank(int64_t rank) {
  const char *number = std::getenv("OMPI_COMM_WORLD_RANK");
  const char *count = std::getenv("OMPI_COMM_WORLD_SIZE");
  return number && count &&
         runtime::RankShares{kRanks, std::atoll(count)}.processOf(rank) == std::atoll(number);
}

void fail(const std::string &kind) {
  if (kind == "kill")
    std::raise(SIGKILL);
  if (kind == "freeze")
    std::raise(SIGSTOP);
  if (kind == "hang")
    std::this_thread::sleep_for(std::chrono::hours(1));
  if (kind == "throw")
    throw std::runtime_error("boom");
  if (kind == "leave")
    std::_Exit(7);
  if (kind == "late")
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

/// One step: all ranks gather and reduce, more than fits a small message.
Result<void> step(runtime::Communicator &communicator) {
  constexpr int64_t kCount = 4'000;
  std::vector<runtime::Rank> group(static_cast<size_t>(communicator.size()));
  std::iota(group.begin(), group.end(), 0);
  std::vector<float> values(kCount, 1.0F);
  std::vector<float> gathered(kCount * group.size());
  auto *bytes = reinterpret_cast<std::byte *>(values.data());
  std::vector<int64_t> shape = {kCount};
  auto all = runtime::allGather(communicator, group, {bytes, shape, 4}, 0,
                                reinterpret_cast<std::byte *>(gathered.data()));
  if (!all)
    return all.error();
  auto sum = runtime::makeReducer(core::ReductionKind::Sum, runtime::DataType::F32);
  auto reduced = runtime::allReduce(communicator, group, *sum, bytes, kCount, bytes);
  if (!reduced)
    return reduced.error();
  return values.back() == static_cast<float>(group.size())
             ? Result<void>()
             : Error{ErrorKind::Internal, "wrong sum"};
}

} // namespace

/// Stands before MPI's own, which is PMPI_Finalize.
extern "C" int MPI_Finalize() {
  if (stopsInFinalize)
    std::raise(SIGSTOP);
  return PMPI_Finalize();
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  std::string kind = argv[1];
  int64_t rank = std::atoll(argv[2]);
  int64_t faultyStep = std::atoll(argv[3]);
  constexpr int64_t kSteps = 20;
  if (kind == "early" && isOfRank(rank))
    std::raise(SIGSTOP);
  stopsInFinalize = kind == "last" && isOfRank(rank);
  auto processes = mpi::connectProcesses();
  if (!processes) {
    std::fprintf(stderr, "%s\n", processes.error().message.c_str());
    return 2;
  }
  Result<void> done =
      (*processes)
          ->runRanks(kRanks, std::chrono::milliseconds(std::atoll(argv[4])),
                     [&](runtime::Communicator &communicator) -> Result<void> {
                       for (int64_t number = 0; number < kSteps; ++number) {
                         bool isFaulty = communicator.rank() == rank && number == faultyStep;
                         if (kind == "none")
                           std::this_thread::sleep_for(std::chrono::milliseconds(200));
                         // Its part of a step, all that it would have sent and received.
                         if (isFaulty && kind == "drop")
                           continue;
                         if (isFaulty)
                           fail(kind);
                         if (Result<void> stepped = step(communicator); !stepped)
                           return Error{stepped.error().kind, "step " + std::to_string(number) +
                                                                  ": " + stepped.error().message};
                       }
                       return {};
                     });
  if (!done && (*processes)->speaks())
    std::fprintf(stderr, "FaultyRanks: %s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
