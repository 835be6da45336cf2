// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshards in one process beside copies of the same bytes: the 240 pairs of shardings of a tensor
// of rank 3 on <["x"=2, "y"=4]>.
//
// The yardstick is memcpy, by as many threads, of as many bytes as all devices hold afterwards, the
// replicas apart from each other. Both are timed in turns, and medians are divided: the ratio is
// time of the copies over time of the reshard, so above 1 is faster. Buffers are made before.
//
// Usage: reshard_execute [--rounds N] [--shape AxBxC] [--small AxBxC] [--list] [--alone] [--only
// NAME]
//
// With `--alone` both run on one thread and are timed in seconds of the processor, which other work
// on the machine changes less.

#include "shardwise/core/Text.h"
#include "shardwise/resharding/Buffer.h"
#include "shardwise/resharding/PlannedReshard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <tuple>

namespace shardwise::resharding {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int rounds = 9;
  core::Shape large = {256, 256, 64};
  core::Shape small = {32, 32, 16};
  bool lists = false;
  bool isAlone = false;
  /// Pairs whose name holds this.
  std::string only;
};

core::Shape parseShape(const char *text) {
  core::Shape shape;
  for (const char *at = text; *at != 0;) {
    char *end = nullptr;
    shape.push_back(std::strtoll(at, &end, 10));
    at = *end == 'x' ? end + 1 : end;
    if (at == end && *end != 0)
      break;
  }
  return shape;
}

