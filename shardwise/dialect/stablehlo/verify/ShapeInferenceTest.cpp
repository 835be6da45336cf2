// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape rules against examples and, for index arithmetic, against counting.

#include "shardwise/dialect/stablehlo/verify/ShapeInference.h"

#include <gtest/gtest.h>

#include <random>

namespace shardwise::stablehlo {
namespace {

constexpr unsigned kSeed = 20260822;

/// The shape, or one impossible size on failure with the message logged.
Shape shapeOrLog(const Result<Shape> &result) {
  if (result)
    return *result;
  ADD_FAILURE() << result.error().message;
  return {-1};
}

TEST(ShapeInferenceTest, sliceCountsTheStarts) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 500; ++i) {
    int64_t size = random() % 12, start = random() % (size + 1);
    int64_t limit = start + random() % (size - start + 1), stride = 1 + random() % 4;
    int64_t expected = 0;
    for (int64_t index = start; index < limit; index += stride)
      ++expected;
    Result<Shape> shape = sliceShape({size}, {start}, {limit}, {stride});
    EXPECT_EQ(shapeOrLog(shape)[0], expected)
        << "seed " << kSeed << ": [" << start << ":" << limit << ":" << stride << "] of " << size;
  }
}

/// Positions of a window, found by laying out the padded and dilated elements.
int64_t countPositions(int64_t size, const WindowDim &window) {
  int64_t base = size == 0 ? 0 : (size - 1) * window.baseDilation + 1;
  int64_t padded = base + window.low + window.high;
  int64_t count = 0;
  for (int64_t start = 0; start < padded; start += window.stride) {
    int64_t last = start + (window.size - 1) * window.windowDilation;
    count += last < padded;
  }
  return count;
}

TEST(ShapeInferenceTest, windowCountsThePositionsThatFit) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 3000; ++i) {
    int64_t size = random() % 10;
    WindowDim window;
    window.size = 1 + random() % 4;
    window.stride = 1 + random() % 3;
    window.low = static_cast<int64_t>(random() % 6) - 2;
    window.high = static_cast<int64_t>(random() % 6) - 2;
    window.baseDilation = 1 + random() % 3;
    window.windowDilation = 1 + random() % 3;
    EXPECT_EQ(windowOutputSize(size, window), countPositions(size, window))
        << "seed " << kSeed << ", case " << i << ": size " << size << " window " << window.size
        << " stride " << window.stride << " padding (" << window.low << ", " << window.high
        << ") dilations " << window.baseDilation << ", " << window.windowDilation;
  }
}

TEST(ShapeInferenceTest, windowSizesOfKnownReductions) {
  // Window 2, stride 2, padding (0, 1) on 5 elements; the same undilated with dilation 2.
  EXPECT_EQ(windowOutputSize(5, {.size = 2, .stride = 2, .high = 1}), 3);
  EXPECT_EQ(windowOutputSize(5, {.size = 2, .low = 1, .high = 1, .windowDilation = 2}), 5);
  EXPECT_EQ(windowOutputSize(3, {.size = 2, .baseDilation = 2}), 4);
  // An empty input, and a window that is larger than it.
  EXPECT_EQ(windowOutputSize(0, {.size = 1}), 0);
  EXPECT_EQ(windowOutputSize(3, {.size = 4}), 0);
}

TEST(ShapeInferenceTest, padMayCutAndFillHoles) {
  EXPECT_EQ(shapeOrLog(padShape({4, 6}, {1, -1}, {0, 2}, {0, 1})), Shape({5, 12}));
  EXPECT_EQ(shapeOrLog(padShape({3}, {-2}, {1}, {0})), Shape({2}));
  EXPECT_EQ(shapeOrLog(padShape({0}, {1}, {1}, {5})), Shape({2}));
  EXPECT_FALSE(padShape({1}, {-2}, {0}, {0}).ok());
}

TEST(ShapeInferenceTest, hugeAttributesDoNotOverflow) {
  int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(shapeOrLog(padShape({2}, {huge}, {huge}, {huge})), Shape({huge}));
  EXPECT_FALSE(padShape({2}, {-huge}, {-huge}, {0}).ok());
  EXPECT_EQ(windowOutputSize(huge, {.size = 1, .low = huge, .high = huge}), huge);
  EXPECT_FALSE(checkReshape({huge, huge}, {4}).ok());
}

