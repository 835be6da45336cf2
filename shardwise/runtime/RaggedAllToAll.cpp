// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ragged_all_to_all: every rank shows its rows and its lists, and copies the slices that its peers
// send it. What a peer sends and what the rank expects are compared slice by slice: programs say
// both, and a program in which they differ has no meaning.

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/CollectiveChecks.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <vector>

namespace shardwise::runtime {
namespace {

/// Numbers of what a rank shows.
enum Shown : size_t { Rows, InputOffsets, SendSizes, OutputOffsets };

std::span<const int64_t> listOf(const Publication &peer, Shown which, size_t count) {
  return {reinterpret_cast<const int64_t *>(peer.tensor(which).input), count};
}

bool isInside(int64_t start, int64_t size, int64_t numRows) {
  return start >= 0 && size >= 0 && size <= numRows && start <= numRows - size;
}

} // namespace

Result<Traffic> raggedAllToAll(Communicator &communicator, RankGroup group,
                               const InputBuffer &input, const RaggedSlices &slices,
                               int64_t outputRows, std::byte *output) {
  auto numRanks = static_cast<int64_t>(group.size());
  auto numSlices = std::ssize(slices.inputOffsets);
  if (Result<void> checked = checkDim(CollectiveKind::RaggedAllToAll, input, 0); !checked)
    return checked.error();
  if (numSlices % numRanks != 0)
    return invalid(fmt::format("ragged_all_to_all: lists of {} slices in a group of {} ranks; "
                               "expected as many for each",
                               numSlices, numRanks));
  const PublishedTensor shown[] = {
      {input.data},
      {reinterpret_cast<const std::byte *>(slices.inputOffsets.data())},
      {reinterpret_cast<const std::byte *>(slices.sendSizes.data())},
      {reinterpret_cast<const std::byte *>(slices.outputOffsets.data())}};
  Publication own;
  own.collective = CollectiveKind::RaggedAllToAll;
  own.tensors = shown;
  own.inputBytes = byteSize(input);
  own.parameters = digest(input.shape, {numSlices, outputRows, input.elementBytes});
  Result<std::span<const Publication>> peers = communicator.publish(group, own);
  if (!peers)
    return peers.error();

  int64_t inputRows = input.shape[0];
  int64_t rowBytes = product(input.shape.subspan(1)) * input.elementBytes;
  int64_t position = positionOf(communicator.rank(), group);
  int64_t perRank = numSlices / numRanks;
  Traffic traffic;
  // Peers may still read what this rank shows, so it leaves together with them, wrong or not.
  std::optional<Error> wrong;
  // In group order: where slices overlap, the last stands.
  for (int64_t peer = 0; peer < numRanks && !wrong; ++peer) {
    const Publication &sender = (*peers)[peer];
    auto count = static_cast<size_t>(numSlices);
    int64_t received = 0;
    for (int64_t slice = 0; slice < perRank && !wrong; ++slice) {
      int64_t sent = position * perRank + slice;
      int64_t size = listOf(sender, SendSizes, count)[sent];
      int64_t from = listOf(sender, InputOffsets, count)[sent];
      int64_t to = listOf(sender, OutputOffsets, count)[sent];
      int64_t expected = slices.recvSizes[peer * perRank + slice];
      if (size != expected)
        wrong = invalid(fmt::format("ragged_all_to_all: rank {} sends {} rows to rank {}, which "
                                    "expects {} by its recv_sizes",
                                    group[peer], size, communicator.rank(), expected));
      else if (!isInside(from, size, inputRows) || !isInside(to, size, outputRows))
        wrong = invalid(fmt::format(
            "ragged_all_to_all: rank {} sends rows [{}, {} + {}) of {} to rows [{}, {} + {}) of "
            "{} on rank {}; expected rows that are there",
            group[peer], from, from, size, inputRows, to, to, size, outputRows,
            communicator.rank()));
      else if (size * rowBytes > 0)
        std::memcpy(output + to * rowBytes, sender.tensor(Rows).input + from * rowBytes,
                    static_cast<size_t>(size * rowBytes));
      received += size * rowBytes;
    }
    if (peer == position || received == 0)
      continue;
    traffic.receivedBytes += received;
    ++traffic.messages;
  }
  Result<void> released = communicator.release(group);
  if (wrong)
    return *wrong;
  if (!released)
    return released.error();
  return traffic;
}

} // namespace shardwise::runtime
