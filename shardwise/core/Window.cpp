// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of fetches. With w elements per block, block s has [s*w, (s+1)*w).
//
// Shift. If the intervals move by w from block to block, what block c needs of block c + hop lies
// at the same place in that block for all c. The hops are those whose block meets the interval of
// block 0, seen as if there were blocks on both sides without end; pairs that do not exist are left
// out, and what they would have sent lies outside of the dimension. Steps are the same for all
// blocks, so elements that nobody wants are sent, too, where some block wants those at the same
// place.
//
// Place. Else the parts differ. The moves of a step have one length, so a shorter one is
// lengthened to both sides as far as its source block goes.
//
// Example: 16 elements in 4 blocks, of which 8 are wanted, [4, 12): intervals start at 4 + 2c.
// Block 0 needs 4, 5 of block 1; block 1 needs 6, 7, which it has; block 2 has 8, 9, and block 3
// needs 10, 11 of block 2. One step, 1->0 and 2->3, two elements.

#include "shardwise/core/Window.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/core/Rounds.h"
#include "shardwise/core/Text.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace shardwise::core {

namespace {

/// More steps than this are dearer to start than what they save.
constexpr int64_t kMaxSteps = 16;

/// Prices of plans that differ from block to block look at this many blocks at most, so that they
/// do not take longer on more devices. More than kMaxSteps, so that a plan is left for a gather for
/// the same reasons.
constexpr int64_t kMaxPricedParts = 64;

int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int64_t ceilDiv(int64_t a, int64_t b) {
  return -floorDiv(-a, b);
}

/// The neighbours that are asked, from `first` to `last`, of which 0 is the block itself.
struct Hops {
  int64_t first = 0;
  int64_t last = -1;
};

// Floor and not truncation: an interval that begins at -1 meets the block before, number -1, not
// block 0. More hops than there are blocks on a side lead to no block at all.
Hops hopsOf(const FetchProblem &problem) {
  int64_t start = problem.interval.start;
  int64_t end = start + problem.interval.extent;
  int64_t furthest = problem.parts - 1;
  return {std::max(floorDiv(start, problem.width()), -furthest),
          std::min(floorDiv(end - 1, problem.width()), furthest)};
}

bool isShift(const FetchProblem &problem) {
  return problem.interval.step == problem.width() && problem.interval.divisor == 1;
}

/// Behind the last element of its block that anybody wants of `source`.
int64_t wantedEnd(const FetchProblem &problem, int64_t source) {
  return std::clamp<int64_t>(problem.size - problem.unwanted - source * problem.width(), 0,
                             problem.width());
}

/// Elements that are sent from the block `hop` further: what somebody wants of the first block that
/// sends.
int64_t lengthOfHop(const FetchProblem &problem, int64_t hop) {
  int64_t begin = std::max(problem.interval.start, hop * problem.width());
  int64_t end = std::min(problem.interval.start + problem.interval.extent,
                         hop * problem.width() + wantedEnd(problem, std::max<int64_t>(0, hop)));
  return std::max<int64_t>(0, end - begin);
}

/// Whether the block `hop` further than `target` exists, and has something that is wanted.
bool sendsTo(const FetchProblem &problem, int64_t hop, int64_t target) {
  // In elements of the source block. Blocks at the end may hold only what nobody wants (padding):
  // they send nothing, which makes this, and not the length, differ from block to block.
  int64_t source = target + hop;
  int64_t begin = std::max(problem.interval.start - hop * problem.width(), int64_t(0));
  return source >= 0 && source < problem.parts && begin < wantedEnd(problem, source);
}

FetchStep stepOfHop(const FetchProblem &problem, int64_t hop) {
  FetchStep step;
  step.length = lengthOfHop(problem, hop);
  int64_t begin = std::max(problem.interval.start, hop * problem.width());
  for (int64_t target = std::max<int64_t>(0, -hop);
       target < problem.parts - std::max<int64_t>(0, hop); ++target)
    if (sendsTo(problem, hop, target))
      step.moves.push_back(
          {target + hop, target, begin - hop * problem.width(), begin - problem.interval.start});
  return step;
}

FetchPlan gatherPlan() {
  FetchPlan plan;
  plan.way = FetchPlan::Way::Gather;
  return plan;
}

FetchPlan shiftPlan(const FetchProblem &problem) {
  Hops hops = hopsOf(problem);
  FetchPlan plan;
  for (int64_t hop = hops.first; hop <= hops.last; ++hop) {
    FetchStep step = stepOfHop(problem, hop);
    if (step.moves.empty())
      continue;
    if (hop == 0)
      plan.own = std::move(step);
    else
      plan.steps.push_back(std::move(step));
  }
  return plan;
}

/// What `target` needs of the block `source`, in elements of the dimension.
struct Part {
  int64_t source = 0;
  int64_t target = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

std::vector<Part> partsOf(const FetchProblem &problem) {
  std::vector<Part> parts;
  for (int64_t target = 0; target < problem.parts; ++target) {
    int64_t start = problem.interval.begin(target);
    int64_t end = std::min(start + problem.interval.extent, problem.size - problem.unwanted);
    for (int64_t at = std::max<int64_t>(start, 0); at < end;) {
      int64_t source = at / problem.width();
      int64_t partEnd = std::min(end, (source + 1) * problem.width());
      parts.push_back({source, target, at, partEnd});
      at = partEnd;
    }
  }
  return parts;
}

/// Gives all moves of `parts` the length of the longest, as a collective sends equal amounts. A
/// shorter part is lengthened behind its end as far as its source block goes, and before its begin
/// by the rest: what is sent too much is right all the same, and lies beside the target's interval.
/// Example: parts [2, 4) and [7, 8) of blocks of 4: the second becomes [6, 8).
FetchStep stepOf(const FetchProblem &problem, const std::vector<Part> &parts) {
  FetchStep step;
  for (const Part &part : parts)
    step.length = std::max(step.length, part.end - part.begin);
  for (const Part &part : parts) {
    int64_t begin = std::min(part.begin, (part.source + 1) * problem.width() - step.length);
    int64_t start = problem.interval.begin(part.target);
    step.moves.push_back(
        {part.source, part.target, begin - part.source * problem.width(), begin - start});
  }
  return step;
}

FetchPlan placePlan(const FetchProblem &problem) {
  std::vector<Part> parts = partsOf(problem);
  FetchPlan plan;
  plan.way = FetchPlan::Way::Place;
  // If every block gets all from one, and gives all to one, what blocks have themselves may go
  // along: it is one permute, and nothing is put together behind it. A reversal is that.
  std::vector<int64_t> numParts(problem.parts), numTargets(problem.parts);
  bool isOneEach = true;
  for (const Part &part : parts)
    isOneEach &= ++numParts[part.target] == 1 && ++numTargets[part.source] == 1 &&
                 part.end - part.begin == problem.interval.extent;
  bool areAllOwn = std::all_of(parts.begin(), parts.end(),
                               [](const Part &part) { return part.source == part.target; });
  if (isOneEach && !areAllOwn && int64_t(parts.size()) == problem.parts) {
    plan.steps.push_back(stepOf(problem, parts));
    return plan;
  }
  // By distance, so that parts that are alike run together: in a step all go equally far, have
  // mostly the same length, and no block sends or receives twice. `Rounds` finds the first step in
  // which neither end is taken.
  std::sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) {
    return std::pair(a.target - a.source, a.target) < std::pair(b.target - b.source, b.target);
  });
  std::vector<Part> own;
  std::vector<std::vector<Part>> steps;
  Rounds rounds(problem.parts);
  for (const Part &part : parts) {
    if (part.source == part.target) {
      own.push_back(part);
      continue;
    }
    size_t number = rounds.add(part.source, part.target);
    if (number == kMaxSteps)
      return gatherPlan();
    steps.resize(rounds.count());
    steps[number].push_back(part);
  }
  plan.own = stepOf(problem, own);
  for (const std::vector<Part> &step : steps)
    plan.steps.push_back(stepOf(problem, step));
  return plan;
}

