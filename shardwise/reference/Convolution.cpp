// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution as its definition: each output element sums over kernel positions and input features.
// An input position that is in padding, or in a hole of a dilated input, is left out, as it would
// add zero.
//
// With feature_group_count = g the input features fall into g blocks, with batch_group_count = g
// the batch does; output features fall into g blocks either way, and block j sees block j only.

#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/Operations.h"
#include "shardwise/reference/Products.h"

namespace shardwise::reference {
namespace {

/// The window attributes of one spatial dimension.
struct SpatialDim {
  int64_t size, kernel, stride, low, lhsDilation, rhsDilation;
  bool isReversed;

  /// Input position that output `out` meets with kernel element `tap`; -1 in padding or a hole.
  int64_t inputOf(int64_t out, int64_t tap) const {
    int64_t dilated = out * stride + tap * rhsDilation - low;
    if (dilated < 0 || dilated % lhsDilation != 0 || dilated / lhsDilation >= size)
      return -1;
    return dilated / lhsDilation;
  }
  int64_t kernelOf(int64_t tap) const { return isReversed ? kernel - 1 - tap : tap; }
};

template <class T> T entryOr(std::optional<llvm::ArrayRef<T>> values, size_t dim, T otherwise) {
  return values && !values->empty() ? (*values)[dim] : otherwise;
}

std::vector<SpatialDim> spatialDims(stablehlo::ConvolutionOp op, const HostTensor &lhs,
                                    const HostTensor &rhs) {
  auto numbers = op.getDimensionNumbers();
  std::vector<SpatialDim> dims;
  llvm::SmallVector<int64_t> padding;
  if (auto attr = op.getPadding())
    padding.assign(attr->getValues<int64_t>().begin(), attr->getValues<int64_t>().end());
  for (auto [dim, input] : llvm::enumerate(numbers.getInputSpatialDimensions()))
    dims.push_back({lhs.shape[input], rhs.shape[numbers.getKernelSpatialDimensions()[dim]],
                    entryOr<int64_t>(op.getWindowStrides(), dim, 1),
                    padding.empty() ? 0 : padding[2 * dim],
                    entryOr<int64_t>(op.getLhsDilation(), dim, 1),
                    entryOr<int64_t>(op.getRhsDilation(), dim, 1),
                    entryOr<bool>(op.getWindowReversal(), dim, false)});
  return dims;
}

} // namespace

HostTensor evaluate(stablehlo::ConvolutionOp op, const HostTensor &lhs, const HostTensor &rhs) {
  HostTensor result = zerosOf(op.getType());
  auto numbers = op.getDimensionNumbers();
  std::vector<SpatialDim> spatial = spatialDims(op, lhs, rhs);
  Index lhsStrides = stridesOf(lhs.shape);
  Index rhsStrides = stridesOf(rhs.shape);
  Index taps = pick(rhs.shape, numbers.getKernelSpatialDimensions());
  int64_t kernelInputs = rhs.shape[numbers.getKernelInputFeatureDimension()];
  int64_t outputs = rhs.shape[numbers.getKernelOutputFeatureDimension()];
  int64_t batchPerGroup = result.shape[numbers.getOutputBatchDimension()];
  int64_t lhsFeatureStride = lhsStrides[numbers.getInputFeatureDimension()];
  int64_t rhsFeatureStride = rhsStrides[numbers.getKernelInputFeatureDimension()];
  auto featureGroups = static_cast<int64_t>(op.getFeatureGroupCount());
  auto batchGroups = static_cast<int64_t>(op.getBatchGroupCount());

  Numbers lhsNumbers = numbersOf(lhs, result.type);
  Numbers rhsNumbers = numbersOf(rhs, result.type);
  ProductSum sum(result.type, lhsNumbers, rhsNumbers);
  int64_t position = 0;
  forEachIndex(result.shape, [&](const Index &index) {
    int64_t output = index[numbers.getOutputFeatureDimension()];
    // Group j of either kind owns block j of the kernel's output features.
    int64_t featureGroup = output / (outputs / featureGroups);
    int64_t batchGroup = output / (outputs / batchGroups);
    int64_t batch = batchGroup * batchPerGroup + index[numbers.getOutputBatchDimension()];
    int64_t lhsStart = batch * lhsStrides[numbers.getInputBatchDimension()] +
                       featureGroup * kernelInputs * lhsFeatureStride;
    // The kernel holds the input features of one group only, so no group enters on this side.
    int64_t rhsStart = output * rhsStrides[numbers.getKernelOutputFeatureDimension()];
    sum.clear();
    forEachIndex(taps, [&](const Index &tap) {
      int64_t left = lhsStart;
      int64_t right = rhsStart;
      for (size_t dim = 0; dim < spatial.size(); ++dim) {
        int64_t input =
            spatial[dim].inputOf(index[numbers.getOutputSpatialDimensions()[dim]], tap[dim]);
        if (input < 0)
          return;
        left += input * lhsStrides[numbers.getInputSpatialDimensions()[dim]];
        right +=
            spatial[dim].kernelOf(tap[dim]) * rhsStrides[numbers.getKernelSpatialDimensions()[dim]];
      }
      for (int64_t feature = 0; feature < kernelInputs; ++feature)
        sum.add(left + feature * lhsFeatureStride, right + feature * rhsFeatureStride);
    });
    store(result, position++, sum.value());
  });
  return result;
}

} // namespace shardwise::reference
