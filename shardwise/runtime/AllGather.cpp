// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// all_gather: every rank copies every input to its place. Ranks that have their output in one place
// share the inputs out: of 4 ranks, all with one output, each copies its own.

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/GatheredBlock.h"
#include "shardwise/runtime/MessageCollectives.h"
#include "shardwise/runtime/OutputTurns.h"
#include "shardwise/runtime/RunningCollective.h"

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

class AllGather final : public RunningCollective {
public:
  AllGather(Communicator &communicator, RankGroup group, std::span<const GatheredTensor> given,
            int64_t dim)
      : RunningCollective(communicator, CollectiveKind::AllGather, group),
        tensors(given.begin(), given.end()), dim(dim) {
    for (const GatheredTensor &tensor : tensors)
      shapes.insert(shapes.end(), tensor.input.shape.begin(), tensor.input.shape.end());
    size_t begin = 0;
    for (GatheredTensor &tensor : tensors) {
      tensor.input.shape = std::span(shapes).subspan(begin, tensor.input.shape.size());
      begin += tensor.input.shape.size();
    }
  }

private:
  Result<void> check() override {
    traffic.messages = numRanks() - 1;
    std::vector<int64_t> numbers;
    for (const GatheredTensor &tensor : tensors) {
      if (Result<void> checked = checkDim(kind, tensor.input, dim); !checked)
        return checked;
      published.push_back({tensor.input.data, tensor.output});
      numbers.insert(numbers.end(), tensor.input.shape.begin(), tensor.input.shape.end());
      numbers.push_back(tensor.input.elementBytes);
      numbers.push_back(tensor.kept);
      inputBytes += byteSize(tensor.input);
      traffic.receivedBytes += trafficOf(kind, byteSize(tensor.input), numRanks()).receivedBytes;
    }
    parameters = digest(numbers, {dim});
    return {};
  }

  Publication shown() override {
    Publication own;
    own.tensors = published;
    own.inputBytes = inputBytes;
    own.parameters = parameters;
    return own;
  }

  Result<void> read(std::span<const Publication> peers) override {
    int64_t own = position();
    // Starting behind itself, each rank reads from another peer at any time.
    for (size_t number = 0; number < tensors.size(); ++number) {
      OutputTurn turn = turnOf(peers, number, own);
      for (int64_t i = 0; i < numRanks(); ++i)
        if (int64_t peer = (own + i) % numRanks(); turn.isFor(peer))
          copyFrom(peers[peer], number, tensors[number], dim, peer, numRanks());
    }
    return {};
  }

  Result<void> startMessages() override {
    round.emplace(messageGroup(), 0, parameters);
    return messages::startAllGather(*round, numRanks(), position(), tensors, dim);
  }
  Result<void> finishMessages() override {
    return messages::finishAllGather(*round, numRanks(), position(), tensors, dim);
  }

  std::vector<int64_t> shapes; ///< Of all tensors, which look into it.
  std::vector<GatheredTensor> tensors;
  int64_t dim;
  std::vector<PublishedTensor> published;
  int64_t inputBytes = 0;
  uint64_t parameters = 0;
  std::optional<MessageRound> round;
};

} // namespace

Result<Traffic> allGather(Communicator &communicator, RankGroup group, const InputBuffer &input,
                          int64_t dim, std::byte *output) {
  GatheredTensor only{input, output};
  return allGather(communicator, group, {&only, 1}, dim);
}

Result<Traffic> allGather(Communicator &communicator, RankGroup group,
                          std::span<const GatheredTensor> tensors, int64_t dim) {
  AllGather collective(communicator, group, tensors, dim);
  return runNow(collective);
}

Result<PendingCollective> startAllGather(Communicator &communicator, RankGroup group,
                                         std::span<const GatheredTensor> tensors, int64_t dim) {
  return startRunning(std::make_unique<AllGather>(communicator, group, tensors, dim));
}

} // namespace shardwise::runtime
