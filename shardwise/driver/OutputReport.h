// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a report says about one output of a program, as a value, as text and as JSON.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/driver/CompareTensors.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace shardwise::driver {

/// One output of the program.
struct OutputReport {
  int64_t index = 0;
  std::string name;
  core::Shape shape;
  std::string dtype;
  /// In sdy notation, without the mesh: `[{"data"}, {}]`. Empty if no output of the program is
  /// sharded.
  std::string sharding;
  /// Against the unpartitioned program; absent if the run was told not to verify.
  std::optional<TensorDifference> againstUnpartitioned;
  /// Against the outputs the user gave; absent if there were none.
  std::optional<TensorDifference> againstExpected;

  bool isCompared() const { return againstUnpartitioned || againstExpected; }
  bool passes() const;
};

/// Whether every output was compared and is within tolerance.
bool areVerified(std::span<const OutputReport> outputs);
/// Whether some output was compared and is out of tolerance.
bool haveFailures(std::span<const OutputReport> outputs);

/// Returns a table with a line per output, then a line for each comparison that failed. Columns
/// without content are left out; `reference` names the first thing compared with.
std::string toText(std::span<const OutputReport> outputs, const char *reference);
/// Returns an object with index, name, shape, dtype, sharding, and the errors of what was compared;
/// and, where elements are out of tolerance, excused_elements with excused_error and
/// excused_movement, and failing_elements with failing_movement; the same with `expected_` before
/// them against the outputs the user gave.
nlohmann::ordered_json toJson(const OutputReport &output);

} // namespace shardwise::driver
