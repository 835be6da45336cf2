// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// convolution: from dimension numbers and window attributes to strides. The dimensions of all three
// tensors may be in any order; the thunk gets a stride for each of them instead. Example: an input
// [b, 0, 1, f] of 8x32x32x16 has strides 16384 (batch), 512 and 16 (spatial), 1 (feature).
//
// Groups: with feature_group_count = g, group j reads the input features of block j; with
// batch_group_count = g it reads block j of the batch. Either way it makes block j of the output
// features.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/ConvolutionThunk.h"
#include "shardwise/execute/thunks/Gemm.h"

#include <algorithm>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// Strides of the input; zeros without elements: it need not have memory, so no offset leads into
/// it.
Dims inputStrides(const Dims &shape) {
  if (elementCount(shape) == 0)
    return Dims(shape.size(), 0);
  return rowMajorStrides(shape);
}

template <class T> T entryOr(std::optional<llvm::ArrayRef<T>> values, size_t dim, T otherwise) {
  return values && !values->empty() ? (*values)[dim] : otherwise;
}

/// Sets groups, batch and features, and how far they lie apart.
void describeFeatures(stablehlo::ConvolutionOp op, ConvolutionThunk &thunk) {
  Dims rhsShape = typeOf(op.getRhs()).shape;
  TensorType out = typeOf(op.getResult());
  auto numbers = op.getDimensionNumbers();
  Dims lhsStrides = inputStrides(typeOf(op.getLhs()).shape);
  Dims outStrides = rowMajorStrides(out.shape);
  auto featureGroups = static_cast<int64_t>(op.getFeatureGroupCount());
  auto batchGroups = static_cast<int64_t>(op.getBatchGroupCount());
  thunk.groups = std::max(featureGroups, batchGroups);
  thunk.batch = out.shape[numbers.getOutputBatchDimension()];
  thunk.inputFeatures = rhsShape[numbers.getKernelInputFeatureDimension()];
  thunk.outputFeatures = rhsShape[numbers.getKernelOutputFeatureDimension()] / thunk.groups;
  thunk.inputBatchStride = lhsStrides[numbers.getInputBatchDimension()];
  thunk.inputFeatureStride = lhsStrides[numbers.getInputFeatureDimension()];
  // The verifier has at most one of both counts above 1.
  thunk.inputGroupStride = batchGroups > 1 ? thunk.batch * thunk.inputBatchStride
                                           : thunk.inputFeatures * thunk.inputFeatureStride;
  thunk.resultBatchStride = outStrides[numbers.getOutputBatchDimension()];
  thunk.resultFeatureStride = outStrides[numbers.getOutputFeatureDimension()];
}

/// Adds the spatial dimensions, and counts positions and taps.
void describeSpatialDims(stablehlo::ConvolutionOp op, ConvolutionThunk &thunk) {
  Dims lhsShape = typeOf(op.getLhs()).shape;
  Dims rhsShape = typeOf(op.getRhs()).shape;
  Dims outShape = typeOf(op.getResult()).shape;
  auto numbers = op.getDimensionNumbers();
  Dims lhsStrides = inputStrides(lhsShape);
  Dims outStrides = rowMajorStrides(outShape);
  llvm::SmallVector<int64_t> padding;
  if (auto attr = op.getPadding())
    padding.assign(attr->getValues<int64_t>().begin(), attr->getValues<int64_t>().end());
  for (size_t dim = 0; dim < numbers.getInputSpatialDimensions().size(); ++dim) {
    int64_t inputDim = numbers.getInputSpatialDimensions()[dim];
    int64_t kernelDim = numbers.getKernelSpatialDimensions()[dim];
    int64_t outputDim = numbers.getOutputSpatialDimensions()[dim];
    thunk.spatial.push_back({lhsShape[inputDim], lhsStrides[inputDim], outShape[outputDim],
                             rhsShape[kernelDim], entryOr<int64_t>(op.getWindowStrides(), dim, 1),
                             padding.empty() ? 0 : padding[2 * dim],
                             entryOr<int64_t>(op.getLhsDilation(), dim, 1),
                             entryOr<int64_t>(op.getRhsDilation(), dim, 1)});
    thunk.resultSpatialStrides.push_back(outStrides[outputDim]);
    thunk.numPositions *= outShape[outputDim];
    thunk.numTaps *= rhsShape[kernelDim];
  }
}

