// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion of whole arrays, possibly through a type in between.

#pragma once

#include "shardwise/execute/kernels/ElementKernels.h"

#include <cstddef>
#include <cstdint>

namespace shardwise::execute {

/// Converts elements from one type to a second and on to a third, as `stablehlo.convert` twice.
/// Same-size integer types differ only in name and need no conversion.
class Conversion {
public:
  Conversion() = default;
  Conversion(DataType from, DataType through, DataType to);
  Conversion(DataType from, DataType to) : Conversion(from, to, to) {}

  /// Whether the bytes stay as they are.
  bool isIdentity() const { return !first && !second; }
  /// Converts `count` dense elements. The arrays must not overlap.
  void run(const std::byte *source, std::byte *target, int64_t count) const;

private:
  ElementKernel first = nullptr;
  ElementKernel second = nullptr;
  int64_t sourceBytes = 1;
  int64_t targetBytes = 1;
};

} // namespace shardwise::execute
