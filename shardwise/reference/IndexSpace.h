// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Row-major index arithmetic for the evaluator's loops.

#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>

#include <cstdint>

namespace shardwise::reference {

using Index = llvm::SmallVector<int64_t, 6>;
using IndexRef = llvm::ArrayRef<int64_t>;

/// Returns the number of elements of `shape`; 1 for rank 0.
inline int64_t numElements(IndexRef shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Returns row-major strides: `[3, 1]` for shape `[2, 3]`.
inline Index stridesOf(IndexRef shape) {
  Index strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

/// Returns the sum of `index[i] * strides[i]`.
inline int64_t offsetOf(IndexRef index, IndexRef strides) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    offset += index[dim] * strides[dim];
  return offset;
}

/// Moves `index` to the next one in row-major order. Returns false after the last.
inline bool advance(Index &index, IndexRef shape) {
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (++index[dim] < shape[dim])
      return true;
    index[dim] = 0;
  }
  return false;
}

/// Calls `visit(index)` for every index of `shape` in row-major order; once for rank 0.
template <class Visit> void forEachIndex(IndexRef shape, Visit visit) {
  if (numElements(shape) == 0)
    return;
  Index index(shape.size(), 0);
  do
    visit(static_cast<const Index &>(index));
  while (advance(index, shape));
}

/// Whether `index` lies inside `shape`.
inline bool isInside(IndexRef index, IndexRef shape) {
  for (size_t dim = 0; dim < index.size(); ++dim)
    if (index[dim] < 0 || index[dim] >= shape[dim])
      return false;
  return true;
}

/// Returns the entries of `values` at `dims`.
inline Index pick(IndexRef values, IndexRef dims) {
  Index picked;
  for (int64_t dim : dims)
    picked.push_back(values[dim]);
  return picked;
}

/// Returns 0..rank-1 without the dimensions in `removed`, ascending.
inline Index otherDims(int64_t rank, IndexRef removed) {
  Index rest;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(removed, dim))
      rest.push_back(dim);
  return rest;
}

} // namespace shardwise::reference
