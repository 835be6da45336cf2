// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// all_slice: a local copy of one part per dimension.

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"

#include <fmt/format.h>

#include <vector>

namespace shardwise::runtime {

Result<void> allSlice(const InputBuffer &input, std::span<const SlicePart> parts,
                      std::byte *output) {
  std::vector<int64_t> size(input.shape.begin(), input.shape.end());
  std::vector<int64_t> start(size.size(), 0);
  std::vector<bool> isCut(size.size(), false);
  for (const SlicePart &part : parts) {
    if (Result<void> checked = checkCut(CollectiveKind::AllSlice, input, part.dim, part.count);
        !checked)
      return checked;
    if (part.index < 0 || part.index >= part.count) {
      return invalid(fmt::format("all_slice takes part {} of {} of dimension {}; expected 0 to {}",
                                 part.index, part.count, part.dim, part.count - 1));
    }
    if (isCut[part.dim]) {
      return invalid(
          fmt::format("all_slice cuts dimension {} twice; multiply the counts", part.dim));
    }
    isCut[part.dim] = true;
    size[part.dim] /= part.count;
    start[part.dim] = part.index * size[part.dim];
  }
  std::vector<int64_t> origin(size.size(), 0);
  copyBox(input.data, {input.shape, start}, output, {size, origin}, size, input.elementBytes);
  return {};
}

} // namespace shardwise::runtime
