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
//
// *Images of planes.* Where features are not the last dimension, as in PyTorch's [b, f, 0, 1],
// neighbours along a line of the image lie side by side. What a tap meets at the positions of a
// line of results is a part of such a line, so the patch matrix is made turned around: a row for
// each term, an input feature and a tap, of the positions of one batch entry. The kernel times it
// is the result as it lies. Example: input 4x16x24x24, kernel 16x16x3x3: for each of 4 entries a
// matrix of 144 x 576, whose rows are 24 pieces of lines of 24 elements, and a product of 16x144 by
// it. A gradient by the kernel has few positions, 3x3 there, and taps as many as the image has
// places: then it is the taps of a position that are part of a line, and rows of patches are filled
// so.

#include "shardwise/execute/thunks/ConvolutionThunk.h"

#include "shardwise/execute/thunks/ConvolutionLines.h"
#include "shardwise/execute/thunks/Gemm.h"
#include "shardwise/execute/thunks/RankWorkers.h"

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// Elements of one piece of patches: 1 MiB of f32, which is still in cache when it is multiplied.
constexpr int64_t kPatchElements = 256 * 1024;
/// To fill an element of a patch.
constexpr double kFillNanoseconds = 0.3;

/// Returns the elements of `buffer`, converted to `target` if the conversion does something.
const std::byte *prepared(const Frame &frame, BufferId buffer, const Conversion &conversion,
                          BufferId target, int64_t count) {
  if (conversion.isIdentity())
    return frame.at(buffer);
  conversion.run(frame.at(buffer), frame.at(target), count);
  return frame.at(target);
}

} // namespace

PatchRuns ConvolutionThunk::runs() const {
  if (inputFeatureStride == 1)
    return PatchRuns::Features;
  if (inputBatchStride == 1)
    return PatchRuns::Batch;
  if (numTaps == 0 || numPositions == 0 || spatial.empty() || spatial.back().inputStride != 1)
    return PatchRuns::Features;
  bool arePositionsMore = spatial.back().outputSize >= spatial.back().taps;
  bool areFeaturesLast = resultFeatureStride == 1 && outputFeatures > 1;
  return arePositionsMore && !areFeaturesLast ? PatchRuns::Positions : PatchRuns::Taps;
}

int64_t ConvolutionThunk::pieceLength() const {
  int64_t across = isByTerms() ? numRows() : rowLength();
  int64_t along = isByTerms()                      ? rowLength()
                  : runs() == PatchRuns::Positions ? numPositions
                                                   : numRows();
  return std::clamp<int64_t>(kPatchElements / std::max<int64_t>(1, across), 1,
                             std::max<int64_t>(1, along));
}

bool ConvolutionThunk::areResultsPlanes() const {
  int64_t extent = 1;
  bool isDense = true;
  for (size_t dim = spatial.size(); dim-- > 0; extent *= spatial[dim].outputSize)
    isDense &= spatial[dim].outputSize == 1 || resultSpatialStrides[dim] == extent;
  return isDense && (outputFeatures == 1 || resultFeatureStride == extent);
}