/// Returns the copy that brings the kernel to the order that `ConvolutionThunk::kernelCopy` tells,
/// with reversed taps turned around. Requires all but the types of `thunk`.
StridedCopy kernelCopyOf(stablehlo::ConvolutionOp op, const ConvolutionThunk &thunk) {
  TensorType rhs = typeOf(op.getRhs());
  auto numbers = op.getDimensionNumbers();
  Dims strides = rowMajorStrides(rhs.shape);
  int64_t outputStride = strides[numbers.getKernelOutputFeatureDimension()];
  Dims sizes = {thunk.groups};
  Dims sources = {thunk.outputFeatures * outputStride};
  int64_t offset = 0;
  auto addOutputFeatures = [&] {
    sizes.push_back(thunk.outputFeatures);
    sources.push_back(outputStride);
  };
  auto addInputFeatures = [&] {
    sizes.push_back(thunk.inputFeatures);
    sources.push_back(strides[numbers.getKernelInputFeatureDimension()]);
  };
  auto addTaps = [&] {
    for (auto [dim, kernelDim] : llvm::enumerate(numbers.getKernelSpatialDimensions())) {
      bool isReversed = entryOr<bool>(op.getWindowReversal(), dim, false);
      sizes.push_back(rhs.shape[kernelDim]);
      sources.push_back(isReversed ? -strides[kernelDim] : strides[kernelDim]);
      // A negative stride, from the last tap on.
      if (isReversed)
        offset += (rhs.shape[kernelDim] - 1) * strides[kernelDim];
    }
  };
  if (thunk.runs() == PatchRuns::Positions)
    addOutputFeatures(), addInputFeatures(), addTaps();
  else if (thunk.runs() == PatchRuns::Features)
    addTaps(), addInputFeatures(), addOutputFeatures();
  else
    addInputFeatures(), addTaps(), addOutputFeatures();
  return StridedCopy(runtime::byteSize(rhs.type), sizes, sources, rowMajorStrides(sizes), offset);
}

/// Returns the copy of a group's sums, in the order [position, batch entry, output feature], to the
/// result.
StridedCopy resultCopyOf(const ConvolutionThunk &thunk) {
  Dims sizes;
  for (const SpatialDim &dim : thunk.spatial)
    sizes.push_back(dim.outputSize);
  sizes.insert(sizes.end(), {thunk.batch, thunk.outputFeatures});
  Dims targets = thunk.resultSpatialStrides;
  targets.insert(targets.end(), {thunk.resultBatchStride, thunk.resultFeatureStride});
  return StridedCopy(runtime::byteSize(thunk.resultType), sizes, rowMajorStrides(sizes), targets);
}

/// Sets the types that are read, summed in and written, and how many elements are converted.
void describeTypes(stablehlo::ConvolutionOp op, ConvolutionThunk &thunk) {
  TensorType lhs = typeOf(op.getLhs());
  TensorType rhs = typeOf(op.getRhs());
  thunk.inputCount = elementCount(lhs.shape);
  thunk.kernelCount = elementCount(rhs.shape);
  thunk.resultType = typeOf(op.getResult()).type;
  thunk.sumType = sumTypeOf(thunk.resultType);
  thunk.inputConversion = Conversion(lhs.type, thunk.resultType, thunk.sumType);
  thunk.kernelConversion = Conversion(rhs.type, thunk.resultType, thunk.sumType);
  thunk.resultConversion = Conversion(thunk.sumType, thunk.resultType);
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::ConvolutionOp op) {
  auto thunk = std::make_unique<ConvolutionThunk>();
  describeFeatures(op, *thunk);
  describeSpatialDims(op, *thunk);
  describeTypes(op, *thunk);
  thunk->kernelCopy = kernelCopyOf(op, *thunk);
  if (thunk->isByTerms())
    thunk->resultCopy = resultCopyOf(*thunk);
  if (thunk->runs() == PatchRuns::Positions || thunk->runs() == PatchRuns::Taps)
    thunk->findLines();
  thunk->input = lowering.bufferOf(op.getLhs());
  thunk->kernel = lowering.bufferOf(op.getRhs());
  std::vector<BufferId> writes;
  auto scratch = [&](int64_t bytes) {
    writes.push_back(lowering.scratch(bytes));
    return writes.back();
  };
  int64_t sumBytes = runtime::byteSize(thunk->sumType);
  int64_t sums = thunk->numSums() * thunk->outputFeatures;
  thunk->packedKernel = scratch(typeOf(op.getRhs()).bytes());
  if (!thunk->inputConversion.isIdentity())
    thunk->convertedInput = scratch(thunk->inputCount * sumBytes);
  if (!thunk->kernelConversion.isIdentity())
    thunk->convertedKernel = scratch(thunk->kernelCount * sumBytes);
  thunk->patches = scratch(thunk->patchElements() * sumBytes);
  if (!thunk->isStoredDirectly())
    thunk->sums = scratch(sums * sumBytes);
  if (!thunk->resultConversion.isIdentity())
    thunk->converted = scratch(sums * runtime::byteSize(thunk->resultType));
  thunk->result = lowering.define(op.getResult());
  writes.push_back(thunk->result);
  BufferId reads[] = {thunk->input, thunk->kernel};
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

} // namespace shardwise::execute
