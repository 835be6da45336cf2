// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bound on the axis lists where dimensions divide evenly, by coordinates elsewhere.
//
// Even division, 6x6 on <["x"=2, "y"=2]>. In each dimension:
//
// 1. One list continues the other: the smaller block lies in the larger one. [{"x"}, {}] to
//    [{}, {"x"}] has 3x3 of the wanted 6x3 elements, and misses 9.
// 2. Both go on behind their common prefix: some device has one block of the prefix and wants
//    another. [{"x"}, {}] to [{"y"}, {}] misses all 18.
//
// Uneven division: blocks of a list and of its prefix need not lie in each other (10 elements: the
// first of 2 blocks is [0, 5), the second of 4 is [3, 6)), so the boxes are compared.

#include "shardwise/planner/search/LowerBound.h"

#include "shardwise/planner/model/SubAxes.h"
#include "shardwise/planner/verify/MeasurePlan.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace shardwise::planner {
namespace {

constexpr int64_t kMaxCoordinates = 65'536;

int64_t ceilDiv(int64_t number, int64_t divisor) {
  return (number + divisor - 1) / divisor;
}

bool isEven(const ReshardProblem &problem) {
  return core::isEvenlyDivisible(problem.shape, problem.source) &&
         core::isEvenlyDivisible(problem.shape, problem.target);
}

/// Even division: if in some dimension both lists go on after their common prefix, a device has
/// disjoint boxes; otherwise the smaller block lies in the larger one. None if the axes have no
/// common cuts.
std::optional<int64_t> missingByLists(const ReshardProblem &problem) {
  std::vector<std::span<const core::Axis>> lists;
  for (const core::Sharding *sharding : {&problem.source, &problem.target})
    for (const core::DimSharding &dim : sharding->dims)
      lists.emplace_back(dim.axes);
  std::optional<SubAxes> subAxes = SubAxes::create(problem.mesh, lists);
  if (!subAxes)
    return std::nullopt;
  core::Shape have = core::localShape(problem.shape, problem.source);
  core::Shape want = core::localShape(problem.shape, problem.target);
  int64_t held = 1;
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    SubAxisIndices from = subAxes->expand(problem.source.dims[dim].axes);
    SubAxisIndices to = subAxes->expand(problem.target.dims[dim].axes);
    auto [differsFrom, differsTo] = std::mismatch(from.begin(), from.end(), to.begin(), to.end());
    if (differsFrom != from.end() && differsTo != to.end())
      return core::numElements(want);
    held *= std::min(have[dim], want[dim]);
  }
  return core::numElements(want) - held;
}

/// A range of one dimension's indices.
struct Interval {
  int64_t begin;
  int64_t end;

  int64_t size() const { return std::max<int64_t>(end - begin, 0); }
};

/// Walks over the coordinates along the mesh axes that cut source or target. Devices that differ
/// along other axes only have the same boxes. Where one side has a dimension whole, the worst
/// coordinates of its axes are known, if they cut nothing else:
///   - of a gathered dimension the last, which has the smallest block, or none;
///   - of a sliced one the first, which wants the largest.
class CoordinateWalk {
public:
  explicit CoordinateWalk(const ReshardProblem &problem) : problem(problem) {
    candidates.assign(problem.mesh.numAxes(), {});
    for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
      const core::AxisList &from = problem.source.dims[dim].axes;
      const core::AxisList &to = problem.target.dims[dim].axes;
      for (const core::Axis &axis : from)
        use(axis.index, to.empty() ? Worst::Last : Worst::Any);
      for (const core::Axis &axis : to)
        use(axis.index, from.empty() ? Worst::First : Worst::Any);
    }
    for (std::vector<int64_t> &list : candidates)
      if (list.empty())
        list = {0};
    thinOut();
  }

  /// No coordinate was left out.
  bool isComplete() const { return complete; }

  /// Returns the largest number of missing elements over the coordinates.
  int64_t largestMissing() {
    coordinates.assign(candidates.size(), 0);
    largest = 0;
    visit(0);
    return largest;
  }

