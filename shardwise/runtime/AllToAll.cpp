// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// all_to_all: every rank copies its part of every input to that input's place. Split along rows,
// concatenated along columns, of inputs 2x2 on 2 ranks:
//
//     rank 0: a b    rank 1: e f      rank 0 takes row 0 of both: a b e f
//             c d            g h      rank 1 takes row 1 of both: c d g h

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/MessageCollectives.h"

#include <vector>

namespace shardwise::runtime {

Result<Traffic> allToAll(Communicator &communicator, RankGroup group, const InputBuffer &input,
                         int64_t splitDim, int64_t concatDim, std::byte *output) {
  auto numRanks = static_cast<int64_t>(group.size());
  for (const Result<void> &checked :
       {checkDim(CollectiveKind::AllToAll, input, concatDim),
        checkCut(CollectiveKind::AllToAll, input, splitDim, numRanks)}) {
    if (!checked)
      return checked.error();
  }
  Traffic traffic = trafficOf(CollectiveKind::AllToAll, byteSize(input), numRanks);
  uint64_t parameters = digest(input.shape, {splitDim, concatDim, input.elementBytes});
  if (!communicator.canMeet(group)) {
    Result<void> done =
        messages::allToAll(communicator, group, input, splitDim, concatDim, output, parameters);
    return done ? Result<Traffic>(traffic) : done.error();
  }
  Publication own;
  own.collective = CollectiveKind::AllToAll;
  own.input = input.data;
  own.inputBytes = byteSize(input);
  own.parameters = parameters;
  Result<std::span<const Publication>> peers = communicator.publish(group, own);
  if (!peers)
    return peers.error();
  std::vector<int64_t> part(input.shape.begin(), input.shape.end());
  part[splitDim] /= numRanks;
  std::vector<int64_t> outputShape = part;
  outputShape[concatDim] *= numRanks;
  int64_t position = positionOf(communicator.rank(), group);
  std::vector<int64_t> from(part.size(), 0);
  from[splitDim] = position * part[splitDim];
  std::vector<int64_t> to(part.size(), 0);
  // Its own part first, then those of its successors: at any time each rank reads another peer's
  // memory.
  for (int64_t i = 0; i < numRanks; ++i) {
    int64_t peer = (position + i) % numRanks;
    to[concatDim] = peer * part[concatDim];
    copyBox((*peers)[peer].input, {input.shape, from}, output, {outputShape, to}, part,
            input.elementBytes);
  }
  if (Result<void> released = communicator.release(group); !released)
    return released.error();
  return traffic;
}

} // namespace shardwise::runtime
