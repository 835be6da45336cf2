// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the inputs of an all_gather come to lie.

#pragma once

#include "shardwise/runtime/Collectives.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace shardwise::runtime {

/// The block that the input of one rank is in the output, as far as it is kept.
struct GatheredBlock {
  std::vector<int64_t> outputShape;
  std::vector<int64_t> place;
  std::vector<int64_t> shape;
  /// Where the block begins in the input: at its first element.
  std::vector<int64_t> origin;
  bool isEmpty = false;

  /// The block of the rank at `position` of `numRanks`, which gather `tensor` along `dim`.
  GatheredBlock(const GatheredTensor &tensor, int64_t dim, int64_t position, int64_t numRanks)
      : outputShape(tensor.input.shape.begin(), tensor.input.shape.end()),
        place(outputShape.size(), 0), shape(outputShape), origin(place) {
    int64_t width = shape[dim];
    outputShape[dim] = tensor.kept < 0 ? width * numRanks : tensor.kept;
    place[dim] = position * width;
    shape[dim] = std::clamp<int64_t>(outputShape[dim] - place[dim], 0, width);
    isEmpty = shape[dim] == 0;
  }
};

} // namespace shardwise::runtime
