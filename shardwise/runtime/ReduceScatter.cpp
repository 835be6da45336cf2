// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_scatter: every rank folds its own part of all inputs. Nothing is exchanged and no element
// is folded twice: the rank that needs a sum reads the operands where they are, in group order.

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/FoldRuns.h"
#include "shardwise/runtime/MessageCollectives.h"

#include <fmt/format.h>

namespace shardwise::runtime {

Result<Traffic> reduceScatter(Communicator &communicator, RankGroup group, const Reducer &reducer,
                              const InputBuffer &input, int64_t dim, std::byte *output) {
  auto numRanks = static_cast<int64_t>(group.size());
  if (Result<void> checked = checkCut(CollectiveKind::ReduceScatter, input, dim, numRanks);
      !checked)
    return checked.error();
  if (reducer.elementBytes != input.elementBytes) {
    return invalid(fmt::format("reduce_scatter of elements of {} B with a reducer for {} B",
                               input.elementBytes, reducer.elementBytes));
  }
  Traffic traffic = trafficOf(CollectiveKind::ReduceScatter, byteSize(input), numRanks);
  uint64_t parameters = digest(input.shape, {dim, input.elementBytes});
  if (!communicator.canMeet(group)) {
    Result<void> done =
        messages::reduceScatter(communicator, group, reducer, input, dim, output, parameters);
    return done ? Result<Traffic>(traffic) : done.error();
  }
  Publication own;
  own.collective = CollectiveKind::ReduceScatter;
  own.input = input.data;
  own.inputBytes = byteSize(input);
  own.parameters = parameters;
  Result<std::span<const Publication>> peers = communicator.publish(group, own);
  if (!peers)
    return peers.error();
  // The part is one run of elements in each slab of the dimensions above `dim`.
  int64_t numSlabs = product(input.shape.first(dim));
  int64_t slab = product(input.shape.subspan(dim));
  int64_t run = slab / numRanks;
  int64_t position = positionOf(communicator.rank(), group);
  for (int64_t i = 0; i < numSlabs && run > 0; ++i)
    foldRun(reducer, *peers, 0, i * slab + position * run, run,
            output + i * run * input.elementBytes);
  if (Result<void> released = communicator.release(group); !released)
    return released.error();
  return traffic;
}

} // namespace shardwise::runtime