int64_t receivedByGather(const FetchProblem &problem) {
  return (problem.parts - 1) * problem.width();
}

/// The same fetch with few blocks, for prices. With many, what a block gets and from where is as it
/// is for its neighbours; only how far away that is changes slowly from the first to the last.
FetchProblem sampleOf(const FetchProblem &problem) {
  if (problem.parts <= kMaxPricedParts)
    return problem;
  // The block at which the first interval begins is moved to the same fraction of the shorter
  // dimension; where in the block it begins stays.
  int64_t firstBlock = floorDiv(problem.interval.begin(0), problem.width());
  FetchProblem sample = problem;
  sample.parts = kMaxPricedParts;
  sample.size = kMaxPricedParts * problem.width();
  sample.unwanted = std::min(problem.unwanted, sample.size);
  sample.interval.start += (floorDiv(firstBlock * kMaxPricedParts, problem.parts) - firstBlock) *
                           problem.width() * problem.interval.divisor;
  return sample;
}

/// Of the block for which most hops exist: all of them, if there are enough blocks.
int64_t receivedByShift(const FetchProblem &problem) {
  Hops hops = hopsOf(problem);
  if (hops.last - hops.first > kMaxSteps)
    return receivedByGather(problem);
  int64_t first = std::max<int64_t>(0, -hops.first);
  int64_t last = std::min(problem.parts - 1, problem.parts - 1 - hops.last);
  if (first > last) {
    // There are fewer blocks than hops, so all can be looked at.
    first = 0;
    last = problem.parts - 1;
  } else {
    last = first;
  }
  int64_t most = 0;
  for (int64_t block = first; block <= last; ++block) {
    int64_t sum = 0;
    for (int64_t hop = hops.first; hop <= hops.last; ++hop)
      if (hop != 0 && sendsTo(problem, hop, block))
        sum += lengthOfHop(problem, hop);
    most = std::max(most, sum);
  }
  return most;
}

} // namespace

