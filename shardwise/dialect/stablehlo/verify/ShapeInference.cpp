// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of the ops that move data, of reductions and of collectives.
//
// A dynamic size matches any, and a result size is dynamic where the inputs do not decide it.
// Arithmetic saturates: sizes come from a file, and one that wrapped around could pass as valid.

#include "shardwise/dialect/stablehlo/verify/ShapeInference.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardwise::stablehlo {

static std::string text(DimsRef dims) {
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

/// `[4, ?]`.
static std::string shapeText(ShapeRef shape) {
  std::string result = "[";
  for (auto [dim, size] : llvm::enumerate(shape))
    result += (dim ? ", " : "") + (size == kDynamic ? std::string("?") : std::to_string(size));
  return result + "]";
}

bool shapesMatch(ShapeRef a, ShapeRef b) {
  return a.size() == b.size() &&
         llvm::all_of_zip(a, b, [](int64_t x, int64_t y) { return sizesMatch(x, y); });
}

Result<void> checkDims(DimsRef dims, int64_t rank, const char *what) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return invalid(fmt::format("{} has dimension {} outside [0, {})", what, dim, rank));
    if (seen.test(dim))
      return invalid(fmt::format("{} has duplicate dimension {}", what, dim));
    seen.set(dim);
  }
  return {};
}

/// Fails unless a list has one entry per dimension.
static Result<void> checkLength(size_t length, size_t rank, const char *what) {
  if (length == rank)
    return {};
  return invalid(fmt::format("the number of {} ({}) does not match the rank of operand ({})", what,
                             length, rank));
}

Result<void> checkBroadcastInDim(ShapeRef operand, DimsRef dims, ShapeRef result) {
  // broadcast_in_dim (C1): one broadcast dimension per operand dimension
  if (dims.size() != operand.size())
    return invalid(fmt::format("broadcast_dimensions size ({}) does not match operand rank ({})",
                               dims.size(), operand.size()));
  // broadcast_in_dim (C2): broadcast dimensions are unique and in range of the result
  if (Result<void> checked = checkDims(dims, result.size(), "broadcast_dimensions"); !checked)
    return checked;
  // broadcast_in_dim (C3): sizes are 1 or equal
  for (auto [index, dim] : llvm::enumerate(dims))
    if (operand[index] != 1 && !sizesMatch(operand[index], result[dim]))
      return invalid(fmt::format("size of operand dimension {} ({}) is not equal to 1 or size of "
                                 "result dimension {} ({})",
                                 index, operand[index], dim, result[dim]));
  return {};
}

/// Number of elements, or kDynamic.
static int64_t numElements(ShapeRef shape) {
  if (llvm::is_contained(shape, kDynamic))
    return kDynamic;
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    count = saturatingMultiply(count, size);
  return count;
}

Result<void> checkReshape(ShapeRef operand, ShapeRef result) {
  // reshape (C1): element counts are equal
  int64_t before = numElements(operand), after = numElements(result);
  if (sizesMatch(before, after))
    return {};
  return invalid(fmt::format("number of output elements ({}) doesn't match expected number of "
                             "elements ({})",
                             after, before));
}

Result<Shape> transposeShape(ShapeRef operand, DimsRef permutation) {
  // transpose (C1): permutation is a permutation of the dimensions
  if (permutation.size() != operand.size())
    return invalid(fmt::format("operand rank {} does not match permutation size {}", operand.size(),
                               permutation.size()));
  if (Result<void> checked = checkDims(permutation, operand.size(), "permutation"); !checked)
    return invalid(fmt::format("attribute permutation must be a permutation of [0, {}), got {}",
                               operand.size(), text(permutation)));
  Shape result;
  for (int64_t dim : permutation)
    result.push_back(operand[dim]);
  return result;
}

