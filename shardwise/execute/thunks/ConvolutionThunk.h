// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution as matrix products: the input values that an output position meets form a row
// ("patch") of taps x input features, the kernel a matrix of taps x input features by output
// features. Patches are built and multiplied in pieces that stay in cache.

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

  /// Input position under tap `tap` at output `out`, or -1.
  int64_t inputAt(int64_t out, int64_t tap) const {
    int64_t place = out * stride + tap * kernelDilation - low;
    if (place < 0 || place % inputDilation != 0)
      return -1;
    place /= inputDilation;
    return place < inputSize ? place : -1;
  }
};

/// A grouped, strided, dilated convolution over any number of spatial dimensions, with the
/// dimensions of all tensors in any order. Strides are in elements.
class ConvolutionThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "convolution"; }

  // A row is one output position of one batch entry.
  int64_t numRows() const { return batch * numPositions; }
  int64_t rowLength() const { return numTaps * inputFeatures; }
  /// Whether pieces of patches are terms of all rows, not rows of all terms.
  bool isByTerms() const { return inputFeatureStride != 1 && inputBatchStride == 1; }
  /// Rows or terms of a piece.
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
  /// Brings the kernel to the order [group, tap, input feature, output feature]; if by terms, to
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
  /// Runs on elements of the size of `Raw`, which the sums have.
  template <class Raw>
  void runByRows(Frame &frame, const std::byte *in, const std::byte *weights) const;
  template <class Raw>
  void runByTerms(Frame &frame, const std::byte *in, const std::byte *weights) const;
  template <class Raw>
  void runAs(Frame &frame, const std::byte *in, const std::byte *weights) const;
  /// Converts finished rows and puts them where the result's layout wants them.
  void storeRows(Frame &frame, int64_t group, int64_t begin, int64_t rows,
                 std::vector<int64_t> &position) const;
};

} // namespace shardwise::execute
