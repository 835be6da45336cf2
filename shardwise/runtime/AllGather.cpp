// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// all_gather: every rank copies every input to its place. Ranks that have their output in one place
// share the inputs out: of 4 ranks, all with one output, each copies its own.

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/GatheredBlock.h"
#include "shardwise/runtime/MessageCollectives.h"
#include "shardwise/runtime/OutputTurns.h"

#include <vector>

namespace shardwise::runtime {
namespace {

/// Copies tensor `number` of the peer at `position` to its place, as far as it is kept.
void copyFrom(const Publication &peer, size_t number, const GatheredTensor &tensor, int64_t dim,
              int64_t position, int64_t numRanks) {
  GatheredBlock block(tensor, dim, position, numRanks);
  if (!block.isEmpty)
    copyBox(peer.tensor(number).input, {tensor.input.shape, block.origin}, tensor.output,
            {block.outputShape, block.place}, block.shape, tensor.input.elementBytes);
}

} // namespace

Result<Traffic> allGather(Communicator &communicator, RankGroup group, const InputBuffer &input,
                          int64_t dim, std::byte *output) {
  GatheredTensor only{input, output};
  return allGather(communicator, group, {&only, 1}, dim);
}

Result<Traffic> allGather(Communicator &communicator, RankGroup group,
                          std::span<const GatheredTensor> tensors, int64_t dim) {
  auto numRanks = static_cast<int64_t>(group.size());
  Publication own;
  own.collective = CollectiveKind::AllGather;
  std::vector<PublishedTensor> published;
  std::vector<int64_t> shapes;
  for (const GatheredTensor &tensor : tensors) {
    if (Result<void> checked = checkDim(own.collective, tensor.input, dim); !checked)
      return checked.error();
    published.push_back({tensor.input.data, tensor.output});
    shapes.insert(shapes.end(), tensor.input.shape.begin(), tensor.input.shape.end());
    shapes.push_back(tensor.input.elementBytes);
    shapes.push_back(tensor.kept);
    own.inputBytes += byteSize(tensor.input);
  }
  Traffic traffic{0, numRanks - 1};
  for (const GatheredTensor &tensor : tensors)
    traffic.receivedBytes +=
        trafficOf(own.collective, byteSize(tensor.input), numRanks).receivedBytes;
  own.parameters = digest(shapes, {dim});
  if (!communicator.canMeet(group)) {
    Result<void> done = messages::allGather(communicator, group, tensors, dim, own.parameters);
    return done ? Result<Traffic>(traffic) : done.error();
  }
  own.tensors = published;
  Result<std::span<const Publication>> peers = communicator.publish(group, own);
  if (!peers)
    return peers.error();
  // Starting behind itself, each rank reads from another peer at any time.
  int64_t position = positionOf(communicator.rank(), group);
  for (size_t number = 0; number < tensors.size(); ++number) {
    OutputTurn own = turnOf(*peers, number, position);
    for (int64_t i = 0; i < numRanks; ++i)
      if (int64_t peer = (position + i) % numRanks; own.isFor(peer))
        copyFrom((*peers)[peer], number, tensors[number], dim, peer, numRanks);
  }
  if (Result<void> released = communicator.release(group); !released)
    return released.error();
  return traffic;
}

} // namespace shardwise::runtime
