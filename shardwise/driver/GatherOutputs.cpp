// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank sends the number of its records' bytes, the records as text, and its results as they are.
// Only the records have a length that the receiver does not know: results have the types of its
// own, as all ranks run one program. One rank after the other, so that what waits in buffers is one
// rank's output and not everybody's.

#include "shardwise/driver/GatherOutputs.h"

#include "shardwise/driver/RankTransfer.h"

#include <nlohmann/json.hpp>

#include <string>

namespace shardwise::driver {
namespace {

using runtime::Communicator;
using runtime::Rank;

std::string textOf(const std::vector<execute::CollectiveRecord> &records) {
  auto list = nlohmann::json::array();
  for (const execute::CollectiveRecord &record : records)
    list.push_back({static_cast<int>(record.kind), record.axes, record.count, record.tensors,
                    record.bytesReceived});
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<execute::CollectiveRecord> recordsOf(const std::string &text) {
  std::vector<execute::CollectiveRecord> records;
  for (const nlohmann::json &record : nlohmann::json::parse(text))
    records.push_back({static_cast<core::CollectiveKind>(record[0].get<int>()),
                       record[1].get<std::string>(), record[2].get<int64_t>(),
                       record[3].get<int64_t>(), record[4].get<int64_t>()});
  return records;
}

constexpr const char *kWhat = "outputs";

Result<void> sendOutput(Communicator &communicator, const execute::RunOutput &output) {
  RankTransfer transfer(communicator, 0, kWhat);
  std::string records = textOf(output.collectives);
  auto length = static_cast<int64_t>(records.size());
  if (Result<void> sent = transfer.send(&length, sizeof(length)); !sent)
    return sent;
  if (Result<void> sent = transfer.send(records.data(), length); !sent)
    return sent;
  for (const runtime::HostTensor &tensor : output.results)
    if (Result<void> sent = transfer.send(tensor.bytes.data(), std::ssize(tensor.bytes)); !sent)
      return sent;
  return {};
}

Result<void> receiveOutput(Communicator &communicator, Rank rank, const execute::RunOutput &own,
                           execute::RunOutput &output) {
  RankTransfer transfer(communicator, rank, kWhat);
  int64_t length = 0;
  if (Result<void> received = transfer.receive(&length, sizeof(length)); !received)
    return received;
  std::string records(static_cast<size_t>(length), ' ');
  if (Result<void> received = transfer.receive(records.data(), length); !received)
    return received;
  output.collectives = recordsOf(records);
  for (const runtime::HostTensor &tensor : own.results) {
    output.holders.push_back(rank);
    output.results.push_back({tensor.type, tensor.shape, {}});
    output.results.back().bytes.resize(tensor.bytes.size());
    if (Result<void> received =
            transfer.receive(output.results.back().bytes.data(), std::ssize(tensor.bytes));
        !received)
      return received;
  }
  return {};
}

} // namespace

Result<void> gatherInFirstProcess(Communicator &communicator, const runtime::RankShares &shares,
                                  std::vector<execute::RunOutput> &perRank) {
  // Ranks of the first process wrote to the same `perRank`; of these only rank 0 has something to
  // do.
  Rank own = communicator.rank();
  if (own >= shares.end(0))
    return sendOutput(communicator, perRank[own]);
  if (own != 0)
    return {};
  for (Rank rank = shares.end(0); rank < shares.numRanks; ++rank)
    if (Result<void> received = receiveOutput(communicator, rank, perRank[0], perRank[rank]);
        !received)
      return received;
  return {};
}

} // namespace shardwise::driver
