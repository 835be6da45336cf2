// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans how a matrix goes from rows to columns of devices, checks the plan, and runs its one step
// on four threads.

#include <shardwise/planner/model/PlanText.h>
#include <shardwise/planner/strategies/PlanReshard.h>
#include <shardwise/planner/verify/VerifyPlan.h>
#include <shardwise/runtime/Collectives.h>
#include <shardwise/runtime/LocalCommunicator.h>

#include <array>
#include <cstdio>
#include <numeric>

using namespace shardwise;

namespace {

constexpr int64_t kDevices = 4, kRows = 8, kColumns = 8;

int fail(const Error &error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

/// The rows of `rank` become its columns: the all_to_all of the plan.
Result<void> moveRowsToColumns(runtime::Communicator &communicator) {
  const int64_t rank = communicator.rank();
  const std::array<int64_t, 2> shape = {kRows / kDevices, kColumns};
  std::array<float, kRows / kDevices * kColumns> rows{};
  std::array<float, kRows * kColumns / kDevices> columns{};
  std::iota(rows.begin(), rows.end(), static_cast<float>(rank * rows.size()));

  const std::array<runtime::Rank, kDevices> everyone = {0, 1, 2, 3};
  auto moved = runtime::allToAll(
      communicator, everyone,
      {reinterpret_cast<const std::byte *>(rows.data()), shape, sizeof(float)},
      /*splitDim=*/1, /*concatDim=*/0, reinterpret_cast<std::byte *>(columns.data()));
  if (!moved)
    return moved.error();

  const int64_t width = kColumns / kDevices;
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t column = 0; column < width; ++column)
      if (columns[row * width + column] !=
          static_cast<float>(row * kColumns + rank * width + column))
        return invalid("a wrong element arrived");
  if (rank == 0)
    std::printf("device 0 received %lld bytes\n", static_cast<long long>(moved->receivedBytes));
  return {};
}

} // namespace

int main() {
  auto written = planner::parseProblem(R"(8x8xf32 <["x"=4]> [{"x"}, {}] -> [{}, {"x"}])");
  if (!written)
    return fail(written.error());
  auto problem = planner::resolve(*written);
  if (!problem)
    return fail(problem.error());
  auto plan = planner::planReshard(*problem);
  if (!plan)
    return fail(plan.error());
  if (auto verified = planner::verifyPlan(*problem, *plan); !verified)
    return fail(verified.error());
  std::printf("%s", planner::toText(*problem, *plan, planner::Strategy::Uniform).c_str());

  auto done = runtime::runRanks(kDevices, runtime::kDefaultTimeout, moveRowsToColumns);
  return done ? 0 : fail(done.error());
}
