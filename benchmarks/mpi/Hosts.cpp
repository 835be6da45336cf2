// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that know the hosts beside flat ones, on two hosts of four processes: what the planner
// predicts of the two, and what their quickest repeats take.

#include "benchmarks/mpi/Timing.h"

#include "shardwise/core/Text.h"
#include "shardwise/mpi/MpiProcesses.h"
#include "shardwise/planner/model/PlanText.h"
#include "shardwise/resharding/ScheduleTime.h"

#include <fmt/format.h>
#include <mpi.h>

#include <chrono>

namespace shardwise::bench {
namespace {

using resharding::PlannedReshard;

constexpr int kPerHost = 4;

/// Whether processes 0 to 3 share a host, and 4 to 7 another one.
bool areOnTwoHosts() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, ownProcess(), MPI_INFO_NULL, &host);
  int size = 0;
  int index = 0;
  MPI_Comm_size(host, &size);
  MPI_Comm_rank(host, &index);
  MPI_Comm_free(&host);
  int isAsExpected = size == kPerHost && index == ownProcess() % kPerHost ? 1 : 0;
  int areAll = 0;
  MPI_Allreduce(&isAsExpected, &areAll, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return areAll != 0;
}

/// Two hosts whose link moves so many bytes a second each way; memory is taken to be quick.
planner::Topology twoHosts(double bytesPerSecond) {
  planner::Topology topology;
  topology.link = {1e-5, 1e9};
  topology.devicesPerHost = kPerHost;
  topology.hostLink = {2e-4, bytesPerSecond / kPerHost};
  return topology;
}

/// A reshard planned without and with the hosts.
struct Compared {
  PlannedReshard flat;
  PlannedReshard byHosts;
  /// Time of the flat one over the other's.
  double predicted = 0;
};

Compared planBoth(const std::string &text, const planner::Topology &topology) {
  auto problem = planner::resolve(*planner::parseProblem(text));
  resharding::ReshardOptions options;
  options.type = runtime::DataType::F32;
  auto flat = PlannedReshard::plan(*problem, options);
  problem->topology = topology;
  auto byHosts = PlannedReshard::plan(*problem, options);
  return {*flat, *byHosts,
          resharding::scheduleSeconds(flat->steps(), topology) /
              resharding::scheduleSeconds(byHosts->steps(), topology)};
}

/// Both in turn; the first time does not count.
Result<void> timeBoth(const Compared &compared, runtime::Communicator &communicator,
                      Samples (&seconds)[2]) {
  using Clock = std::chrono::steady_clock;
  const OwnReshard reshards[] = {{compared.flat, 4, nullptr}, {compared.byHosts, 4, nullptr}};
  for (int repeat = 0; repeat <= numRepeats; ++repeat) {
    for (int which = 0; which < 2; ++which) {
      if (Result<void> met = meet(communicator); !met)
        return met;
      Clock::time_point begin = Clock::now();
      if (Result<void> done = reshards[which].execute(communicator); !done)
        return done;
      if (repeat > 0)
        seconds[which].push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    }
  }
  return {};
}

} // namespace

int benchHosts(double bytesPerSecond) {
  if (!areOnTwoHosts()) {
    if (ownProcess() == 0)
      fmt::print(stderr, "mpi_benchmark: hosts wants processes 0 to 3 on one host, 4 to 7 on "
                         "another (scripts/on_two_hosts.py)\n");
    return 1;
  }
  planner::Topology topology = twoHosts(bytesPerSecond);
  auto processes = mpi::connectProcesses();
  if (ownProcess() == 0)
    fmt::print("{:<67} {:>8} {:>11} {:>9} {:>9}\n", "1024x512xf32", "flat", "by hosts", "measured",
               "predicted");
  for (const char *change :
       {R"(<["x"=2, "y"=4]> [{"x", "y"}, {}] -> [{}, {}])",
        R"(<["x"=2, "y"=4]> [{"x"}, {"y"}] -> [{}, {}])",
        R"(<["x"=2, "y"=4]> [{"x"}, {}] -> [{}, {}])",
        R"(<["x"=2, "y"=4]> [{"x"}, {}] -> [{}, {"x"}])", R"(<["x"=8]> [{"x"}, {}] -> [{}, {}])",
        R"(<["x"=8]> [{"x"}, {}] -> [{}, {"x"}])",
        R"(<["x"=4, "y"=2]> [{"x", "y"}, {}] -> [{}, {"y"}])",
        R"(<["x"=2, "y"=4]> [{}, {}], unreduced={"x", "y"} -> [{}, {}])",
        R"(<["x"=2, "y"=4]> [{}, {}], unreduced={"x", "y"} -> [{"x", "y"}, {}])"}) {
    Compared compared = planBoth(std::string("1024x512xf32 ") + change, topology);
    Samples seconds[2];
    Result<void> done = (*processes)
                            ->runRanks(2 * kPerHost, std::chrono::minutes(1),
                                       [&](runtime::Communicator &communicator) {
                                         return timeBoth(compared, communicator, seconds);
                                       });
    if (!done) {
      fmt::print(stderr, "mpi_benchmark: {}\n", done.error().message);
      return 1;
    }
    // The link sets the pace; what else the machine does only adds to it.
    double flat = quickest(slowest(seconds[0]));
    double byHosts = quickest(slowest(seconds[1]));
    if (ownProcess() == 0)
      fmt::print("{:<67} {:>5.0f} ms {:>8.0f} ms {:>9.2f} {:>9.2f}\n", change, flat * 1e3,
                 byHosts * 1e3, flat / byHosts, compared.predicted);
    std::fflush(stdout);
  }
  return 0;
}

} // namespace shardwise::bench
