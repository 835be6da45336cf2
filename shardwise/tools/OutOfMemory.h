// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How programs end when memory runs out. For programs, not for libraries.

#pragma once

namespace shardwise::tools {

/// From now on, a request for memory or for a thread that cannot be met ends the process with exit
/// code 1 and one line on standard error, which begins with `program` and says what was asked for
/// and what to do. Allocations whose failure is looked at are not concerned.
void endWhenMemoryRunsOut(const char *program);

} // namespace shardwise::tools
