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
//
// *By terms.* A gradient by the kernel is a convolution whose "batch" are the features of the
// input, which lie next to each other, and whose "features" are its batch, which do not: rows of
// patches would be gathered element by element. Then a piece has some of the columns of the patch
// matrix, each for all rows, and its product is added to the sums of all rows. Example: input
// 128x16x16x32 and a result of 3x3x32x64, of which each element is a sum over 128 x 16 x 16 terms:
// a term is 9 positions x 32 neighbouring elements, and a piece has 910 terms.

#include "shardwise/execute/thunks/ConvolutionThunk.h"

#include "shardwise/execute/kernels/ComplexNumber.h"
#include "shardwise/execute/thunks/Gemm.h"
#include "shardwise/execute/thunks/RankWorkers.h"

#include <cstring>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// Elements of one piece of patches: 1 MiB of f32, which is still in cache when it is multiplied.
constexpr int64_t kPatchElements = 256 * 1024;
/// To fill an element of a patch.
constexpr double kFillNanoseconds = 0.3;

/// Copies the `count` runs of `unit` elements from number `first` on of a line that has `size` of
/// them; zeros where the line has none.
template <class Raw>
void copyClipped(Raw *target, const Raw *line, int64_t first, int64_t count, int64_t size,
                 int64_t unit) {
  int64_t begin = std::clamp<int64_t>(-first, 0, count);
  int64_t end = std::clamp<int64_t>(size - first, begin, count);
  std::fill_n(target, begin * unit, Raw(0));
  if (begin < end)
    std::memcpy(target + begin * unit, line + (first + begin) * unit,
                static_cast<size_t>((end - begin) * unit) * sizeof(Raw));
  std::fill_n(target + end * unit, (count - end) * unit, Raw(0));
}

/// Returns the elements of `buffer`, converted to `target` if the conversion does something.
const std::byte *prepared(const Frame &frame, BufferId buffer, const Conversion &conversion,
                          BufferId target, int64_t count) {
  if (conversion.isIdentity())
    return frame.at(buffer);
  conversion.run(frame.at(buffer), frame.at(target), count);
  return frame.at(target);
}

} // namespace

int64_t ConvolutionThunk::pieceLength() const {
  int64_t across = isByTerms() ? numRows() : rowLength();
  int64_t along = isByTerms() ? rowLength() : numRows();
  return std::clamp<int64_t>(kPatchElements / std::max<int64_t>(1, across), 1,
                             std::max<int64_t>(1, along));
}

bool ConvolutionThunk::isStoredDirectly() const {
  if (!resultConversion.isIdentity() || groups > 1 || resultFeatureStride != 1)
    return false;
  // From the inside out; rows are counted by batch entry, then by position, or the other way round.
  int64_t extent = outputFeatures;
  bool isDense = true;
  auto add = [&](int64_t size, int64_t stride) {
    isDense &= size == 1 || stride == extent;
    extent *= size;
  };
  if (isByTerms())
    add(batch, resultBatchStride);
  for (size_t dim = spatial.size(); dim-- > 0;)
    add(spatial[dim].outputSize, resultSpatialStrides[dim]);
  if (!isByTerms())
    add(batch, resultBatchStride);
  return isDense;
}

int64_t ConvolutionThunk::placeOf(int64_t row, Dims &position) const {
  for (size_t dim = spatial.size(); dim-- > 0;) {
    position[dim] = row % spatial[dim].outputSize;
    row /= spatial[dim].outputSize;
  }
  return row;
}

bool ConvolutionThunk::areTapsDense() const {
  if (spatial.empty() || inputFeatureStride != 1)
    return false;
  const SpatialDim &last = spatial.back();
  return last.inputStride == inputFeatures && last.inputDilation == 1 && last.kernelDilation == 1;
}

bool ConvolutionThunk::arePositionsDense() const {
  if (spatial.empty())
    return false;
  const SpatialDim &last = spatial.back();
  return last.inputStride == batch && last.inputDilation == 1 && last.stride == 1;
}

template <class Raw> void ConvolutionThunk::fillFeatures(Raw *patch, const Raw *source) const {
  if (!source)
    std::fill_n(patch, inputFeatures, Raw(0));
  else if (inputFeatureStride == 1)
    std::memcpy(patch, source, static_cast<size_t>(inputFeatures) * sizeof(Raw));
  else
    for (int64_t feature = 0; feature < inputFeatures; ++feature)
      patch[feature] = source[feature * inputFeatureStride];
}

template <class Raw>
void ConvolutionThunk::fillPatch(Raw *patch, const Raw *image, const Dims &position,
                                 Dims &tap) const {
  bool isDense = areTapsDense();
  // Of a dense last dimension all taps are filled at once.
  size_t numDims = spatial.size() - (isDense ? 1 : 0);
  int64_t tapsAtOnce = isDense ? spatial.back().taps : 1;
  std::fill(tap.begin(), tap.end(), 0);
  for (int64_t number = 0; number < numTaps; number += tapsAtOnce) {
    const Raw *source = image;
    // Outside along one dimension: the tap meets nothing.
    for (size_t dim = 0; dim < numDims && source; ++dim) {
      int64_t place = spatial[dim].inputAt(position[dim], tap[dim]);
      source = place < 0 ? nullptr : source + place * spatial[dim].inputStride;
    }
    if (!isDense)
      fillFeatures(patch, source);
    else if (source)
      copyClipped(patch, source, position.back() * spatial.back().stride - spatial.back().low,
                  tapsAtOnce, spatial.back().inputSize, inputFeatures);
    else
      std::fill_n(patch, tapsAtOnce * inputFeatures, Raw(0));
    patch += tapsAtOnce * inputFeatures;
    // Taps go on in row-major order, in which `kernelCopy` packed the rows of the kernel.
    for (size_t dim = numDims; dim-- > 0 && ++tap[dim] == spatial[dim].taps;)
      tap[dim] = 0;
  }
}