std::string toString(const OperandWindow &use) {
  std::string text = factorSymbol(use.factor) + " reads dimension " + std::to_string(use.dim) +
                     " of operand " + std::to_string(use.operand) + ": stride " +
                     std::to_string(use.window.stride) + ", low " + std::to_string(use.window.low) +
                     ", span " + std::to_string(use.window.span);
  if (use.window.dilation != 1)
    text +=
        ", dilation " + std::to_string(use.window.dilation) + (use.mayDrift ? ", may drift" : "");
  if (use.inner)
    text += "; windows of stride " + std::to_string(use.inner->stride) + ", low " +
            std::to_string(use.inner->low) + ", span " + std::to_string(use.inner->span);
  return text;
}

int64_t BlockInterval::begin(int64_t block) const {
  return floorDiv(start + step * block, divisor);
}

namespace {

/// What blocks read, before it is told in elements: `count` positions from `first + step * c` on.
struct BlockPositions {
  int64_t first = 0;
  int64_t step = 0;
  int64_t count = 0;
};

BlockPositions positionsOf(const Window &window, int64_t numIndices, int64_t parts) {
  assert(window.stride != 0 && window.span >= 1 && window.dilation >= 1 && parts >= 1);
  int64_t width = shardSize(numIndices, parts);
  // Backwards, the last index of a block is the first in place.
  int64_t firstIndex = window.stride > 0 ? 0 : width - 1;
  return {window.stride * firstIndex - window.low, window.stride * width,
          std::abs(window.stride) * (width - 1) + window.span};
}

/// From the first element at or behind the first position, as many as there may be.
BlockInterval driftingInterval(const BlockPositions &positions, int64_t dilation) {
  int64_t extent = ceilDiv(positions.count, dilation);
  return {positions.first + dilation - 1,
          positions.step,
          extent,
          dilation - 1,
          positions.count - 1 - (extent - 1) * dilation,
          dilation};
}

} // namespace

std::optional<BlockInterval> blockInterval(const Window &window, int64_t numIndices,
                                           int64_t parts) {
  if (numIndices == 0)
    return std::nullopt;
  BlockPositions positions = positionsOf(window, numIndices, parts);
  if (positions.step % window.dilation != 0)
    return std::nullopt;
  int64_t first = ceilDiv(positions.first, window.dilation);
  int64_t last = floorDiv(positions.first + positions.count - 1, window.dilation);
  if (last < first)
    return std::nullopt;
  return BlockInterval{first, positions.step / window.dilation, last - first + 1,
                       first * window.dilation - positions.first,
                       positions.first + positions.count - 1 - last * window.dilation};
}

