// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of a run goes: the notes of its devices, summed up by op, and as a timeline.

#pragma once

#include "shardwise/execute/RunTrace.h"
#include "shardwise/execute/ThunkNotes.h"
#include "shardwise/support/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shardwise::driver {

/// What one device reaches here while all others work too.
struct MachineRates {
  /// In a product of f32 matrices that stay in the cache.
  double flopsPerSecond = 0;
  /// In an addition of vectors that do not: bytes read and written.
  double bytesPerSecond = 0;
};

/// All thunks of one op, or of ops that are fused.
struct ProfiledOp {
  std::string op;
  std::string place;
  /// What runs: "gemm", "fused 3 ops x 1024".
  std::string thunk;
  /// Of the device that ran most of them.
  int64_t runs = 0;
  /// A device's share, on average; waiting included.
  double seconds = 0;
  /// How much of it passes because other devices of a collective come later: what is beyond the
  /// device that spends least in it.
  double waitSeconds = 0;
  /// Of collectives, how long they were under way while the device did other work, on average; not
  /// part of the time.
  double hiddenSeconds = 0;
  /// Of a device, on average.
  double flops = 0;
  double bytes = 0;
  /// Of the busiest device.
  int64_t receivedBytes = 0;

  double workSeconds() const { return seconds - waitSeconds; }
};

struct RunProfile {
  int64_t numDevices = 0;
  /// Most time first.
  std::vector<ProfiledOp> ops;
  MachineRates rates;

  double seconds() const;
  double waitSeconds() const;
  double hiddenSeconds() const;
};

/// Sums up the notes of all devices.
RunProfile profileOf(std::span<const execute::RankTrace> traces, const execute::ThunkNotes &notes);

/// Measures what `numDevices` devices reach at once; takes some tenths of a second.
Result<MachineRates> measureRates(int64_t numDevices);

/// Returns a table of the ops that take most time.
std::string toText(const RunProfile &profile, size_t mostRows = 20);
/// Returns one JSON object (docs/profile.md).
std::string toJson(const RunProfile &profile);

/// Returns the run as a trace for Perfetto and chrome://tracing: a track per device, thunks with
/// their ops and places, waits inside of collectives.
std::string traceJson(std::span<const execute::RankTrace> traces, const execute::ThunkNotes &notes,
                      const std::string &program);

} // namespace shardwise::driver