template <class Raw>
void ConvolutionThunk::fillTerm(Raw *term, const Raw *image, int64_t number) const {
  // Terms are counted by input feature, then by tap in row-major order.
  Dims position(spatial.size(), 0);
  Dims tap(spatial.size());
  for (size_t dim = spatial.size(); dim-- > 0; number /= spatial[dim].taps)
    tap[dim] = number % spatial[dim].taps;
  image += number * inputFeatureStride;
  bool isDense = arePositionsDense();
  // Of a dense last dimension all positions are filled at once.
  size_t numDims = spatial.size() - (isDense ? 1 : 0);
  int64_t positionsAtOnce = isDense ? spatial.back().outputSize : 1;
  for (int64_t done = 0; done < numPositions; done += positionsAtOnce) {
    const Raw *source = image;
    for (size_t dim = 0; dim < numDims && source; ++dim) {
      int64_t place = spatial[dim].inputAt(position[dim], tap[dim]);
      source = place < 0 ? nullptr : source + place * spatial[dim].inputStride;
    }
    if (!source)
      std::fill_n(term, positionsAtOnce * batch, Raw(0));
    else if (isDense)
      copyClipped(term, source, tap.back() * spatial.back().kernelDilation - spatial.back().low,
                  positionsAtOnce, spatial.back().inputSize, batch);
    else
      std::memcpy(term, source, static_cast<size_t>(batch) * sizeof(Raw));
    term += positionsAtOnce * batch;
    for (size_t dim = numDims; dim-- > 0 && ++position[dim] == spatial[dim].outputSize;)
      position[dim] = 0;
  }
}

template <class Raw>
void ConvolutionThunk::runByRows(Frame &frame, const std::byte *in,
                                 const std::byte *weights) const {
  Dims position(spatial.size());
  auto *patch = frame.as<Raw>(patches);
  int64_t sumBytes = sizeof(Raw);
  // A group has its own input features (or its own part of the batch) and its own block of the
  // kernel.
  for (int64_t group = 0; group < groups; ++group) {
    const auto *image = reinterpret_cast<const Raw *>(in) + group * inputGroupStride;
    const std::byte *matrix = weights + group * rowLength() * outputFeatures * sumBytes;
    for (int64_t begin = 0; begin < numRows(); begin += pieceLength()) {
      int64_t rows = std::min(pieceLength(), numRows() - begin);
      int64_t numPieces =
          piecesFor(kFillNanoseconds * static_cast<double>(rows * rowLength()), rows);
      runPieces(numPieces, [&](int64_t piece, int64_t) {
        Dims position(spatial.size());
        Dims tap(spatial.size());
        auto [first, last] = pieceRange(rows, piece, numPieces, 1);
        for (int64_t row = first; row < last; ++row) {
          int64_t entry = placeOf(begin + row, position);
          fillPatch(patch + row * rowLength(), image + entry * inputBatchStride, position, tap);
        }
      });
      bool isDirect = isStoredDirectly();
      multiplyMatrices(sumType, rows, outputFeatures, rowLength(), {patch, rowLength(), 1},
                       {matrix, outputFeatures, 1},
                       isDirect ? frame.at(result) + begin * outputFeatures * sumBytes
                                : frame.at(sums));
      if (!isDirect)
        storeRows(frame, group, begin, rows, position);
    }
  }
}

template <class Raw>
void ConvolutionThunk::runByTerms(Frame &frame, const std::byte *in,
                                  const std::byte *weights) const {
  auto *patch = frame.as<Raw>(patches);
  int64_t sumBytes = sizeof(Raw);
  int64_t resultBytes = runtime::byteSize(resultType);
  bool isDirect = isStoredDirectly();
  for (int64_t group = 0; group < groups; ++group) {
    const auto *image = reinterpret_cast<const Raw *>(in) + group * inputGroupStride;
    const std::byte *matrix = weights + group * rowLength() * outputFeatures * sumBytes;
    for (int64_t begin = 0; begin < rowLength(); begin += pieceLength()) {
      int64_t terms = std::min(pieceLength(), rowLength() - begin);
      int64_t numPieces =
          piecesFor(kFillNanoseconds * static_cast<double>(terms * numRows()), terms);
      runPieces(numPieces, [&](int64_t piece, int64_t) {
        auto [first, last] = pieceRange(terms, piece, numPieces, 1);
        for (int64_t term = first; term < last; ++term)
          fillTerm(patch + term * numRows(), image, begin + term);
      });
      multiplyMatrices(sumType, numRows(), outputFeatures, terms, {patch, 1, numRows()},
                       {matrix + begin * outputFeatures * sumBytes, outputFeatures, 1},
                       frame.at(isDirect ? result : sums),
                       begin == 0 ? ProductUse::Store : ProductUse::Add);
    }
    if (isDirect)
      continue;
    resultCopy.run(prepared(frame, sums, resultConversion, converted, numRows() * outputFeatures),
                   frame.at(result) + group * outputFeatures * resultFeatureStride * resultBytes);
  }
}

template <class Raw>
void ConvolutionThunk::runAs(Frame &frame, const std::byte *in, const std::byte *weights) const {
  if (numRows() == 0 || outputFeatures == 0)
    return;
  // Without terms the sums are zeros, which a product of no terms makes.
  if (isByTerms() && rowLength() > 0)
    runByTerms<Raw>(frame, in, weights);
  else
    runByRows<Raw>(frame, in, weights);
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