Result<Shape> sliceShape(ShapeRef operand, DimsRef start, DimsRef limit, DimsRef strides) {
  // slice (C1): one start, limit and stride per dimension
  size_t rank = operand.size();
  if (Result<void> checked = checkLength(start.size(), rank, "start_indices"); !checked)
    return checked.error();
  if (Result<void> checked = checkLength(limit.size(), rank, "limit_indices"); !checked)
    return checked.error();
  if (Result<void> checked = checkLength(strides.size(), rank, "strides"); !checked)
    return checked.error();
  Shape result;
  for (size_t dim = 0; dim < rank; ++dim) {
    // slice (C2): 0 <= start <= limit <= size, stride > 0
    if (start[dim] < 0)
      return invalid(fmt::format("negative start index {} in dimension {}", start[dim], dim));
    if (operand[dim] != kDynamic && limit[dim] > operand[dim])
      return invalid(fmt::format("limit index {} is larger than dimension size {} in dimension {}",
                                 limit[dim], operand[dim], dim));
    if (start[dim] > limit[dim])
      return invalid(fmt::format("start index {} is larger than limit index {} in dimension {}",
                                 start[dim], limit[dim], dim));
    if (strides[dim] <= 0)
      return invalid(
          fmt::format("stride must be positive but got {} in dimension {}", strides[dim], dim));
    int64_t length = limit[dim] - start[dim];
    result.push_back(length / strides[dim] + (length % strides[dim] != 0));
  }
  return result;
}

/// Fails unless there is one start index per dimension.
static Result<void> checkNumStartIndices(int64_t numStartIndices, ShapeRef operand) {
  if (numStartIndices == static_cast<int64_t>(operand.size()))
    return {};
  return invalid(fmt::format("has mismatched number of start indices ({}) and the rank of "
                             "operand ({})",
                             numStartIndices, operand.size()));
}

Result<Shape> dynamicSliceShape(ShapeRef operand, int64_t numStartIndices, DimsRef sliceSizes) {
  // dynamic_slice (C1): one slice size and one start index per dimension
  if (sliceSizes.size() != operand.size())
    return invalid(fmt::format("has mismatched number of slice sizes ({}) and number of start "
                               "indices ({})",
                               sliceSizes.size(), numStartIndices));
  if (Result<void> checked = checkNumStartIndices(numStartIndices, operand); !checked)
    return checked.error();
  // dynamic_slice (C2): 0 <= slice size <= dimension
  for (auto [dim, size] : llvm::enumerate(sliceSizes)) {
    if (size < 0)
      return invalid(fmt::format("has negative size index to dynamic slice: {}", size));
    if (operand[dim] != kDynamic && size > operand[dim])
      return invalid(fmt::format("has slice size {} greater than dimension size {} in dimension "
                                 "{} of operand",
                                 size, operand[dim], dim));
  }
  return Shape(sliceSizes);
}

Result<Shape> dynamicUpdateSliceShape(ShapeRef operand, ShapeRef update, int64_t numStartIndices) {
  // dynamic_update_slice (C1): equal ranks
  if (operand.size() != update.size())
    return invalid(fmt::format("update rank does not match operand rank: {} vs {}", update.size(),
                               operand.size()));
  // dynamic_update_slice (C2): one start index per dimension
  if (numStartIndices != static_cast<int64_t>(operand.size()))
    return invalid(fmt::format("expects number of start_indices to match operand rank: {} vs {}",
                               numStartIndices, operand.size()));
  // dynamic_update_slice (C3): update sizes do not exceed operand sizes
  for (auto [dim, size] : llvm::enumerate(update))
    if (size != kDynamic && operand[dim] != kDynamic && size > operand[dim])
      return invalid(fmt::format("expects size at dimension {} of update to be in range [0, {}], "
                                 "got {}",
                                 dim, operand[dim], size));
  return Shape(operand);
}

Result<Shape> concatenateShape(llvm::ArrayRef<ShapeRef> inputs, int64_t dim) {
  // concatenate (C1): at least one operand of rank 1 or more; the dimension is in range
  if (inputs.empty())
    return invalid("concatenate needs at least one operand");
  int64_t rank = inputs[0].size();
  if (rank == 0)
    return invalid("rank-0 values cannot be concatenated");
  if (dim < 0 || dim >= rank)
    return invalid(fmt::format("concatenate dimension {} is outside [0, {})", dim, rank));
  Shape result(inputs[0]);
  for (auto [index, input] : llvm::enumerate(inputs.drop_front())) {
    // concatenate (C2): one rank, equal sizes except along the dimension
    if (static_cast<int64_t>(input.size()) != rank)
      return invalid(fmt::format("operands (0) and ({}) do not match rank: {} vs {}", index + 1,
                                 rank, input.size()));
    for (int64_t i = 0; i < rank; ++i) {
      if (i == dim)
        continue;
      if (!sizesMatch(result[i], input[i]))
        return invalid(fmt::format("shapes of operand (0) and ({}) do not match at "
                                   "non-concat index: {} vs {} at non-concat index {}",
                                   index + 1, shapeText(inputs[0]), shapeText(input), i));
      if (result[i] == kDynamic)
        result[i] = input[i];
    }
    bool known = result[dim] != kDynamic && input[dim] != kDynamic;
    result[dim] = known ? saturatingAdd(result[dim], input[dim]) : kDynamic;
  }
  return result;
}

