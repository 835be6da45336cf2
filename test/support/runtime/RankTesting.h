// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the runtime's tests: groups, typed buffers and a run that must succeed.

#pragma once

#include "shardwise/runtime/Collectives.h"
#include "shardwise/runtime/LocalCommunicator.h"
#include "shardwise/runtime/Processes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <mutex>
#include <numeric>
#include <vector>

namespace shardwise::runtime::testing {

/// Returns 0..numRanks-1.
inline std::vector<Rank> allRanks(int64_t numRanks) {
  std::vector<Rank> ranks(numRanks);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// The processes that tests run ranks in: this one, unless the program's `main` says otherwise. The
/// tests are the same for all implementations of the communicator.
inline Processes *&testedProcesses() {
  static OneProcess here;
  static Processes *processes = &here;
  return processes;
}

inline Result<void> runTested(int64_t numRanks, std::chrono::milliseconds timeout,
                              const RankFunction &function) {
  return testedProcesses()->runRanks(numRanks, timeout, function);
}

/// Runs `function` on ranks and expects success.
inline void runSuccessfully(int64_t numRanks, const RankFunction &function) {
  Result<void> result = runTested(numRanks, std::chrono::seconds(30), function);
  EXPECT_TRUE(result.ok()) << numRanks << " ranks: " << (result.ok() ? "" : result.error().message);
}

template <class T> const std::byte *bytesOf(const std::vector<T> &values) {
  return reinterpret_cast<const std::byte *>(values.data());
}
template <class T> std::byte *bytesOf(std::vector<T> &values) {
  return reinterpret_cast<std::byte *>(values.data());
}

template <class T>
InputBuffer inputOf(const std::vector<T> &values, std::span<const int64_t> shape) {
  return {bytesOf(values), shape, static_cast<int64_t>(sizeof(T))};
}

/// A value that differs for every rank and index.
inline int32_t valueOf(Rank rank, int64_t index) {
  return static_cast<int32_t>(rank * 100'000 + index);
}

inline std::vector<int32_t> valuesOf(Rank rank, int64_t count) {
  std::vector<int32_t> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = valueOf(rank, i);
  return values;
}

/// Returns an error if `actual` differs from `expected`; gtest's EXPECT is not called per thread.
inline Result<void> expectEqual(const std::vector<int32_t> &actual,
                                const std::vector<int32_t> &expected) {
  if (actual != expected)
    return Error{ErrorKind::Internal, "wrong output"};
  return {};
}

} // namespace shardwise::runtime::testing
