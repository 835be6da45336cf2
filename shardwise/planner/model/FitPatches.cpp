// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of a convolution is  products + bytes / rate + runs * seconds of a run.  Two of them
// are two equations. What they take longer than products is a difference of measured times, so it
// is bounded by the whole, as is what bytes take by what the long runs do.

#include "shardwise/planner/model/FitPatches.h"

#include <algorithm>

namespace shardwise::planner {

FittedPatches fitPatches(const ConvolutionTimes &longRuns, const ConvolutionTimes &shortRuns) {
  constexpr double kLeastPart = 0.1;
  auto patchSeconds = [](const ConvolutionTimes &times) {
    return std::max(times.seconds - times.productSeconds, kLeastPart * times.seconds);
  };
  // Per byte, so that both need not have as many.
  double ofLong = patchSeconds(longRuns) / longRuns.patches.bytes;
  double ofShort = patchSeconds(shortRuns) / shortRuns.patches.bytes;
  double runsOfLong = longRuns.patches.runs / longRuns.patches.bytes;
  double runsOfShort = shortRuns.patches.runs / shortRuns.patches.bytes;
  FittedPatches fitted;
  fitted.runSeconds = std::clamp((ofShort - ofLong) / (runsOfShort - runsOfLong), 0.0,
                                 (1 - kLeastPart) * ofLong / runsOfLong);
  fitted.bytesPerSecond = 1 / (ofLong - runsOfLong * fitted.runSeconds);
  return fitted;
}

} // namespace shardwise::planner