Result<Shape> padShape(ShapeRef operand, DimsRef low, DimsRef high, DimsRef interior) {
  // pad (C1): one low, high and interior size per dimension
  size_t rank = operand.size();
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return invalid(fmt::format("edge_padding_low length ({}), edge_padding_high length ({}) and "
                               "interior_padding length ({}) must match operand rank ({})",
                               low.size(), high.size(), interior.size(), rank));
  Shape result;
  for (size_t dim = 0; dim < rank; ++dim) {
    // pad (C2): interior padding is not negative
    if (interior[dim] < 0)
      return invalid(fmt::format("interior padding cannot be negative, but got {} in dimension {}",
                                 interior[dim], dim));
    if (operand[dim] == kDynamic) {
      result.push_back(kDynamic);
      continue;
    }
    // pad (C3): no result size is negative
    int64_t holes = saturatingMultiply(std::max<int64_t>(operand[dim] - 1, 0), interior[dim]);
    int64_t size =
        saturatingAdd(saturatingAdd(operand[dim], holes), saturatingAdd(low[dim], high[dim]));
    if (size < 0)
      return invalid(
          fmt::format("padding results in negative size {} for dimension {}", size, dim));
    result.push_back(size);
  }
  return result;
}

Result<Shape> reduceShape(ShapeRef operand, DimsRef dims) {
  // reduce (C2): dimensions are unique and in range
  if (Result<void> checked = checkDims(dims, operand.size(), "dimensions"); !checked)
    return checked.error();
  llvm::SmallBitVector reduced(operand.size());
  for (int64_t dim : dims)
    reduced.set(dim);
  Shape result;
  for (auto [dim, size] : llvm::enumerate(operand))
    if (!reduced.test(dim))
      result.push_back(size);
  return result;
}

Result<Shape> fftShape(ShapeRef operand, FftKind kind, DimsRef lengths) {
  // fft (C2): 1 to 3 lengths, at most the rank
  size_t count = lengths.size();
  if (count < 1 || count > 3)
    return invalid(fmt::format("rank must be between 1 and 3, but got {}", count));
  if (operand.size() < count)
    return invalid(fmt::format("operand rank must not be less than fft rank of {} for operand of "
                               "rank {}",
                               count, operand.size()));
  Shape result(operand);
  size_t first = operand.size() - count;
  for (size_t i = 0; i < count; ++i) {
    // fft (C3): trailing sizes are the lengths; of an IRFFT the last one is length / 2 + 1
    bool half = kind == FftKind::Irfft && i + 1 == count;
    int64_t expected = !half ? lengths[i] : lengths[i] == 0 ? 0 : lengths[i] / 2 + 1;
    if (!sizesMatch(operand[first + i], expected))
      return invalid(fmt::format("size {} of operand dimension {} must be {} for fft_length {}",
                                 operand[first + i], first + i, expected, text(lengths)));
  }
  if (kind == FftKind::Rfft && result.back() != kDynamic && result.back() != 0)
    result.back() = lengths.back() / 2 + 1;
  if (kind == FftKind::Irfft)
    result.back() = lengths.back();
  return result;
}

