// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks in several processes do, one device each, beside what else does it:
//
//     mpirun -n 8 mpi_benchmark [REPEATS] [reshards|collectives|scalapack]
//     scripts/on_two_hosts.py ... mpi_benchmark REPEATS hosts BYTES_PER_SECOND
//
// Printed are medians of the slowest process, and how many times as fast ours is, with buffers from
// Processes::allocate and with any.

#include "benchmarks/mpi/Timing.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <string>

int main(int argc, char **argv) {
  using namespace shardwise;
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  if (argc > 1)
    bench::numRepeats = std::max(1, std::atoi(argv[1]));
  std::string wanted = argc > 2 ? argv[2] : "";
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  if (count != 8) {
    fmt::print(stderr, "mpi_benchmark: {} processes; expected mpirun -n 8\n", count);
    MPI_Finalize();
    return 1;
  }
  if (wanted.empty() || wanted == "reshards")
    bench::benchReshards();
  if (wanted.empty() || wanted == "collectives")
    bench::benchCollectives();
  if (wanted.empty() || wanted == "scalapack")
    bench::benchScalapack();
  int status = 0;
  if (wanted == "hosts")
    status = bench::benchHosts(argc > 3 ? std::atof(argv[3]) : 1e9);
  MPI_Finalize();
  return status;
}
