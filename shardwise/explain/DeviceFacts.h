// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about what a program takes of a device: memory, arithmetic, transfers over each axis, time.

#pragma once

#include "shardwise/core/Collective.h"
#include "shardwise/explain/ShardingFacts.h"
#include "shardwise/explain/ValueId.h"

#include "mlir/IR/Types.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardwise::explain {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// What bytes are for.
enum class MemoryKind {
  Parameters,
  OptimizerState,
  Inputs, ///< Other arguments: batches, caches, counters.
  Constants,
  Gradients,
  Activations, ///< Made on the way forward, and read on the way back.
  Results,
  Collectives, ///< What collectives deliver, and what they need.
  Temporaries, ///< All else.
  Gaps,        ///< Room between buffers that nothing fits in at the peak.
};
inline constexpr size_t kNumMemoryKinds = static_cast<size_t>(MemoryKind::Gaps) + 1;
using BytesByKind = std::array<int64_t, kNumMemoryKinds>;

/// A buffer that is there at the peak.
struct LiveBuffer {
  MemoryKind kind = MemoryKind::Temporaries;
  /// A value in it, unknown if it is made for the device alone: by a collective, say.
  ValueId value;
  /// The op of the program that it is made for, and what makes it on the device.
  int64_t op = -1;
  std::string maker;
  /// On the device; null if it is only scratch.
  mlir::Type type;
  int64_t bytes = 0;
  /// Steps of the device's program.
  int64_t first = 0;
  int64_t last = 0;
};

/// A moment, and what is there from then until the next one.
struct MemoryMoment {
  int64_t step = 0;
  /// Of the program; -1 if it is not known.
  int64_t op = -1;
  BytesByKind bytes{};
};

/// The memory of a device, as it is laid out when the program is run.
struct MemoryFacts {
  int64_t peakBytes = 0;
  /// What a device of the machine has; 0 if that is not known.
  int64_t limitBytes = 0;
  /// At the peak.
  BytesByKind byKind{};
  /// Of the results there: those to which an argument lends its place where XLA runs the program.
  int64_t donatedBytes = 0;
  int64_t numSteps = 0;
  int64_t peakStep = 0;
  /// The op of the program that runs at the peak, and what of it.
  int64_t peakOp = -1;
  std::string peakMaker;
  /// At most `kMostMoments`; of more, the fullest of each stretch.
  std::vector<MemoryMoment> moments;
  /// Largest first.
  std::vector<LiveBuffer> live;

  bool fits() const { return limitBytes == 0 || peakBytes <= limitBytes; }
};
inline constexpr size_t kMostMoments = 1000;

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// Work that is done on all devices along some axes alike.
struct RepeatedWork {
  std::vector<core::AxisRef> axes;
  /// How many devices do the same.
  int64_t times = 1;
  /// Of a device.
  int64_t flops = 0;
  /// The op with most of it.
  int64_t op = -1;
  /// That and others with as much, and what their results have.
  std::vector<std::pair<int64_t, core::WrittenSharding>> largest;
};

/// An argument that could be cut over axes over which work is repeated.
struct UncutInput {
  ValueId value;
  mlir::Type type;
  int64_t dim = 0;
  /// Others of that shape.
  std::vector<ValueId> others;
};

/// Multiplications and additions in matrix products and convolutions; in a program without any,
/// elements that its ops compute.
struct WorkFacts {
  bool countsElements = false;
  /// Of a device.
  int64_t flops = 0;
  /// Of the program, on one device.
  int64_t programFlops = 0;
  /// Most first.
  std::vector<RepeatedWork> repeated;
  /// Why, as far as it can be told, of the first of these.
  std::optional<UncutInput> uncut;

  /// How often the same work is done on average; 1 if nothing is repeated.
  double timesOnAverage(int64_t numDevices) const {
    return programFlops == 0 ? 1
                             : static_cast<double>(flops) * static_cast<double>(numDevices) /
                                   static_cast<double>(programFlops);
  }
};

/// What collectives of one kind bring over some axes, all together.
struct AxisTraffic {
  /// `{"x"}`, or what groups are called that a program lists.
  std::string axes;
  std::string kind;
  int64_t calls = 0;
  int64_t receivedBytes = 0;
  double seconds = 0;
};

/// What the ops of one part of a model take, those of equal layers together.
struct ScopeFacts {
  /// `decoder/SelfAttention`, or a function of the user's source.
  std::string path;
  /// `backward`, `recomputed`, or empty.
  std::string direction;
  int64_t layers = 1;
  int64_t flops = 0;
  double workSeconds = 0;
  int64_t receivedBytes = 0;
  double transferSeconds = 0;
  /// At the peak, kept for the way back.
  int64_t activationBytes = 0;
};

/// Modelled time of what a device does by itself.
struct WorkSeconds {
  /// Of ops that take longer to compute than to read and write; of the others.
  double compute = 0;
  double memory = 0;

  double sum() const { return compute + memory; }
};

} // namespace shardwise::explain
