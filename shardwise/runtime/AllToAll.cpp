// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// all_to_all: every rank copies its part of every input to that input's place. Split along rows,
// concatenated along columns, of inputs 2x2 on 2 ranks:
//
//     rank 0: a b    rank 1: e f      rank 0 takes row 0 of both: a b e f
//             c d            g h      rank 1 takes row 1 of both: c d g h

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/MessageCollectives.h"
#include "shardwise/runtime/RunningCollective.h"

#include <vector>

namespace shardwise::runtime {
namespace {

class AllToAll final : public RunningCollective {
public:
  AllToAll(Communicator &communicator, RankGroup group, const InputBuffer &given, int64_t splitDim,
           int64_t concatDim, std::byte *output)
      : RunningCollective(communicator, CollectiveKind::AllToAll, group),
        shape(given.shape.begin(), given.shape.end()), input{given.data, shape, given.elementBytes},
        splitDim(splitDim), concatDim(concatDim), output(output) {}

private:
  Result<void> check() override {
    for (const Result<void> &checked :
         {checkDim(kind, input, concatDim), checkCut(kind, input, splitDim, numRanks())})
      if (!checked)
        return checked;
    traffic = trafficOf(kind, byteSize(input), numRanks());
    parameters = digest(shape, {splitDim, concatDim, input.elementBytes});
    return {};
  }

  Publication shown() override { return showing(input.data, byteSize(input), parameters); }

  Result<void> read(std::span<const Publication> peers) override {
    std::vector<int64_t> part = shape;
    part[splitDim] /= numRanks();
    std::vector<int64_t> outputShape = part;
    outputShape[concatDim] *= numRanks();
    int64_t own = position();
    std::vector<int64_t> from(part.size(), 0);
    from[splitDim] = own * part[splitDim];
    std::vector<int64_t> to(part.size(), 0);
    // Its own part first, then those of its successors: at any time each rank reads another peer's
    // memory.
    for (int64_t i = 0; i < numRanks(); ++i) {
      int64_t peer = (own + i) % numRanks();
      to[concatDim] = peer * part[concatDim];
      copyBox(peers[peer].input, {shape, from}, output, {outputShape, to}, part,
              input.elementBytes);
    }
    return {};
  }

  Result<void> startMessages() override {
    round.emplace(messageGroup(), 0, parameters);
    return messages::startAllToAll(*round, numRanks(), position(), input, splitDim, concatDim,
                                   output);
  }
  Result<void> finishMessages() override {
    return messages::finishAllToAll(*round, numRanks(), position(), input, splitDim, concatDim,
                                    output);
  }

  std::vector<int64_t> shape;
  InputBuffer input;
  int64_t splitDim, concatDim;
  std::byte *output;
  uint64_t parameters = 0;
  std::optional<MessageRound> round;
};

} // namespace

Result<Traffic> allToAll(Communicator &communicator, RankGroup group, const InputBuffer &input,
                         int64_t splitDim, int64_t concatDim, std::byte *output) {
  AllToAll collective(communicator, group, input, splitDim, concatDim, output);
  return runNow(collective);
}

Result<PendingCollective> startAllToAll(Communicator &communicator, RankGroup group,
                                        const InputBuffer &input, int64_t splitDim,
                                        int64_t concatDim, std::byte *output) {
  return startRunning(
      std::make_unique<AllToAll>(communicator, group, input, splitDim, concatDim, output));
}

} // namespace shardwise::runtime
