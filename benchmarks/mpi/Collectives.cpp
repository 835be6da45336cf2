// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of all eight processes beside those of MPI, of vectors of floats.

#include "benchmarks/mpi/Timing.h"

#include "shardwise/runtime/Collectives.h"

#include <fmt/format.h>
#include <mpi.h>

#include <numeric>

namespace shardwise::bench {
namespace {

using runtime::Communicator;
using runtime::Processes;

/// A collective, theirs and ours, from `input` of `inputBytes` to `output`.
struct Compared {
  const char *name;
  /// Bytes of the output for a byte of the input, as a fraction.
  int64_t outputTimes, outputOver;
  /// `count` floats of the larger of the two.
  void (*theirs)(const std::byte *input, std::byte *output, int count);
  Result<runtime::Traffic> (*ours)(Communicator &communicator, runtime::RankGroup group,
                                   const std::byte *input, std::byte *output, int64_t count);
};

constexpr int kProcesses = 8;

runtime::Reducer floatSum() {
  return *runtime::makeReducer(core::ReductionKind::Sum, runtime::DataType::F32);
}

const Compared kCompared[] = {
    {"all_gather", kProcesses, 1,
     [](const std::byte *input, std::byte *output, int count) {
       MPI_Allgather(input, count / kProcesses, MPI_FLOAT, output, count / kProcesses, MPI_FLOAT,
                     MPI_COMM_WORLD);
     },
     [](Communicator &communicator, runtime::RankGroup group, const std::byte *input,
        std::byte *output, int64_t count) {
       std::vector<int64_t> shape = {count / kProcesses};
       return runtime::allGather(communicator, group, {input, shape, 4}, 0, output);
     }},
    {"reduce_scatter", 1, kProcesses,
     [](const std::byte *input, std::byte *output, int count) {
       MPI_Reduce_scatter_block(input, output, count / kProcesses, MPI_FLOAT, MPI_SUM,
                                MPI_COMM_WORLD);
     },
     [](Communicator &communicator, runtime::RankGroup group, const std::byte *input,
        std::byte *output, int64_t count) {
       std::vector<int64_t> shape = {count};
       return runtime::reduceScatter(communicator, group, floatSum(), {input, shape, 4}, 0, output);
     }},
    {"all_reduce", 1, 1,
     [](const std::byte *input, std::byte *output, int count) {
       MPI_Allreduce(input, output, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
     },
     [](Communicator &communicator, runtime::RankGroup group, const std::byte *input,
        std::byte *output, int64_t count) {
       return runtime::allReduce(communicator, group, floatSum(), input, count, output);
     }},
    {"all_to_all", 1, 1,
     [](const std::byte *input, std::byte *output, int count) {
       MPI_Alltoall(input, count / kProcesses, MPI_FLOAT, output, count / kProcesses, MPI_FLOAT,
                    MPI_COMM_WORLD);
     },
     [](Communicator &communicator, runtime::RankGroup group, const std::byte *input,
        std::byte *output, int64_t count) {
       std::vector<int64_t> shape = {count};
       return runtime::allToAll(communicator, group, {input, shape, 4}, 0, 0, output);
     }},
};

} // namespace

void benchCollectives() {
  std::vector<runtime::Rank> group(kProcesses);
  std::iota(group.begin(), group.end(), 0);
  Table table("of 8 processes, the larger of input and output", "MPI's own");
  for (const Compared &compared : kCompared)
    for (int64_t bytes : {int64_t{64} << 10, int64_t{1} << 20, int64_t{16} << 20}) {
      int64_t larger = std::max(compared.outputTimes, compared.outputOver);
      int64_t inputBytes = bytes / larger * compared.outputOver;
      int64_t outputBytes = bytes / larger * compared.outputTimes;
      std::vector<std::byte> from(inputBytes), to(outputBytes);
      auto ours = [&](bool isShared) {
        std::unique_ptr<Block> source, target;
        return timesOfOurs([&](Processes &processes, Communicator &communicator) -> Result<void> {
          if (!source) {
            source = std::make_unique<Block>(isShared ? &processes : nullptr, inputBytes);
            target = std::make_unique<Block>(isShared ? &processes : nullptr, outputBytes);
          }
          auto done = compared.ours(communicator, group, source->memory, target->memory, bytes / 4);
          return done ? Result<void>() : done.error();
        });
      };
      auto theirs = [&] {
        return timesOfMpi(
            [&] { compared.theirs(from.data(), to.data(), static_cast<int>(bytes / 4)); });
      };
      table.add(fmt::format("{} of {} KiB", compared.name, bytes >> 10), theirs, ours);
    }
  table.end();
}

} // namespace shardwise::bench
