// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives over rank counts and sizes, empty ones included, against index formulas.

#include "test/support/runtime/RankTesting.h"

#include <array>

namespace shardwise::runtime {
namespace {

using testing::allRanks;
using testing::bytesOf;
using testing::expectEqual;
using testing::inputOf;
using testing::valueOf;
using testing::valuesOf;

constexpr std::array<int64_t, 6> kRankCounts = {1, 2, 3, 4, 8, 16};
/// Sizes of the dimensions around the one a collective works on.
constexpr std::array<int64_t, 4> kSizes = {0, 1, 3, 130};

/// Calls `run(numRanks, outer, inner)` for all combinations.
template <class Run> void sweep(Run run) {
  for (int64_t numRanks : kRankCounts) {
    for (int64_t outer : {int64_t{1}, int64_t{3}})
      for (int64_t inner : kSizes)
        run(numRanks, outer, inner);
  }
}

Result<void> expectReceived(const Result<Traffic> &traffic, int64_t bytes) {
  if (!traffic)
    return traffic.error();
  if (traffic->receivedBytes != bytes)
    return Error{ErrorKind::Internal, "wrong number of received bytes"};
  return {};
}

int32_t sumOf(const std::vector<Rank> &group, int64_t index) {
  int32_t sum = 0;
  for (Rank rank : group)
    sum += valueOf(rank, index);
  return sum;
}

TEST(CollectivesTest, allGatherConcatenatesInGroupOrder) {
  sweep([](int64_t numRanks, int64_t outer, int64_t inner) {
    testing::runSuccessfully(numRanks, [&](Communicator &communicator) -> Result<void> {
      std::vector<Rank> group = allRanks(numRanks);
      std::reverse(group.begin(), group.end());
      std::array<int64_t, 3> shape = {outer, 2, inner};
      std::vector<int32_t> input = valuesOf(communicator.rank(), outer * 2 * inner);
      std::vector<int32_t> output(input.size() * numRanks, -1);
      Result<Traffic> traffic =
          allGather(communicator, group, inputOf(input, shape), 1, bytesOf(output));
      if (Result<void> received = expectReceived(traffic, (numRanks - 1) * input.size() * 4);
          !received) {
        return received;
      }
      std::vector<int32_t> expected;
      for (int64_t o = 0; o < outer; ++o) {
        for (Rank rank : group)
          for (int64_t i = 0; i < 2 * inner; ++i)
            expected.push_back(valueOf(rank, o * 2 * inner + i));
      }
      return expectEqual(output, expected);
    });
  });
}

/// Ranks 2j and 2j+1 have one output, or all have: the same values are there, for all of them.
TEST(CollectivesTest, outputsOfSeveralRanksMayBeOne) {
  sweep([](int64_t numRanks, int64_t outer, int64_t inner) {
    for (int64_t together : {int64_t{2}, numRanks}) {
      int64_t count = outer * inner;
      std::vector<std::vector<int32_t>> gathered(numRanks), summed(numRanks);
      for (int64_t rank = 0; rank < numRanks; rank += together) {
        gathered[rank].assign(count * numRanks, -1);
        summed[rank].assign(count, -1);
      }
      testing::runSuccessfully(numRanks, [&](Communicator &communicator) -> Result<void> {
        std::vector<Rank> group = allRanks(numRanks);
        int64_t first = communicator.rank() / together * together;
        std::array<int64_t, 2> shape = {outer, inner};
        std::vector<int32_t> input = valuesOf(communicator.rank(), count);
        std::vector<int32_t> before = input;
        Result<Traffic> gather =
            allGather(communicator, group, inputOf(input, shape), 0, bytesOf(gathered[first]));
        if (Result<void> received = expectReceived(gather, (numRanks - 1) * count * 4); !received)
          return received;
        Reducer reducer = *makeReducer(core::ReductionKind::Sum, DataType::I32);
        Result<Traffic> reduce =
            allReduce(communicator, group, reducer, bytesOf(input), count, bytesOf(summed[first]));
        if (!reduce)
          return reduce.error();
        std::vector<int32_t> values, sums;
        for (Rank rank : group)
          for (int64_t i = 0; i < count; ++i)
            values.push_back(valueOf(rank, i));
        for (int64_t i = 0; i < count; ++i)
          sums.push_back(sumOf(group, i));
        if (Result<void> equal = expectEqual(gathered[first], values); !equal)
          return equal;
        if (Result<void> equal = expectEqual(summed[first], sums); !equal)
          return equal;
        return expectEqual(input, before);
      });
    }
  });
}

TEST(CollectivesTest, allToAllSplitsAndConcatenates) {
  sweep([](int64_t numRanks, int64_t outer, int64_t inner) {
    testing::runSuccessfully(numRanks, [&](Communicator &communicator) -> Result<void> {
      std::vector<Rank> group = allRanks(numRanks);
      int64_t columns = inner * numRanks;
      std::array<int64_t, 2> shape = {outer, columns};
      std::vector<int32_t> input = valuesOf(communicator.rank(), outer * columns);
      std::vector<int32_t> output(input.size(), -1);
      Result<Traffic> traffic =
          allToAll(communicator, group, inputOf(input, shape), 1, 0, bytesOf(output));
      int64_t share = outer * inner * 4;
      if (Result<void> received = expectReceived(traffic, (numRanks - 1) * share); !received)
        return received;
      // Output: rows of rank 0, rows of rank 1, ...; of each the own columns.
      std::vector<int32_t> expected;
      for (Rank rank : group) {
        for (int64_t o = 0; o < outer; ++o)
          for (int64_t i = 0; i < inner; ++i)
            expected.push_back(valueOf(rank, o * columns + communicator.rank() * inner + i));
      }
      return expectEqual(output, expected);
    });
  });
}

TEST(CollectivesTest, allToAllWithinOneDimensionKeepsTheShape) {
  testing::runSuccessfully(2, [](Communicator &communicator) -> Result<void> {
    std::vector<Rank> group = allRanks(2);
    std::array<int64_t, 1> shape = {4};
    std::vector<int32_t> input = valuesOf(communicator.rank(), 4);
    std::vector<int32_t> output(4);
    Result<Traffic> traffic =
        allToAll(communicator, group, inputOf(input, shape), 0, 0, bytesOf(output));
    if (!traffic)
      return traffic.error();
    int64_t first = 2 * communicator.rank();
    return expectEqual(output, {valueOf(0, first), valueOf(0, first + 1), valueOf(1, first),
                                valueOf(1, first + 1)});
  });
}

TEST(CollectivesTest, allReduceInAndOutOfPlace) {
  // 5000 elements are folded in shares, the others on every rank.
  for (int64_t numRanks : kRankCounts) {
    for (int64_t size : {0, 1, 7, 512, 513, 5000}) {
      testing::runSuccessfully(numRanks, [&](Communicator &communicator) -> Result<void> {
        std::vector<Rank> group = allRanks(numRanks);
        Reducer reducer = *makeReducer(core::ReductionKind::Sum, DataType::I32);
        std::vector<int32_t> expected(size);
        for (int64_t i = 0; i < size; ++i)
          expected[i] = sumOf(group, i);
        std::vector<int32_t> input = valuesOf(communicator.rank(), size);
        std::vector<int32_t> output(size, -1);
        Result<Traffic> traffic =
            allReduce(communicator, group, reducer, bytesOf(input), size, bytesOf(output));
        int64_t modelled = (2 * size * 4 * (numRanks - 1) + numRanks - 1) / numRanks;
        if (Result<void> received = expectReceived(traffic, modelled); !received)
          return received;
        if (Result<void> equal = expectEqual(output, expected); !equal)
          return equal;
        traffic = allReduce(communicator, group, reducer, bytesOf(input), size, bytesOf(input));
        if (!traffic)
          return traffic.error();
        return expectEqual(input, expected);
      });
    }
  }
}

TEST(CollectivesTest, severalTensorsMeetOnce) {
  // Shares end within tensors; 3 and 700 elements are below and above what every rank folds whole.
  for (int64_t numRanks : kRankCounts) {
    for (std::vector<int64_t> sizes : {std::vector<int64_t>{}, {3}, {1, 0, 5}, {700, 1, 1300, 2}}) {
      testing::runSuccessfully(numRanks, [&](Communicator &communicator) -> Result<void> {
        std::vector<Rank> group = allRanks(numRanks);
        Reducer reducer = *makeReducer(core::ReductionKind::Sum, DataType::I32);
        std::vector<std::vector<int32_t>> values;
        std::vector<ReducedTensor> tensors;
        int64_t modelled = 0;
        for (int64_t size : sizes) {
          values.push_back(valuesOf(communicator.rank(), size));
          // In place.
          tensors.push_back({bytesOf(values.back()), size, bytesOf(values.back())});
          modelled += (2 * size * 4 * (numRanks - 1) + numRanks - 1) / numRanks;
        }
        if (Result<void> received =
                expectReceived(allReduce(communicator, group, reducer, tensors), modelled);
            !received)
          return received;
        for (const std::vector<int32_t> &sums : values)
          for (int64_t i = 0; i < std::ssize(sums); ++i)
            if (sums[i] != sumOf(group, i))
              return Error{ErrorKind::Internal, "wrong sum"};
        return {};
      });
    }
  }
}

TEST(CollectivesTest, severalTensorsAreGatheredAtOnce) {
  testing::runSuccessfully(3, [](Communicator &communicator) -> Result<void> {
    std::vector<Rank> group = allRanks(3);
    std::array<int64_t, 1> line = {2};
    std::array<int64_t, 2> square = {1, 2};
    std::vector<int32_t> input = valuesOf(communicator.rank(), 2);
    std::vector<int32_t> first(6), second(6);
    std::array<GatheredTensor, 2> tensors = {GatheredTensor{inputOf(input, line), bytesOf(first)},
                                             {inputOf(input, square), bytesOf(second)}};
    if (Result<void> received = expectReceived(allGather(communicator, group, tensors, 0), 2 * 16);
        !received)
      return received;
    std::vector<int32_t> expected;
    for (Rank rank : group)
      for (int64_t i = 0; i < 2; ++i)
        expected.push_back(valueOf(rank, i));
    if (Result<void> equal = expectEqual(first, expected); !equal)
      return equal;
    return expectEqual(second, expected);
  });
}

TEST(CollectivesTest, whatIsBehindTheRoomIsLeftOut) {
  for (int64_t kept : {0, 1, 3, 5, 6})
    testing::runSuccessfully(3, [kept](Communicator &communicator) -> Result<void> {
      std::vector<Rank> group = allRanks(3);
      // Two rows of two columns each; of the six columns, `kept` are.
      std::array<int64_t, 2> shape = {2, 2};
      std::vector<int32_t> input = valuesOf(communicator.rank(), 4);
      std::vector<int32_t> output(2 * kept), expected;
      GatheredTensor tensor{inputOf(input, shape), bytesOf(output), kept};
      if (Result<void> received =
              expectReceived(allGather(communicator, group, {&tensor, 1}, 1), 2 * 16);
          !received)
        return received;
      for (int64_t row = 0; row < 2; ++row)
        for (int64_t column = 0; column < kept; ++column)
          expected.push_back(valueOf(group[column / 2], 2 * row + column % 2));
      return expectEqual(output, expected);
    });
}

TEST(CollectivesTest, anotherRoomIsAnError) {
  Result<void> result = testing::runTested(
      2, std::chrono::seconds(30), [](Communicator &communicator) -> Result<void> {
        std::vector<Rank> group = allRanks(2);
        std::array<int64_t, 1> shape = {2};
        std::vector<int32_t> input = valuesOf(communicator.rank(), 2), output(4);
        GatheredTensor tensor{inputOf(input, shape), bytesOf(output),
                              communicator.rank() == 0 ? 3 : 4};
        Result<Traffic> traffic = allGather(communicator, group, {&tensor, 1}, 0);
        return traffic ? Result<void>() : traffic.error();
      });
  EXPECT_FALSE(result.ok());
}

TEST(CollectivesTest, anotherNumberOfTensorsIsAnError) {
  Result<void> result = testing::runTested(
      2, std::chrono::seconds(30), [](Communicator &communicator) -> Result<void> {
        std::vector<Rank> group = allRanks(2);
        Reducer reducer = *makeReducer(core::ReductionKind::Sum, DataType::I32);
        std::vector<int32_t> values = valuesOf(communicator.rank(), 4);
        // Both have 4 elements in all.
        ReducedTensor whole{bytesOf(values), 4, bytesOf(values)};
        std::array<ReducedTensor, 2> halves = {ReducedTensor{bytesOf(values), 2, bytesOf(values)},
                                               {bytesOf(values) + 8, 2, bytesOf(values) + 8}};
        std::span<const ReducedTensor> tensors = halves;
        if (communicator.rank() == 0)
          tensors = {&whole, 1};
        Result<Traffic> traffic = allReduce(communicator, group, reducer, tensors);
        return traffic ? Result<void>() : traffic.error();
      });
  EXPECT_FALSE(result.ok());
}

TEST(CollectivesTest, reduceScatterGivesTheOwnPart) {
  sweep([](int64_t numRanks, int64_t outer, int64_t inner) {
    testing::runSuccessfully(numRanks, [&](Communicator &communicator) -> Result<void> {
      std::vector<Rank> group = allRanks(numRanks);
      std::array<int64_t, 3> shape = {outer, 2 * numRanks, inner};
      std::vector<int32_t> input = valuesOf(communicator.rank(), outer * 2 * numRanks * inner);
      std::vector<int32_t> output(outer * 2 * inner, -1);
      Result<Traffic> traffic =
          reduceScatter(communicator, group, *makeReducer(core::ReductionKind::Sum, DataType::I32),
                        inputOf(input, shape), 1, bytesOf(output));
      int64_t share = outer * 2 * inner * 4;
      if (Result<void> received = expectReceived(traffic, (numRanks - 1) * share); !received)
        return received;
      std::vector<int32_t> expected;
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t i = 0; i < 2 * inner; ++i) {
          int64_t row = o * numRanks + communicator.rank();
          expected.push_back(sumOf(group, row * 2 * inner + i));
        }
      }
      return expectEqual(output, expected);
    });
  });
}

