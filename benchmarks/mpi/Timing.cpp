// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/mpi/Timing.h"

#include "shardwise/mpi/MpiProcesses.h"
#include "shardwise/runtime/Collectives.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace shardwise::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Without the first repeat, which does not count.
Samples slowestBehindFirst(const Samples &own) {
  return slowest({own.begin() + 1, own.end()});
}

double geometricMean(const std::vector<double> &ratios) {
  double sum = 0;
  for (double ratio : ratios)
    sum += std::log(ratio);
  return std::exp(sum / static_cast<double>(ratios.size()));
}

} // namespace

int numRepeats = 5;

double median(Samples values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double quickest(const Samples &values) {
  return *std::min_element(values.begin(), values.end());
}

Samples slowest(const Samples &own) {
  Samples all(own.size());
  MPI_Allreduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_MAX,
                MPI_COMM_WORLD);
  return all;
}

int ownProcess() {
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  return process;
}

Samples timesOfMpi(const std::function<void()> &call) {
  Samples seconds;
  for (int repeat = 0; repeat <= numRepeats; ++repeat) {
    MPI_Barrier(MPI_COMM_WORLD);
    Clock::time_point begin = Clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return slowestBehindFirst(seconds);
}

Samples timesOfOurs(
    const std::function<Result<void>(runtime::Processes &, runtime::Communicator &)> &call) {
  Samples seconds;
  {
    auto processes = mpi::connectProcesses();
    runtime::Processes &all = **processes;
    Result<void> done = all.runRanks(
        all.count(), std::chrono::minutes(1), [&](runtime::Communicator &communicator) {
          for (int repeat = 0; repeat <= numRepeats; ++repeat) {
            if (Result<void> met = meet(communicator); !met)
              return met;
            Clock::time_point begin = Clock::now();
            if (Result<void> called = call(all, communicator); !called)
              return called;
            seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
          }
          return Result<void>();
        });
    if (!done) {
      fmt::print(stderr, "mpi_benchmark: {}\n", done.error().message);
      std::exit(1);
    }
  }
  return slowestBehindFirst(seconds);
}

Result<void> meet(runtime::Communicator &communicator) {
  std::vector<runtime::Rank> group(static_cast<size_t>(communicator.size()));
  std::iota(group.begin(), group.end(), 0);
  float value = 1;
  auto *bytes = reinterpret_cast<std::byte *>(&value);
  auto sum = runtime::makeReducer(core::ReductionKind::Sum, runtime::DataType::F32);
  auto met = runtime::allReduce(communicator, group, *sum, bytes, 1, bytes);
  return met ? Result<void>() : met.error();
}

OwnReshard::OwnReshard(const resharding::PlannedReshard &reshard, int64_t elementBytes,
                       runtime::Processes *processes)
    : reshard(reshard), source(processes, reshard.source()[ownProcess()].bytes(elementBytes)),
      target(processes, reshard.target()[ownProcess()].bytes(elementBytes)) {}

Result<void> OwnReshard::execute(runtime::Communicator &communicator) const {
  std::vector<const std::byte *> sources(reshard.source().size(), nullptr);
  std::vector<std::byte *> targets(reshard.target().size(), nullptr);
  sources[ownProcess()] = source.memory;
  targets[ownProcess()] = target.memory;
  auto done = reshard.execute(communicator, sources, targets);
  return done ? Result<void>() : done.error();
}

Samples timesOfReshard(const resharding::PlannedReshard &reshard, int64_t elementBytes,
                       bool isShared) {
  std::optional<OwnReshard> own;
  return timesOfOurs([&](runtime::Processes &processes, runtime::Communicator &communicator) {
    if (!own)
      own.emplace(reshard, elementBytes, isShared ? &processes : nullptr);
    return own->execute(communicator);
  });
}

Table::Table(const std::string &title, const std::string &theirs) : theirName(theirs) {
  if (ownProcess() == 0)
    fmt::print("{:<54} {:>13} {:>11} {:>6} {:>11} {:>6}   {:>13}\n", title, theirs, "shared",
               "times", "any memory", "times", "quickest");
}

void Table::add(const std::string &name, const std::function<Samples()> &theirs,
                const std::function<Samples(bool isShared)> &ours) {
  constexpr int kRounds = 3;
  Samples times[3];
  auto append = [](Samples &all, const Samples &more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (int round = 0; round < kRounds; ++round) {
    append(times[0], theirs());
    append(times[1], ours(/*isShared=*/true));
    append(times[2], ours(/*isShared=*/false));
  }
  const double medians[] = {median(times[0]), median(times[1]), median(times[2])};
  shared.push_back(medians[0] / medians[1]);
  any.push_back(medians[0] / medians[2]);
  quickestShared.push_back(quickest(times[0]) / quickest(times[1]));
  quickestAny.push_back(quickest(times[0]) / quickest(times[2]));
  if (ownProcess() != 0)
    return;
  fmt::print("{:<54} {:>10.3f} ms {:>8.3f} ms {:>6.2f} {:>8.3f} ms {:>6.2f}   {:>6.2f} {:>6.2f}\n",
             name, medians[0] * 1e3, medians[1] * 1e3, shared.back(), medians[2] * 1e3, any.back(),
             quickestShared.back(), quickestAny.back());
  std::fflush(stdout);
}

void Table::end() const {
  if (ownProcess() != 0)
    return;
  auto print = [&](const char *what, const std::vector<double> &inShared,
                   const std::vector<double> &inAny) {
    fmt::print("geometric mean of {}: {:.2f} times {} from shared memory ({:.2f} at least), {:.2f} "
               "from any ({:.2f})\n",
               what, geometricMean(inShared), theirName, quickest(inShared), geometricMean(inAny),
               quickest(inAny));
  };
  print("medians", shared, any);
  print("the quickest repeats", quickestShared, quickestAny);
  fmt::print("\n");
}

} // namespace shardwise::bench
