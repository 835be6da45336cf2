// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SIGTERM: mpirun sends it to all when one process has died, and what has died is to be told first.

#pragma once

namespace shardwise::mpi {

/// From now on SIGTERM is noted and nothing else, unless somebody handles it already.
void catchTermination();
/// Whether it has come.
bool wasTerminated();
/// Gives SIGTERM back what it does by itself, if `catchTermination` took it.
void leaveTermination();
/// Ends this process as SIGTERM does by itself.
void endAsTerminated();

} // namespace shardwise::mpi
