// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hashes of core values, so that attributes can hold them. Found by argument-dependent look-up,
// hence in the namespace of the values.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/core/ShardingRule.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"

namespace shardwise::core {

/// Hash of a list: its length and its items in order.
template <class T> llvm::hash_code hashEach(const std::vector<T> &values) {
  llvm::hash_code code = llvm::hash_value(values.size());
  for (const T &value : values) {
    using llvm::hash_value;
    code = llvm::hash_combine(code, value);
  }
  return code;
}

inline llvm::hash_code hash_value(const MeshAxis &axis) {
  return llvm::hash_combine(llvm::StringRef(axis.name), axis.size);
}
inline llvm::hash_code hash_value(const Mesh &mesh) {
  return llvm::hash_combine(hashEach(mesh.axes()), hashEach(mesh.deviceIds()));
}
inline llvm::hash_code hash_value(const SubAxis &subAxis) {
  return llvm::hash_combine(subAxis.preSize, subAxis.size);
}
// The full axis is hashed with (0)0, which is no valid sub-axis.
inline llvm::hash_code hash_value(const AxisRef &axis) {
  return llvm::hash_combine(llvm::StringRef(axis.name), axis.subAxis.value_or(SubAxis{0, 0}));
}
inline llvm::hash_code hash_value(const std::vector<AxisRef> &axes) {
  return hashEach(axes);
}
inline llvm::hash_code hash_value(const std::vector<std::vector<AxisRef>> &lists) {
  return hashEach(lists);
}
inline llvm::hash_code hash_value(const Axis &axis) {
  return llvm::hash_combine(axis.index, axis.preSize, axis.size);
}
template <class AxisT> llvm::hash_code hash_value(const BasicDimSharding<AxisT> &dim) {
  return llvm::hash_combine(hashEach(dim.axes), dim.isClosed, dim.priority.value_or(-1));
}
template <class AxisT> llvm::hash_code hash_value(const BasicSharding<AxisT> &sharding) {
  return llvm::hash_combine(hashEach(sharding.dims), hashEach(sharding.replicated),
                            hashEach(sharding.unreduced), static_cast<int>(sharding.reduction));
}

inline llvm::hash_code hashMappings(const std::vector<TensorMapping> &tensors) {
  llvm::hash_code code = llvm::hash_value(tensors.size());
  for (const TensorMapping &tensor : tensors) {
    code = llvm::hash_combine(code, tensor.size());
    for (const DimMapping &dim : tensor)
      code = llvm::hash_combine(code, hashEach(dim));
  }
  return code;
}
inline llvm::hash_code hash_value(const ShardingRule &rule) {
  return llvm::hash_combine(hashEach(rule.factorSizes), hashMappings(rule.operands),
                            hashMappings(rule.results), hashEach(rule.reduction),
                            hashEach(rule.needReplication), hashEach(rule.permutation),
                            hashEach(rule.blockedPropagation), rule.isCustom);
}

} // namespace shardwise::core
