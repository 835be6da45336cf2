// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replay on blocks: the sharding after each step, block boundaries and claimed totals.
//
// For each step, from the sharding that the steps so far lead to:
//
// 1. The table of collectives allows it there and gives the sharding that the step claims
//    (`core::apply`).
// 2. Every cut and every concatenation is along block boundaries, unless cuts may cross them. These
//    are compared one by one, not by the closed form with which the planner chooses steps.
// 3. Buffers and received bytes are as claimed, and so are the sums and the peak of the plan. Bytes
//    are counted by the formulas of the planner (`stepBytes`): wrong claims are found, a wrong
//    formula is not.
//
// At the end the sharding is the target.
//
// Example: 10 elements from [{"x"}] with 2 blocks of 5 to 6 blocks by "y"=3: a device cuts 5 into
// [0, 2), [2, 4), [4, 5), but the sharding has blocks of 2: the third is [4, 6), and the step is
// refused.

#include "shardwise/planner/verify/VerifyPlan.h"

#include "shardwise/core/Text.h"
#include "shardwise/planner/search/PlanAssembly.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::planner {
namespace {

int64_t ceilDiv(int64_t number, int64_t divisor) {
  return (number + divisor - 1) / divisor;
}

Error wrong(std::string message) {
  return {ErrorKind::Internal, std::move(message)};
}

/// Compares, for every coarse block, the pieces a device cuts from it with the fine blocks.
Result<void> compareBoundaries(int64_t size, int64_t blocks, int64_t parts) {
  int64_t coarse = ceilDiv(size, blocks);
  int64_t fine = ceilDiv(size, blocks * parts);
  int64_t piece = ceilDiv(coarse, parts);
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t part = 0; part < parts; ++part) {
      int64_t end = std::min(size, (block + 1) * coarse);
      int64_t cutBegin = std::min(end, block * coarse + part * piece);
      int64_t cutEnd = std::min(end, block * coarse + (part + 1) * piece);
      int64_t fineBegin = std::min(size, (block * parts + part) * fine);
      int64_t fineEnd = std::min(size, (block * parts + part + 1) * fine);
      bool bothEmpty = cutBegin == cutEnd && fineBegin == fineEnd;
      if (!bothEmpty && (cutBegin != fineBegin || cutEnd != fineEnd)) {
        return wrong(fmt::format("part {} of block {} is [{}, {}), the sharding needs [{}, {})",
                                 part, block, cutBegin, cutEnd, fineBegin, fineEnd));
      }
    }
  }
  return {};
}

/// The same for every dimension that `collective` cuts or puts together, move by move.
Result<void> compareBoundaries(const core::Collective &collective, const core::Sharding &before,
                               const core::Shape &shape) {
  std::vector<int64_t> blocks;
  for (const core::DimSharding &dim : before.dims)
    blocks.push_back(core::shardedSize(dim.axes));
  auto concatenate = [&](int64_t dim, const core::AxisList &axes) {
    blocks[dim] /= core::shardedSize(axes);
    return compareBoundaries(shape[dim], blocks[dim], core::shardedSize(axes));
  };
  auto cut = [&](int64_t dim, const core::AxisList &axes) {
    int64_t coarse = blocks[dim];
    blocks[dim] *= core::shardedSize(axes);
    return compareBoundaries(shape[dim], coarse, core::shardedSize(axes));
  };
  for (size_t dim = 0; dim < collective.dimAxes.size(); ++dim) {
    const core::AxisList &axes = collective.dimAxes[dim];
    Result<void> same =
        collective.kind == CollectiveKind::AllGather ? concatenate(dim, axes) : cut(dim, axes);
    if (!same)
      return same;
  }
  for (const AxisMove &move : collective.moves) {
    if (Result<void> same = concatenate(move.sourceDim, move.axes); !same)
      return same;
    if (Result<void> same = cut(move.targetDim, move.axes); !same)
      return same;
  }
  return {};
}

Result<void> checkClaim(std::string_view what, int64_t claimed, int64_t actual) {
  if (claimed != actual)
    return wrong(fmt::format("plan claims {} of {} B, replay gives {} B", what, claimed, actual));
  return {};
}

} // namespace

Result<void> verifyOnBlocks(const ReshardProblem &problem, const ReshardPlan &plan,
                            UnevenCuts unevenCuts) {
  const core::Sharding *before = &problem.source;
  int64_t held = localBytes(problem, problem.source);
  int64_t received = 0;
  int64_t largest = held;
  int64_t peak = held;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const ReshardStep &step = plan.steps[i];
    auto inStep = [&](const Error &error) {
      return Error{error.kind, fmt::format("step {}: {}: {}", i,
                                           toString(step.collective, problem.mesh), error.message)};
    };
    Result<core::Sharding> after = apply(step.collective, *before, problem.mesh);
    if (!after)
      return inStep(after.error());
    if (!core::isSamePlacement(*after, step.collective.after))
      return inStep(wrong(fmt::format("yields {}", core::toString(*after, problem.mesh))));
    if (unevenCuts == UnevenCuts::Aligned)
      if (Result<void> same = compareBoundaries(step.collective, *before, problem.shape); !same)
        return inStep(same.error());
    int64_t bytes = localBytes(problem, step.collective.after);
    if (Result<void> claim = checkClaim("local buffer", step.localBytesAfter, bytes); !claim)
      return inStep(claim.error());
    if (Result<void> claim =
            checkClaim("received data", step.receivedBytes, stepBytes(problem, *before, step));
        !claim) {
      return inStep(claim.error());
    }
    received += step.receivedBytes;
    largest = std::max(largest, bytes);
    peak = std::max(peak, held + bytes);
    held = bytes;
    before = &step.collective.after;
  }
  if (!core::isSamePlacement(*before, problem.target)) {
    return wrong(fmt::format("plan ends with {}, the target is {}",
                             core::toString(*before, problem.mesh),
                             core::toString(problem.target, problem.mesh)));
  }
  for (Result<void> claim : {checkClaim("total received", plan.receivedBytes, received),
                             checkClaim("largest buffer", plan.largestStateBytes, largest),
                             checkClaim("peak", plan.peakBytes, peak)}) {
    if (!claim)
      return claim;
  }
  return {};
}

} // namespace shardwise::planner
