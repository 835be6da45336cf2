// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The per-device programs from which the figures of a machine are measured, with what the cost
// model counts of each.

#pragma once

#include "shardwise/core/Collective.h"
#include "shardwise/planner/model/DeviceSpeeds.h"

#include <cstdint>
#include <string>

namespace shardwise::driver {

/// A per-device program, and how much of what is measured there is in it.
struct MeasuredText {
  std::string text;
  /// Operations of products, elements of element-wise ops, bytes that are read and written.
  double amount = 0;
};

/// Products one behind the other, of square matrices of `type`. Example: 8 of 256x256xf32 are 8 *
/// 2 * 256^3 operations.
MeasuredText productsText(const std::string &type, int64_t size, int count);
/// `count` sums of the same two vectors of f32; each reads two and writes one, of which one element
/// is a result: memory for results is new in every run, which costs more than to write it.
MeasuredText sumsText(int64_t elements, int count);
/// Element-wise ops of f32 one behind the other, as in an update of Adam, an activation, a norm.
MeasuredText elementwiseText(int64_t elements);
/// Ops that go through `elements` elements of f32, a multiple of 65,536, by `access`, as they are
/// in training steps; patches are those of `convolutionsText`.
MeasuredText accessText(planner::Access access, int64_t elements);
/// `count` all_reduces, or permutes to the next device, of the same vector of f32.
std::string collectivesText(core::CollectiveKind kind, int64_t numDevices, int64_t elements,
                            int count);

/// Convolutions of f32, with the operations of their products and what they copy to patches.
struct ConvolutionsText {
  std::string text;
  double flops = 0;
  planner::PatchCopies patches;
};
/// How images lie in memory.
enum class ImageOrder {
  FeaturesLast, ///< `[b, 0, 1, f]`: patches have long runs.
  LinesLast,    ///< `[b, f, 0, 1]`, as in PyTorch: runs are as short as lines are.
};
/// Two convolutions of `batch` images of 16x16 with 32 features by 3x3 kernels, and the gradient of
/// a kernel, which is a convolution too. A step has a gradient by the images of each convolution
/// besides, a convolution like the first two.
ConvolutionsText convolutionsText(int64_t batch, ImageOrder order);

} // namespace shardwise::driver
