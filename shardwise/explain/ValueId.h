// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops and values of the program as written, by number. Ops are numbered in pre-order; the outer
// module is not counted.

#pragma once

#include <compare>
#include <cstdint>

namespace shardwise::explain {

/// A value of the program as written: result `index` of op number `op`, or argument `index` of its
/// region `region`.
struct ValueId {
  int64_t op = -1;
  /// -1 for results.
  int32_t region = -1;
  int32_t index = 0;

  bool isKnown() const { return op >= 0; }
  bool isOpResult() const { return region < 0; }
  auto operator<=>(const ValueId &) const = default;
};

/// What has a sharding: a value, or a result of the program, which has one of its own beside that
/// of the value that is returned.
struct ValueRef {
  /// Of a result of the program: the value that is returned.
  ValueId id;
  /// Number of the result of the program; -1 for values.
  int32_t result = -1;

  bool isResult() const { return result >= 0; }
  auto operator<=>(const ValueRef &) const = default;
};

/// A place in the text of the program, which begins at line 1. Line -1 is the program as a whole.
struct Place {
  int64_t line = -1;
  int64_t column = -1;

  bool operator==(const Place &) const = default;
};

} // namespace shardwise::explain
