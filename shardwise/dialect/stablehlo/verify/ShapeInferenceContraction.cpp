// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of dot_general, of windows and of convolutions.

#include "shardwise/dialect/stablehlo/verify/ShapeInference.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

#include <fmt/format.h>

namespace shardwise::stablehlo {

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

/// Marks the batching and contracting dimensions of one operand. Fails unless they are
/// distinct and in range.
static Result<llvm::SmallBitVector> markDotDims(ShapeRef shape, DimsRef batching,
                                                DimsRef contracting, const char *side) {
  int64_t rank = shape.size();
  llvm::SmallBitVector marked(rank);
  for (DimsRef dims : {batching, contracting})
    for (int64_t dim : dims) {
      if (dim < 0 || dim >= rank)
        return invalid(fmt::format("{} dimension value {} is outside [0, {})", side, dim, rank));
      if (marked.test(dim))
        return invalid(fmt::format("has duplicated dimension {} among the {} batching and "
                                   "contracting dimensions",
                                   dim, side));
      marked.set(dim);
    }
  return marked;
}

/// Fails unless two lists have one length and pair dimensions of one size.
static Result<void> checkPairedDims(ShapeRef lhs, ShapeRef rhs, DimsRef lhsDims, DimsRef rhsDims,
                                    const char *what) {
  for (auto [lhsDim, rhsDim] : llvm::zip(lhsDims, rhsDims))
    if (!sizesMatch(lhs[lhsDim], rhs[rhsDim]))
      return invalid(fmt::format("{} dimension sizes must match for lhs/rhs: dimension {} of lhs "
                                 "is {}, dimension {} of rhs is {}",
                                 what, lhsDim, lhs[lhsDim], rhsDim, rhs[rhsDim]));
  return {};
}

Result<Shape> dotGeneralShape(ShapeRef lhs, ShapeRef rhs, const DotDims &dims) {
  // dot_general (C2): lists have one length
  if (dims.lhsBatching.size() != dims.rhsBatching.size())
    return invalid(fmt::format("lhs and rhs should have the same number of batching dimensions, "
                               "got {} and {}",
                               dims.lhsBatching.size(), dims.rhsBatching.size()));
  if (dims.lhsContracting.size() != dims.rhsContracting.size())
    return invalid(fmt::format("lhs and rhs should have the same number of contracting "
                               "dimensions, got {} and {}",
                               dims.lhsContracting.size(), dims.rhsContracting.size()));
  // dot_general (C3): the dimensions of one operand are distinct and in range
  Result<llvm::SmallBitVector> lhsMarked =
      markDotDims(lhs, dims.lhsBatching, dims.lhsContracting, "lhs");
  if (!lhsMarked)
    return lhsMarked.error();
  Result<llvm::SmallBitVector> rhsMarked =
      markDotDims(rhs, dims.rhsBatching, dims.rhsContracting, "rhs");
  if (!rhsMarked)
    return rhsMarked.error();
  // dot_general (C4): paired dimensions have one size
  if (Result<void> checked =
          checkPairedDims(lhs, rhs, dims.lhsBatching, dims.rhsBatching, "batching");
      !checked)
    return checked.error();
  if (Result<void> checked =
          checkPairedDims(lhs, rhs, dims.lhsContracting, dims.rhsContracting, "contracting");
      !checked)
    return checked.error();

  Shape result;
  for (int64_t dim : dims.lhsBatching)
    result.push_back(lhs[dim]);
  for (auto [dim, size] : llvm::enumerate(lhs))
    if (!lhsMarked->test(dim))
      result.push_back(size);
  for (auto [dim, size] : llvm::enumerate(rhs))
    if (!rhsMarked->test(dim))
      result.push_back(size);
  return result;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Extent of `size` elements `dilation` apart.
static int64_t dilatedSize(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : saturatingAdd(saturatingMultiply(size - 1, dilation), 1);
}

int64_t windowOutputSize(int64_t size, const WindowDim &window) {
  if (size == kDynamic || window.size == kDynamic)
    return kDynamic;
  int64_t padded =
      saturatingAdd(saturatingAdd(window.low, window.high), dilatedSize(size, window.baseDilation));
  int64_t extent = dilatedSize(window.size, window.windowDilation);
  if (padded <= 0 || extent > padded)
    return 0;
  return (padded - extent) / window.stride + 1;
}

/// Fails if a list is given and has not one positive entry per dimension.
static Result<void> checkWindowList(DimsRef list, size_t rank, const char *what) {
  if (list.empty())
    return {};
  if (list.size() != rank)
    return invalid(fmt::format("expects {} to have dimension-size equal to size of window "
                               "dimensions ({}), but got: {}",
                               what, rank, list.size()));
  for (auto [dim, value] : llvm::enumerate(list))
    if (value <= 0)
      return invalid(fmt::format("expects window to have positive value for {}-th {}, but got {}",
                                 dim, what, value));
  return {};
}

Result<Window> makeWindow(ShapeRef sizes, DimsRef strides, llvm::ArrayRef<int64_t> padding,
                          DimsRef baseDilations, DimsRef windowDilations) {
  size_t rank = sizes.size();
  // window (C1): one positive stride and dilation per dimension
  const std::pair<DimsRef, const char *> lists[] = {{strides, "window_strides"},
                                                    {baseDilations, "base dilation"},
                                                    {windowDilations, "window dilation"}};
  for (const auto &[list, what] : lists)
    if (Result<void> checked = checkWindowList(list, rank, what); !checked)
      return checked.error();
  // window (C2): one (low, high) pair per dimension
  if (!padding.empty() && padding.size() != 2 * rank)
    return invalid(fmt::format("expects padding to have {} (low, high) pairs, but got {}", rank,
                               padding.size() / 2));
  Window window(rank);
  for (auto [dim, entry] : llvm::enumerate(window)) {
    // window (C3): sizes are positive
    entry.size = sizes[dim];
    if (entry.size != kDynamic && entry.size <= 0)
      return invalid(fmt::format("expects window to have positive value for {}-th window "
                                 "dimension, but got {}",
                                 dim, entry.size));
    if (!strides.empty())
      entry.stride = strides[dim];
    if (!baseDilations.empty())
      entry.baseDilation = baseDilations[dim];
    if (!windowDilations.empty())
      entry.windowDilation = windowDilations[dim];
    if (!padding.empty()) {
      entry.low = padding[2 * dim];
      entry.high = padding[2 * dim + 1];
    }
  }
  return window;
}

Result<Shape> windowShape(ShapeRef operand, const Window &window) {
  // window (C4): one size per dimension
  if (operand.size() != window.size())
    return invalid(fmt::format("expects window-dimensions size == operand rank, but got "
                               "window-dimensions size: {} and operand rank: {}",
                               window.size(), operand.size()));
  Shape result;
  for (auto [size, dim] : llvm::zip(operand, window))
    result.push_back(windowOutputSize(size, dim));
  return result;
}

//===----------------------------------------------------------------------===//
// convolution
//===----------------------------------------------------------------------===//

/// Fails unless the dimensions of one tensor are a permutation of 0 .. rank - 1.
static Result<void> checkConvDims(int64_t rank, int64_t first, int64_t second, DimsRef spatial,
                                  const char *what) {
  if (static_cast<int64_t>(spatial.size()) + 2 != rank)
    return invalid(fmt::format("expects {} spatial dimensions of {} to be rank - 2, got rank {}",
                               spatial.size(), what, rank));
  Shape all(spatial);
  all.push_back(first);
  all.push_back(second);
  return checkDims(all, rank, what);
}

/// The checks on features, batch and group counts.
static Result<void> checkConvGroups(ShapeRef lhs, ShapeRef rhs, const ConvDims &dims,
                                    int64_t featureGroups, int64_t batchGroups) {
  // convolution (C3): group counts are positive and not both above 1
  if (featureGroups <= 0)
    return invalid(
        fmt::format("expects feature_group_count to be a positive number, got {}", featureGroups));
  if (batchGroups <= 0)
    return invalid(
        fmt::format("expects batch_group_count to be a positive number, got {}", batchGroups));
  if (featureGroups > 1 && batchGroups > 1)
    return invalid(fmt::format("expects batch_group_count and feature_group_count not to be both "
                               "greater than 1, got {} and {}",
                               batchGroups, featureGroups));
  int64_t batch = lhs[dims.inputBatch], features = lhs[dims.inputFeature];
  int64_t kernelIn = rhs[dims.kernelInputFeature], kernelOut = rhs[dims.kernelOutputFeature];
  // convolution (C4): batch_group_count divides the batch
  if (batch != kDynamic && batch % batchGroups != 0)
    return invalid(fmt::format("expects input batch dimension ({}) to be divisible by "
                               "batch_group_count, got batch_group_count = {}",
                               batch, batchGroups));
  if (features != kDynamic) {
    // convolution (C5): feature_group_count divides the input features
    if (features % featureGroups != 0)
      return invalid(fmt::format("expects input feature dimension ({}) to be a multiple of "
                                 "feature_group_count, got feature_group_count = {}",
                                 features, featureGroups));
    // convolution (C6): kernel input features are the features of a group
    if (!sizesMatch(features / featureGroups, kernelIn))
      return invalid(fmt::format("expects input feature dimension ({}) / feature_group_count = "
                                 "kernel input feature dimension ({}), got feature_group_count = "
                                 "{}",
                                 features, kernelIn, featureGroups));
  }
  // convolution (C7): both counts divide the kernel output features
  if (kernelOut == kDynamic)
    return {};
  if (kernelOut % batchGroups != 0)
    return invalid(fmt::format("expects output feature dimension size ({}) to be a multiple of "
                               "batch_group_count, got batch_group_count = {}",
                               kernelOut, batchGroups));
  if (kernelOut % featureGroups != 0)
    return invalid(fmt::format("expects kernel output feature dimension ({}) to be divisible by "
                               "feature_group_count, got feature_group_count = {}",
                               kernelOut, featureGroups));
  return {};
}

Result<Shape> convolutionShape(ShapeRef lhs, ShapeRef rhs, const ConvDims &dims,
                               const ConvWindow &window, int64_t featureGroups,
                               int64_t batchGroups) {
  // convolution (C8): equal ranks of at least 2
  int64_t rank = lhs.size();
  if (lhs.size() != rhs.size())
    return invalid(fmt::format("expects convolution arguments to have same number of dimensions, "
                               "got {} and {}",
                               lhs.size(), rhs.size()));
  if (rank < 2)
    return invalid(
        fmt::format("expects convolution arguments to have >= 2 dimensions, got {}", rank));
  // convolution (C9): dimension numbers are distinct and in range
  if (Result<void> checked =
          checkConvDims(rank, dims.inputBatch, dims.inputFeature, dims.inputSpatial, "input");
      !checked)
    return checked.error();
  if (Result<void> checked = checkConvDims(rank, dims.kernelInputFeature, dims.kernelOutputFeature,
                                           dims.kernelSpatial, "kernel");
      !checked)
    return checked.error();
  if (Result<void> checked =
          checkConvDims(rank, dims.outputBatch, dims.outputFeature, dims.outputSpatial, "output");
      !checked)
    return checked.error();
  if (Result<void> checked = checkConvGroups(lhs, rhs, dims, featureGroups, batchGroups); !checked)
    return checked.error();
  // convolution (C10): one positive stride and dilation, one padding pair and one reversal per
  // spatial dimension
  int64_t numSpatial = rank - 2;
  if (window.numReversal > 0 && window.numReversal != numSpatial)
    return invalid(fmt::format("expects window_reversal to have {} entries, but got {}", numSpatial,
                               window.numReversal));
  Shape windowSizes;
  for (int64_t dim : dims.kernelSpatial)
    windowSizes.push_back(rhs[dim]);
  // An empty kernel is legal and covers nothing; its window has no positive size to check.
  Shape checkedSizes = windowSizes;
  for (int64_t &size : checkedSizes)
    if (size == 0)
      size = 1;
  Result<Window> made = makeWindow(checkedSizes, window.strides, window.padding, window.lhsDilation,
                                   window.rhsDilation);
  if (!made)
    return made.error();

  Shape result(rank);
  int64_t batch = lhs[dims.inputBatch];
  result[dims.outputBatch] = batch == kDynamic ? kDynamic : batch / batchGroups;
  result[dims.outputFeature] = rhs[dims.kernelOutputFeature];
  for (int64_t i = 0; i < numSpatial; ++i) {
    (*made)[i].size = windowSizes[i];
    result[dims.outputSpatial[i]] = windowOutputSize(lhs[dims.inputSpatial[i]], (*made)[i]);
  }
  return result;
}

} // namespace shardwise::stablehlo
