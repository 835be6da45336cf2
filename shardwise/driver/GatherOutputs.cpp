// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank sends the number of its records' bytes, the records as text, and its results as they are.

#include "shardwise/driver/GatherOutputs.h"

#include <nlohmann/json.hpp>

#include <string>

namespace shardwise::driver {
namespace {

using runtime::Communicator;
using runtime::MessageBox;
using runtime::PendingMessage;
using runtime::Rank;

MessageBox boxOf(int64_t bytes) {
  return {{bytes}, {1}, 1};
}

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

/// The messages between one rank and rank 0, one after the other.
class OutputTransfer {
public:
  OutputTransfer(Communicator &communicator, Rank peer) : communicator(communicator), peer(peer) {}

  Result<void> send(const void *data, int64_t bytes) {
    return finish(
        communicator.startSend(name(), static_cast<const std::byte *>(data), boxOf(bytes)));
  }
  Result<void> receive(void *data, int64_t bytes) {
    return finish(communicator.startReceive(name(), static_cast<std::byte *>(data), boxOf(bytes)));
  }

private:
  runtime::MessageName name() { return {peer, "outputs", number++}; }
  Result<void> finish(const Result<PendingMessage> &started) {
    return started ? communicator.wait(*started) : started.error();
  }

  Communicator &communicator;
  Rank peer;
  int64_t number = 0;
};

Result<void> sendOutput(Communicator &communicator, const execute::RunOutput &output) {
  OutputTransfer transfer(communicator, 0);
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
  OutputTransfer transfer(communicator, rank);
  int64_t length = 0;
  if (Result<void> received = transfer.receive(&length, sizeof(length)); !received)
    return received;
  std::string records(static_cast<size_t>(length), ' ');
  if (Result<void> received = transfer.receive(records.data(), length); !received)
    return received;
  output.collectives = recordsOf(records);
  for (const runtime::HostTensor &tensor : own.results) {
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
