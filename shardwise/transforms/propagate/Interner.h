// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equal values kept once. A program has as many ops as it likes, but few different shardings and
// rules: layers repeat.

#pragma once

#include "llvm/ADT/Hashing.h"

#include <unordered_set>
#include <utility>

namespace shardwise::propagate {

/// Values of a type with `hash_value` and `==`. Addresses stay valid as long as the interner lives.
template <class T> class Interner {
public:
  /// Returns the one copy that is equal to `value`.
  const T *intern(T value) { return &*values.insert(std::move(value)).first; }

private:
  struct Hash {
    size_t operator()(const T &value) const { return static_cast<size_t>(hash_value(value)); }
  };

  std::unordered_set<T, Hash> values;
};

} // namespace shardwise::propagate