/// Returns `count` elements of `elementBytes` bytes that differ by rank and index.
std::vector<uint8_t> rawValues(Rank rank, int64_t count, int64_t elementBytes) {
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < count * elementBytes; ++i)
    bytes.push_back(static_cast<uint8_t>(31 * rank + 7 * i + i / 256));
  return bytes;
}

TEST(CollectivesTest, elementsOfEverySizeMoveWhole) {
  // Gathering and cutting again along the minor dimension gives the input back.
  for (int64_t elementBytes : {1, 2, 3, 4, 8, 16}) {
    for (int64_t numRanks : kRankCounts) {
      testing::runSuccessfully(numRanks, [&](Communicator &communicator) -> Result<void> {
        std::array<int64_t, 2> shape = {5, 3};
        std::array<int64_t, 2> gatheredShape = {5, 3 * numRanks};
        std::vector<Rank> group = allRanks(numRanks);
        std::vector<uint8_t> input = rawValues(communicator.rank(), 15, elementBytes);
        std::vector<uint8_t> gathered(input.size() * numRanks);
        std::vector<uint8_t> output(input.size());
        Result<Traffic> traffic = allGather(
            communicator, group, {bytesOf(input), shape, elementBytes}, 1, bytesOf(gathered));
        if (!traffic)
          return traffic.error();
        for (Rank rank : group) {
          std::array<SlicePart, 1> part = {{{1, numRanks, rank}}};
          Result<void> sliced =
              allSlice({bytesOf(gathered), gatheredShape, elementBytes}, part, bytesOf(output));
          if (!sliced || output != rawValues(rank, 15, elementBytes))
            return Error{ErrorKind::Internal, "wrong part"};
        }
        return {};
      });
    }
  }
}

