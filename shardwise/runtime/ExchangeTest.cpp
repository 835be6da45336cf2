// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges of random boxes, known to their senders only, against a table of what lies where.

#include "shardwise/runtime/Exchange.h"

#include "test/support/runtime/RankTesting.h"

#include <array>
#include <random>

namespace shardwise::runtime {
namespace {

using testing::allRanks;
using testing::bytesOf;
using testing::expectEqual;
using testing::inputOf;
using testing::valueOf;
using testing::valuesOf;

using Index = std::array<int64_t, 2>;

/// Rows [from, from + count) of rank `source` for rank `target`, whose rows from `to` on they are.
struct Rows {
  Rank source, target;
  int64_t from, to, count;
};

/// Messages by which every rank gets its output, row for row from a random rank, in random pieces.
std::vector<Rows> randomRows(std::mt19937_64 &random, const std::vector<int64_t> &inputRows,
                             const std::vector<int64_t> &outputRows) {
  auto below = [&](int64_t end) {
    return std::uniform_int_distribution<int64_t>(0, end - 1)(random);
  };
  auto numRanks = static_cast<int64_t>(inputRows.size());
  std::vector<Rows> messages;
  for (Rank target = 0; target < numRanks; ++target) {
    for (int64_t to = 0; to < outputRows[target];) {
      Rank source = below(numRanks);
      int64_t rows = std::min(inputRows[source], outputRows[target] - to);
      int64_t count = rows > 0 ? 1 + below(rows) : 0;
      int64_t from = count > 0 ? below(inputRows[source] - count + 1) : 0;
      messages.push_back({source, target, from, to, count});
      to += count;
    }
  }
  return messages;
}

TEST(ExchangeTest, everyRankGetsWhatOthersSendIt) {
  std::mt19937_64 random(20'260'728);
  for (int round = 0; round < 60; ++round) {
    int64_t numRanks = 1 + static_cast<int64_t>(random() % 6);
    auto columns = static_cast<int64_t>(random() % 4);
    std::vector<int64_t> inputRows, outputRows;
    for (Rank rank = 0; rank < numRanks; ++rank) {
      inputRows.push_back(static_cast<int64_t>(random() % 5));
      outputRows.push_back(static_cast<int64_t>(random() % 7));
    }
    inputRows[0] = 3; // Some rank has something.
    std::vector<Rows> messages = randomRows(random, inputRows, outputRows);
    testing::runSuccessfully(numRanks, [&](Communicator &communicator) -> Result<void> {
      Rank own = communicator.rank();
      std::vector<Rank> group = allRanks(numRanks);
      std::reverse(group.begin(), group.end());
      Index inputShape = {inputRows[own], columns}, outputShape = {outputRows[own], columns};
      std::vector<int32_t> input = valuesOf(own, inputRows[own] * columns);
      std::vector<int32_t> output(outputRows[own] * columns, -1), expected = output;
      SentBoxes sent(2);
      Traffic wanted;
      std::vector<bool> isSender(numRanks);
      for (const Rows &rows : messages) {
        if (rows.source == own) {
          sent.add(numRanks - 1 - rows.target, Index{rows.from, 0}, Index{rows.to, 0},
                   Index{rows.count, columns});
        }
        if (rows.target != own)
          continue;
        for (int64_t i = 0; i < rows.count * columns; ++i)
          expected[rows.to * columns + i] = valueOf(rows.source, rows.from * columns + i);
        int64_t bytes = rows.source == own ? 0 : rows.count * columns * 4;
        wanted.receivedBytes += bytes;
        wanted.messages += bytes > 0 && !isSender[rows.source] ? 1 : 0;
        isSender[rows.source] = isSender[rows.source] || bytes > 0;
      }
      Result<Traffic> traffic = exchange(communicator, group, inputOf(input, inputShape), sent,
                                         {bytesOf(output), outputShape});
      if (!traffic)
        return traffic.error();
      if (traffic->receivedBytes != wanted.receivedBytes || traffic->messages != wanted.messages)
        return Error{ErrorKind::Internal, "wrong traffic"};
      return expectEqual(output, expected);
    });
  }
}

TEST(ExchangeTest, boxesCutBothDimensionsAndLeaveTheRest) {
  // The lower right 2x2 of rank 0 becomes the upper left one of rank 1, and the other way round.
  testing::runSuccessfully(2, [&](Communicator &communicator) -> Result<void> {
    Rank own = communicator.rank();
    Index shape = {3, 3};
    std::vector<int32_t> input = valuesOf(own, 9), output(9, -1);
    SentBoxes sent(2);
    sent.add(1 - own, Index{1 - own, 1 - own}, Index{own == 0 ? 0 : 1, own == 0 ? 0 : 1},
             Index{2, 2});
    Result<Traffic> traffic =
        exchange(communicator, allRanks(2), inputOf(input, shape), sent, {bytesOf(output), shape});
    if (!traffic || traffic->receivedBytes != 16)
      return Error{ErrorKind::Internal, "wrong traffic"};
    std::vector<int32_t> expected(9, -1);
    Rank other = 1 - own;
    int64_t from = 1 - other, to = other == 0 ? 0 : 1;
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t column = 0; column < 2; ++column)
        expected[(to + row) * 3 + to + column] = valueOf(other, (from + row) * 3 + from + column);
    return expectEqual(output, expected);
  });
}

TEST(ExchangeTest, scalarsAndOtherElementSizes) {
  testing::runSuccessfully(3, [&](Communicator &communicator) -> Result<void> {
    Rank own = communicator.rank();
    std::vector<int8_t> input = {static_cast<int8_t>(own)}, output = {-1};
    SentBoxes sent(0);
    sent.add((own + 1) % 3, {}, {}, {});
    Result<Traffic> traffic =
        exchange(communicator, allRanks(3), inputOf(input, {}), sent, {bytesOf(output), {}});
    if (!traffic || traffic->receivedBytes != 1 || output[0] != (own + 2) % 3)
      return Error{ErrorKind::Internal, "wrong output"};
    return {};
  });
}

TEST(ExchangeTest, boxesThatDoNotFitAreRefused) {
  auto run = [](int64_t target, Index from, Index to, int64_t outputRows) {
    Result<void> result =
        testing::runTested(2, std::chrono::seconds(5), [&](Communicator &communicator) {
          Index inputShape = {2, 3}, outputShape = {outputRows, 3};
          std::vector<int32_t> input = valuesOf(communicator.rank(), 6), output(outputRows * 3);
          SentBoxes sent(2);
          sent.add(target, from, to, Index{1, 2});
          return exchange(communicator, allRanks(2), inputOf(input, inputShape), sent,
                          {bytesOf(output), outputShape})
                         .ok()
                     ? Result<void>()
                     : Result<void>(invalid("refused"));
        });
    return !result.ok();
  };
  EXPECT_FALSE(run(1, {1, 1}, {0, 0}, 1));
  EXPECT_TRUE(run(2, {1, 1}, {0, 0}, 1));
  EXPECT_TRUE(run(-1, {1, 1}, {0, 0}, 1));
  EXPECT_TRUE(run(1, {2, 0}, {0, 0}, 1));
  EXPECT_TRUE(run(1, {-1, 0}, {0, 0}, 1));
  EXPECT_TRUE(run(1, {0, 2}, {0, 0}, 1));
  EXPECT_TRUE(run(0, {0, 0}, {1, 0}, 1));
  EXPECT_TRUE(run(0, {0, 0}, {0, 2}, 1));
}

} // namespace
} // namespace shardwise::runtime
