// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of each result, whose parts have a holder each (PartHolders):
//   1. who holds a part too sends the holder a digest of it, which must be that of the holder's;
//   2. of partial values, holders send their part to the holder of the block's first one, which
//      combines them in order;
//   3. the block goes where outputs go.
// Example, [{"x"}], unreduced={"y"} with x=2, y=2, z=2: devices with z=1 send digests; devices with
// y=1 their values to those with y=0, which store one half each.
// Files take their time: all messages are exchanged before anything is written.

#include "shardwise/driver/StoreOutputs.h"

#include "shardwise/driver/RankTransfer.h"
#include "shardwise/driver/RunOnDevices.h"
#include "shardwise/driver/ShardData.h"
#include "shardwise/runtime/Reducer.h"

#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::driver {

using runtime::Communicator;
using runtime::HostTensor;

namespace {

/// One result of one rank on its way.
class ResultStore {
public:
  ResultStore(Communicator &communicator, const ShardedValue &value, const HostTensor &shard)
      : communicator(communicator), value(value), shard(shard),
        ranks(ranksOf(value, communicator.size())),
        holders(partHolders(value.sharding, value.mesh)) {
    auto found = std::find(ranks.begin(), ranks.end(), communicator.rank());
    if (found != ranks.end())
      position = found - ranks.begin();
  }

  /// Whether this device has the value at all.
  bool isThere() const { return position >= 0; }
  /// Whether this rank stores a block, which is complete after `combine`.
  bool isStored() const { return isThere() && part() < holders.numBlocks && isHolder(); }

  /// Step 1.
  Result<void> compare() {
    const llvm::XXH128_hash_t own = digest();
    if (!isHolder())
      return RankTransfer(communicator, ranks[holder()], "outputs, to compare")
          .send(&own, sizeof(own));
    for (int64_t other = position + 1; other < std::ssize(ranks); ++other) {
      if (holders.partOf[other] != part())
        continue;
      llvm::XXH128_hash_t theirs = {};
      if (Result<void> received = RankTransfer(communicator, ranks[other], "outputs, to compare")
                                      .receive(&theirs, sizeof(theirs));
          !received)
        return received;
      if (!(theirs == own))
        return disagreement(value.sharding, value.mesh, position, other);
    }
    return {};
  }

  /// Step 2.
  Result<void> combine() {
    if (!isHolder() || std::ssize(holders.holderOf) == holders.numBlocks)
      return {};
    constexpr const char *kWhat = "outputs, to combine";
    const int64_t block = part() % holders.numBlocks;
    const std::vector<std::byte> &own = elements().bytes;
    if (part() != block)
      return RankTransfer(communicator, ranks[holders.holderOf[block]], kWhat)
          .send(own.data(), std::ssize(own));
    auto reducer = runtime::makeReducer(value.sharding.reduction, value.type);
    if (!reducer)
      return reducer.error();
    combined = elements();
    HostTensor theirs = *combined;
    for (size_t other = block + holders.numBlocks; other < holders.holderOf.size();
         other += holders.numBlocks) {
      if (Result<void> received = RankTransfer(communicator, ranks[holders.holderOf[other]], kWhat)
                                      .receive(theirs.bytes.data(), std::ssize(theirs.bytes));
          !received)
        return received;
      reducer->fold(combined->bytes.data(), theirs.bytes.data(), combined->numElements());
    }
    return {};
  }

  /// Step 3.
  Result<void> put(size_t index, OutputParts &target) {
    return target.put(index, box(), combined ? combined->bytes.data() : elements().bytes.data());
  }

private:
  int64_t part() const { return holders.partOf[position]; }
  int64_t holder() const { return holders.holderOf[part()]; }
  bool isHolder() const { return holder() == position; }
  core::Box box() const {
    return core::shardBox(value.globalShape, value.sharding, value.mesh, position);
  }
  const HostTensor &elements() { return withoutPadding(shard, box(), unpadded); }
  llvm::XXH128_hash_t digest() {
    const std::vector<std::byte> &bytes = elements().bytes;
    // Only parts that several hold are compared.
    if (std::ssize(holders.holderOf) == std::ssize(ranks))
      return {};
    return llvm::xxh3_128bits({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  }

  Communicator &communicator;
  const ShardedValue &value;
  const HostTensor &shard;
  std::vector<int64_t> ranks; ///< By position.
  PartHolders holders;
  int64_t position = -1;
  HostTensor unpadded;
  std::optional<HostTensor> combined;
};

/// Returns when rank 0 has made what outputs go to.
Result<void> makeTarget(Communicator &communicator, OutputParts &target) {
  constexpr const char *kWhat = "outputs, to be stored";
  std::byte word{};
  if (communicator.rank() != 0)
    return RankTransfer(communicator, 0, kWhat).receive(&word, 1);
  if (Result<void> made = target.make(); !made)
    return made;
  for (runtime::Rank peer = 1; peer < communicator.size(); ++peer)
    if (Result<void> sent = RankTransfer(communicator, peer, kWhat).send(&word, 1); !sent)
      return sent;
  return {};
}

} // namespace

Result<void> storeOutputs(Communicator &communicator, const ProgramBorder &border,
                          const execute::RunOutput &output, OutputParts *target) {
  std::vector<ResultStore> stores;
  stores.reserve(border.results.size());
  for (size_t i = 0; i < border.results.size(); ++i) {
    ResultStore &store = stores.emplace_back(communicator, border.results[i], output.results[i]);
    if (!store.isThere())
      continue;
    Result<void> done = store.compare();
    if (done)
      done = store.combine();
    if (!done)
      return Error{done.error().kind, "output " + std::to_string(i) + ": " + done.error().message};
  }
  if (!target)
    return {};
  if (Result<void> made = makeTarget(communicator, *target); !made)
    return made;
  for (size_t i = 0; i < stores.size(); ++i)
    if (stores[i].isStored())
      if (Result<void> stored = stores[i].put(i, *target); !stored)
        return stored;
  return {};
}

} // namespace shardwise::driver
