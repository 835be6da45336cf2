// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of several programs that are run in turns.

#pragma once

#include "shardwise/driver/MeasuredProgram.h"
#include "shardwise/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shardwise::driver {

/// Programs that run in rounds, each on all devices; of each the quickest run counts. Other work on
/// the machine that lasts as long as a round or two, and a second core that takes its time to join,
/// are then in no figure.
class TimedPrograms {
public:
  explicit TimedPrograms(int64_t numDevices) : numDevices(numDevices) {}

  /// Adds a program; `what` says what it measures. Returns its number.
  size_t add(std::string what, std::string text, MeasuredInputs inputs = MeasuredInputs::Apart);
  /// Runs all of them `rounds` times, at least 1, for some hundredths of a second each. `onStage`
  /// is told what comes next. Fails as `runMeasured` does.
  Result<void> run(int64_t rounds, const std::function<void(std::string_view)> &onStage);
  /// Returns the seconds of the quickest run.
  double seconds(size_t number) const { return programs[number].seconds; }

private:
  struct Program {
    std::string what, text;
    MeasuredInputs inputs;
    double seconds;
  };

  int64_t numDevices;
  std::vector<Program> programs;
};

} // namespace shardwise::driver
