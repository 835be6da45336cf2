// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text grids; PlanSvg.cpp has the pictures.

#include "shardwise/planner/draw/PlanPicture.h"

#include "shardwise/core/Text.h"
#include "shardwise/planner/verify/PlanMoves.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace shardwise::planner {
namespace {

constexpr int64_t kMaxDrawnDevices = 64;
constexpr int64_t kMaxDrawnElements = 512;

/// Rows of a device's box as text: all dimensions but the last go down. An element's name is its
/// index from 1: `23` is row 2, column 3, and `12,7` where a size has two digits. A scalar is `*`.
std::vector<std::string> linesOf(const ReshardProblem &problem, const core::Box &box) {
  bool hasOneDigit = std::all_of(problem.shape.begin(), problem.shape.end(),
                                 [](int64_t size) { return size <= 9; });
  std::vector<std::string> lines;
  if (box.numElements() == 0)
    return {"-"};
  std::vector<int64_t> index = box.start;
  size_t rank = index.size();
  auto endOf = [&](size_t dim) { return box.start[dim] + box.size[dim]; };
  while (true) {
    std::vector<std::string> row;
    for (int64_t column = rank == 0 ? 0 : box.start[rank - 1];
         column < (rank == 0 ? 1 : endOf(rank - 1)); ++column) {
      std::vector<int64_t> names(index.begin(), index.end());
      if (rank > 0)
        names[rank - 1] = column;
      for (int64_t &name : names)
        ++name;
      row.push_back(rank == 0 ? "*" : fmt::format("{}", fmt::join(names, hasOneDigit ? "" : ",")));
    }
    lines.push_back(fmt::format("{}", fmt::join(row, " ")));
    // The next row in row-major order, or none: the last dimension was written across.
    size_t dim = rank < 2 ? 0 : rank - 1;
    while (dim > 0 && index[dim - 1] + 1 == endOf(dim - 1)) {
      --dim;
      index[dim] = box.start[dim];
    }
    if (dim == 0)
      return lines;
    ++index[dim - 1];
  }
}

} // namespace

bool isSmallEnoughToDraw(const ReshardProblem &problem, const ReshardPlan &plan) {
  int64_t devices = std::max(problem.mesh.numDevices(), targetMeshOf(problem).numDevices());
  int64_t largest = std::max<int64_t>(1, plan.largestStateBytes / problem.elementBytes);
  return devices <= kMaxDrawnDevices && largest <= kMaxDrawnElements / devices;
}

std::string drawState(const ReshardProblem &problem, const Placement &state) {
  int64_t axes = state.mesh().numAxes();
  int64_t columns = axes == 0 ? 1 : state.mesh().axisSize(axes - 1);
  // The last mesh axis goes right and all others down, so that positions are in reading order.
  // Cells of one size: as wide as the widest line, as high as the fullest device.
  std::vector<std::vector<std::string>> cells;
  size_t width = 1;
  size_t height = 1;
  for (int64_t position = 0; position < state.numDevices(); ++position) {
    cells.push_back(linesOf(problem, state.boxAt(position)));
    height = std::max(height, cells.back().size());
    for (const std::string &line : cells.back())
      width = std::max(width, line.size());
  }
  std::string rule = "  +";
  for (int64_t column = 0; column < columns; ++column)
    rule += std::string(width + 2, '-') + "+";
  std::string text = rule + "\n";
  for (int64_t row = 0; row * columns < state.numDevices(); ++row) {
    for (size_t line = 0; line < height; ++line) {
      text += "  |";
      for (int64_t column = 0; column < columns; ++column) {
        const std::vector<std::string> &cell = cells[row * columns + column];
        fmt::format_to(std::back_inserter(text), " {:<{}} |", line < cell.size() ? cell[line] : "",
                       width);
      }
      text += "\n";
    }
    text += rule + "\n";
  }
  return text;
}

std::string drawPlan(const ReshardProblem &problem, const ReshardPlan &plan) {
  std::string text =
      fmt::format("before: {}\n{}", core::toString(problem.source, problem.mesh),
                  drawState(problem, Placement(problem, problem.source, OnMesh::Source)));
  std::vector<Placement> states = placementsOf(problem, plan);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Placement &after = states[i + 1];
    fmt::format_to(std::back_inserter(text), "after {}. {}: {}\n{}", i + 1,
                   toString(plan.steps[i].collective.kind),
                   core::toString(after.sharding(), after.mesh()), drawState(problem, after));
  }
  return text;
}

} // namespace shardwise::planner
