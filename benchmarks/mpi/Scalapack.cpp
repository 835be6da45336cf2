// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices beside ScaLAPACK's pdgemr2d, which moves them between block-cyclic distributions over
// grids of processes. A sharding without replicas is one: a block for each process. ScaLAPACK's
// matrices are column-major, so that its rows are our dimension 1 and its columns dimension 0.

#include "benchmarks/mpi/Timing.h"

#include <fmt/format.h>

#ifdef SHARDWISE_WITH_SCALAPACK

#include "shardwise/core/Text.h"
#include "shardwise/planner/model/PlanText.h"

#include <mpi.h>

#include <array>

extern "C" {
int Csys2blacs_handle(MPI_Comm communicator);
void Cblacs_gridmap(int *context, int *processes, int leadingDimension, int rows, int columns);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int rows, int columns, double *a, int ia, int ja, int *descriptorOfA, double *b,
               int ib, int jb, int *descriptorOfB, int context);
}

namespace shardwise::bench {
namespace {

using resharding::PlannedReshard;
using resharding::ShardPlace;

/// One side of a reshard: a grid of processes, and how the matrix lies on it.
class Distribution {
public:
  Distribution(const std::vector<ShardPlace> &places, const core::Shape &shape) {
    const core::Box &first = places.front().box;
    int rows = static_cast<int>(shape[1] / first.size[1]);
    int columns = static_cast<int>(shape[0] / first.size[0]);
    std::vector<int> processes(places.size());
    for (size_t process = 0; process < places.size(); ++process) {
      const core::Box &box = places[process].box;
      processes[box.start[1] / box.size[1] + box.start[0] / box.size[0] * rows] =
          static_cast<int>(process);
    }
    context = Csys2blacs_handle(MPI_COMM_WORLD);
    Cblacs_gridmap(&context, processes.data(), rows, rows, columns);
    descriptor = {1,
                  context,
                  static_cast<int>(shape[1]),
                  static_cast<int>(shape[0]),
                  static_cast<int>(first.size[1]),
                  static_cast<int>(first.size[0]),
                  0,
                  0,
                  static_cast<int>(first.size[1])};
  }
  ~Distribution() { Cblacs_gridexit(context); }
  Distribution(const Distribution &) = delete;
  Distribution &operator=(const Distribution &) = delete;

  int context = 0;
  std::array<int, 9> descriptor{};
};

/// Whether the matrix arrived: element (i, j) is i * columns + j.
bool isThere(const std::vector<double> &elements, const ShardPlace &place, int64_t columns) {
  for (int64_t i = 0; i < place.box.size[0]; ++i)
    for (int64_t j = 0; j < place.box.size[1]; ++j)
      if (elements[i * place.box.size[1] + j] !=
          static_cast<double>((place.box.start[0] + i) * columns + place.box.start[1] + j))
        return false;
  return true;
}

Samples timesOfTheirs(const PlannedReshard &reshard, const core::Shape &shape) {
  const ShardPlace &source = reshard.source()[ownProcess()];
  const ShardPlace &target = reshard.target()[ownProcess()];
  std::vector<double> from(source.bytes(8) / 8), to(target.bytes(8) / 8);
  for (int64_t i = 0; i < source.box.size[0]; ++i)
    for (int64_t j = 0; j < source.box.size[1]; ++j)
      from[i * source.box.size[1] + j] =
          static_cast<double>((source.box.start[0] + i) * shape[1] + source.box.start[1] + j);
  Distribution before(reshard.source(), shape);
  Distribution after(reshard.target(), shape);
  Samples seconds = timesOfMpi([&] {
    Cpdgemr2d(static_cast<int>(shape[1]), static_cast<int>(shape[0]), from.data(), 1, 1,
              before.descriptor.data(), to.data(), 1, 1, after.descriptor.data(), before.context);
  });
  if (!isThere(to, target, shape[1]))
    fmt::print(stderr, "mpi_benchmark: pdgemr2d was called for another reshard\n");
  return seconds;
}

} // namespace

void benchScalapack() {
  Table table(R"(f64 matrices on <["x"=2, "y"=4]>)", "pdgemr2d");
  for (int64_t size : {int64_t{256}, int64_t{1024}, int64_t{2048}})
    for (const char *change :
         {R"([{"x", "y"}, {}] -> [{}, {"x", "y"}])", R"([{}, {"x", "y"}] -> [{"x", "y"}, {}])",
          R"([{"x"}, {"y"}] -> [{"y"}, {"x"}])", R"([{"x"}, {"y"}] -> [{"x", "y"}, {}])",
          R"([{"x"}, {"y"}] -> [{}, {"x", "y"}])", R"([{"x", "y"}, {}] -> [{"y", "x"}, {}])"}) {
      std::string text = fmt::format(R"({0}x{0}xf64 <["x"=2, "y"=4]> {1})", size, change);
      auto problem = planner::resolve(*planner::parseProblem(text));
      auto reshard = PlannedReshard::plan(*problem);
      table.add(
          fmt::format("{0}x{0} {1}", size, change),
          [&] { return timesOfTheirs(*reshard, {size, size}); },
          [&](bool isShared) { return timesOfReshard(*reshard, 8, isShared); });
    }
  table.end();
}

} // namespace shardwise::bench

#else

void shardwise::bench::benchScalapack() {
  if (ownProcess() == 0)
    fmt::print("pdgemr2d: skipped, ScaLAPACK was not there when this was built (Debian: "
               "libscalapack-openmpi-dev)\n");
}

#endif
