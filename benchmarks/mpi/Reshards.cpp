// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshards beside MPI_Alltoallw: every device sends its part of every other's box, as a subarray.

#include "benchmarks/mpi/Timing.h"

#include "shardwise/core/Text.h"
#include "shardwise/planner/model/PlanText.h"

#include <mpi.h>

#include <algorithm>

namespace shardwise::bench {
namespace {

using resharding::PlannedReshard;
using resharding::ShardPlace;

/// The subarray types by which a device sends its part to, or gets it from, every other.
struct ExchangeTypes {
  std::vector<MPI_Datatype> sent, received;
  std::vector<int> sentCounts, receivedCounts, zeros;
};

MPI_Datatype subarray(const ShardPlace &place, const core::Box &box) {
  std::vector<int> shape(place.shape.begin(), place.shape.end());
  std::vector<int> size(box.size.begin(), box.size.end());
  std::vector<int> start;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    start.push_back(static_cast<int>(box.start[dim] - place.box.start[dim]));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(static_cast<int>(shape.size()), shape.data(), size.data(), start.data(),
                           MPI_ORDER_C, MPI_FLOAT, &type);
  MPI_Type_commit(&type);
  return type;
}

core::Box overlap(const core::Box &a, const core::Box &b) {
  core::Box box = a;
  for (size_t dim = 0; dim < box.start.size(); ++dim) {
    box.start[dim] = std::max(a.start[dim], b.start[dim]);
    box.size[dim] = std::max<int64_t>(
        0, std::min(a.start[dim] + a.size[dim], b.start[dim] + b.size[dim]) - box.start[dim]);
  }
  return box;
}

/// The device from which `target` takes what `source` holds: itself if it can.
size_t holderFor(const PlannedReshard &reshard, size_t source, size_t target) {
  const auto &places = reshard.source();
  if (places[target].box == places[source].box)
    return target;
  std::vector<size_t> holders;
  for (size_t other = 0; other < places.size(); ++other)
    if (places[other].box == places[source].box)
      holders.push_back(other);
  return holders[target % holders.size()];
}

ExchangeTypes typesOf(const PlannedReshard &reshard, size_t own) {
  ExchangeTypes types;
  size_t count = reshard.source().size();
  auto add = [&](size_t source, size_t target, const ShardPlace &place,
                 std::vector<MPI_Datatype> &list, std::vector<int> &counts) {
    core::Box box = overlap(reshard.source()[source].box, reshard.target()[target].box);
    bool isSent = box.numElements() > 0 && holderFor(reshard, source, target) == source;
    list.push_back(isSent ? subarray(place, box) : MPI_FLOAT);
    counts.push_back(isSent ? 1 : 0);
  };
  for (size_t other = 0; other < count; ++other) {
    add(own, other, reshard.source()[own], types.sent, types.sentCounts);
    add(other, own, reshard.target()[own], types.received, types.receivedCounts);
  }
  types.zeros.assign(count, 0);
  return types;
}

} // namespace

void benchReshards() {
  auto own = static_cast<size_t>(ownProcess());
  Table table(R"(256x256x64xf32 on <["x"=2, "y"=4]>)", "Alltoallw");
  for (const char *change :
       {R"([{"x", "y"}, {}, {}] -> [{}, {"x", "y"}, {}])",
        R"([{"x", "y"}, {}, {}] -> [{}, {}, {"x", "y"}])",
        R"([{}, {}, {"x", "y"}] -> [{"x", "y"}, {}, {}])",
        R"([{"x"}, {"y"}, {}] -> [{"y"}, {"x"}, {}])", R"([{"x"}, {}, {}] -> [{}, {"x"}, {"y"}])",
        R"([{"x"}, {"y"}, {}] -> [{"x"}, {}, {}])", R"([{}, {"x", "y"}, {}] -> [{"y"}, {}, {}])",
        R"([{"x", "y"}, {}, {}] -> [{}, {}, {}])"}) {
    std::string text = std::string(R"(256x256x64xf32 <["x"=2, "y"=4]> )") + change;
    auto problem = planner::resolve(*planner::parseProblem(text));
    auto reshard = PlannedReshard::plan(*problem);
    ExchangeTypes types = typesOf(*reshard, own);
    int64_t sourceBytes = reshard->source()[own].bytes(4);
    int64_t targetBytes = reshard->target()[own].bytes(4);
    std::vector<std::byte> from(sourceBytes), to(targetBytes);
    table.add(
        change,
        [&] {
          return timesOfMpi([&] {
            MPI_Alltoallw(from.data(), types.sentCounts.data(), types.zeros.data(),
                          types.sent.data(), to.data(), types.receivedCounts.data(),
                          types.zeros.data(), types.received.data(), MPI_COMM_WORLD);
          });
        },
        [&](bool isShared) { return timesOfReshard(*reshard, 4, isShared); });
  }
  table.end();
}

} // namespace shardwise::bench