TEST(ShapeInferenceTest, dotGeneralOrdersBatchThenLhsThenRhs) {
  EXPECT_EQ(shapeOrLog(dotGeneralShape({2, 4, 8}, {2, 8, 5}, {{0}, {0}, {2}, {1}})),
            Shape({2, 4, 5}));
  EXPECT_EQ(shapeOrLog(dotGeneralShape({3, 4, 8, 2}, {2, 8, 5, 4}, {{3, 1}, {0, 3}, {2}, {1}})),
            Shape({2, 4, 3, 5}));
  EXPECT_EQ(shapeOrLog(dotGeneralShape({2}, {3}, {})), Shape({2, 3}));
}

TEST(ShapeInferenceTest, convolutionPlacesDimensionsByTheirNumbers) {
  const int64_t first[] = {1, 2}, kernelFirst[] = {0, 1}, strides[] = {2, 2};
  const int64_t padding[] = {1, 1, 0, 1};
  ConvDims dims{0, 3, first, 2, 3, kernelFirst, 0, 3, first};
  ConvWindow window{.strides = strides, .padding = padding};
  EXPECT_EQ(shapeOrLog(convolutionShape({2, 8, 8, 3}, {3, 3, 3, 16}, dims, window, 1, 1)),
            Shape({2, 4, 4, 16}));
  // Output in feature, spatial, batch order; two batch groups.
  const int64_t last[] = {2}, middle[] = {1};
  ConvDims turned{1, 0, last, 1, 0, last, 2, 0, middle};
  EXPECT_EQ(shapeOrLog(convolutionShape({3, 4, 9}, {6, 3, 2}, turned, {}, 1, 2)), Shape({6, 8, 2}));
}

TEST(ShapeInferenceTest, gatherInterleavesBatchAndOffsetDims) {
  // Rows of a matrix; the same with the offset dimension in front; with batching dimensions.
  EXPECT_EQ(shapeOrLog(gatherShape({10, 6}, {5, 1}, {{1}, {0}, {}, {}, {0}, 1}, {1, 6})),
            Shape({5, 6}));
  EXPECT_EQ(shapeOrLog(gatherShape({10, 6}, {5, 1}, {{0}, {0}, {}, {}, {0}, 1}, {1, 6})),
            Shape({6, 5}));
  EXPECT_EQ(shapeOrLog(gatherShape({2, 3}, {2, 2}, {{}, {1}, {0}, {0}, {1}, 2}, {1, 1})),
            Shape({2, 2}));
}

TEST(ShapeInferenceTest, scatterAcceptsPartialWindows) {
  const int64_t window[] = {1}, row[] = {0};
  ScatterDims rows{window, row, {}, {}, row, 1};
  EXPECT_TRUE(checkScatter({10, 6}, {5, 1}, {5, 6}, rows).ok());
  EXPECT_TRUE(checkScatter({10, 6}, {5, 1}, {5, 4}, rows).ok());
  EXPECT_FALSE(checkScatter({10, 6}, {5, 1}, {5, 7}, rows).ok());
}

TEST(ShapeInferenceTest, fftHalvesTheLastDimension) {
  EXPECT_EQ(shapeOrLog(fftShape({4, 8}, FftKind::Rfft, {8})), Shape({4, 5}));
  EXPECT_EQ(shapeOrLog(fftShape({4, 5}, FftKind::Irfft, {4, 8})), Shape({4, 8}));
  EXPECT_EQ(shapeOrLog(fftShape({4, 0}, FftKind::Rfft, {0})), Shape({4, 0}));
}

TEST(ShapeInferenceTest, dynamicSizesSpread) {
  EXPECT_EQ(shapeOrLog(padShape({kDynamic}, {1}, {1}, {0})), Shape({kDynamic}));
  EXPECT_EQ(shapeOrLog(concatenateShape({{kDynamic, 3}, {2, kDynamic}}, 0)), Shape({kDynamic, 3}));
  EXPECT_TRUE(checkReshape({kDynamic, 3}, {7}).ok());
  EXPECT_EQ(windowOutputSize(kDynamic, {}), kDynamic);
}

} // namespace
} // namespace shardwise::stablehlo
