// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Hungarian method with potentials: rows are target positions, columns are devices.
//
// Invariant: cost[row][column] >= rowPotential[row] + columnPotential[column], with equality where
// a column is assigned to its row. So every assignment of the rows placed so far costs at least the
// sum of their potentials and those of the columns, and the present one no more. Rows are added one
// by one:
//
// 1. Search the cheapest alternating path from the new row to a free column, as Dijkstra does, by
//    costs less potentials. `slack` has the distance of each column from the rows reached so far.
// 2. With every column reached, shift the potentials of all reached rows and columns by the step in
//    distance: the path becomes tight, and the invariant stays.
// 3. Shift the assignments along the path: one row more has a column.
//
// Example: [{"x"}] on devices [0, 1] to [{"x"}] on devices [1, 0]. Position 0 wants what device 0
// has, and gets it: the answer is [0, 1], and nothing moves.

#include "shardwise/planner/search/RelabelDevices.h"

#include "shardwise/planner/model/Placement.h"

#include <fmt/format.h>

#include <limits>

namespace shardwise::planner {
namespace {

constexpr int64_t kMaxDevices = 2'048;

/// Returns, by row, the column of an assignment of least cost. `cost` is square.
std::vector<size_t> assign(const std::vector<std::vector<int64_t>> &cost) {
  size_t count = cost.size();
  // Rows and columns from 1; column 0 stands for "the row being placed".
  std::vector<int64_t> rowPotential(count + 1, 0);
  std::vector<int64_t> columnPotential(count + 1, 0);
  std::vector<size_t> rowOfColumn(count + 1, 0);
  for (size_t row = 1; row <= count; ++row) {
    std::vector<int64_t> slack(count + 1, std::numeric_limits<int64_t>::max());
    std::vector<size_t> previous(count + 1, 0);
    std::vector<bool> isReached(count + 1, false);
    size_t column = 0;
    rowOfColumn[0] = row;
    while (rowOfColumn[column] != 0) {
      isReached[column] = true;
      size_t from = rowOfColumn[column];
      int64_t least = std::numeric_limits<int64_t>::max();
      size_t nearest = 0;
      for (size_t next = 1; next <= count; ++next) {
        if (isReached[next])
          continue;
        int64_t reduced = cost[from - 1][next - 1] - rowPotential[from] - columnPotential[next];
        if (reduced < slack[next]) {
          slack[next] = reduced;
          previous[next] = column;
        }
        if (slack[next] < least) {
          least = slack[next];
          nearest = next;
        }
      }
      for (size_t next = 0; next <= count; ++next) {
        if (isReached[next]) {
          rowPotential[rowOfColumn[next]] += least;
          columnPotential[next] -= least;
        } else {
          slack[next] -= least;
        }
      }
      column = nearest;
    }
    // The path ended at a free column: each of its columns takes the row of the one before.
    for (; column != 0; column = previous[column])
      rowOfColumn[column] = rowOfColumn[previous[column]];
  }
  std::vector<size_t> columnOfRow(count);
  for (size_t column = 1; column <= count; ++column)
    columnOfRow[rowOfColumn[column] - 1] = column - 1;
  return columnOfRow;
}

} // namespace

Result<std::vector<core::DeviceId>> relabelTargetDevices(const ReshardProblem &problem) {
  if (Result<void> checked = check(problem); !checked)
    return checked.error();
  Placement before(problem, problem.source, OnMesh::Source);
  Placement after(problem, problem.target, OnMesh::Target);
  int64_t count = after.numDevices();
  if (count > kMaxDevices) {
    return unsupported(fmt::format("relabelling {} devices exceeds {}; give the device order",
                                   count, kMaxDevices));
  }
  std::vector<std::vector<int64_t>> cost(count, std::vector<int64_t>(count, 0));
  for (int64_t position = 0; position < count; ++position) {
    core::Box want = after.boxAt(position);
    for (int64_t device = 0; device < count; ++device) {
      std::optional<int64_t> held = before.positionOrNull(after.idAt(device));
      int64_t common = held ? core::intersect(want, before.boxAt(*held)).numElements() : 0;
      // One less for the given place, so that ties keep it: counts are scaled apart.
      cost[position][device] = -(common * (count + 1) + (device == position ? 1 : 0));
    }
  }
  std::vector<core::DeviceId> ids;
  for (size_t device : assign(cost))
    ids.push_back(after.idAt(static_cast<int64_t>(device)));
  return ids;
}

} // namespace shardwise::planner