TEST(CollectivesTest, collectivePermuteZeroesRanksWithoutSource) {
  for (int64_t numRanks : kRankCounts) {
    for (int64_t size : {0, 1, 1000}) {
      testing::runSuccessfully(numRanks, [&](Communicator &communicator) -> Result<void> {
        // Everybody to the next, nobody to rank 0.
        std::vector<RankPair> pairs;
        for (Rank rank = 0; rank + 1 < numRanks; ++rank)
          pairs.push_back({rank, rank + 1});
        Rank rank = communicator.rank();
        std::vector<int32_t> input = valuesOf(rank, size);
        std::vector<int32_t> output(size, -1);
        Result<Traffic> traffic =
            collectivePermute(communicator, pairs, bytesOf(input), size * 4, bytesOf(output));
        if (Result<void> received = expectReceived(traffic, rank == 0 ? 0 : size * 4); !received)
          return received;
        return expectEqual(output,
                           rank == 0 ? std::vector<int32_t>(size, 0) : valuesOf(rank - 1, size));
      });
    }
  }
}

TEST(CollectivesTest, collectivePermuteToItselfCopiesWithoutMeeting) {
  testing::runSuccessfully(3, [](Communicator &communicator) -> Result<void> {
    std::vector<RankPair> pairs = {{1, 1}};
    std::vector<int32_t> input = valuesOf(communicator.rank(), 4);
    std::vector<int32_t> output(4, -1);
    if (communicator.rank() != 1)
      return {}; // Absent: rank 1 must not wait for anybody.
    Result<Traffic> traffic =
        collectivePermute(communicator, pairs, bytesOf(input), 16, bytesOf(output));
    if (Result<void> received = expectReceived(traffic, 0); !received)
      return received;
    return expectEqual(output, input);
  });
}

