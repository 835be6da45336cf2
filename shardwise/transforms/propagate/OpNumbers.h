// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way back from an op to its number. A table of numbers alone: the ops are in the array that
// they number, so 8 to 16 bytes an op do for what costs a hash map of pointers 20 to 40.

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace shardwise::propagate {

/// Hash table with open addressing over ops numbered from 0 on. `opOf` gives the op of a number.
class OpNumbers {
public:
  /// Makes the table of the numbers below `count`, whose ops differ.
  template <class OpOf> void build(size_t count, OpOf opOf) {
    unsigned bits = llvm::Log2_64_Ceil(2 * std::max<size_t>(count, 1));
    shift = 64 - bits;
    buckets.assign(size_t(1) << bits, kNone);
    for (size_t i = 0; i < count; ++i)
      buckets[bucketOf(opOf(static_cast<int32_t>(i)), opOf)] = static_cast<int32_t>(i);
  }

  /// Returns the number of `op`, or -1.
  template <class OpOf> int32_t find(const mlir::Operation *op, OpOf opOf) const {
    return buckets[bucketOf(op, opOf)];
  }

private:
  static constexpr int32_t kNone = -1;

  /// The bucket that has `op`, or the free one in which it belongs. At most half of all are taken.
  template <class OpOf> size_t bucketOf(const mlir::Operation *op, OpOf opOf) const {
    // Fibonacci hashing: ops lie at even distances, and neighbours must not meet.
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    size_t bucket = (reinterpret_cast<uintptr_t>(op) * kGoldenRatio) >> shift;
    while (buckets[bucket] != kNone && opOf(buckets[bucket]) != op)
      bucket = (bucket + 1) & (buckets.size() - 1);
    return bucket;
  }

  std::vector<int32_t> buckets = std::vector<int32_t>(2, kNone);
  unsigned shift = 63;
};

} // namespace shardwise::propagate