Result<Shape> triangularSolveShape(ShapeRef a, ShapeRef b, bool leftSide) {
  // triangular_solve (C3): equal ranks of at least 2, equal batch sizes
  if (a.size() < 2 || a.size() != b.size())
    return invalid(fmt::format("operands must have equal rank of at least 2, got {} and {}",
                               a.size(), b.size()));
  size_t rank = a.size();
  if (!shapesMatch(a.drop_back(2), b.drop_back(2)))
    return invalid(fmt::format("leading batch dimensions of the operands must be same, but got {} "
                               "and {}",
                               shapeText(a.drop_back(2)), shapeText(b.drop_back(2))));
  // triangular_solve (C4): a is square; its size is that of the shared dimension of b
  if (!sizesMatch(a[rank - 1], a[rank - 2]))
    return invalid(fmt::format("two minor dimensions of operand 'a' must have equal size, but got "
                               "{}",
                               shapeText(a)));
  int64_t shared = leftSide ? b[rank - 2] : b[rank - 1];
  if (!sizesMatch(a[rank - 1], shared))
    return invalid(fmt::format("shared dimension of operands 'a' and 'b' does not match: {} vs {}",
                               a[rank - 1], shared));
  return Shape(b);
}

/// Fails unless shapes have one rank, `dim` is in range and the sizes of all other dimensions
/// are equal.
static Result<void> checkEqualExcept(ShapeRef operand, ShapeRef result, int64_t dim,
                                     const char *what) {
  if (operand.size() != result.size())
    return invalid(fmt::format("operand and return must have the same rank, got {} and {}",
                               operand.size(), result.size()));
  if (dim < 0 || dim >= static_cast<int64_t>(operand.size()))
    return invalid(fmt::format("{} {} is outside [0, {})", what, dim, operand.size()));
  for (int64_t i = 0, rank = operand.size(); i < rank; ++i)
    if (i != dim && !sizesMatch(operand[i], result[i]))
      return invalid(fmt::format("operand and result should have the same shape except for the "
                                 "dimension size at {} {}, got {} and {} in dimension {}",
                                 what, dim, operand[i], result[i], i));
  return {};
}

Result<void> checkAllGather(ShapeRef operand, ShapeRef result, int64_t dim) {
  if (Result<void> checked = checkEqualExcept(operand, result, dim, "all_gather_dim"); !checked)
    return checked;
  if (operand[dim] == kDynamic || result[dim] == kDynamic)
    return {};
  // all_gather (C4): the operand size is not 0 and divides the result size
  if (operand[dim] == 0)
    return invalid("operand gather dimension cannot be zero");
  if (result[dim] % operand[dim] != 0)
    return invalid(fmt::format("result gather dimension has size {}, expected to be a multiple of "
                               "operand gather dimension size {}",
                               result[dim], operand[dim]));
  return {};
}

Result<void> checkReduceScatter(ShapeRef operand, ShapeRef result, int64_t dim) {
  if (Result<void> checked = checkEqualExcept(operand, result, dim, "scatter_dimension"); !checked)
    return checked;
  if (operand[dim] == kDynamic || result[dim] == kDynamic)
    return {};
  // reduce_scatter (C3): neither size is 0, the result size divides the operand size
  if (operand[dim] == 0 || result[dim] == 0)
    return invalid(fmt::format("operand and result scatter dimension cannot be zero, got {} and "
                               "{}",
                               operand[dim], result[dim]));
  if (operand[dim] % result[dim] != 0)
    return invalid(fmt::format("operand scatter dimension has size {}, expected to be a multiple "
                               "of result scatter dimension size {}",
                               operand[dim], result[dim]));
  return {};
}

Result<Shape> allToAllShape(ShapeRef operand, int64_t splitDim, int64_t concatDim,
                            int64_t splitCount) {
  // all_to_all (C2): dimensions are in range, the count is positive
  int64_t rank = operand.size();
  if (splitDim < 0 || splitDim >= rank)
    return invalid(fmt::format("all_to_all split_dimension {} is outside [0, {})", splitDim, rank));
  if (concatDim < 0 || concatDim >= rank)
    return invalid(
        fmt::format("all_to_all concat_dimension {} is outside [0, {})", concatDim, rank));
  if (splitCount <= 0)
    return invalid(fmt::format("all_to_all split_count must be > 0, got {}", splitCount));
  // all_to_all (C3): the count divides the split size
  Shape result(operand);
  if (result[splitDim] != kDynamic) {
    if (result[splitDim] % splitCount != 0)
      return invalid(fmt::format("split dimension has size {}, expected to be a multiple of "
                                 "split_count {}",
                                 result[splitDim], splitCount));
    result[splitDim] /= splitCount;
  }
  if (result[concatDim] != kDynamic)
    result[concatDim] = saturatingMultiply(result[concatDim], splitCount);
  return result;
}

} // namespace shardwise::stablehlo
