// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the work that several ranks would do alike (WorkPlan.h). Not seen outside of this folder.

#pragma once

#include "shardwise/execute/Program.h"
#include "shardwise/execute/sharing/WorkPlan.h"
#include "shardwise/execute/thunks/Thunk.h"

namespace shardwise::execute {

/// A thunk as it was emitted, with the buffers it reads and writes.
struct EmittedThunk {
  const Thunk *thunk = nullptr;
  /// It is in a sequence of a loop or branch, which comes later.
  bool isNested = false;
  int64_t at = 0; ///< Position in time (BufferPlan.h).
  std::vector<BufferId> reads, writes;
};

/// A buffer that must live until a position.
struct HeldBuffer {
  BufferId buffer = 0;
  int64_t until = 0;
};

/// Plans the work of one function in two steps, since where buffers lie depends on who shares them:
/// the constructor decides who runs what, `finish` who waits for whom.
class WorkPlanner {
public:
  /// `buffers` are those of the function, not laid out yet. Requires: classes of all arguments, and
  /// at least one argument.
  WorkPlanner(const std::vector<EmittedThunk> &emitted, const std::vector<Buffer> &buffers,
              const Sharing &sharing);

  /// The home of every buffer.
  const std::vector<Home> &homes() const { return plan.buffers; }

  /// Returns what may not end before the loop or branch that reads it, for `BufferPlan::use`. A
  /// rank that reads a buffer of another one is waited for at the next thunk of the body, not
  /// within: the owner may be at the end of the branch while a reader is at its beginning.
  std::vector<HeldBuffer> heldBuffers() const;

  /// Returns the plan. `laidOut` are the same buffers with their places in the arena.
  WorkPlan finish(const std::vector<Buffer> &laidOut, const std::vector<BufferId> &results);

private:
  /// A thunk of the body with all that is in it.
  struct Unit {
    const Thunk *thunk = nullptr;
    int64_t at = 0; ///< When it ends.
    std::vector<BufferId> reads, writes;
    /// By what it writes: the reads that decide it.
    std::vector<std::vector<BufferId>> operands;
    /// Likewise: its classes, if it is known before the program runs.
    std::vector<std::optional<ClassesId>> known;
    Home home;
  };

  void collectUnits(const std::vector<EmittedThunk> &emitted);
  void findKnownValues();
  /// Of ranks that hold the same in all of `buffers`.
  ClassesId commonClasses(const std::vector<BufferId> &buffers);
  /// Of number `result` of what `unit` writes.
  ClassesId resultClasses(const Unit &unit, size_t result);
  void findEqualValues(const std::vector<Buffer> &buffers,
                       const std::vector<RankClasses> &arguments);
  void findHomes(const std::vector<Buffer> &buffers);
  void findJointHomes(const Unit &unit, const std::vector<Buffer> &buffers);
  int32_t chooseTurn(const std::vector<size_t> &members, ClassesId classes, int64_t bytes,
                     const std::vector<Buffer> &buffers);

  RankClassTable table;
  std::vector<Unit> units;
  /// By buffer: which ranks have the same bytes in it.
  std::vector<ClassesId> values;
  /// By turn: bytes that its leaders read and write.
  std::vector<int64_t> loads;
  int64_t leastBytes;
  WorkPlan plan;
};

} // namespace shardwise::execute
