// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Are the outputs of a run those of the unpartitioned program, as far as that determines them?

#pragma once

#include "shardwise/driver/RunReport.h"
#include "shardwise/driver/UnpartitionedProgram.h"

#include <span>
#include <vector>

namespace shardwise::driver {

/// What the outputs of a run are compared with.
struct Comparands {
  std::span<const runtime::HostTensor> inputs;
  /// Those of the run.
  std::span<const runtime::HostTensor> outputs;
  /// What the user gave; may be empty.
  std::span<const runtime::HostTensor> expected;
};

/// Compares the outputs with the expected ones and, unless `program` is null, with what it gives,
/// and writes into `report.outputs`, which has an entry per output, and `report.verification`.
///
/// If elements are out of tolerance, and the tolerance is not the user's, the program is evaluated
/// under disturbance too, 4 times, and up to 16 while elements are left that more evaluations might
/// let pass; elements that it moves as far itself pass (Movement.h). Fails with a diagnostic if the
/// program does.
llvm::LogicalResult verifyOutputs(RunReport &report, const Comparands &comparands,
                                  UnpartitionedProgram *program, const Tolerance &tolerance);

} // namespace shardwise::driver
