// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tensor in host memory is, without its elements.

#pragma once

#include "shardwise/runtime/DataType.h"

#include <cstdint>
#include <vector>

namespace shardwise::runtime {

/// Element type and shape of a tensor.
struct TensorType {
  DataType type = DataType::F32;
  std::vector<int64_t> shape;

  /// Memory that the elements take.
  int64_t bytes() const;
  bool operator==(const TensorType &) const = default;
};

} // namespace shardwise::runtime
