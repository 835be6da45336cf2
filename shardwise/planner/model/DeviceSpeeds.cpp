// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is taken where a file says nothing.

#include "shardwise/planner/model/DeviceSpeeds.h"

#include <algorithm>

namespace shardwise::planner {

double DeviceSpeeds::productFlopsPerSecond(std::string_view type) const {
  double slowest = 0;
  for (const auto &[name, flops] : flopsPerSecond) {
    if (name == type)
      return flops;
    slowest = slowest == 0 ? flops : std::min(slowest, flops);
  }
  return slowest;
}

double DeviceSpeeds::secondsPerByte(Access access) const {
  if (isApart(access))
    return 1 / rateOf(access);
  return access == Access::Patch ? 0 : 1 / memoryBytesPerSecond;
}

double DeviceSpeeds::shareOfCommonWork(int64_t times) const {
  return std::max(commonWorkShare, 1 / static_cast<double>(std::max<int64_t>(times, 1)));
}

} // namespace shardwise::planner
