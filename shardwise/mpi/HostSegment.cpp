// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/mpi/HostSegment.h"

#include <vector>

namespace shardwise::mpi {
namespace {

using host::HostAddress;
using host::HostProcesses;

/// What the processes of a host tell each other first.
struct Introduction {
  int64_t process = 0;
  bool shares = false;
  HostAddress address;
};

int64_t numberOf(MPI_Comm all, int (*ask)(MPI_Comm, int *)) {
  int number = 0;
  ask(all, &number);
  return number;
}

} // namespace

HostSegment::HostSegment(MPI_Comm all) : none(numberOf(all, MPI_Comm_size)) {
  int64_t process = numberOf(all, MPI_Comm_rank);
  auto shared = std::make_unique<HostProcesses>(numberOf(all, MPI_Comm_size), process);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, static_cast<int>(process), MPI_INFO_NULL, &host);
  std::optional<HostAddress> address = shared->address();
  Introduction own{process, address.has_value(), address.value_or(HostAddress{})};
  std::vector<Introduction> known(static_cast<size_t>(numberOf(host, MPI_Comm_size)));
  MPI_Allgather(&own, sizeof(own), MPI_BYTE, known.data(), sizeof(own), MPI_BYTE, host);
  int hasAll = 1;
  for (const Introduction &other : known)
    if (!other.shares ||
        (other.process != process && !shared->connect(other.process, other.address)))
      hasAll = 0;
  // All of the host have it, or none.
  int allHaveIt = 0;
  MPI_Allreduce(&hasAll, &allHaveIt, 1, MPI_INT, MPI_MIN, host);
  MPI_Comm_free(&host);
  firstProcess = known.front().process;
  if (allHaveIt != 0)
    processes = std::move(shared);
}

} // namespace shardwise::mpi
