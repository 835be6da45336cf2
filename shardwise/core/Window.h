// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that read more of an operand than the part at their own place: which interval of a cut
// dimension a device needs for its block of indices, and who sends it what it lacks.

#pragma once

#include "shardwise/core/ShardingRule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::core {

/// Which elements of a dimension index q reads: the positions
///
///     [stride * q - low, stride * q - low + span)
///
/// of the dilated dimension, in which element e is at position `dilation * e` and the positions
/// between elements, in front of the first and behind the last have no element.
///
/// Example: a convolution with 3 taps, stride 2 and one element of padding is {2, 1, 3, 1}: window
/// q reads 2q-1, 2q and 2q+1. A reversal of N elements is {-1, 1-N, 1, 1}: q reads N-1-q.
struct Window {
  int64_t stride = 1;
  int64_t low = 0;
  int64_t span = 1;
  int64_t dilation = 1;

  bool operator==(const Window &) const = default;
};

/// Says that indices of `factor` read dimension `dim` of an operand by `window`. There are
/// `numIndices`: the windows of the result or, for a factor that is summed over, the elements of
/// another operand.
struct OperandWindow {
  int64_t operand = 0;
  int64_t dim = 0;
  FactorIndex factor = 0;
  int64_t numIndices = 0;
  Window window;
  /// Blocks may begin at different places between dilated elements: the op's local form looks up
  /// where (`BlockInterval::begin`).
  bool mayDrift = false;
  /// If there, what indices read by `window` is no element but a window itself: number p of these
  /// reads elements of the dimension by this. Its stride is the dilation of `window`.
  /// Example: elements of a max pool of 3 with stride 2 are in windows {1, 2, 3, 2}, which read
  /// {2, 0, 3, 1}: what a block reads is all that stands in a window with one of its elements.
  std::optional<Window> inner = {};

  bool operator==(const OperandWindow &) const = default;
};

/// Returns it in words: `j reads dimension 1 of operand 0: stride 2, low 1, span 3`.
std::string toString(const OperandWindow &window);

/// The elements [start + step * c, start + step * c + extent) that block c of the indices reads.
/// Some may lie in front of the first element, or behind the last. Where blocks begin between
/// dilated elements (`OperandWindow::mayDrift`) the begin is divided by `divisor`, the dilation,
/// rounded down, and the extent is that of the longest block. What is left of the division is how
/// many positions less than `lowRest` there are in front of the first element.
struct BlockInterval {
  int64_t start = 0;
  int64_t step = 0;
  int64_t extent = 0;
  /// Positions without element that the block reads in front of its first element and behind its
  /// last one, because of dilation; the same for every block. If blocks drift, those of all of them
  /// together: as if every block had `divisor - 1` indices more.
  int64_t lowRest = 0;
  int64_t highRest = 0;
  int64_t divisor = 1;

  /// Returns the first element that `block` reads.
  int64_t begin(int64_t block) const;
  bool operator==(const BlockInterval &) const = default;
};

/// Returns what blocks of `numIndices / parts` indices, rounded up, read; the last blocks as if
/// there were indices enough. None if blocks differ in more than their place: they begin at
/// different places between dilated elements, or a block reads no element at all.
std::optional<BlockInterval> blockInterval(const Window &window, int64_t numIndices, int64_t parts);
/// The same of windows that may drift, or read by inner windows.
/// Example: {1, 1, 2, 2}, the windows of 2 elements with stride 2 that have an element, drifts
/// where blocks have 3 elements: they read windows from 0, 1, 3, 4, .. on, two of them.
std::optional<BlockInterval> blockInterval(const OperandWindow &use, int64_t parts);

/// Whether one of `numIndices` indices reads behind the last of `size` elements. One that does not
/// reads no padding of a dimension that is cut unevenly.
bool readsBehind(const Window &window, int64_t numIndices, int64_t size);

/// A dimension of `size` elements in `parts` equal blocks, of which block c needs `interval`. The
/// padding of a dimension that is cut unevenly counts as elements.
struct FetchProblem {
  int64_t size = 0;
  int64_t parts = 1;
  BlockInterval interval;
  /// How many elements at the end nobody wants, though they are in intervals: padding, and what
  /// only indices that do not exist would read.
  int64_t unwanted = 0;

  int64_t width() const { return size / parts; }
  bool operator==(const FetchProblem &) const = default;
};

/// Returns what blocks of the indices of `window` fetch from its dimension of `size` elements; both
/// are cut into `parts` blocks, which may be uneven. None as for `blockInterval`.
/// Example: of 9 indices, each of which reads the element at its place of 10, in 4 blocks, block c
/// wants 3 of 12 elements from 3c on, and nobody wants the last three.
std::optional<FetchProblem> fetchProblem(const OperandWindow &window, int64_t size, int64_t parts);

/// What block `source` sends to block `target`: elements from `sourceStart` of its own block on,
/// which are from `targetStart` on in the interval of the target.
struct FetchMove {
  int64_t source = 0;
  int64_t target = 0;
  int64_t sourceStart = 0;
  int64_t targetStart = 0;

  bool operator==(const FetchMove &) const = default;
};

/// Moves that run at once: no block sends twice, none receives twice. All have one length, that of
/// the longest; what is sent beyond what the target needs is right there all the same, but may lie
/// outside of its interval.
struct FetchStep {
  int64_t length = 0;
  std::vector<FetchMove> moves;
};

/// How blocks come to their intervals.
struct FetchPlan {
  enum class Way {
    Shift, ///< Every step is the same for all blocks: neighbours `c + hop` send to c.
    Place, ///< Steps differ from block to block.
    Gather ///< Every block gets the whole dimension and takes what it needs.
  };
  Way way = Way::Shift;
  /// What blocks have themselves: moves from a block to itself. No moves if none has any.
  FetchStep own;
  std::vector<FetchStep> steps;
};

/// Returns the steps of a fetch.
///   1. Where the interval is at the same place in relation to every block, step for step one
///      neighbour after the other is asked for the same part of its block.
///   2. Else every pair of blocks that has something to move is put into the first step in which
///      neither of them takes part already.
///   3. If that is many steps, or all of the dimension is wanted anyway, it is gathered.
/// Example: 8 elements in 4 blocks, of which each needs one more element on both sides: two steps,
/// 0->1, 1->2, 2->3 with element 1 of each block, and 1->0, 2->1, 3->2 with element 0.
FetchPlan planFetch(const FetchProblem &problem);
/// Returns the way of that plan.
FetchPlan::Way wayOfFetch(const FetchProblem &problem);

/// Returns how many elements along the dimension the busiest block receives by `planFetch`. This
/// and the way are prices: they cost no more for many blocks than for a few. Where steps differ
/// from block to block and there are more than 64, those of 64 are taken for all.
int64_t receivedElements(const FetchProblem &problem);
/// The same for some steps of a plan.
int64_t receivedElements(const std::vector<FetchStep> &steps, int64_t parts);
/// What every block receives by these.
std::vector<int64_t> receivedByBlock(const std::vector<FetchStep> &steps, int64_t parts);

} // namespace shardwise::core