private:
  /// Where along an axis a device misses most.
  enum class Worst { First, Last, Any };

  void use(int64_t axis, Worst worst) {
    std::vector<int64_t> &list = candidates[axis];
    int64_t size = problem.mesh.axisSize(axis);
    int64_t only = worst == Worst::First ? 0 : size - 1;
    if (worst != Worst::Any && (list.empty() || list == std::vector<int64_t>{only})) {
      list = {only};
      return;
    }
    list.resize(size);
    std::iota(list.begin(), list.end(), 0);
  }

  int64_t count() const {
    int64_t product = 1;
    for (const std::vector<int64_t> &list : candidates) {
      product *= static_cast<int64_t>(list.size());
      if (product > kMaxCoordinates)
        return product;
    }
    return product;
  }

  /// Keeps the ends of the longest axes until few enough coordinates are left.
  void thinOut() {
    while (count() > kMaxCoordinates) {
      complete = false;
      auto longest =
          std::max_element(candidates.begin(), candidates.end(),
                           [](const auto &a, const auto &b) { return a.size() < b.size(); });
      if (longest->size() > 2)
        *longest = {0, longest->back()};
      else
        *longest = {0};
    }
  }

  void visit(size_t axis) {
    if (axis == candidates.size()) {
      largest = std::max(largest, missing());
      return;
    }
    for (int64_t coordinate : candidates[axis]) {
      coordinates[axis] = coordinate;
      visit(axis + 1);
    }
  }

  Interval block(int64_t size, const core::AxisList &axes) const {
    int64_t number = 0;
    for (const core::Axis &axis : axes) {
      int64_t minor = problem.mesh.axisSize(axis.index) / axis.nextPreSize();
      number = number * axis.size + coordinates[axis.index] / minor % axis.size;
    }
    int64_t blockSize = ceilDiv(size, core::shardedSize(axes));
    return {std::min(size, number * blockSize), std::min(size, (number + 1) * blockSize)};
  }

  int64_t missing() const {
    int64_t wanted = 1;
    int64_t held = 1;
    for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
      Interval have = block(problem.shape[dim], problem.source.dims[dim].axes);
      Interval want = block(problem.shape[dim], problem.target.dims[dim].axes);
      wanted *= want.size();
      held *= Interval{std::max(have.begin, want.begin), std::min(have.end, want.end)}.size();
    }
    return wanted - held;
  }

  const ReshardProblem &problem;
  std::vector<std::vector<int64_t>> candidates;
  std::vector<int64_t> coordinates;
  int64_t largest = 0;
  bool complete = true;
};

/// Devices that hold a copy of an element under `sharding`.
int64_t numCopies(const ReshardProblem &problem, const core::Sharding &sharding) {
  return problem.mesh.numDevices() / core::shardedSize(core::dimensionAxes(sharding));
}

/// With axes to reduce; see the header.
int64_t reductionBound(const ReshardProblem &problem, int64_t partials) {
  int64_t kept = core::shardedSize(problem.target.unreduced);
  int64_t copies = std::max<int64_t>(numCopies(problem, problem.target) / kept, 1);
  int64_t devices = problem.mesh.numDevices() / kept;
  // Kept unreduced axes split the devices into parts that do the same work each on its own.
  double messages = static_cast<double>(core::numElements(problem.shape)) *
                    static_cast<double>(partials + copies - 2) / static_cast<double>(devices);
  // The largest target box is full, unless some dimension has fewer elements than blocks.
  int64_t wanted = core::numElements(core::localShape(problem.shape, problem.target));
  return std::max(wanted, static_cast<int64_t>(messages));
}

} // namespace

LowerBound lowerBound(const ReshardProblem &problem) {
  if (!isOneMesh(problem)) {
    Placement before(problem, problem.source, OnMesh::Source);
    Placement after(problem, problem.target, OnMesh::Target);
    if (core::shardedSize(problem.source.unreduced) > 1) {
      // No element is complete anywhere.
      return {localBytes(problem, problem.target), false};
    }
    return {missingBetween(problem, before, after).largest, true};
  }
  core::AxisList pending = core::setDifference(problem.source.unreduced, problem.target.unreduced);
  if (int64_t partials = core::shardedSize(pending); partials > 1)
    return {reductionBound(problem, partials) * problem.elementBytes, false};
  if (isEven(problem)) {
    if (std::optional<int64_t> missing = missingByLists(problem))
      return {*missing * problem.elementBytes, true};
  }
  CoordinateWalk walk(problem);
  int64_t missing = walk.largestMissing();
  return {missing * problem.elementBytes, walk.isComplete()};
}

} // namespace shardwise::planner
