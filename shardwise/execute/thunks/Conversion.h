// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion of whole arrays, possibly through types in between.

#pragma once

#include "shardwise/execute/kernels/ElementKernels.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardwise::execute {

/// The type that elements of `type` are computed in: f32 for 8-bit floats, 8-bit integers for those
/// of 2 and 4 bits, else `type` itself.
DataType wideType(DataType type);

/// The types that a conversion goes through, last `to`. Empty if the types are equal.
/// Example: i32 to f8E5M2 goes by f64, because only floats are rounded to 8 bits.
std::vector<DataType> conversionPath(DataType from, DataType to);

/// Converts elements from one type to a second and on to a third, as `stablehlo.convert` twice.
/// Same-size integer types differ only in name and need no conversion.
class Conversion {
public:
  Conversion() = default;
  Conversion(DataType from, DataType through, DataType to);
  Conversion(DataType from, DataType to) : Conversion(from, to, to) {}

  /// Whether the bytes stay as they are.
  bool isIdentity() const { return steps.empty(); }
  /// Converts `count` dense elements. The arrays must not overlap.
  void run(const std::byte *source, std::byte *target, int64_t count) const;

private:
  std::vector<ElementKernel> steps;
  int64_t sourceBytes = 1;
  int64_t targetBytes = 1;
};

} // namespace shardwise::execute
