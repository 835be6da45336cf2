// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sharding and the mesh it is on, and a reference by which equal ones share memory: a program has
// fewer shardings than values.

#pragma once

#include "shardwise/core/Sharding.h"
#include "shardwise/dialect/sdy/CoreHash.h"
#include "shardwise/transforms/propagate/MeshTable.h"

namespace shardwise::propagate {

/// A sharding and the mesh it is on, or nothing.
struct MeshSharding {
  MeshId mesh = kNoMesh;
  core::Sharding sharding;

  bool isSet() const { return mesh != kNoMesh; }
  bool operator==(const MeshSharding &) const = default;
};

inline llvm::hash_code hash_value(const MeshSharding &value) {
  return llvm::hash_combine(value.mesh, value.sharding);
}

/// A `MeshSharding` that equal value groups share; reads like one. Unset by default.
class SharedSharding {
public:
  SharedSharding() = default;
  explicit SharedSharding(const MeshSharding *value) : value(value) {}

  bool isSet() const { return value != nullptr; }
  /// What is shared; null if unset.
  const MeshSharding *get() const { return value; }
  operator const MeshSharding &() const {
    static const MeshSharding unset;
    return value ? *value : unset;
  }

private:
  const MeshSharding *value = nullptr;
};

} // namespace shardwise::propagate
