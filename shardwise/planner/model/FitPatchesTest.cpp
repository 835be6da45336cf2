// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Figures of patches are those of the model that times were made by, and possible ones of any
// times.

#include "shardwise/planner/model/FitPatches.h"

#include <gtest/gtest.h>

#include <cmath>

namespace shardwise::planner {
namespace {

TEST(FitPatchesTest, theModelIsFoundAgain) {
  DeviceSpeeds device;
  for (double rate : {1e9, 3e10})
    for (double runSeconds : {0.0, 1e-9, 1e-8}) {
      device.rateOf(Access::Patch) = rate;
      device.patchRunSeconds = runSeconds;
      ConvolutionTimes longRuns{{4e8, 1e6}, 0, 1e-3}, shortRuns{{3e8, 5e6}, 0, 2e-3};
      for (ConvolutionTimes *times : {&longRuns, &shortRuns})
        times->seconds = times->productSeconds + device.secondsOf(times->patches);
      FittedPatches fitted = fitPatches(longRuns, shortRuns);
      EXPECT_NEAR(fitted.bytesPerSecond, rate, 1e-6 * rate);
      EXPECT_NEAR(fitted.runSeconds, runSeconds, 1e-15 + 1e-6 * runSeconds);
    }
}

TEST(FitPatchesTest, timesThatContradictEachOtherGivePossibleFigures) {
  PatchCopies few{1e9, 1e6}, many{1e9, 1e7};
  // Short runs are no quicker than long ones.
  EXPECT_EQ(fitPatches({few, 2, 1}, {many, 1.5, 1}).runSeconds, 0);
  // Patches take some time even where convolutions were quicker than products.
  FittedPatches quick = fitPatches({few, 1, 2}, {many, 1, 2});
  EXPECT_DOUBLE_EQ(quick.bytesPerSecond, 1e10);
  EXPECT_EQ(quick.runSeconds, 0);
  // Bytes take some time even where runs seem to take it all.
  FittedPatches slow = fitPatches({few, 1.1, 1}, {many, 100, 1});
  EXPECT_TRUE(std::isfinite(slow.bytesPerSecond) && slow.bytesPerSecond > 0);
  EXPECT_NEAR(slow.runSeconds, 0.9 * 0.11 / 1e6, 1e-8);
}

} // namespace
} // namespace shardwise::planner
