// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of the segments, by the rule of core/ShardMap. Each segment is cut as if it were the
// dimension.
//
//     tensor       q q q q k k v v        segments of 4, 2, 2; [{"x"}] on <["x"=2]>
//     device 0     q q     k   v          array: q q k v
//     device 1         q q   k   v        array: q q k v
//
// Cut as one dimension, device 0 would have all of q and nothing of k and v.

#include "shardwise/files/ArrayLayout.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardwise::files {
namespace {

Result<void> checkSegments(const core::Shape &shape, const Segments &segments) {
  if (segments.dim < 0 || segments.dim >= static_cast<int64_t>(shape.size()))
    return invalid(fmt::format("segments are of dimension {}, but the tensor has {} dimensions",
                               segments.dim, shape.size()));
  int64_t size = shape[static_cast<size_t>(segments.dim)];
  // What is left of the dimension, rather than a sum of sizes, which may overflow.
  int64_t rest = size;
  for (int64_t segment : segments.sizes) {
    if (segment < 0 || segment > rest)
      rest = -1;
    if (rest < 0)
      break;
    rest -= segment;
  }
  if (rest != 0)
    return invalid(fmt::format("segments of sizes [{}] do not add up to dimension {}, which has {}",
                               fmt::join(segments.sizes, ", "), segments.dim, size));
  return {};
}

} // namespace

ShardId shardId(const TensorCut &cut, int64_t position) {
  return {core::coordinateAlong(core::dimensionAxes(cut.sharding), cut.mesh, position),
          core::coordinateAlong(cut.sharding.unreduced, cut.mesh, position)};
}

int64_t numSummands(const TensorCut &cut) {
  return core::shardedSize(cut.sharding.unreduced);
}

Result<void> checkCut(const core::Shape &shape, const TensorCut &cut) {
  const core::Sharding &sharding = cut.sharding;
  if (sharding.dims.size() != shape.size() && !cut.mesh.isMaximal())
    return invalid(fmt::format("sharding {} is of {} dimensions, the tensor has {}: [{}]",
                               core::toString(sharding, cut.mesh), sharding.dims.size(),
                               shape.size(), fmt::join(shape, ", ")));
  return cut.segments ? checkSegments(shape, *cut.segments) : Result<void>();
}

ArrayLayout arrayLayout(const core::Shape &shape, const TensorCut &cut, int64_t position) {
  if (!cut.segments) {
    core::Box box = core::shardBox(shape, cut.sharding, cut.mesh, position);
    ArrayLayout layout{box.size, {}};
    if (box.numElements() > 0)
      layout.parts.push_back({std::move(box), std::vector<int64_t>(shape.size(), 0)});
    return layout;
  }
  auto dim = static_cast<size_t>(cut.segments->dim);
  core::Shape segment = shape;
  ArrayLayout layout{core::shardBox(shape, cut.sharding, cut.mesh, position).size, {}};
  int64_t begin = 0; // of the segment, in the tensor
  int64_t end = 0;   // of what the array has so far
  for (int64_t size : cut.segments->sizes) {
    segment[dim] = size;
    core::Box box = core::shardBox(segment, cut.sharding, cut.mesh, position);
    std::vector<int64_t> start(shape.size(), 0);
    start[dim] = end;
    end += box.size[dim];
    box.start[dim] += begin;
    begin += size;
    if (box.numElements() > 0)
      layout.parts.push_back({std::move(box), std::move(start)});
  }
  layout.shape[dim] = end;
  return layout;
}

} // namespace shardwise::files
