// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The intervals that ops fetch of their operands in a program whose reshards are explicit. The
// partitioner writes them, explain lists them: both ask here what is fetched, and what has been
// fetched before.

#pragma once

#include "shardwise/core/Window.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <compare>
#include <map>

namespace shardwise::reshard {

/// One operand dimension of an op, of which devices need another interval than they have.
struct IntervalFetch {
  int64_t operand = 0;
  int64_t dim = 0;
  /// What cuts the dimension.
  core::AxisList axes;
  core::FetchProblem problem;
};

/// Returns the fetches of `op`, by operand and dimension. Several dimensions of one operand are
/// fetched one after the other: the corners come with the last. Requires global types, and operands
/// and results that are cut as the op's sheet allows.
llvm::SmallVector<IntervalFetch> fetchesOf(mlir::Operation *op, ShardedProgram &program);

/// Names what is fetched, so that it is fetched once: an interval, or a part that one neighbour
/// sends.
struct FetchKey {
  /// What is fetched from; also what was fetched from it along another dimension before.
  const void *value = nullptr;
  int64_t dim = 0;
  core::AxisList axes;
  /// Of an interval, what core::BlockInterval says. Of a part, the hop, and where it begins in the
  /// block of the neighbour.
  int64_t start = 0;
  int64_t step = 0;
  int64_t extent = 0;
  int64_t divisor = 1;
  /// Elements at the end that nobody wants: they may be missing.
  int64_t unwanted = 0;
  /// What is outside of the dimension: null for zeros.
  const void *outside = nullptr;
  /// Where it was fetched: seen by what follows in this block.
  const void *block = nullptr;
  bool isPart = false;

  auto operator<=>(const FetchKey &) const = default;
};

/// Returns the key of the interval that `fetch` gets from `value`.
FetchKey intervalKey(const IntervalFetch &fetch, const void *value, const void *outside,
                     mlir::Operation *anchor);

/// Returns the step that sends the part `key`, which has what `step` of `fetch` asks for. It may
/// begin earlier than that, so that more neighbours have something to send.
core::FetchStep stepOfPart(const IntervalFetch &fetch, const core::FetchStep &step,
                           const FetchKey &key);

/// The parts that ops ask of neighbours. Parts of one value that overlap or touch are one part, of
/// which each op takes what it wants.
/// Example: one op wants the last element of the block before, another the last three: the last
/// three are sent once.
class FetchedParts {
public:
  /// Adds what `op` asks for, which has `fetches`.
  void add(mlir::Operation *op, llvm::ArrayRef<IntervalFetch> fetches);
  /// Adds what `fetch` asks of `value`, at `anchor`. Of the fetches of one operand this is the
  /// first: what the others fetch from has no name yet.
  void add(const IntervalFetch &fetch, const void *value, mlir::Operation *anchor);
  /// Returns the key of the part that has what `step` of `fetch` asks for, once all are added.
  FetchKey partFor(const IntervalFetch &fetch, const core::FetchStep &step, const void *value,
                   mlir::Operation *anchor) const;

private:
  /// Disjoint, ascending, as begin and end; by the key of the part without these.
  std::map<FetchKey, std::map<int64_t, int64_t>> ranges;
};

/// Returns what lies outside of the operands that `op` fetches from: its padding; null for zeros,
/// and where nothing that lies outside is used.
mlir::Value valueOutside(mlir::Operation *op, int64_t operand);
/// Returns the op before which `op` fetches from this operand: itself, or a loop around it that
/// makes neither the operand nor what lies outside of it.
mlir::Operation *anchorOfFetch(mlir::Operation *op, int64_t operand);

} // namespace shardwise::reshard
