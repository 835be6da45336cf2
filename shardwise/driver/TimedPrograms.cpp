// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program is compiled again, and its inputs are made again, in each round: all programs with
// their inputs at once would take the memory of all.

#include "shardwise/driver/TimedPrograms.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace shardwise::driver {
namespace {

/// Enough for the cores to be awake.
constexpr double kSecondsOfRuns = 0.02;

} // namespace

size_t TimedPrograms::add(std::string what, std::string text, MeasuredInputs inputs) {
  programs.push_back(
      {std::move(what), std::move(text), inputs, std::numeric_limits<double>::infinity()});
  return programs.size() - 1;
}

Result<void> TimedPrograms::run(int64_t rounds,
                                const std::function<void(std::string_view)> &onStage) {
  for (int64_t round = 1; round <= rounds; ++round)
    for (Program &program : programs) {
      onStage(fmt::format("round {} of {}: measuring {}", round, rounds, program.what));
      auto runs =
          runMeasured(program.text, numDevices, {.seconds = kSecondsOfRuns}, program.inputs);
      if (!runs)
        return runs.error();
      // A clock may stand still during a short run.
      for (const MeasuredRun &run : *runs)
        program.seconds = std::min(program.seconds, std::max(run.seconds, 1e-9));
    }
  return {};
}

} // namespace shardwise::driver
