// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshards by ranks in several processes, one device each, beside MPI_Alltoallw with subarray
// types:
//
//     mpirun -n 8 mpi_benchmark [REPEATS]
//
// Both are measured in turn, in the same run, on the same data. Printed are medians of the slowest
// process, and how many times as fast ours is, with buffers from Processes::allocate and with any.

#include "shardwise/core/Text.h"
#include "shardwise/mpi/MpiProcesses.h"
#include "shardwise/planner/model/PlanText.h"
#include "shardwise/resharding/PlannedReshard.h"
#include "shardwise/runtime/Collectives.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

using namespace shardwise;

namespace {

using Clock = std::chrono::steady_clock;
using resharding::PlannedReshard;
using resharding::ShardPlace;

int numRepeats = 7;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Seconds of the slowest process, for each repeat; the first repeat does not count.
double slowest(std::vector<double> own) {
  std::vector<double> all(own.size());
  MPI_Allreduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_MAX,
                MPI_COMM_WORLD);
  return median({all.begin() + 1, all.end()});
}

double timeOfMpi(const std::function<void()> &call) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat <= numRepeats; ++repeat) {
    MPI_Barrier(MPI_COMM_WORLD);
    Clock::time_point begin = Clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return slowest(seconds);
}

/// Connects, measures and parts: MPI is called by one side at a time.
double
timeOfOurs(const std::function<Result<void>(runtime::Processes &, runtime::Communicator &)> &call) {
  std::vector<double> seconds;
  {
    auto processes = mpi::connectProcesses();
    runtime::Processes &all = **processes;
    Result<void> done = all.runRanks(
        all.count(), std::chrono::minutes(1), [&](runtime::Communicator &communicator) {
          std::vector<runtime::Rank> group(static_cast<size_t>(communicator.size()));
          std::iota(group.begin(), group.end(), 0);
          for (int repeat = 0; repeat <= numRepeats; ++repeat) {
            float value = 1;
            auto *bytes = reinterpret_cast<std::byte *>(&value);
            auto sum = runtime::makeReducer(core::ReductionKind::Sum, runtime::DataType::F32);
            if (auto met = runtime::allReduce(communicator, group, *sum, bytes, 1, bytes); !met)
              return Result<void>(met.error());
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
  return slowest(seconds);
}

/// Memory that other processes can read, or any.
class Block {
public:
  /// What `processes` gives goes when they part.
  Block(runtime::Processes *processes, int64_t bytes)
      : own(processes ? 0 : bytes), memory(processes ? processes->allocate(bytes) : own.data()) {}
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

private:
  std::vector<std::byte> own;

public:
  std::byte *memory;
};

/// The subarray types by which a device sends its part to, or gets it from, every other.
struct ExchangeTypes {
  std::vector<MPI_Datatype> sent, received;
  std::vector<int> sentCounts, receivedCounts, zeros;
};

MPI_Datatype subarray(const ShardPlace &place, const core::Box &box) {
  std::vector<int> shape(place.shape.begin(), place.shape.end());
  std::vector<int> size(box.size.begin(), box.size.end());
  std::vector<int> start;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    start.push_back(static_cast<int>(box.start[dim] - place.box.start[dim]));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(static_cast<int>(shape.size()), shape.data(), size.data(), start.data(),
                           MPI_ORDER_C, MPI_FLOAT, &type);
  MPI_Type_commit(&type);
  return type;
}

core::Box overlap(const core::Box &a, const core::Box &b) {
  core::Box box = a;
  for (size_t dim = 0; dim < box.start.size(); ++dim) {
    box.start[dim] = std::max(a.start[dim], b.start[dim]);
    box.size[dim] = std::max<int64_t>(
        0, std::min(a.start[dim] + a.size[dim], b.start[dim] + b.size[dim]) - box.start[dim]);
  }
  return box;
}

/// The device from which `target` takes what `source` holds: itself if it can.
size_t holderFor(const PlannedReshard &reshard, size_t source, size_t target) {
  const auto &places = reshard.source();
  if (places[target].box == places[source].box)
    return target;
  std::vector<size_t> holders;
  for (size_t other = 0; other < places.size(); ++other)
    if (places[other].box == places[source].box)
      holders.push_back(other);
  return holders[target % holders.size()];
}

ExchangeTypes typesOf(const PlannedReshard &reshard, size_t own) {
  ExchangeTypes types;
  size_t count = reshard.source().size();
  auto add = [&](size_t source, size_t target, const ShardPlace &place,
                 std::vector<MPI_Datatype> &list, std::vector<int> &counts) {
    core::Box box = overlap(reshard.source()[source].box, reshard.target()[target].box);
    bool isSent = box.numElements() > 0 && holderFor(reshard, source, target) == source;
    list.push_back(isSent ? subarray(place, box) : MPI_FLOAT);
    counts.push_back(isSent ? 1 : 0);
  };
  for (size_t other = 0; other < count; ++other) {
    add(own, other, reshard.source()[own], types.sent, types.sentCounts);
    add(other, own, reshard.target()[own], types.received, types.receivedCounts);
  }
  types.zeros.assign(count, 0);
  return types;
}

struct Rates {
  std::vector<double> shared, packed;

  void add(const std::string &name, double theirs, double inShared, double inAny) {
    shared.push_back(theirs / inShared);
    packed.push_back(theirs / inAny);
    int process = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    if (process == 0)
      fmt::print("{:<62} {:>8.2f} ms {:>8.2f} ms {:>5.2f} {:>8.2f} ms {:>5.2f}\n", name,
                 theirs * 1e3, inShared * 1e3, theirs / inShared, inAny * 1e3, theirs / inAny);
  }
  static double mean(const std::vector<double> &ratios) {
    double sum = 0;
    for (double ratio : ratios)
      sum += std::log(ratio);
    return std::exp(sum / static_cast<double>(ratios.size()));
  }
};

void benchReshards(Rates &rates) {
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  auto own = static_cast<size_t>(process);
  for (const char *change :
       {R"([{"x", "y"}, {}, {}] -> [{}, {"x", "y"}, {}])",
        R"([{"x", "y"}, {}, {}] -> [{}, {}, {"x", "y"}])",
        R"([{}, {}, {"x", "y"}] -> [{"x", "y"}, {}, {}])",
        R"([{"x"}, {"y"}, {}] -> [{"y"}, {"x"}, {}])", R"([{"x"}, {}, {}] -> [{}, {"x"}, {"y"}])",
        R"([{"x"}, {"y"}, {}] -> [{"x"}, {}, {}])", R"([{}, {"x", "y"}, {}] -> [{"y"}, {}, {}])",
        R"([{"x", "y"}, {}, {}] -> [{}, {}, {}])"}) {
    std::string text = std::string(R"(256x256x64xf32 <["x"=2, "y"=4]> )") + change;
    auto problem = planner::resolve(*planner::parseProblem(text));
    auto reshard = PlannedReshard::plan(*problem);
    ExchangeTypes types = typesOf(*reshard, own);
    int64_t sourceBytes = reshard->source()[own].bytes(4);
    int64_t targetBytes = reshard->target()[own].bytes(4);
    std::vector<std::byte> from(sourceBytes), to(targetBytes);
    double theirs = timeOfMpi([&] {
      MPI_Alltoallw(from.data(), types.sentCounts.data(), types.zeros.data(), types.sent.data(),
                    to.data(), types.receivedCounts.data(), types.zeros.data(),
                    types.received.data(), MPI_COMM_WORLD);
    });
    auto ours = [&](bool isShared) {
      std::unique_ptr<Block> source, target;
      return timeOfOurs(
          [&](runtime::Processes &processes, runtime::Communicator &communicator) -> Result<void> {
            if (!source) {
              source = std::make_unique<Block>(isShared ? &processes : nullptr, sourceBytes);
              target = std::make_unique<Block>(isShared ? &processes : nullptr, targetBytes);
            }
            std::vector<const std::byte *> sources(reshard->source().size(), nullptr);
            std::vector<std::byte *> targets(reshard->target().size(), nullptr);
            sources[own] = source->memory;
            targets[own] = target->memory;
            auto done = reshard->execute(communicator, sources, targets);
            return done ? Result<void>() : done.error();
          });
    };
    double inShared = ours(true);
    rates.add(change, theirs, inShared, ours(false));
  }
}

} // namespace

int main(int argc, char **argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  if (argc > 1)
    numRepeats = std::max(1, std::atoi(argv[1]));
  int process = 0;
  int count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  if (count != 8) {
    fmt::print(stderr, "mpi_benchmark: {} processes; expected mpirun -n 8\n", count);
    MPI_Finalize();
    return 1;
  }
  if (process == 0)
    fmt::print("{:<62} {:>11} {:>11} {:>5} {:>11} {:>5}\n",
               "256x256x64xf32 on <[\"x\"=2, \"y\"=4]>", "Alltoallw", "shared", "times",
               "any memory", "times");
  Rates rates;
  benchReshards(rates);
  if (process == 0)
    fmt::print("geometric mean: {:.2f} times MPI_Alltoallw from shared memory, {:.2f} from any\n",
               Rates::mean(rates.shared), Rates::mean(rates.packed));
  MPI_Finalize();
  return 0;
}
