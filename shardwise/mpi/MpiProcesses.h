// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks in the processes that mpirun has started.

#pragma once

#include "shardwise/runtime/Processes.h"

#include <memory>

namespace shardwise::mpi {

/// Connects the processes of MPI_COMM_WORLD; all of them call it, once. Initialises MPI unless the
/// caller has, and then ends it too. MPI must allow calls of several threads, one at a time
/// (MPI_THREAD_SERIALIZED): fails if it does not.
///
/// A process that dies takes the others along (mpirun sees to it). One that has not answered within
/// the time limit of a run, or ends with messages in flight, is given up: the destructor then calls
/// MPI_Abort, which ends all processes with exit status 1.
Result<std::unique_ptr<runtime::Processes>> connectProcesses();

} // namespace shardwise::mpi
