// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results with the last place in doubt, for programs that measure their own rounding.

#pragma once

#include "shardwise/execute/thunks/Thunk.h"
#include "shardwise/runtime/Disturbance.h"

namespace shardwise::execute {

/// Copies a dense array and disturbs the copy, which may be in the same place.
class DisturbThunk final : public Thunk {
public:
  BufferId input = -1;
  BufferId output = -1;
  DataType type = DataType::F32;
  int64_t count = 0;
  runtime::Disturbance disturbance;

  Result<void> run(Frame &frame) const override {
    if (frame.at(input) != frame.at(output))
      copyBytes(frame.at(output), frame.at(input), count * runtime::byteSize(type));
    runtime::disturb(type, frame.at(output), count, disturbance);
    return {};
  }
  std::string name() const override { return "disturb"; }
};

} // namespace shardwise::execute
