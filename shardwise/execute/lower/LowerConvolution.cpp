// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution as matrix products: the input values that an output position meets form a row
// ("patch") of taps x input features, the kernel a matrix of taps x input features by output
// features. Patches are built and multiplied in pieces that stay in cache.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/Conversion.h"
#include "shardwise/execute/thunks/Gemm.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <algorithm>
#include <cstring>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// Elements of one piece of patches: 1 MiB of f32.
constexpr int64_t kPatchElements = 256 * 1024;

/// One spatial dimension.
struct SpatialDim {
  int64_t inputSize, inputStride; // stride in elements of the input tensor
  int64_t outputSize, taps;
  int64_t stride, low, inputDilation, kernelDilation;

  /// Input position under tap `tap` at output `out`, or -1.
  int64_t inputAt(int64_t out, int64_t tap) const {
    int64_t place = out * stride + tap * kernelDilation - low;
    if (place < 0 || place % inputDilation != 0)
      return -1;
    place /= inputDilation;
    return place < inputSize ? place : -1;
  }
};

class ConvolutionThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    const std::byte *in = prepared(frame, input, inputConversion, convertedInput, inputCount);
    kernelCopy.run(frame.at(kernel), frame.at(packedKernel));
    const std::byte *weights =
        prepared(frame, packedKernel, kernelConversion, convertedKernel, kernelCount);
    switch (runtime::byteSize(sumType)) {
    case 1:
      runAs<uint8_t>(frame, in, weights);
      break;
    case 2:
      runAs<uint16_t>(frame, in, weights);
      break;
    case 4:
      runAs<uint32_t>(frame, in, weights);
      break;
    case 8:
      runAs<uint64_t>(frame, in, weights);
      break;
    default:
      runAs<Complex<double>>(frame, in, weights);
    }
    return {};
  }
  std::string name() const override { return "convolution"; }

  int64_t rowLength() const { return numTaps * inputFeatures; }
  int64_t rowsPerPiece() const {
    return std::clamp<int64_t>(kPatchElements / std::max<int64_t>(1, rowLength()), 1,
                               std::max<int64_t>(1, numRows()));
  }
  int64_t numRows() const { return batch * numPositions; }

  // Buffers.
  BufferId input = -1, kernel = -1, result = -1;
  BufferId convertedInput = -1, packedKernel = -1, convertedKernel = -1;
  BufferId patches = -1, sums = -1, converted = -1;
  Conversion inputConversion, kernelConversion, resultConversion;
  StridedCopy kernelCopy;
  // Shapes. A row is one output position of one batch entry.
  DataType sumType = DataType::F32, resultType = DataType::F32;
  int64_t inputCount = 0, kernelCount = 0;
  int64_t groups = 1, batch = 1, numPositions = 1, numTaps = 1;
  int64_t inputFeatures = 1, outputFeatures = 1; // per group
  std::vector<SpatialDim> spatial;
  // Strides in elements.
  int64_t inputBatchStride = 0, inputFeatureStride = 0, inputGroupStride = 0;
  int64_t resultBatchStride = 0, resultFeatureStride = 0;
  Dims resultSpatialStrides;

