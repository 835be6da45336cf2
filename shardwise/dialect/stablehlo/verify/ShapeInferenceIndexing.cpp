// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of gather and scatter. Both name a set of window dimensions, a set of inserted and
// batching dimensions, and a map from index components to dimensions; the checks are shared.

#include "shardwise/dialect/stablehlo/verify/ShapeInference.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

#include <fmt/format.h>

namespace shardwise::stablehlo {
namespace {

/// The names of the lists in messages; gather and scatter call them differently.
struct ListNames {
  const char *window, *inserted, *batching, *indicesBatching, *indexMap;
};
constexpr ListNames kGatherNames = {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                                    "start_indices_batching_dims", "start_index_map"};
constexpr ListNames kScatterNames = {"update_window_dims", "inserted_window_dims",
                                     "input_batching_dims", "scatter_indices_batching_dims",
                                     "scatter_dims_to_operand_dims"};

Result<void> checkSorted(DimsRef dims, const char *what) {
  if (llvm::is_sorted(dims))
    return {};
  return invalid(fmt::format("expects {} to be sorted", what));
}

/// The lists that do not depend on the result.
struct IndexedDims {
  DimsRef inserted, batching, indicesBatching, indexMap;
  int64_t indexVector;
};

/// Checks inserted and batching dimensions against the operand.
Result<void> checkInsertedDims(int64_t rank, const IndexedDims &dims, const ListNames &names) {
  if (Result<void> checked = checkSorted(dims.inserted, names.inserted); !checked)
    return checked;
  if (Result<void> checked = checkSorted(dims.batching, names.batching); !checked)
    return checked;
  if (Result<void> checked = checkDims(dims.inserted, rank, names.inserted); !checked)
    return checked;
  if (Result<void> checked = checkDims(dims.batching, rank, names.batching); !checked)
    return checked;
  for (int64_t dim : dims.inserted)
    if (llvm::is_contained(dims.batching, dim))
      return invalid(fmt::format("has duplicate dimension {} in {} and {}", dim, names.inserted,
                                 names.batching));
  return {};
}

/// Checks the index map and the batching dimensions of the indices.
Result<void> checkIndexDims(ShapeRef operand, ShapeRef indices, const IndexedDims &dims,
                            const ListNames &names) {
  int64_t rank = indices.size();
  // index_vector_dim is a dimension of the indices, or one past the last
  if (dims.indexVector < 0 || dims.indexVector > rank)
    return invalid(fmt::format("index_vector_dim {} is out of bounds for indices of rank {}",
                               dims.indexVector, rank));
  // the index map has one entry per component of the index vector
  int64_t numIndices = dims.indexVector == rank ? 1 : indices[dims.indexVector];
  if (!sizesMatch(numIndices, dims.indexMap.size()))
    return invalid(fmt::format("{} size ({}) is not equal to size of index dimension ({}) of the "
                               "indices ({})",
                               names.indexMap, dims.indexMap.size(), dims.indexVector, numIndices));
  // its entries are unique, in range and no batching dimensions
  if (Result<void> checked = checkDims(dims.indexMap, operand.size(), names.indexMap); !checked)
    return checked;
  for (int64_t dim : dims.indexMap)
    if (llvm::is_contained(dims.batching, dim))
      return invalid(fmt::format("has duplicate dimension {} in {} and {}", dim, names.indexMap,
                                 names.batching));
  // batching dimensions of the indices are unique, in range and not the index vector
  if (Result<void> checked = checkDims(dims.indicesBatching, rank, names.indicesBatching); !checked)
    return checked;
  if (llvm::is_contained(dims.indicesBatching, dims.indexVector))
    return invalid(fmt::format("expects {} not to include index_vector_dim {}",
                               names.indicesBatching, dims.indexVector));
  // they match the batching dimensions of the operand in number and size
  if (dims.batching.size() != dims.indicesBatching.size())
    return invalid(fmt::format("{} and {} should have the same size, got {} and {}", names.batching,
                               names.indicesBatching, dims.batching.size(),
                               dims.indicesBatching.size()));
  for (auto [operandDim, indexDim] : llvm::zip(dims.batching, dims.indicesBatching))
    if (!sizesMatch(operand[operandDim], indices[indexDim]))
      return invalid(fmt::format("{}[{}] and {}[{}] must have one size, got {} and {}",
                                 names.batching, operandDim, names.indicesBatching, indexDim,
                                 operand[operandDim], indices[indexDim]));
  return {};
}

/// The sizes of the indices without the index vector.
Shape batchSizes(ShapeRef indices, int64_t indexVector) {
  Shape result;
  for (auto [dim, size] : llvm::enumerate(indices))
    if (static_cast<int64_t>(dim) != indexVector)
      result.push_back(size);
  return result;
}

/// The dimensions in neither list, in order.
Shape windowDims(int64_t rank, DimsRef inserted, DimsRef batching) {
  llvm::SmallBitVector other(rank);
  for (DimsRef dims : {inserted, batching})
    for (int64_t dim : dims)
      other.set(dim);
  Shape result;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!other.test(dim))
      result.push_back(dim);
  return result;
}

/// Fails unless the lists account for every dimension of the operand.
Result<void> checkRank(int64_t rank, size_t window, const IndexedDims &dims,
                       const ListNames &names) {
  size_t sum = window + dims.inserted.size() + dims.batching.size();
  if (sum == static_cast<size_t>(rank))
    return {};
  return invalid(fmt::format("{} size ({}) plus {} size ({}) plus {} size ({}) is not equal to "
                             "operand rank ({})",
                             names.window, window, names.inserted, dims.inserted.size(),
                             names.batching, dims.batching.size(), rank));
}

/// Fails unless window dimensions are sorted, unique and below `rank`.
Result<void> checkWindowDims(DimsRef window, int64_t rank, const ListNames &names) {
  if (Result<void> checked = checkSorted(window, names.window); !checked)
    return checked;
  return checkDims(window, rank, names.window);
}

/// gather: one slice size per dimension, 0 <= size <= dimension, at most 1 where the
/// dimension does not appear in the result.
Result<void> checkSliceSizes(ShapeRef operand, const GatherDims &dims, DimsRef sliceSizes) {
  if (sliceSizes.size() != operand.size())
    return invalid(fmt::format("slice_sizes size ({}) not equal to operand rank ({})",
                               sliceSizes.size(), operand.size()));
  for (auto [dim, size] : llvm::enumerate(sliceSizes))
    if (size < 0 || (operand[dim] != kDynamic && size > operand[dim]))
      return invalid(fmt::format("slice size ({}) is out of bounds for operand dimension ({}) at "
                                 "index {}",
                                 size, operand[dim], dim));
  for (DimsRef list : {dims.collapsed, dims.operandBatching})
    for (int64_t dim : list)
      if (sliceSizes[dim] > 1)
        return invalid(fmt::format("collapsed or batching dimension {} should have slice size 0 "
                                   "or 1, got {}",
                                   dim, sliceSizes[dim]));
  return {};
}

} // namespace

