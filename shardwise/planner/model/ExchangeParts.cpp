// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages in global indices become boxes of shards: block number c of a dimension begins at c
// times the size of a shard, and a box is where its block begins, further on.
//
// Example: 6 elements on <["x"=2, "y"=3]>, [{"x"}] to [{"y"}]; shards of 3, then of 2. The device
// at (0, 1) has 0-2 and wants 2-3: it keeps element 2, at 2 of the old and 0 of the new shard, and
// gets element 3, at 0 of the shard of (1, 1), to 1.

#include "shardwise/planner/model/ExchangeParts.h"

#include "shardwise/core/MovedAxes.h"
#include "shardwise/planner/model/CostModel.h"
#include "shardwise/planner/model/Placement.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace shardwise::planner {
namespace {

std::vector<int64_t> offsets(const core::Box &box, const std::vector<int64_t> &shardStart) {
  std::vector<int64_t> result;
  result.reserve(box.start.size());
  for (size_t dim = 0; dim < box.start.size(); ++dim)
    result.push_back(box.start[dim] - shardStart[dim]);
  return result;
}

/// The source sharding, unreduced along all axes along which nothing moves: holders of a copy are
/// then those that agree with the receiver along these.
core::Sharding withCopiesBeside(const ReshardProblem &problem) {
  core::Sharding source = problem.source;
  if (isOneMesh(problem)) {
    source.unreduced = core::axesBeside(
        problem.mesh, core::movedAxes(problem.mesh, problem.shape, problem.source, problem.target));
  }
  return source;
}

} // namespace

std::vector<ExchangePart> exchangeParts(const ReshardProblem &problem) {
  core::Sharding source = withCopiesBeside(problem);
  Placement before(problem, source, OnMesh::Source);
  Placement after(problem, problem.target, OnMesh::Target);
  std::vector<std::vector<int64_t>> sourceStarts;
  for (int64_t position = 0; position < before.numDevices(); ++position)
    sourceStarts.push_back(before.boxAt(position).start);
  std::vector<Message> messages = exchangeMessages(problem, before, after);
  auto message = messages.begin();
  std::vector<ExchangePart> parts;
  parts.reserve(messages.size() + after.numDevices());
  // Messages come by the position of who receives them.
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    core::DeviceId id = after.idAt(position);
    core::Box wanted = after.boxAt(position);
    auto add = [&](core::DeviceId from, int64_t fromPosition, core::Box box) {
      parts.push_back({from, id, offsets(box, sourceStarts[fromPosition]),
                       offsets(box, wanted.start), std::move(box.size)});
    };
    if (std::optional<int64_t> own = before.positionOrNull(id)) {
      core::Box kept = core::intersect(wanted, before.boxAt(*own));
      if (kept.numElements() > 0)
        add(id, *own, std::move(kept));
    }
    for (; message != messages.end() && message->target == id; ++message)
      add(message->source, *before.positionOrNull(message->source), std::move(message->box));
  }
  auto isBefore = [](const ExchangePart &a, const ExchangePart &b) { return a.target < b.target; };
  if (!std::is_sorted(parts.begin(), parts.end(), isBefore))
    std::stable_sort(parts.begin(), parts.end(), isBefore);
  return parts;
}

int64_t maxReceivedMessages(const core::Shape &shape, const core::Sharding &before,
                            const core::Sharding &after) {
  core::Shape have = core::localShape(shape, before);
  core::Shape want = core::localShape(shape, after);
  int64_t messages = 1;
  for (size_t dim = 0; dim < have.size(); ++dim)
    messages *= blocksMet(have[dim], want[dim], core::shardedSize(before.dims[dim].axes));
  return messages;
}

} // namespace shardwise::planner