private:
  static const std::byte *prepared(const Frame &frame, BufferId buffer,
                                   const Conversion &conversion, BufferId target, int64_t count) {
    if (conversion.isIdentity())
      return frame.at(buffer);
    conversion.run(frame.at(buffer), frame.at(target), count);
    return frame.at(target);
  }

  /// Splits row number `row` into its batch entry and output position.
  int64_t placeOf(int64_t row, Dims &position) const {
    for (size_t dim = spatial.size(); dim-- > 0;) {
      position[dim] = row % spatial[dim].outputSize;
      row /= spatial[dim].outputSize;
    }
    return row;
  }

  template <class Raw>
  void fillPatch(Raw *patch, const Raw *image, const Dims &position, Dims &tap) const {
    std::fill(tap.begin(), tap.end(), 0);
    for (int64_t number = 0; number < numTaps; ++number, patch += inputFeatures) {
      const Raw *source = image;
      for (size_t dim = 0; dim < spatial.size() && source; ++dim) {
        int64_t place = spatial[dim].inputAt(position[dim], tap[dim]);
        source = place < 0 ? nullptr : source + place * spatial[dim].inputStride;
      }
      if (!source)
        std::fill_n(patch, inputFeatures, Raw(0));
      else if (inputFeatureStride == 1)
        std::memcpy(patch, source, static_cast<size_t>(inputFeatures) * sizeof(Raw));
      else
        for (int64_t feature = 0; feature < inputFeatures; ++feature)
          patch[feature] = source[feature * inputFeatureStride];
      for (size_t dim = tap.size(); dim-- > 0 && ++tap[dim] == spatial[dim].taps;)
        tap[dim] = 0;
    }
  }

  template <class Raw>
  void runAs(Frame &frame, const std::byte *in, const std::byte *weights) const {
    Dims position(spatial.size());
    Dims tap(spatial.size());
    auto *patch = frame.as<Raw>(patches);
    int64_t sumBytes = sizeof(Raw);
    for (int64_t group = 0; group < groups; ++group) {
      const auto *image = reinterpret_cast<const Raw *>(in) + group * inputGroupStride;
      const std::byte *matrix = weights + group * rowLength() * outputFeatures * sumBytes;
      for (int64_t begin = 0; begin < numRows(); begin += rowsPerPiece()) {
        int64_t rows = std::min(rowsPerPiece(), numRows() - begin);
        for (int64_t row = 0; row < rows; ++row) {
          int64_t entry = placeOf(begin + row, position);
          fillPatch(patch + row * rowLength(), image + entry * inputBatchStride, position, tap);
        }
        multiplyMatrices(sumType, rows, outputFeatures, rowLength(), {patch, rowLength(), 1},
                         {matrix, outputFeatures, 1}, frame.at(sums));
        storeRows(frame, group, begin, rows, position);
      }
    }
  }

  /// Converts finished rows and puts them where the result's layout wants them.
  void storeRows(Frame &frame, int64_t group, int64_t begin, int64_t rows, Dims &position) const {
    const std::byte *source =
        prepared(frame, sums, resultConversion, converted, rows * outputFeatures);
    int64_t bytes = runtime::byteSize(resultType);
    for (int64_t row = 0; row < rows; ++row) {
      int64_t offset = placeOf(begin + row, position) * resultBatchStride +
                       group * outputFeatures * resultFeatureStride;
      for (size_t dim = 0; dim < position.size(); ++dim)
        offset += position[dim] * resultSpatialStrides[dim];
      std::byte *target = frame.at(result) + offset * bytes;
      const std::byte *from = source + row * outputFeatures * bytes;
      if (resultFeatureStride == 1)
        std::memcpy(target, from, static_cast<size_t>(outputFeatures * bytes));
      else
        for (int64_t feature = 0; feature < outputFeatures; ++feature)
          std::memcpy(target + feature * resultFeatureStride * bytes, from + feature * bytes,
                      static_cast<size_t>(bytes));
    }
  }
};

template <class T> T entryOr(std::optional<llvm::ArrayRef<T>> values, size_t dim, T otherwise) {
  return values && !values->empty() ? (*values)[dim] : otherwise;
}

