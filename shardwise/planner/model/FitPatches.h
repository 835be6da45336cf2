// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From measured times of convolutions to what patches take.

#pragma once

#include "shardwise/planner/model/DeviceSpeeds.h"

namespace shardwise::planner {

/// Convolutions that were timed.
struct ConvolutionTimes {
  PatchCopies patches;
  /// What they took, patches and products.
  double seconds = 0;
  /// What products of as many operations take.
  double productSeconds = 0;
};

/// The figures with which the model gives measured times.
struct FittedPatches {
  double bytesPerSecond = 0;
  double runSeconds = 0;
};

/// Returns the figures that give the times of convolutions with long runs, and of others with
/// shorter ones. Times that contradict each other, as those of a busy machine, give figures that a
/// machine can have: runs that take nothing, or patches that take a tenth of the convolution.
///
/// Example: of as many bytes, 1 GB, in runs of 1000 and of 100 bytes the one takes 1.1 s longer
/// than its products, the other 2 s. Then a run takes 100 ns, and bytes 1 s.
FittedPatches fitPatches(const ConvolutionTimes &longRuns, const ConvolutionTimes &shortRuns);

} // namespace shardwise::planner
