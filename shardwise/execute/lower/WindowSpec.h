// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes of sliding windows.

#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <mlir/IR/BuiltinAttributes.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace shardwise::execute {

/// Window attributes with the defaults filled in: one entry per dimension.
struct WindowSpec {
  using Optional = std::optional<llvm::ArrayRef<int64_t>>;

  std::vector<int64_t> sizes, strides, baseDilations, windowDilations, low;

  WindowSpec() = default;
  WindowSpec(size_t rank, Optional sizes, Optional strides, Optional baseDilations,
             Optional windowDilations, std::optional<mlir::DenseIntElementsAttr> padding)
      : sizes(orOnes(rank, sizes)), strides(orOnes(rank, strides)),
        baseDilations(orOnes(rank, baseDilations)), windowDilations(orOnes(rank, windowDilations)),
        low(rank, 0) {
    if (padding && *padding)
      for (size_t dim = 0; dim < rank; ++dim)
        low[dim] = padding->getValues<int64_t>()[2 * dim];
  }

  /// Position along `dim` of the base element under `tap` of result `out`; -1 in padding or holes.
  int64_t placeOf(size_t dim, int64_t out, int64_t tap, int64_t size) const {
    int64_t place = out * strides[dim] + tap * windowDilations[dim] - low[dim];
    if (place < 0 || place % baseDilations[dim] != 0)
      return -1;
    place /= baseDilations[dim];
    return place < size ? place : -1;
  }

private:
  static std::vector<int64_t> orOnes(size_t rank, Optional values) {
    return values && !values->empty() ? std::vector<int64_t>(values->begin(), values->end())
                                      : std::vector<int64_t>(rank, 1);
  }
};

} // namespace shardwise::execute
