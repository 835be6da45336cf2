// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text and JSON of problems and plans, for tools, tests and bug reports.

#pragma once

#include "shardwise/planner/model/Machine.h"
#include "shardwise/planner/strategies/PlanReshard.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardwise::planner {

/// A problem as written, part by part; not checked.
struct WrittenProblem {
  WrittenProblem() { topology.hostLink.bytesPerSecond = 1e9; }

  std::string mesh;  ///< `["x"=2, "y"=3]`, with `, device_ids=[...]` of any distinct numbers.
  std::string shape; ///< `6x6xf32`.
  std::string from;  ///< `[{"x"}, {"y"}]`.
  std::string to;
  std::optional<std::string> toMesh;
  /// Override the order in the mesh text.
  std::vector<core::DeviceId> deviceIds;
  std::vector<core::DeviceId> toDeviceIds;
  /// Links between hosts are slower unless said otherwise: 1 GB/s.
  Topology topology;
  /// By axis name; names of no axis do not matter. Override `topology`.
  std::vector<std::pair<std::string, Link>> axisLinks;
  /// `AXIS=LATENCY:BANDWIDTH` in seconds and bytes per second; override all others.
  std::vector<std::string> links;
  std::optional<int64_t> memoryLimitBytes;
};

/// Gives `written` the links of `machine` in place of its own.
void useMachine(WrittenProblem &written, const Machine &machine);

/// Looks the parts up. Fails with the part that is wrong and why.
Result<ReshardProblem> resolve(const WrittenProblem &written);

/// Parses `6x6xf32`: dimensions and an element type; integers of 2 and 4 bits take a byte each.
struct WrittenTensor {
  core::Shape shape;
  int64_t elementBytes = 0;
};
Result<WrittenTensor> parseTensor(std::string_view text);

/// Parses `6x6xf32 <["x"=2, "y"=3]> [{"x"}, {"y"}] -> [{"y"}, {"x"}]`; a target mesh stands in
/// angle brackets behind the arrow. Blanks and line breaks are free between the parts.
Result<WrittenProblem> parseProblem(std::string_view text);
/// Prints the same form.
std::string toString(const WrittenProblem &problem);

/// Reads an object with `mesh`, `shape`, `from`, `to`, and optionally `to_mesh`, `device_ids`,
/// `to_device_ids`, `memory_limit_bytes`; and the topology: `latency`, `bandwidth`, `links` (a list
/// as of `WrittenProblem::links`), `devices_per_host`, `host_latency`, `host_bandwidth`. Unknown
/// keys are refused, `strategy` is left to the caller. What is not there is as in `otherwise`.
Result<WrittenProblem> problemFromJson(const nlohmann::json &json, WrittenProblem otherwise = {});

/// Returns `contents[state][device]`: the row-major global element numbers each device holds, by
/// device id; state 0 is before the first step. Ids of no mesh hold nothing.
/// Fails with Unsupported over 2^22 numbers.
Result<std::vector<std::vector<std::vector<int64_t>>>> contentsOf(const ReshardProblem &problem,
                                                                  const ReshardPlan &plan);

/// Returns the plan as the command line prints it with `--json`.
nlohmann::ordered_json toJson(const ReshardProblem &problem, const ReshardPlan &plan,
                              Strategy strategy);

/// Returns the plan as the command line prints it: steps, costs, bounds.
std::string toText(const ReshardProblem &problem, const ReshardPlan &plan, Strategy strategy);

/// Returns what is known about the plan, one of two words:
/// - `proved`: no plan that the strategy may choose from costs less (bytes of the slowest device;
///   modelled time where the topology is not plain). Any strategy's plan at the lower bound of a
///   plain topology is proved by it.
/// - `budget`: what the strategy may spend ended without a proof; strategies that follow rules
/// spend
///   nothing on proofs.
std::string_view optimalityWord(const ReshardProblem &problem, const ReshardPlan &plan);

} // namespace shardwise::planner
