// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// all_gather: every rank copies every input to its place.

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"

#include <vector>

namespace shardwise::runtime {

Result<Traffic> allGather(Communicator &communicator, RankGroup group, const InputBuffer &input,
                          int64_t dim, std::byte *output) {
  if (Result<void> checked = checkDim(CollectiveKind::AllGather, input, dim); !checked)
    return checked.error();
  Publication own;
  own.collective = CollectiveKind::AllGather;
  own.input = input.data;
  own.inputBytes = byteSize(input);
  own.parameters = digest(input.shape, {dim, input.elementBytes});
  Result<std::span<const Publication>> peers = communicator.publish(group, own);
  if (!peers)
    return peers.error();
  auto numRanks = static_cast<int64_t>(group.size());
  std::vector<int64_t> outputShape(input.shape.begin(), input.shape.end());
  outputShape[dim] *= numRanks;
  std::vector<int64_t> origin(input.shape.size(), 0);
  std::vector<int64_t> place = origin;
  // Starting behind itself, each rank reads from another peer at any time.
  int64_t position = positionOf(communicator.rank(), group);
  for (int64_t i = 0; i < numRanks; ++i) {
    int64_t peer = (position + i) % numRanks;
    place[dim] = peer * input.shape[dim];
    copyBox((*peers)[peer].input, {input.shape, origin}, output, {outputShape, place}, input.shape,
            input.elementBytes);
  }
  if (Result<void> released = communicator.release(group); !released)
    return released.error();
  return Traffic{core::receivedBytes(own.collective, own.inputBytes, numRanks), numRanks - 1};
}

} // namespace shardwise::runtime