TEST(CollectivesTest, allSliceCutsSeveralDimensions) {
  std::array<int64_t, 2> shape = {4, 6};
  std::vector<int32_t> input = valuesOf(0, 24);
  std::vector<int32_t> output(4);
  std::array<SlicePart, 2> parts = {{{0, 2, 1}, {1, 3, 2}}};
  ASSERT_TRUE(allSlice(inputOf(input, shape), parts, bytesOf(output)).ok());
  EXPECT_EQ(output, (std::vector<int32_t>{16, 17, 22, 23}));
}

TEST(CollectivesTest, parametersAreChecked) {
  std::array<int64_t, 2> shape = {4, 6};
  std::vector<int32_t> input = valuesOf(0, 24);
  std::vector<int32_t> output(24);
  std::array<SlicePart, 1> uneven = {{{1, 4, 0}}};
  Result<void> sliced = allSlice(inputOf(input, shape), uneven, bytesOf(output));
  ASSERT_FALSE(sliced.ok());
  EXPECT_EQ(sliced.error().message,
            "all_slice cuts dimension 1 of size 6 into 4 parts; pad it to a multiple");
  Result<void> scattered =
      testing::runTested(4, std::chrono::seconds(5), [&](Communicator &communicator) {
        std::vector<int32_t> mine(24);
        Result<Traffic> traffic = reduceScatter(
            communicator, allRanks(4), *makeReducer(core::ReductionKind::Sum, DataType::I32),
            inputOf(input, shape), 1, bytesOf(mine));
        return traffic ? Result<void>() : traffic.error();
      });
  ASSERT_FALSE(scattered.ok());
  EXPECT_EQ(scattered.error().message,
            "rank 0: reduce_scatter cuts dimension 1 of size 6 into 4 parts; pad it to a multiple");
  Result<void> permuted =
      testing::runTested(2, std::chrono::seconds(5), [&](Communicator &communicator) {
        std::vector<int32_t> mine(24);
        std::vector<RankPair> pairs = {{0, 1}, {0, 0}};
        Result<Traffic> traffic =
            collectivePermute(communicator, pairs, bytesOf(input), 96, bytesOf(mine));
        return traffic ? Result<void>() : traffic.error();
      });
  ASSERT_FALSE(permuted.ok());
  EXPECT_EQ(permuted.error().message,
            "rank 0: collective_permute has source 0 twice; expected each once");
}

