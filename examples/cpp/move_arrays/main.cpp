// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves a matrix from rows to columns of four devices, in three ways:
//
// 1. on buffers of this process, by a plan that is made once and executed often;
// 2. by four ranks that see only their own buffers and send each other messages;
// 3. as an array that brings its buffers.

#include <shardwise/core/Text.h>
#include <shardwise/planner/model/PlanText.h>
#include <shardwise/resharding/PlannedReshard.h>
#include <shardwise/resharding/ShardedArray.h>
#include <shardwise/runtime/LocalCommunicator.h>

#include <cstdio>
#include <numeric>
#include <vector>

using namespace shardwise;

namespace {

constexpr int64_t kRows = 8, kColumns = 8;

/// Buffers of devices, and their addresses as the executors take them.
using Shards = std::vector<std::vector<float>>;

template <class Byte, class AnyShards> std::vector<Byte *> addresses(AnyShards &shards) {
  std::vector<Byte *> result;
  for (auto &shard : shards)
    result.push_back(reinterpret_cast<Byte *>(shard.data()));
  return result;
}

/// Every device's rows or columns; element (r, c) is 8 r + c.
Shards shardsOf(const resharding::ShardState &state) {
  Shards shards;
  for (const resharding::ShardPlace &place : state) {
    std::vector<float> &shard = shards.emplace_back();
    for (int64_t row = 0; row < place.box.size[0]; ++row)
      for (int64_t column = 0; column < place.box.size[1]; ++column)
        shard.push_back(static_cast<float>((place.box.start[0] + row) * kColumns +
                                           place.box.start[1] + column));
  }
  return shards;
}

Shards emptyShards(const resharding::ShardState &state) {
  Shards shards;
  for (const resharding::ShardPlace &place : state)
    shards.emplace_back(place.box.numElements());
  return shards;
}

Result<void> expectColumns(const resharding::PlannedReshard &reshard, const Shards &columns) {
  return columns == shardsOf(reshard.target()) ? Result<void>()
                                               : invalid("a wrong element arrived");
}

Result<void> moveInOneProcess(const resharding::PlannedReshard &reshard) {
  const Shards rows = shardsOf(reshard.source());
  Shards columns = emptyShards(reshard.target());
  auto traffic = reshard.execute(addresses<const std::byte>(rows), addresses<std::byte>(columns));
  if (!traffic)
    return traffic.error();
  std::printf("in one process: device 0 received %lld bytes\n",
              static_cast<long long>(traffic->received(0, 0)));
  return expectColumns(reshard, columns);
}

Result<void> moveByRanks(const resharding::PlannedReshard &reshard) {
  const Shards rows = shardsOf(reshard.source());
  Shards columns = emptyShards(reshard.target());
  auto done = runtime::runRanks(4, runtime::kDefaultTimeout,
                                [&](runtime::Communicator &communicator) -> Result<void> {
                                  // A rank knows its own buffers only.
                                  std::vector<const std::byte *> from(4, nullptr);
                                  std::vector<std::byte *> to(4, nullptr);
                                  int64_t own = communicator.rank();
                                  from[own] = addresses<const std::byte>(rows)[own];
                                  to[own] = addresses<std::byte>(columns)[own];
                                  auto traffic = reshard.execute(communicator, from, to);
                                  if (!traffic)
                                    return traffic.error();
                                  if (own == 0)
                                    std::printf("by ranks: device 0 received %lld bytes\n",
                                                static_cast<long long>(traffic->received(0, 0)));
                                  return {};
                                });
  return done ? expectColumns(reshard, columns) : done;
}

Result<void> moveAnArray() {
  std::vector<float> values(kRows * kColumns);
  std::iota(values.begin(), values.end(), 0.0F);
  auto matrix = runtime::HostTensor::of<float>(runtime::DataType::F32, {kRows, kColumns}, values);
  auto mesh = core::parseMesh(R"(["x"=4])");
  auto rows = core::resolve(*core::parseSharding(R"([{"x"}, {}])"), *mesh);
  auto columns = core::resolve(*core::parseSharding(R"([{}, {"x"}])"), *mesh);
  auto array = resharding::shard(matrix, *mesh, *rows);
  if (!array)
    return array.error();
  auto moved = resharding::reshard(*array, *columns);
  if (!moved)
    return moved.error();
  auto whole = resharding::gather(*moved);
  if (!whole)
    return whole.error();
  std::printf("as an array: %zu shards\n", moved->shards.size());
  return *whole == matrix ? Result<void>() : invalid("the array has changed");
}

Result<void> run() {
  auto written = planner::parseProblem(R"(8x8xf32 <["x"=4]> [{"x"}, {}] -> [{}, {"x"}])");
  if (!written)
    return written.error();
  auto problem = planner::resolve(*written);
  if (!problem)
    return problem.error();
  auto reshard = resharding::PlannedReshard::plan(*problem);
  if (!reshard)
    return reshard.error();
  std::printf("%s", planner::toText(*problem, reshard->plan(), planner::Strategy::Optimal).c_str());
  for (auto move : {moveInOneProcess, moveByRanks})
    if (auto done = move(*reshard); !done)
      return done;
  return moveAnArray();
}

} // namespace

int main() {
  if (auto done = run(); !done) {
    std::fprintf(stderr, "%s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}
