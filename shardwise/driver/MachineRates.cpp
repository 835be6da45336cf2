// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What devices reach: two small programs, run by all of them at once, on the kernels that programs
// run on.

#include "shardwise/driver/MeasuredProgram.h"
#include "shardwise/driver/MeasuredTexts.h"
#include "shardwise/driver/RunProfile.h"

#include <algorithm>
#include <limits>

namespace shardwise::driver {
namespace {

constexpr int64_t kSize = 256;
constexpr int kProducts = 8;
/// The best run counts, as it is the one with the least of what else the machine does.
constexpr int kRuns = 3;

/// Seconds that a device spends in the thunks of the program, on average, at best.
Result<double> secondsOf(const std::string &text, int64_t numDevices) {
  auto runs = runMeasured(text, numDevices, {.runs = kRuns});
  if (!runs)
    return runs.error();
  double best = std::numeric_limits<double>::infinity();
  for (const MeasuredRun &run : *runs)
    best = std::min(best, run.thunkSeconds);
  return best;
}

} // namespace

Result<MachineRates> measureRates(int64_t numDevices) {
  // Larger than caches, but not so many that the devices need gigabytes.
  int64_t elements = std::clamp<int64_t>((int64_t{1} << 24) / numDevices, 1 << 18, 1 << 22);
  MeasuredText products = productsText("f32", kSize, kProducts);
  Result<double> computing = secondsOf(products.text, numDevices);
  if (!computing)
    return computing.error();
  MeasuredText sums = sumsText(elements, 1);
  Result<double> moving = secondsOf(sums.text, numDevices);
  if (!moving)
    return moving.error();
  return MachineRates{products.amount / std::max(*computing, 1e-9),
                      sums.amount / std::max(*moving, 1e-9)};
}

} // namespace shardwise::driver