Result<Shape> gatherShape(ShapeRef operand, ShapeRef indices, const GatherDims &dims,
                          DimsRef sliceSizes) {
  IndexedDims indexed{dims.collapsed, dims.operandBatching, dims.indicesBatching, dims.indexMap,
                      dims.indexVector};
  int64_t rank = operand.size();
  // gather (C1): every operand dimension is offset, collapsed or batching
  if (Result<void> checked = checkRank(rank, dims.offset.size(), indexed, kGatherNames); !checked)
    return checked.error();
  // gather (C2): collapsed and batching dimensions are sorted, unique, disjoint and in range
  if (Result<void> checked = checkInsertedDims(rank, indexed, kGatherNames); !checked)
    return checked.error();
  // gather (C3): index map and index batching dimensions
  if (Result<void> checked = checkIndexDims(operand, indices, indexed, kGatherNames); !checked)
    return checked.error();
  // gather (C4): slice sizes
  if (Result<void> checked = checkSliceSizes(operand, dims, sliceSizes); !checked)
    return checked.error();
  // gather (C5): offset_dims are sorted, unique and in range of the result
  Shape batch = batchSizes(indices, dims.indexVector);
  int64_t resultRank = batch.size() + dims.offset.size();
  if (Result<void> checked = checkWindowDims(dims.offset, resultRank, kGatherNames); !checked)
    return checked.error();

  Shape window = windowDims(rank, dims.collapsed, dims.operandBatching);
  Shape result;
  size_t nextOffset = 0, nextBatch = 0;
  for (int64_t dim = 0; dim < resultRank; ++dim) {
    bool isOffset = nextOffset < dims.offset.size() && dims.offset[nextOffset] == dim;
    result.push_back(isOffset ? sliceSizes[window[nextOffset++]] : batch[nextBatch++]);
  }
  return result;
}

Result<void> checkScatter(ShapeRef input, ShapeRef indices, ShapeRef updates,
                          const ScatterDims &dims) {
  IndexedDims indexed{dims.inserted, dims.inputBatching, dims.indicesBatching, dims.indexMap,
                      dims.indexVector};
  int64_t rank = input.size();
  // scatter (C3): every input dimension is window, inserted or batching
  if (Result<void> checked = checkRank(rank, dims.updateWindow.size(), indexed, kScatterNames);
      !checked)
    return checked;
  // scatter (C4): inserted and batching dimensions are sorted, unique, disjoint and in range
  if (Result<void> checked = checkInsertedDims(rank, indexed, kScatterNames); !checked)
    return checked;
  // scatter (C5): index map and index batching dimensions
  if (Result<void> checked = checkIndexDims(input, indices, indexed, kScatterNames); !checked)
    return checked;
  // scatter (C6): rank of the updates
  Shape batch = batchSizes(indices, dims.indexVector);
  size_t expectedRank = batch.size() + dims.updateWindow.size();
  if (updates.size() != expectedRank)
    return invalid(fmt::format("expects updates tensor must be of rank {} (rank of the indices "
                               "without index_vector_dim plus update_window_dims), got {}",
                               expectedRank, updates.size()));
  // scatter (C7): update_window_dims are sorted, unique and in range of the updates
  if (Result<void> checked = checkWindowDims(dims.updateWindow, updates.size(), kScatterNames);
      !checked)
    return checked;
  // scatter (C8): windows fit into the input; the other sizes are those of the indices
  Shape window = windowDims(rank, dims.inserted, dims.inputBatching);
  size_t nextWindow = 0, nextBatch = 0;
  for (auto [dim, size] : llvm::enumerate(updates)) {
    bool isWindow = nextWindow < dims.updateWindow.size() &&
                    dims.updateWindow[nextWindow] == static_cast<int64_t>(dim);
    if (isWindow) {
      int64_t limit = input[window[nextWindow++]];
      if (size != kDynamic && limit != kDynamic && size > limit)
        return invalid(fmt::format("expects bounds of the window dimensions of updates to not "
                                   "exceed the bounds of the input, got {} > {} in dimension {}",
                                   size, limit, dim));
      continue;
    }
    int64_t expected = batch[nextBatch++];
    if (!sizesMatch(size, expected))
      return invalid(fmt::format("expects bounds of the scatter dimensions of updates to be same "
                                 "as those of the scatter indices, got {} and {} in dimension {}",
                                 size, expected, dim));
  }
  return {};
}

} // namespace shardwise::stablehlo
