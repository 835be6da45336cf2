// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs tests in all processes of mpirun: each runs the same tests in the same order.

#include "shardwise/mpi/MpiProcesses.h"
#include "test/support/runtime/RankTesting.h"

#include <cstdio>

int main(int argc, char **argv) {
  ::testing::InitGoogleTest(&argc, argv);
  auto processes = shardwise::mpi::connectProcesses();
  if (!processes) {
    std::fprintf(stderr, "%s\n", processes.error().message.c_str());
    return 1;
  }
  shardwise::runtime::testing::testedProcesses() = processes->get();
  return RUN_ALL_TESTS();
}