/// Rank r sends to rank q as many rows as (r + q) mod 3, those behind what it sends to ranks
/// before. Rows of rank r begin at 4 r in every output.
TEST(CollectivesTest, raggedAllToAllSendsWhatTheListsSay) {
  for (int64_t numRanks : kRankCounts)
    testing::runSuccessfully(numRanks, [&](Communicator &communicator) -> Result<void> {
      Rank rank = communicator.rank();
      std::array<int64_t, 2> shape = {3 * numRanks, 2};
      std::vector<int32_t> input = valuesOf(rank, shape[0] * 2);
      std::vector<int64_t> inputOffsets, sendSizes, outputOffsets, recvSizes;
      std::vector<int32_t> expected(numRanks * 8, -1);
      auto sizeOf = [](Rank from, Rank to) { return (from + to) % 3; };
      auto offsetOf = [&](Rank from, Rank to) {
        int64_t offset = 0;
        for (Rank before = 0; before < to; ++before)
          offset += sizeOf(from, before);
        return offset;
      };
      int64_t received = 0;
      for (Rank other = 0; other < numRanks; ++other) {
        inputOffsets.push_back(offsetOf(rank, other));
        sendSizes.push_back(sizeOf(rank, other));
        outputOffsets.push_back(4 * rank);
        recvSizes.push_back(sizeOf(other, rank));
        received += other == rank ? 0 : 8 * sizeOf(other, rank);
        for (int64_t i = 0; i < 2 * sizeOf(other, rank); ++i)
          expected[8 * other + i] = valueOf(other, 2 * offsetOf(other, rank) + i);
      }
      std::vector<int32_t> output(expected.size(), -1);
      Result<Traffic> traffic = raggedAllToAll(
          communicator, allRanks(numRanks), inputOf(input, shape),
          {inputOffsets, sendSizes, outputOffsets, recvSizes}, 4 * numRanks, bytesOf(output));
      if (Result<void> asExpected = expectReceived(traffic, received); !asExpected)
        return asExpected;
      return expectEqual(output, expected);
    });
}

