// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution as matrix products, group after group: pieces of the patch matrix are filled,
// multiplied by the kernel matrix, converted and stored.
//
// Example: input 1x4x4x3 (batch, height, width, feature), kernel 2x2 of 3 to 8 features, stride 1.
// There are 9 output positions, each with a patch of 2 x 2 taps x 3 features: a matrix of 9 x 12
// times one of 12 x 8.
//
// The whole patch matrix may be numTaps times the input, so only a piece of its rows exists at a
// time. Padding and the holes of a dilated input are zeros in a patch: they add nothing to the
// sums.

#include "shardwise/execute/thunks/ConvolutionThunk.h"

#include "shardwise/execute/kernels/ComplexNumber.h"
#include "shardwise/execute/thunks/Gemm.h"

#include <cstring>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// Elements of one piece of patches: 1 MiB of f32, which is still in cache when it is multiplied.
constexpr int64_t kPatchElements = 256 * 1024;

/// Returns the elements of `buffer`, converted to `target` if the conversion does something.
const std::byte *prepared(const Frame &frame, BufferId buffer, const Conversion &conversion,
                          BufferId target, int64_t count) {
  if (conversion.isIdentity())
    return frame.at(buffer);
  conversion.run(frame.at(buffer), frame.at(target), count);
  return frame.at(target);
}

} // namespace

int64_t ConvolutionThunk::rowsPerPiece() const {
  return std::clamp<int64_t>(kPatchElements / std::max<int64_t>(1, rowLength()), 1,
                             std::max<int64_t>(1, numRows()));
}

int64_t ConvolutionThunk::placeOf(int64_t row, Dims &position) const {
  for (size_t dim = spatial.size(); dim-- > 0;) {
    position[dim] = row % spatial[dim].outputSize;
    row /= spatial[dim].outputSize;
  }
  return row;
}

template <class Raw>
void ConvolutionThunk::fillPatch(Raw *patch, const Raw *image, const Dims &position,
                                 Dims &tap) const {
  std::fill(tap.begin(), tap.end(), 0);
  for (int64_t number = 0; number < numTaps; ++number, patch += inputFeatures) {
    const Raw *source = image;
    // Outside along one dimension: the tap meets nothing.
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
    // Taps go on in row-major order, in which `kernelCopy` packed the rows of the kernel.
    for (size_t dim = tap.size(); dim-- > 0 && ++tap[dim] == spatial[dim].taps;)
      tap[dim] = 0;
  }
}

template <class Raw>
void ConvolutionThunk::runAs(Frame &frame, const std::byte *in, const std::byte *weights) const {
  Dims position(spatial.size());
  Dims tap(spatial.size());
  auto *patch = frame.as<Raw>(patches);
  int64_t sumBytes = sizeof(Raw);
  // A group has its own input features (or its own part of the batch) and its own block of the
  // kernel.
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

void ConvolutionThunk::storeRows(Frame &frame, int64_t group, int64_t begin, int64_t rows,
                                 Dims &position) const {
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

Result<void> ConvolutionThunk::run(Frame &frame) const {
  const std::byte *in = prepared(frame, input, inputConversion, convertedInput, inputCount);
  kernelCopy.run(frame.at(kernel), frame.at(packedKernel));
  const std::byte *weights =
      prepared(frame, packedKernel, kernelConversion, convertedKernel, kernelCount);
  // Filling patches only moves elements: one instance per element size will do.
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

} // namespace shardwise::execute
