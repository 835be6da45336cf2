// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run has to say for itself, as a value; printed as text for people, as JSON for machines.

#pragma once

#include "shardwise/core/Collective.h"
#include "shardwise/core/Mesh.h"
#include "shardwise/driver/OutputReport.h"
#include "shardwise/driver/RunProfile.h"
#include "shardwise/explain/ForcedGatherText.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::driver {

/// All collectives of one kind over the same axes.
struct CollectiveReport {
  core::CollectiveKind kind = core::CollectiveKind::AllReduce;
  /// Axes in sdy notation, major to minor: `{"data"}`; `groups of 4` if the program lists devices.
  /// Of permutes the axes along which they move values, one list per way: `{"x"}, {"y"}`, or
  /// `8 pairs` if the pairs are not of devices of the mesh.
  std::string axes;
  /// How often each device ran one, loop iterations counted.
  int64_t count = 0;
  /// How many tensors took part in them: small ones are combined.
  int64_t tensors = 0;
  /// Bytes that the busiest device received in all of them.
  int64_t bytesReceivedPerDevice = 0;
};

/// Who evaluates the unpartitioned program that a run is compared with.
enum class Oracle {
  Reference, ///< The reference evaluator, which shares no kernel with the run.
  Compiled   ///< The path that the run takes, on one device.
};

/// What a run was compared with.
struct VerificationReport {
  Oracle oracle = Oracle::Reference;
  double seconds = 0;
  /// Further evaluations with inputs and roundings disturbed; 0 if all elements were in tolerance.
  int numDisturbed = 0;
  double disturbedSeconds = 0;
};

/// Outcome of `runProgram`.
struct RunReport {
  std::string program;
  core::Mesh mesh;
  /// What the axes of the other meshes of the program are on `mesh`, a line each.
  std::vector<std::string> otherMeshes;
  std::vector<OutputReport> outputs;
  std::vector<CollectiveReport> collectives;
  /// Most bytes first. `runProgram` leaves it empty: they are found by explaining the program.
  std::vector<explain::ForcedGatherText> forcedGathers;
  int64_t peakBytesPerDevice = 0;
  /// Absent for programs that only exist per device.
  std::optional<int64_t> unpartitionedPeakBytes;
  /// Absent if the run was told not to evaluate the unpartitioned program.
  std::optional<VerificationReport> verification;
  double compileSeconds = 0;
  /// The median, if the program was run several times.
  double runSeconds = 0;
  /// Of the runs that were timed beside the first; in their order.
  std::vector<double> repeatSeconds;
  /// Of the same runs, in seconds of all processors for the devices of this process.
  std::vector<double> repeatProcessorSeconds;
  std::optional<RunProfile> profile;

  /// Whether every output was compared and is within tolerance.
  bool isVerified() const;
  /// Whether some output was compared and is out of tolerance.
  bool hasFailures() const;
};

/// Returns the median; of an even number the larger of the two in the middle: a time that was
/// measured. Requires times.
double medianSeconds(std::vector<double> seconds);

/// Returns the report as a text of several lines for a terminal.
std::string toText(const RunReport &report);
/// Returns the report as one JSON object. Keys: devices, mesh, other_meshes[] if there are some,
/// verified, outputs[], collectives[], forced_gathers[], peak_bytes_per_device,
/// unpartitioned_peak_bytes, compared_with, verify_seconds, disturbed_evaluations, compile_seconds,
/// run_seconds, and repeat_seconds[] and repeat_processor_seconds[] if it was run several times.
std::string toJson(const RunReport &report);

} // namespace shardwise::driver