/// Runs two ranks, each of two rows, with the lists of rank 0; rank 1 sends and expects nothing.
std::string errorOfRagged(std::vector<int64_t> inputOffsets, std::vector<int64_t> sendSizes,
                          std::vector<int64_t> outputOffsets, std::vector<int64_t> recvSizes,
                          std::vector<int64_t> expectedByOther) {
  Result<void> done = testing::runTested(
      2, std::chrono::seconds(20), [&](Communicator &communicator) -> Result<void> {
        std::array<int64_t, 1> shape = {2};
        std::vector<int32_t> input = {1, 2}, output = {0, 0};
        std::vector<int64_t> zeros = {0, 0};
        RaggedSlices slices = {inputOffsets, sendSizes, outputOffsets, recvSizes};
        if (communicator.rank() == 1)
          slices = {zeros, zeros, zeros, expectedByOther};
        Result<Traffic> traffic = raggedAllToAll(communicator, allRanks(2), inputOf(input, shape),
                                                 slices, 2, bytesOf(output));
        if (!traffic)
          return traffic.error();
        return {};
      });
  return done.ok() ? "" : done.error().message;
}

TEST(CollectivesTest, raggedAllToAllRefusesListsThatDoNotFit) {
  EXPECT_EQ(errorOfRagged({0, 1}, {0, 1}, {0, 0}, {0, 0}, {1, 0}), "");
  EXPECT_NE(errorOfRagged({0, 1}, {0, 1}, {0, 0}, {0, 0}, {2, 0})
                .find("rank 0 sends 1 rows to rank 1, which expects 2 by its recv_sizes"),
            std::string::npos);
  for (auto [from, to] : {std::pair(2, 0), std::pair(-1, 0), std::pair(0, 2), std::pair(0, -1)})
    EXPECT_NE(errorOfRagged({0, from}, {0, 1}, {0, to}, {0, 0}, {1, 0})
                  .find("expected rows that are there"),
              std::string::npos);
  EXPECT_NE(errorOfRagged({0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0}).find("ragged"),
            std::string::npos);
}

} // namespace
} // namespace shardwise::runtime