/// The 16 shardings over whole axes in increasing lists.
std::vector<core::Sharding> allShardings(const core::Mesh &mesh) {
  std::vector<core::Sharding> all = {core::replicatedSharding(3)};
  for (int64_t axis = 0; axis < mesh.numAxes(); ++axis) {
    size_t count = all.size();
    for (size_t i = 0; i < count; ++i) {
      for (int64_t dim = 0; dim < 3; ++dim) {
        core::Sharding next = all[i];
        next.dims[dim].axes.push_back(core::fullAxis(mesh, axis));
        all.push_back(std::move(next));
      }
    }
  }
  return all;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Seconds of the processor that this thread has had.
double processorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Run> double secondsOf(bool isAlone, Run run) {
  Clock::time_point begin = Clock::now();
  double processor = processorSeconds();
  run();
  return isAlone ? processorSeconds() - processor
                 : std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The buffers of a state; replicas share one if `isShared`.
struct Shards {
  std::vector<Buffer> buffers;

  Shards(const ShardState &state, int64_t elementBytes, bool isShared) {
    std::map<std::tuple<std::vector<int64_t>, std::vector<int64_t>>, Buffer> byBox;
    for (const ShardPlace &place : state) {
      Buffer &shared = byBox[{place.box.start, place.box.size}];
      if (!shared || !isShared) {
        Result<Buffer> made = allocateBuffer(place.bytes(elementBytes));
        if (!made) {
          fmt::print(stderr, "{}\n", made.error().message);
          std::exit(1);
        }
        shared = *made;
        std::memset(shared.get(), 1, static_cast<size_t>(place.bytes(elementBytes)));
      }
      buffers.push_back(shared);
    }
  }

  std::vector<const std::byte *> readable() const {
    std::vector<const std::byte *> result;
    for (const Buffer &buffer : buffers)
      result.push_back(buffer.get());
    return result;
  }
  std::vector<std::byte *> writable() const {
    std::vector<std::byte *> result;
    for (const Buffer &buffer : buffers)
      result.push_back(buffer.get());
    return result;
  }
};

/// Two halves of memory, copied by all workers, or by the caller if it is little.
class ParallelCopy {
public:
  explicit ParallelCopy(int64_t bytes) {
    source = *allocateBuffer(bytes);
    target = *allocateBuffer(bytes);
    std::memset(source.get(), 1, static_cast<size_t>(bytes));
    std::memset(target.get(), 2, static_cast<size_t>(bytes));
  }

  void run(int64_t numBytes, runtime::WorkerThreads &workers) const {
    int64_t parts = numBytes <= (int64_t{256} << 10) ? 1 : workers.size();
    workers.run(parts, [&](int64_t part, int64_t) {
      int64_t first = numBytes * part / parts;
      int64_t last = numBytes * (part + 1) / parts;
      std::memcpy(target.get() + first, source.get() + first, static_cast<size_t>(last - first));
    });
  }

private:
  Buffer source;
  Buffer target;
};

/// What one pair took.
struct PairTime {
  std::string name;
  double reshard = 0;
  double copy = 0;

  double ratio() const { return copy / reshard; }
};

std::vector<PairTime> timePairs(const core::Shape &shape, bool isShared, const Options &options,
                                int repeats) {
  core::Mesh mesh = *core::Mesh::create({{"x", 2}, {"y", 4}});
  std::vector<core::Sharding> shardings = allShardings(mesh);
  static runtime::WorkerThreads alone(1);
  runtime::WorkerThreads &workers = options.isAlone ? alone : runtime::WorkerThreads::shared();
  ParallelCopy yardstick(core::numElements(shape) * 4 * mesh.numDevices());
  std::vector<PairTime> times;
  for (const core::Sharding &source : shardings) {
    for (const core::Sharding &target : shardings) {
      std::string name =
          fmt::format("{} -> {}", core::toString(source, mesh), core::toString(target, mesh));
      if (core::isSamePlacement(source, target) || name.find(options.only) == std::string::npos)
        continue;
      planner::ReshardProblem problem;
      problem.mesh = mesh;
      problem.shape = shape;
      problem.source = source;
      problem.target = target;
      Result<PlannedReshard> planned = PlannedReshard::plan(problem);
      if (!planned) {
        fmt::print(stderr, "{}\n", planned.error().message);
        std::exit(1);
      }
      Shards from(planned->source(), 4, isShared);
      Shards to(planned->target(), 4, isShared);
      std::vector<const std::byte *> sources = from.readable();
      std::vector<std::byte *> targets = to.writable();
      int64_t bytes = 0;
      for (const ShardPlace &place : planned->target())
        bytes += place.bytes(4);
      std::vector<double> reshards;
      std::vector<double> copies;
      for (int round = 0; round < options.rounds; ++round) {
        copies.push_back(secondsOf(options.isAlone,
                                   [&] {
                                     for (int i = 0; i < repeats; ++i)
                                       yardstick.run(bytes, workers);
                                   }) /
                         repeats);
        reshards.push_back(secondsOf(options.isAlone,
                                     [&] {
                                       for (int i = 0; i < repeats; ++i)
                                         if (!planned->execute(sources, targets, workers).ok())
                                           std::exit(1);
                                     }) /
                           repeats);
      }
      times.push_back({std::move(name), median(reshards), median(copies)});
    }
  }
  return times;
}

void printRatios(const char *title, std::vector<PairTime> times, bool lists) {
  if (times.empty())
    return fmt::print("{}: no such pair\n", title);
  std::sort(times.begin(), times.end(),
            [](const PairTime &a, const PairTime &b) { return a.ratio() < b.ratio(); });
  double logs = 0;
  for (const PairTime &time : times)
    logs += std::log(time.ratio());
  fmt::print("{}: {} pairs, geometric mean {:.2f}, worst {:.2f} ({}), median {:.2f}, best {:.2f}\n",
             title, times.size(), std::exp(logs / static_cast<double>(times.size())),
             times.front().ratio(), times.front().name, times[times.size() / 2].ratio(),
             times.back().ratio());
  for (size_t i = 0; lists && i < times.size(); ++i)
    fmt::print("  {:5.2f} {:9.1f} us  {}\n", times[i].ratio(), times[i].reshard * 1e6,
               times[i].name);
}

void printLatency(const char *title, std::vector<PairTime> times, bool lists) {
  if (times.empty())
    return fmt::print("{}: no such pair\n", title);
  std::sort(times.begin(), times.end(), [](const PairTime &a, const PairTime &b) {
    return a.reshard - a.copy > b.reshard - b.copy;
  });
  auto extra = [](const PairTime &time) { return (time.reshard - time.copy) * 1e6; };
  fmt::print("{}: {} pairs, at most {:.1f} us more than the copies ({}), median {:.1f}\n", title,
             times.size(), extra(times.front()), times.front().name,
             extra(times[times.size() / 2]));
  for (size_t i = 0; lists && i < times.size(); ++i)
    fmt::print("  {:6.1f} us more than {:6.1f}  {}\n", extra(times[i]), times[i].copy * 1e6,
               times[i].name);
}

int run(const Options &options) {
  fmt::print("{} threads; {}xf32 and {}xf32\n",
             options.isAlone ? 1 : runtime::WorkerThreads::shared().size(),
             fmt::join(options.large, "x"), fmt::join(options.small, "x"));
  printRatios("replicas share buffers", timePairs(options.large, true, options, 1), options.lists);
  printRatios("replicas apart", timePairs(options.large, false, options, 1), options.lists);
  printLatency("small, replicas share buffers", timePairs(options.small, true, options, 20),
               options.lists);
  printLatency("small, replicas apart", timePairs(options.small, false, options, 20),
               options.lists);
  return 0;
}

} // namespace
} // namespace shardwise::resharding

int main(int argc, char **argv) {
  shardwise::resharding::Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view flag = argv[i];
    if (flag == "--list")
      options.lists = true;
    else if (flag == "--alone")
      options.isAlone = true;
    else if (flag == "--only" && i + 1 < argc)
      options.only = argv[++i];
    else if (flag == "--rounds" && i + 1 < argc)
      options.rounds = std::max(1, std::atoi(argv[++i]));
    else if (flag == "--shape" && i + 1 < argc)
      options.large = shardwise::resharding::parseShape(argv[++i]);
    else if (flag == "--small" && i + 1 < argc)
      options.small = shardwise::resharding::parseShape(argv[++i]);
    else {
      fmt::print(stderr, "usage: reshard_execute [--rounds N] [--shape AxBxC] [--small AxBxC] "
                         "[--list] [--alone] [--only NAME]\n");
      return 2;
    }
  }
  if (options.large.size() != 3 || options.small.size() != 3) {
    fmt::print(stderr, "reshard_execute: shapes have three dimensions, as 256x256x64\n");
    return 2;
  }
  return shardwise::resharding::run(options);
}
