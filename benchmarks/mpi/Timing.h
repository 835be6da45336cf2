// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the sides of a comparison are timed: in turn, in several rounds of the same run, on the same
// data; a time is the median of repeats, each that of the slowest process. Where other work shares
// the machine, the quickest repeat says more, and is printed too.

#pragma once

#include "shardwise/resharding/PlannedReshard.h"
#include "shardwise/runtime/Communicator.h"
#include "shardwise/runtime/Processes.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shardwise::bench {

/// Repeats of a round that count; the first one of each does not.
extern int numRepeats;

/// Number of this process, which prints if it is 0.
int ownProcess();

/// Seconds of repeats.
using Samples = std::vector<double>;
double median(Samples values);
double quickest(const Samples &values);
/// Of each repeat, the seconds of the slowest process. All call it.
Samples slowest(const Samples &own);

/// Times `call`, which all processes make.
Samples timesOfMpi(const std::function<void()> &call);

/// The same of a call of ours, by one rank per process. Connects, measures and parts: MPI is called
/// by one side at a time.
Samples
timesOfOurs(const std::function<Result<void>(runtime::Processes &, runtime::Communicator &)> &call);

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

/// Waits until all ranks have come here.
Result<void> meet(runtime::Communicator &communicator);

/// A reshard with the buffers of this process' device, from memory that is shared or any.
class OwnReshard {
public:
  /// What `processes` gives goes when they part; null for any memory.
  OwnReshard(const resharding::PlannedReshard &reshard, int64_t elementBytes,
             runtime::Processes *processes);
  Result<void> execute(runtime::Communicator &communicator) const;

private:
  const resharding::PlannedReshard &reshard;
  Block source;
  Block target;
};

/// Times `reshard`, from and to memory that is shared or any.
Samples timesOfReshard(const resharding::PlannedReshard &reshard, int64_t elementBytes,
                       bool isShared);

/// A table of times: theirs, and ours from shared memory and from any.
class Table {
public:
  /// Prints the head. `theirs` is what ours is compared with.
  Table(const std::string &title, const std::string &theirs);
  /// Measures in rounds, and prints.
  void add(const std::string &name, const std::function<Samples()> &theirs,
           const std::function<Samples(bool isShared)> &ours);
  /// Prints the geometric means.
  void end() const;

private:
  std::string theirName;
  std::vector<double> shared, any, quickestShared, quickestAny;
};

// The comparisons; each prints a table.

/// Three-dimensional reshards beside MPI_Alltoallw with subarray types.
void benchReshards();
/// Collectives beside those of MPI.
void benchCollectives();
/// Plans that know the hosts beside flat ones, where processes 0 to 3 are on one host and 4 to 7 on
/// another, between which a link moves so many bytes a second. Returns the exit status.
int benchHosts(double bytesPerSecond);
/// Two-dimensional reshards beside ScaLAPACK's pdgemr2d.
void benchScalapack();

} // namespace shardwise::bench
