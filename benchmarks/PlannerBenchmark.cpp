// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cold planning time: median, 99th percentile and maximum over fixed sets of pairs, without cache.
//
// Each iteration plans every pair of a set once; the counters are over single calls. Compare
// ratios within one run: times depend on the machine.

#include "shardwise/core/Text.h"
#include "shardwise/planner/strategies/PlanReshard.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <random>

namespace shardwise::planner {
namespace {

core::Mesh meshOf(const std::vector<int64_t> &sizes) {
  std::vector<core::MeshAxis> axes;
  for (int64_t size : sizes)
    axes.push_back({std::string(1, static_cast<char>('a' + axes.size())), size});
  Result<core::Mesh> mesh = core::Mesh::create(std::move(axes));
  if (!mesh)
    std::abort();
  return *mesh;
}

/// Time of this thread on the processor: other programs on the machine do not count.
double cpuMicroseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

/// All shardings over full axes with increasing lists, as the 16 of rank 3 on two axes.
std::vector<core::Sharding> increasingShardings(const core::Mesh &mesh, int64_t rank) {
  std::vector<core::Sharding> all = {core::replicatedSharding(rank)};
  for (int64_t axis = 0; axis < mesh.numAxes(); ++axis) {
    size_t count = all.size();
    for (size_t i = 0; i < count; ++i) {
      for (int64_t dim = 0; dim < rank; ++dim) {
        core::Sharding next = all[i];
        next.dims[dim].axes.push_back(core::fullAxis(mesh, axis));
        all.push_back(std::move(next));
      }
    }
  }
  return all;
}

std::vector<ReshardProblem> allPairs(const std::vector<int64_t> &sizes, const core::Shape &shape) {
  core::Mesh mesh = meshOf(sizes);
  std::vector<core::Sharding> shardings =
      increasingShardings(mesh, static_cast<int64_t>(shape.size()));
  std::vector<ReshardProblem> problems;
  for (const core::Sharding &source : shardings) {
    for (const core::Sharding &target : shardings)
      if (!core::isSamePlacement(source, target))
        problems.push_back({mesh, shape, 4, source, target});
  }
  return problems;
}

/// Pairs of shardings with axes in any order and dimension, a third of them left out.
std::vector<ReshardProblem> randomPairs(const std::vector<int64_t> &sizes, int64_t rank,
                                        int64_t size, int count) {
  core::Mesh mesh = meshOf(sizes);
  std::mt19937 random(7);
  auto sharding = [&] {
    core::Sharding result = core::replicatedSharding(rank);
    std::vector<int64_t> order;
    for (int64_t axis = 0; axis < mesh.numAxes(); ++axis)
      order.push_back(axis);
    std::shuffle(order.begin(), order.end(), random);
    for (int64_t axis : order)
      if (random() % 6 != 0)
        result.dims[random() % rank].axes.push_back(core::fullAxis(mesh, axis));
    return result;
  };
  std::vector<ReshardProblem> problems;
  while (static_cast<int>(problems.size()) < count) {
    ReshardProblem problem{mesh, core::Shape(rank, size), 4, sharding(), sharding()};
    if (!core::isSamePlacement(problem.source, problem.target))
      problems.push_back(std::move(problem));
  }
  return problems;
}

/// The same problems over links with latency: `axes` different speeds, or hosts.
enum class Links { Latency, ByAxis, Hosts };

std::vector<ReshardProblem> withLinks(std::vector<ReshardProblem> problems, Links links) {
  for (ReshardProblem &problem : problems) {
    Topology &topology = problem.topology;
    topology.link = {1e-6, 1e10};
    if (links == Links::ByAxis) {
      for (int64_t axis = 0; axis < problem.mesh.numAxes(); ++axis) {
        auto slowness = static_cast<double>(1 + axis);
        topology.axisLinks.push_back({1e-6 * slowness, 1e10 / slowness});
      }
    } else if (links == Links::Hosts) {
      topology.devicesPerHost = std::max<int64_t>(2, problem.mesh.numDevices() / 4);
      topology.hostLink = {1e-5, 1e9};
    }
  }
  return problems;
}

/// The same problems with the axes that the source leaves out to be reduced.
std::vector<ReshardProblem> reducing(std::vector<ReshardProblem> problems) {
  for (ReshardProblem &problem : problems) {
    core::AxisList used = core::dimensionAxes(problem.source);
    for (int64_t axis = 0; axis < problem.mesh.numAxes(); ++axis) {
      core::Axis full = core::fullAxis(problem.mesh, axis);
      if (!core::overlaps(used, {&full, 1}))
        problem.source.unreduced.push_back(full);
    }
  }
  return problems;
}

void planAll(benchmark::State &state, const std::vector<ReshardProblem> &problems,
             Strategy strategy) {
  PlanOptions options;
  options.strategy = strategy;
  if (strategy == Strategy::Uniform) {
    options.jointAllToAll = JointAllToAll::AnyDims;
    options.localTranspose = true;
  }
  std::vector<double> microseconds;
  int64_t proved = 0;
  for (auto _ : state) {
    for (const ReshardProblem &problem : problems) {
      double begin = cpuMicroseconds();
      Result<ReshardPlan> plan = planReshard(problem, options);
      microseconds.push_back(cpuMicroseconds() - begin);
      benchmark::DoNotOptimize(plan);
      proved += plan && plan->optimality == Optimality::Proved ? 1 : 0;
    }
  }
  std::sort(microseconds.begin(), microseconds.end());
  state.counters["median_us"] = microseconds[microseconds.size() / 2];
  state.counters["p99_us"] = microseconds[microseconds.size() * 99 / 100];
  state.counters["max_us"] = microseconds.back();
  state.counters["proved"] = static_cast<double>(proved) / static_cast<double>(microseconds.size());
}

void optimalRank3On2x4(benchmark::State &state) {
  planAll(state, allPairs({2, 4}, {64, 32, 16}), Strategy::Optimal);
}
void uniformRank3On2x4(benchmark::State &state) {
  planAll(state, allPairs({2, 4}, {64, 32, 16}), Strategy::Uniform);
}
void heuristicRank3On2x4(benchmark::State &state) {
  planAll(state, allPairs({2, 4}, {64, 32, 16}), Strategy::Heuristic);
}
void optimal4Axes4Dims(benchmark::State &state) {
  planAll(state, randomPairs({2, 2, 2, 2}, 4, 64, 500), Strategy::Optimal);
}
void optimal6Axes4Dims(benchmark::State &state) {
  planAll(state, randomPairs({2, 2, 2, 2, 2, 2}, 4, 64, 500), Strategy::Optimal);
}
void uniform4Axes4Dims(benchmark::State &state) {
  planAll(state, randomPairs({2, 2, 2, 2}, 4, 64, 500), Strategy::Uniform);
}
void uniform6Axes4Dims(benchmark::State &state) {
  planAll(state, randomPairs({2, 2, 2, 2, 2, 2}, 4, 64, 200), Strategy::Uniform);
}
void uniformSixPrimes(benchmark::State &state) {
  planAll(state, randomPairs({6, 6, 6}, 4, 216, 200), Strategy::Uniform);
}
void latencyRank3On2x4(benchmark::State &state) {
  planAll(state, withLinks(allPairs({2, 4}, {64, 32, 16}), Links::Latency), Strategy::Optimal);
}
void latency4Axes4Dims(benchmark::State &state) {
  planAll(state, withLinks(randomPairs({2, 2, 2, 2}, 4, 64, 500), Links::Latency),
          Strategy::Optimal);
}
void latency6Axes4Dims(benchmark::State &state) {
  planAll(state, withLinks(randomPairs({2, 2, 2, 2, 2, 2}, 4, 64, 200), Links::Latency),
          Strategy::Optimal);
}
void axisLinks6Axes4Dims(benchmark::State &state) {
  planAll(state, withLinks(randomPairs({2, 2, 2, 2, 2, 2}, 4, 64, 200), Links::ByAxis),
          Strategy::Optimal);
}
void hosts6Axes4Dims(benchmark::State &state) {
  planAll(state, withLinks(randomPairs({2, 2, 2, 2, 2, 2}, 4, 64, 200), Links::Hosts),
          Strategy::Optimal);
}
void reducing4Axes4Dims(benchmark::State &state) {
  planAll(state, reducing(randomPairs({2, 2, 2, 2}, 4, 64, 500)), Strategy::Optimal);
}
void reducing6Axes4Dims(benchmark::State &state) {
  planAll(state, reducing(randomPairs({2, 2, 2, 2, 2, 2}, 4, 64, 200)), Strategy::Optimal);
}
// The same pairs of shardings on 8 and on 65,536 devices: three axes each.
void optimalOn8Devices(benchmark::State &state) {
  planAll(state, randomPairs({2, 2, 2}, 3, 65'536, 300), Strategy::Optimal);
}
void optimalOn65536Devices(benchmark::State &state) {
  planAll(state, randomPairs({32, 32, 64}, 3, 65'536, 300), Strategy::Optimal);
}

BENCHMARK(optimalRank3On2x4)->Unit(benchmark::kMillisecond);
BENCHMARK(uniformRank3On2x4)->Unit(benchmark::kMillisecond);
BENCHMARK(heuristicRank3On2x4)->Unit(benchmark::kMillisecond);
BENCHMARK(optimal4Axes4Dims)->Unit(benchmark::kMillisecond);
BENCHMARK(optimal6Axes4Dims)->Unit(benchmark::kMillisecond);
BENCHMARK(uniform4Axes4Dims)->Unit(benchmark::kMillisecond);
BENCHMARK(uniform6Axes4Dims)->Unit(benchmark::kMillisecond);
BENCHMARK(uniformSixPrimes)->Unit(benchmark::kMillisecond);
BENCHMARK(latencyRank3On2x4)->Unit(benchmark::kMillisecond);
BENCHMARK(latency4Axes4Dims)->Unit(benchmark::kMillisecond);
BENCHMARK(latency6Axes4Dims)->Unit(benchmark::kMillisecond);
BENCHMARK(axisLinks6Axes4Dims)->Unit(benchmark::kMillisecond);
BENCHMARK(hosts6Axes4Dims)->Unit(benchmark::kMillisecond);
BENCHMARK(reducing4Axes4Dims)->Unit(benchmark::kMillisecond);
BENCHMARK(reducing6Axes4Dims)->Unit(benchmark::kMillisecond);
BENCHMARK(optimalOn8Devices)->Unit(benchmark::kMillisecond);
BENCHMARK(optimalOn65536Devices)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace shardwise::planner
