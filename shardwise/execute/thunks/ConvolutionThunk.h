// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution as matrix products: the input values that an output position meets form a row
// ("patch") of taps x input features, the kernel a matrix of taps x input features by output
// features. Patches are built and multiplied in pieces that stay in cache, and out of what lies
// side by side in the input.

#pragma once

#include "shardwise/execute/thunks/Conversion.h"
#include "shardwise/execute/thunks/StridedCopy.h"
#include "shardwise/execute/thunks/Thunk.h"

#include <algorithm>

namespace shardwise::execute {

/// One spatial dimension of a convolution.
struct SpatialDim {
  int64_t inputSize, inputStride; ///< The stride in elements of the input tensor.
  int64_t outputSize, taps;
  int64_t stride, low, inputDilation, kernelDilation;
  /// Which taps of the kernel of the op these are: from `firstTap` on, `tapStep` apart.
  int64_t firstTap = 0, tapStep = 1;

  /// Input position under tap `tap` at output `out`, or -1.
  int64_t inputAt(int64_t out, int64_t tap) const {
    int64_t place = out * stride + tap * kernelDilation - low;
    if (place < 0 || place % inputDilation != 0)
      return -1;
    place /= inputDilation;
    return place < inputSize ? place : -1;
  }
};

/// What patches are copied from: values that lie side by side in the input.
enum class PatchRuns : uint8_t {
  Features,  ///< Those under a tap: features are the last dimension, as in `[b, 0, 1, f]`.
  Batch,     ///< Entries of the "batch" that meet the same: a gradient by the kernel of these.
  Positions, ///< Neighbours in an image, for neighbouring results: `[b, f, 0, 1]`.
  Taps, ///< Neighbours in an image, for the taps of a result: a gradient by the kernel of these.
};

/// A grouped, strided, dilated convolution over any number of spatial dimensions, with the
/// dimensions of all tensors in any order. Strides are in elements.
class ConvolutionThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "convolution"; }
  /// The input in the type sums are made in.
  const std::byte *preparedInput(Frame &frame) const;
  /// Runs with that.
  void runOn(Frame &frame, const std::byte *in) const;

  // A row is one output position of one batch entry.
  int64_t numRows() const { return batch * numPositions; }
  int64_t rowLength() const { return numTaps * inputFeatures; }
  PatchRuns runs() const;
  /// Sets `lines`; of runs of positions or taps, before the first run.
  void findLines();
  /// Whether pieces of patches are terms of all rows, not rows of all terms.
  bool isByTerms() const { return runs() == PatchRuns::Batch; }
  /// Rows, terms, or positions of a batch entry: what a piece has a part of.
  int64_t pieceLength() const;
  int64_t patchElements() const { return pieceLength() * (isByTerms() ? numRows() : rowLength()); }
  /// Whether rows of sums lie in the result as products write them: it is their place then.
  bool isStoredDirectly() const;
  /// Rows whose sums are there at once.
  int64_t numSums() const { return isByTerms() ? numRows() : pieceLength(); }

  // Buffers. What is converted has its own only where the conversion does something.
  BufferId input = -1, kernel = -1, result = -1;
  BufferId convertedInput = -1;
  BufferId packedKernel = -1, convertedKernel = -1; ///< Of the size of the kernel.
  BufferId patches = -1;                            ///< patchElements.
  /// numSums x outputFeatures; none if stored directly.
  BufferId sums = -1, converted = -1;
  Conversion inputConversion, kernelConversion, resultConversion;
  /// Brings the kernel to the order [group, tap, input feature, output feature], of runs of
  /// features; of positions [group, output feature, input feature, tap]; else
  /// [group, input feature, tap, output feature].
  StridedCopy kernelCopy;
  /// If by terms: brings sums of [position, batch entry, output feature] to a group's place.
  StridedCopy resultCopy;
  // Shapes.
  DataType sumType = DataType::F32, resultType = DataType::F32;
  int64_t inputCount = 0, kernelCount = 0; ///< Elements.
  int64_t groups = 1, batch = 1, numPositions = 1, numTaps = 1;
  int64_t inputFeatures = 1, outputFeatures = 1; ///< Per group.
  std::vector<SpatialDim> spatial;
  // Strides.
  int64_t inputBatchStride = 0, inputFeatureStride = 0, inputGroupStride = 0;
  int64_t resultBatchStride = 0, resultFeatureStride = 0;
  std::vector<int64_t> resultSpatialStrides;
  int64_t resultOffset = 0; ///< Of the first element.
  /// For each tap, then each position, both counted without the last spatial dimension: where the
  /// line along that one begins that they meet, in elements; -1 if it is padding or a hole.
  std::vector<int64_t> lines;

private:
  /// Splits row number `row` into its batch entry and output position.
  int64_t placeOf(int64_t row, std::vector<int64_t> &position) const;
  /// Whether neighbouring taps of the last spatial dimension meet neighbouring memory.
  bool areTapsDense() const;
  /// Likewise neighbouring positions, if by terms.
  bool arePositionsDense() const;
  /// Writes the values under all taps at `position` of the image. `tap` is room for an index.
  template <class Raw>
  void fillPatch(Raw *patch, const Raw *image, const std::vector<int64_t> &position,
                 std::vector<int64_t> &tap) const;
  template <class Raw> void fillFeatures(Raw *patch, const Raw *source) const;
  /// Writes what term `number`, a tap of an input feature, meets at all positions of all batch
  /// entries.
  template <class Raw> void fillTerm(Raw *term, const Raw *image, int64_t number) const;
  /// Whether the results of a batch entry and a group are rows of positions, a row per feature.
  bool areResultsPlanes() const;
  /// Writes the values under all taps at output position `position` of the image, feature by
  /// feature.
  template <class Raw> void fillTaps(Raw *patch, const Raw *image, int64_t position) const;
  /// Writes what term `number`, a tap of an input feature, meets at the positions begin..end-1.
  template <class Raw>
  void fillPositions(Raw *term, const Raw *image, int64_t number, int64_t begin, int64_t end) const;
  /// Runs on elements of the size of `Raw`, which the sums have.
  template <class Raw>
  void runByRows(Frame &frame, const std::byte *in, const std::byte *weights) const;
  template <class Raw>
  void runByTerms(Frame &frame, const std::byte *in, const std::byte *weights) const;
  template <class Raw>
  void runByPositions(Frame &frame, const std::byte *in, const std::byte *weights) const;
  /// Multiplies the patches of the positions begin..end-1 of what lies from `place` on in the
  /// result, and stores that.
  void storePositions(Frame &frame, const std::byte *matrix, int64_t place, int64_t begin,
                      int64_t end) const;
  template <class Raw>
  void runAs(Frame &frame, const std::byte *in, const std::byte *weights) const;
  /// Converts finished rows and puts them where the result's layout wants them.
  void storeRows(Frame &frame, int64_t group, int64_t begin, int64_t rows,
                 std::vector<int64_t> &position) const;
};

/// A convolution of an input with holes, one part after the other: each has results that meet the
/// same taps of the kernel, and no holes (LowerConvolution.cpp).
class PhasedConvolutionThunk final : public Thunk {
public:
  explicit PhasedConvolutionThunk(std::vector<ConvolutionThunk> phases)
      : phases(std::move(phases)) {}
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "convolution"; }

private:
  std::vector<ConvolutionThunk> phases; ///< With the same buffers.
};

} // namespace shardwise::execute
