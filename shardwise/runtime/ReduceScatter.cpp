// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_scatter: every rank folds its own part of all inputs. Nothing is exchanged and no element
// is folded twice: the rank that needs a sum reads the operands where they are, in group order.

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"
#include "shardwise/runtime/FoldRuns.h"
#include "shardwise/runtime/MessageCollectives.h"
#include "shardwise/runtime/RunningCollective.h"

#include <fmt/format.h>

namespace shardwise::runtime {
namespace {

class ReduceScatter final : public RunningCollective {
public:
  ReduceScatter(Communicator &communicator, RankGroup group, const Reducer &reducer,
                const InputBuffer &given, int64_t dim, std::byte *output)
      : RunningCollective(communicator, CollectiveKind::ReduceScatter, group), reducer(reducer),
        shape(given.shape.begin(), given.shape.end()), input{given.data, shape, given.elementBytes},
        dim(dim), output(output) {}

private:
  Result<void> check() override {
    if (Result<void> checked = checkCut(kind, input, dim, numRanks()); !checked)
      return checked;
    if (reducer.elementBytes != input.elementBytes)
      return invalid(fmt::format("reduce_scatter of elements of {} B with a reducer for {} B",
                                 input.elementBytes, reducer.elementBytes));
    traffic = trafficOf(kind, byteSize(input), numRanks());
    parameters = digest(shape, {dim, input.elementBytes});
    return {};
  }

  Publication shown() override { return showing(input.data, byteSize(input), parameters); }

  Result<void> read(std::span<const Publication> peers) override {
    // The part is one run of elements in each slab of the dimensions above `dim`.
    int64_t numSlabs = product(input.shape.first(dim));
    int64_t slab = product(input.shape.subspan(dim));
    int64_t run = slab / numRanks();
    for (int64_t i = 0; i < numSlabs && run > 0; ++i)
      foldRun(reducer, peers, 0, i * slab + position() * run, run,
              output + i * run * input.elementBytes);
    return {};
  }

  Result<void> startMessages() override {
    round.emplace(messageGroup(), 0, parameters);
    return messages::startReduceScatter(*round, numRanks(), position(), reducer, input, dim,
                                        output);
  }
  Result<void> finishMessages() override {
    return messages::finishReduceScatter(*round, numRanks(), position(), reducer, input, dim,
                                         output);
  }

  const Reducer reducer;
  std::vector<int64_t> shape;
  InputBuffer input;
  int64_t dim;
  std::byte *output;
  uint64_t parameters = 0;
  std::optional<MessageRound> round;
};

} // namespace

Result<Traffic> reduceScatter(Communicator &communicator, RankGroup group, const Reducer &reducer,
                              const InputBuffer &input, int64_t dim, std::byte *output) {
  ReduceScatter collective(communicator, group, reducer, input, dim, output);
  return runNow(collective);
}

Result<PendingCollective> startReduceScatter(Communicator &communicator, RankGroup group,
                                             const Reducer &reducer, const InputBuffer &input,
                                             int64_t dim, std::byte *output) {
  return startRunning(
      std::make_unique<ReduceScatter>(communicator, group, reducer, input, dim, output));
}

} // namespace shardwise::runtime