bool ConvolutionThunk::isStoredDirectly() const {
  if (runs() == PatchRuns::Positions)
    return resultConversion.isIdentity() && areResultsPlanes();
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
    std::fill_n(patch, inputFeatures, Raw{});
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
      std::fill_n(patch, tapsAtOnce * inputFeatures, Raw{});
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
      std::fill_n(term, positionsAtOnce * batch, Raw{});
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

void ConvolutionThunk::findLines() {
  int64_t numLines = numPositions / spatial.back().outputSize;
  for (int64_t tap = 0; tap < numTaps / spatial.back().taps; ++tap)
    for (int64_t position = 0; position < numLines; ++position) {
      int64_t line = 0, restOfPosition = position, restOfTap = tap;
      for (size_t i = spatial.size() - 1; i-- > 0 && line >= 0;) {
        const SpatialDim &dim = spatial[i];
        int64_t place = dim.inputAt(restOfPosition % dim.outputSize, restOfTap % dim.taps);
        line = place < 0 ? -1 : line + place * dim.inputStride;
        restOfPosition /= dim.outputSize;
        restOfTap /= dim.taps;
      }
      lines.push_back(line);
    }
}

template <class Raw>
void ConvolutionThunk::fillTaps(Raw *patch, const Raw *image, int64_t position) const {
  const SpatialDim &last = spatial.back();
  int64_t first = position % last.outputSize * last.stride - last.low;
  int64_t numLines = numPositions / last.outputSize;
  const int64_t *line = lines.data() + position / last.outputSize;
  for (int64_t tap = 0; tap < numTaps; tap += last.taps, line += numLines)
    for (int64_t feature = 0; feature < inputFeatures; ++feature)
      copyAlong(patch + feature * numTaps + tap,
                *line < 0 ? nullptr : image + feature * inputFeatureStride + *line, first,
                last.kernelDilation, last.taps, last);
}

template <class Raw>
void ConvolutionThunk::fillPositions(Raw *term, const Raw *image, int64_t number, int64_t begin,
                                     int64_t end) const {
  const SpatialDim &last = spatial.back();
  image += number / numTaps * inputFeatureStride;
  int64_t tap = number % numTaps;
  int64_t offset = tap % last.taps * last.kernelDilation - last.low;
  int64_t numLines = numPositions / last.outputSize;
  const int64_t *line = lines.data() + tap / last.taps * numLines + begin / last.outputSize;
  int64_t along = begin % last.outputSize;
  for (int64_t done = begin; done < end; ++line, along = 0) {
    int64_t count = std::min(last.outputSize - along, end - done);
    copyAlong(term + done - begin, *line < 0 ? nullptr : image + *line,
              along * last.stride + offset, last.stride, count, last);
    done += count;
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
          const Raw *of = image + entry * inputBatchStride;
          if (runs() == PatchRuns::Taps)
            fillTaps(patch + row * rowLength(), of, (begin + row) % numPositions);
          else
            fillPatch(patch + row * rowLength(), of, position, tap);
        }
      });
      bool isDirect = isStoredDirectly();
      multiplyMatrices(sumType, rows, outputFeatures, rowLength(), {patch, rowLength(), 1},
                       {matrix, outputFeatures, 1},
                       isDirect
                           ? frame.at(result) + (resultOffset + begin * outputFeatures) * sumBytes
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

void ConvolutionThunk::storePositions(Frame &frame, const std::byte *matrix, int64_t place,
                                      int64_t begin, int64_t end) const {
  int64_t count = end - begin;
  int64_t bytes = runtime::byteSize(resultType);
  bool isDirect = isStoredDirectly();
  std::byte *target = frame.at(result) + place * bytes;
  multiplyMatrices(sumType, outputFeatures, count, rowLength(), {matrix, rowLength(), 1},
                   {frame.at(patches), count, 1},
                   isDirect ? target + begin * bytes : frame.at(sums), ProductUse::Store,
                   isDirect ? numPositions : count);
  if (isDirect)
    return;
  const std::byte *source =
      prepared(frame, sums, resultConversion, converted, count * outputFeatures);
  int64_t lineLength = spatial.back().outputSize;
  for (int64_t done = begin; done < end;) {
    int64_t along = done % lineLength;
    int64_t length = std::min(lineLength - along, end - done);
    int64_t offset = along * resultSpatialStrides.back();
    int64_t line = done / lineLength;
    for (size_t dim = spatial.size() - 1; dim-- > 0; line /= spatial[dim].outputSize)
      offset += line % spatial[dim].outputSize * resultSpatialStrides[dim];
    for (int64_t feature = 0; feature < outputFeatures; ++feature)
      spread(target + (offset + feature * resultFeatureStride) * bytes,
             source + (feature * count + done - begin) * bytes, length, resultSpatialStrides.back(),
             bytes);
    done += length;
  }
}

template <class Raw>
void ConvolutionThunk::runByPositions(Frame &frame, const std::byte *in,
                                      const std::byte *weights) const {
  auto *patch = frame.as<Raw>(patches);
  int64_t matrixBytes = outputFeatures * rowLength() * runtime::byteSize(sumType);
  for (int64_t entry = 0; entry < batch; ++entry)
    for (int64_t group = 0; group < groups; ++group) {
      const Raw *image =
          reinterpret_cast<const Raw *>(in) + entry * inputBatchStride + group * inputGroupStride;
      int64_t place =
          resultOffset + entry * resultBatchStride + group * outputFeatures * resultFeatureStride;
      for (int64_t begin = 0; begin < numPositions; begin += pieceLength()) {
        int64_t end = std::min(begin + pieceLength(), numPositions);
        int64_t numPieces = piecesFor(
            kFillNanoseconds * static_cast<double>(rowLength() * (end - begin)), rowLength());
        runPieces(numPieces, [&](int64_t piece, int64_t) {
          auto [first, last] = pieceRange(rowLength(), piece, numPieces, 1);
          for (int64_t term = first; term < last; ++term)
            fillPositions(patch + term * (end - begin), image, term, begin, end);
        });
        storePositions(frame, weights + group * matrixBytes, place, begin, end);
      }
    }
}

template <class Raw>
void ConvolutionThunk::runAs(Frame &frame, const std::byte *in, const std::byte *weights) const {
  if (numRows() == 0 || outputFeatures == 0)
    return;
  // Without terms the sums are zeros, which a product of no terms makes.
  if (isByTerms() && rowLength() > 0)
    runByTerms<Raw>(frame, in, weights);
  else if (runs() == PatchRuns::Positions)
    runByPositions<Raw>(frame, in, weights);
  else
    runByRows<Raw>(frame, in, weights);
}

void ConvolutionThunk::storeRows(Frame &frame, int64_t group, int64_t begin, int64_t rows,
                                 Dims &position) const {
  const std::byte *source =
      prepared(frame, sums, resultConversion, converted, rows * outputFeatures);
  int64_t bytes = runtime::byteSize(resultType);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t offset = resultOffset + placeOf(begin + row, position) * resultBatchStride +
                     group * outputFeatures * resultFeatureStride;
    for (size_t dim = 0; dim < position.size(); ++dim)
      offset += position[dim] * resultSpatialStrides[dim];
    std::byte *target = frame.at(result) + offset * bytes;
    const std::byte *from = source + row * outputFeatures * bytes;
    if (resultFeatureStride == 1)
      std::memcpy(target, from, static_cast<size_t>(outputFeatures * bytes));
    else
      spread(target, from, outputFeatures, resultFeatureStride, bytes);
  }
}

const std::byte *ConvolutionThunk::preparedInput(Frame &frame) const {
  return prepared(frame, input, inputConversion, convertedInput, inputCount);
}

Result<void> ConvolutionThunk::run(Frame &frame) const {
  runOn(frame, preparedInput(frame));
  return {};
}

Result<void> PhasedConvolutionThunk::run(Frame &frame) const {
  const std::byte *in = phases.front().preparedInput(frame);
  for (const ConvolutionThunk &phase : phases)
    phase.runOn(frame, in);
  return {};
}

void ConvolutionThunk::runOn(Frame &frame, const std::byte *in) const {
  kernelCopy.run(frame.at(kernel), frame.at(packedKernel));
  const std::byte *weights =
      prepared(frame, packedKernel, kernelConversion, convertedKernel, kernelCount);
  // Filling patches only moves elements: one instance per element size will do.
  withRaw(runtime::byteSize(sumType), [&]<class Raw>(Raw) { runAs<Raw>(frame, in, weights); });
}

} // namespace shardwise::execute
