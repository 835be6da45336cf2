// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a reducing collective combines elements, as the runtime wants it.

#pragma once

#include "shardwise/execute/thunks/BlockCode.h"
#include "shardwise/runtime/Reducer.h"

#include <optional>
#include <utility>

namespace shardwise::execute {

/// Combines elements of one type: by a function that the runtime knows, or by region code.
class CollectiveFold {
public:
  CollectiveFold() = default;
  explicit CollectiveFold(runtime::Reducer known) : known(std::move(known)) {}
  /// `code` takes two elements of one type to one.
  explicit CollectiveFold(RegionCode code) : code(std::move(code)) {}

  /// Returns the reducer; valid as long as this and `frame`.
  runtime::Reducer reducer(const Frame &frame) const;
  /// Buffers that the region reads.
  const std::vector<BufferId> &captured() const { return code.captured; }

private:
  std::optional<runtime::Reducer> known;
  RegionCode code; ///< Otherwise.
};

} // namespace shardwise::execute
