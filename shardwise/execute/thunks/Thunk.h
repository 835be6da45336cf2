// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thunks: the instructions of a compiled program, and what they see of the machine at run time.

#pragma once

#include "shardwise/execute/sharing/RankClasses.h"
#include "shardwise/execute/thunks/Buffer.h"
#include "shardwise/runtime/DataType.h"
#include "shardwise/support/Result.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardwise::runtime {
class Communicator;
} // namespace shardwise::runtime

namespace shardwise::execute {

using runtime::DataType;

struct CompiledFunction;
struct CollectiveRecord;
class CollectivesInFlight;
struct RunLimits;

/// What one rank carries through a run.
struct RankContext {
  runtime::Communicator &communicator;
  std::vector<CollectiveRecord> &records;
  const RunLimits &limits;
  CollectivesInFlight &inFlight;
};

/// The buffers of one activation of a function: a pointer per buffer.
class Frame {
public:
  /// `arena` has the function's arena bytes; `arguments` one pointer per argument.
  Frame(const CompiledFunction &function, std::byte *arena,
        std::span<const std::byte *const> arguments, RankContext &context);

  std::byte *at(BufferId buffer) const {
    assert(has(buffer) && "nobody saved a buffer for this value");
    return pointers[buffer];
  }
  template <class T> T *as(BufferId buffer) const { return reinterpret_cast<T *>(at(buffer)); }
  RankContext &context() const { return rank; }
  /// Has `buffer` at `place`, in the arena of another rank.
  void move(BufferId buffer, std::byte *place) {
    assert(has(buffer) && "nobody saved a buffer for this value");
    pointers[buffer] = place;
  }

private:
  bool has(BufferId buffer) const {
    return buffer >= 0 && static_cast<size_t>(buffer) < pointers.size();
  }

  std::vector<std::byte *> pointers;
  RankContext &rank;
};

/// A rank of so many.
struct RankNumber {
  int64_t rank = 0, numRanks = 1;
};

/// The bytes of a buffer of one rank, where they are known before the program runs; else null.
using KnownOperands = std::function<const std::byte *(BufferId)>;

/// Copies `bytes` bytes. Either pointer may be null if there are none: empty tensors have no
/// memory.
inline void copyBytes(std::byte *target, const std::byte *source, int64_t bytes) {
  if (bytes > 0)
    std::memcpy(target, source, static_cast<size_t>(bytes));
}

/// Results that the members of a group write together, each a part, if they have them in one place.
struct JointResults {
  std::vector<BufferId> buffers;
  RankClasses groups; ///< A class for each group.
};

/// One step of a program. Immutable after compilation: all ranks run the same thunks at once, so
/// `run` keeps its state in the frame and on the stack.
class Thunk {
public:
  virtual ~Thunk() = default;
  /// Fails only for communication and for values that no compile-time check can exclude.
  virtual Result<void> run(Frame &frame) const = 0;
  /// A short name for listings: "gemm", "fused 12".
  virtual std::string name() const = 0;
  /// The sequences it runs, for listings.
  virtual std::vector<const std::vector<std::unique_ptr<Thunk>> *> parts() const { return {}; }
  /// Whether it neither meets other ranks nor asks for the number of its own, so that equal
  /// operands give equal results on all ranks.
  virtual bool isLocal() const;
  /// Which operands decide what a local thunk writes to `result`; none if that may be all. A fused
  /// thunk computes values that have nothing to do with each other.
  virtual std::optional<std::vector<BufferId>> operandsOf(BufferId result) const;
  /// What `rank` gets in `result`, if that is a single element and known before the program runs:
  /// where a device's rows begin is computed from its number.
  virtual std::optional<std::vector<std::byte>> valueOn(RankNumber rank, BufferId result,
                                                        const KnownOperands &operands) const;
  /// Which ranks get equal results of a thunk that is not local, if `operands` says which have
  /// equal operands; none if no two need to.
  virtual std::optional<RankClasses> resultClasses(const RankClasses &operands) const;
  /// What the ranks of a group, all of one process, may write together; none if each must have its
  /// own.
  virtual std::optional<JointResults> jointResults(int64_t numRanks) const;
  /// The thunk that has started what this one waits for; null if it waits for none.
  virtual const Thunk *startedBy() const { return nullptr; }
};

/// Thunks to run one after another.
using Sequence = std::vector<std::unique_ptr<Thunk>>;

/// Runs all thunks of `sequence`, stopping at the first failure.
Result<void> runSequence(const Sequence &sequence, Frame &frame);

/// A function after compilation.
struct CompiledFunction {
  std::string name;
  std::vector<Buffer> buffers;
  int64_t arenaBytes = 0;
  /// What the arena would take on a device that shares nothing with others.
  int64_t deviceBytes = 0;
  std::vector<std::vector<std::byte>> constants;
  Sequence body;
  std::vector<BufferId> results;

  /// As `Thunk::isLocal`, of all thunks.
  bool isLocal() const;
};

} // namespace shardwise::execute
