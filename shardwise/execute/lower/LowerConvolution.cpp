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
#include <numeric>

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
      const SpatialDim &taps = thunk.spatial[dim];
      sizes.push_back(taps.taps);
      sources.push_back((isReversed ? -taps.tapStep : taps.tapStep) * strides[kernelDim]);
      // A negative stride, from the last tap on.
      offset += (isReversed ? rhs.shape[kernelDim] - 1 - taps.firstTap : taps.firstTap) *
                strides[kernelDim];
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

/// The results at first, first + dilation, ... of a dimension whose input has holes: as of one
/// without. Requires stride 1, and a result.
///
/// Result o meets tap t at place o + t * kernelDilation - low, an element where that is a multiple
/// of the dilation. Example: dilation 2, 3 taps, low 1. Results 0, 2, 4, ... meet tap 1 alone, at
/// element o / 2; results 1, 3, 5, ... meet taps 0 and 2, at elements (o - 1) / 2 and (o + 1) / 2.
SpatialDim phaseOf(const SpatialDim &dim, int64_t first) {
  int64_t holes = dim.inputDilation;
  auto placeOf = [&](int64_t tap) { return first + tap * dim.kernelDilation - dim.low; };
  SpatialDim phase = dim;
  phase.outputSize = (dim.outputSize - first + holes - 1) / holes;
  phase.inputDilation = 1;
  phase.tapStep = holes / std::gcd(holes, dim.kernelDilation);
  phase.kernelDilation = phase.tapStep * dim.kernelDilation / holes;
  phase.firstTap = 0;
  while (phase.firstTap < dim.taps && placeOf(phase.firstTap) % holes != 0)
    ++phase.firstTap;
  phase.taps = (dim.taps - phase.firstTap + phase.tapStep - 1) / phase.tapStep;
  phase.low = phase.taps > 0 ? -placeOf(phase.firstTap) / holes : 0;
  return phase;
}

/// Most parts of a convolution: of each the kernel is packed, and patches are small.
constexpr size_t kMostPhases = 64;

/// Splits a convolution of an input with holes, as is the gradient of one with strides, into parts
/// without: else most of what is multiplied would be zeros. Example: dilation 2x2 and a kernel of
/// 3x3 make four parts, of kernels 1x1, 1x2, 2x1 and 2x2, 9 taps instead of 36. The convolution
/// itself if it has no holes, or strides too.
std::vector<ConvolutionThunk> phasesOf(ConvolutionThunk whole) {
  std::vector<ConvolutionThunk> phases = {std::move(whole)};
  if (phases.front().isByTerms() || phases.front().numRows() == 0)
    return phases;
  for (size_t dim = 0; dim < phases.front().spatial.size(); ++dim) {
    const SpatialDim own = phases.front().spatial[dim];
    if (own.inputDilation == 1 || own.stride != 1)
      continue;
    int64_t numParts = std::min(own.inputDilation, own.outputSize);
    if (phases.size() * static_cast<size_t>(numParts) > kMostPhases)
      continue;
    std::vector<ConvolutionThunk> finer;
    for (const ConvolutionThunk &phase : phases)
      for (int64_t first = 0; first < numParts; ++first) {
        ConvolutionThunk &part = finer.emplace_back(phase);
        part.spatial[dim] = phaseOf(own, first);
        part.resultOffset += first * part.resultSpatialStrides[dim];
        part.resultSpatialStrides[dim] *= own.inputDilation;
      }
    phases = std::move(finer);
  }
  for (ConvolutionThunk &phase : phases) {
    phase.numPositions = phase.numTaps = 1;
    for (const SpatialDim &dim : phase.spatial) {
      phase.numPositions *= dim.outputSize;
      phase.numTaps *= dim.taps;
    }
    phase.kernelCount = phase.groups * phase.outputFeatures * phase.rowLength();
  }
  return phases;
}

/// No buffer at all, where 0 is one without elements.
constexpr int64_t kNone = -1;

/// Buffers beside operands and result; of parts the largest that one needs.
class ConvolutionScratch {
public:
  ConvolutionScratch(FunctionLowering &lowering, const std::vector<ConvolutionThunk> &parts)
      : lowering(lowering), parts(parts) {}

  /// A buffer of so many elements of `type`; none if all say `kNone`.
  BufferId add(DataType type, llvm::function_ref<int64_t(const ConvolutionThunk &)> count) {
    int64_t most = kNone;
    for (const ConvolutionThunk &part : parts)
      most = std::max(most, count(part));
    if (most == kNone)
      return -1;
    buffers.push_back(lowering.scratch(most * runtime::byteSize(type)));
    return buffers.back();
  }

  std::vector<BufferId> buffers;

private:
  FunctionLowering &lowering;
  const std::vector<ConvolutionThunk> &parts;
};

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::ConvolutionOp op) {
  ConvolutionThunk whole;
  describeFeatures(op, whole);
  describeSpatialDims(op, whole);
  describeTypes(op, whole);
  whole.input = lowering.bufferOf(op.getLhs());
  whole.kernel = lowering.bufferOf(op.getRhs());
  std::vector<ConvolutionThunk> parts = phasesOf(std::move(whole));
  for (ConvolutionThunk &part : parts) {
    part.kernelCopy = kernelCopyOf(op, part);
    if (part.isByTerms())
      part.resultCopy = resultCopyOf(part);
    if (part.runs() == PatchRuns::Positions || part.runs() == PatchRuns::Taps)
      part.findLines();
  }
  ConvolutionScratch scratch(lowering, parts);
  using Part = const ConvolutionThunk &;
  DataType sumType = parts.front().sumType;
  ConvolutionThunk buffers;
  buffers.packedKernel =
      scratch.add(typeOf(op.getRhs()).type, [](Part part) { return part.kernelCount; });
  buffers.convertedInput = scratch.add(sumType, [](Part part) {
    return part.inputConversion.isIdentity() ? kNone : part.inputCount;
  });
  buffers.convertedKernel = scratch.add(sumType, [](Part part) {
    return part.kernelConversion.isIdentity() ? kNone : part.kernelCount;
  });
  buffers.patches = scratch.add(sumType, [](Part part) { return part.patchElements(); });
  auto sumsOf = [](Part part) { return part.numSums() * part.outputFeatures; };
  buffers.sums = scratch.add(
      sumType, [&](Part part) { return part.isStoredDirectly() ? kNone : sumsOf(part); });
  buffers.converted = scratch.add(parts.front().resultType, [&](Part part) {
    return part.resultConversion.isIdentity() ? kNone : sumsOf(part);
  });
  buffers.result = lowering.define(op.getResult());
  BufferId reads[] = {parts.front().input, parts.front().kernel};
  for (ConvolutionThunk &part : parts) {
    part.packedKernel = buffers.packedKernel;
    part.convertedInput = buffers.convertedInput;
    part.convertedKernel = buffers.convertedKernel;
    part.patches = buffers.patches;
    part.sums = buffers.sums;
    part.converted = buffers.converted;
    part.result = buffers.result;
  }
  std::vector<BufferId> writes = std::move(scratch.buffers);
  writes.push_back(buffers.result);
  if (parts.size() == 1)
    lowering.emit(std::make_unique<ConvolutionThunk>(std::move(parts.front())), reads, writes);
  else
    lowering.emit(std::make_unique<PhasedConvolutionThunk>(std::move(parts)), reads, writes);
  return mlir::success();
}

} // namespace shardwise::execute