/// Fills in shapes and strides, and the copy that brings the kernel to
/// [group, tap, input feature, output feature] order with reversed taps turned around.
void describe(stablehlo::ConvolutionOp op, ConvolutionThunk &thunk) {
  TensorType lhs = typeOf(op.getLhs());
  TensorType rhs = typeOf(op.getRhs());
  TensorType out = *tensorTypeOf(op.getType());
  auto numbers = op.getDimensionNumbers();
  Dims lhsStrides = rowMajorStrides(lhs.shape);
  // An input without elements need not have memory: no offset leads into it.
  if (elementCount(lhs.shape) == 0)
    lhsStrides.assign(lhs.shape.size(), 0);
  Dims rhsStrides = rowMajorStrides(rhs.shape);
  Dims outStrides = rowMajorStrides(out.shape);
  auto featureGroups = static_cast<int64_t>(op.getFeatureGroupCount());
  auto batchGroups = static_cast<int64_t>(op.getBatchGroupCount());
  thunk.groups = std::max(featureGroups, batchGroups);
  thunk.batch = out.shape[numbers.getOutputBatchDimension()];
  thunk.inputFeatures = rhs.shape[numbers.getKernelInputFeatureDimension()];
  thunk.outputFeatures = rhs.shape[numbers.getKernelOutputFeatureDimension()] / thunk.groups;
  thunk.inputBatchStride = lhsStrides[numbers.getInputBatchDimension()];
  thunk.inputFeatureStride = lhsStrides[numbers.getInputFeatureDimension()];
  thunk.inputGroupStride = batchGroups > 1 ? thunk.batch * thunk.inputBatchStride
                                           : thunk.inputFeatures * thunk.inputFeatureStride;
  thunk.resultBatchStride = outStrides[numbers.getOutputBatchDimension()];
  thunk.resultFeatureStride = outStrides[numbers.getOutputFeatureDimension()];
  int64_t outputStride = rhsStrides[numbers.getKernelOutputFeatureDimension()];

  llvm::SmallVector<int64_t> padding;
  if (auto attr = op.getPadding())
    padding.assign(attr->getValues<int64_t>().begin(), attr->getValues<int64_t>().end());
  Dims sizes = {thunk.groups};
  Dims sources = {thunk.outputFeatures * outputStride};
  int64_t kernelOffset = 0;
  for (size_t dim = 0; dim < numbers.getInputSpatialDimensions().size(); ++dim) {
    int64_t inputDim = numbers.getInputSpatialDimensions()[dim];
    int64_t kernelDim = numbers.getKernelSpatialDimensions()[dim];
    int64_t outputDim = numbers.getOutputSpatialDimensions()[dim];
    thunk.spatial.push_back({lhs.shape[inputDim], lhsStrides[inputDim], out.shape[outputDim],
                             rhs.shape[kernelDim], entryOr<int64_t>(op.getWindowStrides(), dim, 1),
                             padding.empty() ? 0 : padding[2 * dim],
                             entryOr<int64_t>(op.getLhsDilation(), dim, 1),
                             entryOr<int64_t>(op.getRhsDilation(), dim, 1)});
    thunk.resultSpatialStrides.push_back(outStrides[outputDim]);
    thunk.numPositions *= out.shape[outputDim];
    thunk.numTaps *= rhs.shape[kernelDim];
    bool isReversed = entryOr<bool>(op.getWindowReversal(), dim, false);
    sizes.push_back(rhs.shape[kernelDim]);
    sources.push_back(isReversed ? -rhsStrides[kernelDim] : rhsStrides[kernelDim]);
    if (isReversed)
      kernelOffset += (rhs.shape[kernelDim] - 1) * rhsStrides[kernelDim];
  }
  sizes.insert(sizes.end(), {thunk.inputFeatures, thunk.outputFeatures});
  sources.insert(sources.end(),
                 {rhsStrides[numbers.getKernelInputFeatureDimension()], outputStride});
  thunk.kernelCopy = StridedCopy(runtime::byteSize(rhs.type), sizes, sources,
                                 rowMajorStrides(sizes), kernelOffset);
  thunk.inputCount = elementCount(lhs.shape);
  thunk.kernelCount = elementCount(rhs.shape);
  thunk.resultType = out.type;
  thunk.sumType = sumTypeOf(out.type);
  thunk.inputConversion = Conversion(lhs.type, out.type, thunk.sumType);
  thunk.kernelConversion = Conversion(rhs.type, out.type, thunk.sumType);
  thunk.resultConversion = Conversion(thunk.sumType, out.type);
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::ConvolutionOp op) {
  auto thunk = std::make_unique<ConvolutionThunk>();
  describe(op, *thunk);
  thunk->input = lowering.bufferOf(op.getLhs());
  thunk->kernel = lowering.bufferOf(op.getRhs());
  std::vector<BufferId> writes;
  auto scratch = [&](int64_t bytes) {
    writes.push_back(lowering.scratch(bytes));
    return writes.back();
  };
  int64_t sumBytes = runtime::byteSize(thunk->sumType);
  int64_t rows = thunk->rowsPerPiece();
  thunk->packedKernel = scratch(typeOf(op.getRhs()).bytes());
  if (!thunk->inputConversion.isIdentity())
    thunk->convertedInput = scratch(thunk->inputCount * sumBytes);
  if (!thunk->kernelConversion.isIdentity())
    thunk->convertedKernel = scratch(thunk->kernelCount * sumBytes);
  thunk->patches = scratch(rows * thunk->rowLength() * sumBytes);
  thunk->sums = scratch(rows * thunk->outputFeatures * sumBytes);
  if (!thunk->resultConversion.isIdentity())
    thunk->converted = scratch(rows * thunk->outputFeatures * runtime::byteSize(thunk->resultType));
  thunk->result = lowering.define(op.getResult());
  writes.push_back(thunk->result);
  BufferId reads[] = {thunk->input, thunk->kernel};
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

} // namespace shardwise::execute
