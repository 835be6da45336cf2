// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// map: a region on scalars applied to blocks of elements.

#pragma once

#include "shardwise/execute/thunks/BlockCode.h"

namespace shardwise::execute {

/// result[i] = region(inputs[0][i], inputs[1][i], ...) for `count` dense elements.
class MapThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "map"; }

  RegionCode region;
  std::vector<BufferId> inputs;
  BufferId result = -1;
  BufferId scratch = -1; ///< Of the region, for a block.
  int64_t count = 0;
};

} // namespace shardwise::execute