std::optional<BlockInterval> blockInterval(const OperandWindow &use, int64_t parts) {
  std::optional<BlockInterval> interval = blockInterval(use.window, use.numIndices, parts);
  BlockPositions positions = positionsOf(use.window, use.numIndices, parts);
  bool drifts = use.mayDrift && use.numIndices > 0 && positions.step % use.window.dilation != 0;
  if (drifts)
    interval = driftingInterval(positions, use.window.dilation);
  if (!interval || !use.inner)
    return interval;
  const Window &inner = *use.inner;
  assert(inner.stride == use.window.dilation && inner.dilation == 1);
  // Window p begins at position p * stride, so what the block reads lies between its first position
  // and the last, wherever windows begin there.
  if (drifts)
    return BlockInterval{positions.first - inner.low, positions.step,
                         positions.count - 1 + inner.span};
  return BlockInterval{inner.stride * interval->start - inner.low, inner.stride * interval->step,
                       inner.stride * (interval->extent - 1) + inner.span};
}

/// The last position that one of `numIndices` indices reads.
static int64_t lastPosition(const Window &window, int64_t numIndices) {
  int64_t lastIndex = window.stride > 0 ? numIndices - 1 : 0;
  return window.stride * lastIndex - window.low + window.span - 1;
}

bool readsBehind(const Window &window, int64_t numIndices, int64_t size) {
  return lastPosition(window, numIndices) > window.dilation * (size - 1);
}

std::optional<FetchProblem> fetchProblem(const OperandWindow &window, int64_t size, int64_t parts) {
  auto interval = blockInterval(window, parts);
  if (!interval)
    return std::nullopt;
  FetchProblem problem{parts * shardSize(size, parts), parts, *interval};
  if (size % parts != 0 || window.numIndices % parts != 0) {
    int64_t last = lastPosition(window.window, window.numIndices);
    int64_t end = floorDiv(last, window.window.dilation) + 1;
    if (window.inner)
      end = window.inner->stride * (end - 1) - window.inner->low + window.inner->span;
    problem.unwanted = problem.size - std::clamp<int64_t>(end, 0, size);
  }
  return problem;
}

/// Whether steps that differ from block to block bring the busiest block everything, and all blocks
/// together half of that: one collective is better then.
static bool isLikeGather(const FetchProblem &problem, const FetchPlan &plan) {
  std::vector<int64_t> received = receivedByBlock(plan.steps, problem.parts);
  int64_t all = std::accumulate(received.begin(), received.end(), int64_t(0));
  return *std::max_element(received.begin(), received.end()) >= receivedByGather(problem) &&
         2 * all >= problem.parts * receivedByGather(problem);
}

FetchPlan planFetch(const FetchProblem &problem) {
  assert(problem.size % problem.parts == 0 && problem.size > 0 && "blocks are equal");
  if (isShift(problem))
    return wayOfFetch(problem) == FetchPlan::Way::Gather ? gatherPlan() : shiftPlan(problem);
  FetchPlan plan = placePlan(problem);
  return plan.steps.size() > 1 && isLikeGather(problem, plan) ? gatherPlan() : plan;
}

FetchPlan::Way wayOfFetch(const FetchProblem &problem) {
  if (!isShift(problem))
    return planFetch(sampleOf(problem)).way;
  // Asked for every choice of axes, so no steps are made here.
  // Two hops or fewer, which a window of neighbours is, are never worth a gather, even where blocks
  // are so few that they are all of the dimension: with 2 blocks a shift is what a gather would be.
  Hops hops = hopsOf(problem);
  bool isFar = hops.last - hops.first > kMaxSteps;
  bool isAll = hops.last - hops.first > 1 && receivedByShift(problem) >= receivedByGather(problem);
  return isFar || isAll ? FetchPlan::Way::Gather : FetchPlan::Way::Shift;
}

std::vector<int64_t> receivedByBlock(const std::vector<FetchStep> &steps, int64_t parts) {
  std::vector<int64_t> received(parts);
  for (const FetchStep &step : steps)
    for (const FetchMove &move : step.moves)
      if (move.source != move.target)
        received[move.target] += step.length;
  return received;
}

int64_t receivedElements(const std::vector<FetchStep> &steps, int64_t parts) {
  std::vector<int64_t> received = receivedByBlock(steps, parts);
  return *std::max_element(received.begin(), received.end());
}

int64_t receivedElements(const FetchProblem &problem) {
  if (isShift(problem))
    return std::min(receivedByShift(problem), receivedByGather(problem));
  FetchProblem sample = sampleOf(problem);
  FetchPlan plan = planFetch(sample);
  return plan.way == FetchPlan::Way::Gather ? receivedByGather(problem)
                                            : receivedElements(plan.steps, sample.parts);
}

} // namespace shardwise::core
