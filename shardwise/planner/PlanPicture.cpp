// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text grids and SVG.

#include "shardwise/planner/PlanPicture.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace shardwise::planner {
namespace {

constexpr int64_t kMaxDrawnDevices = 64;
constexpr int64_t kMaxDrawnElements = 512;

/// Rows of a device's box as text: all dimensions but the last go down.
std::vector<std::string> linesOf(const ReshardProblem &problem, const core::Box &box) {
  bool hasOneDigit = std::all_of(problem.shape.begin(), problem.shape.end(),
                                 [](int64_t size) { return size <= 9; });
  std::vector<std::string> lines;
  if (box.numElements() == 0) {
    return {"-"};
  }
  std::vector<int64_t> index = box.start;
  size_t rank = index.size();
  auto endOf = [&](size_t dim) { return box.start[dim] + box.size[dim]; };
  while (true) {
    std::vector<std::string> row;
    for (int64_t column = rank == 0 ? 0 : box.start[rank - 1];
         column < (rank == 0 ? 1 : endOf(rank - 1)); ++column) {
      std::vector<int64_t> names(index.begin(), index.end());
      if (rank > 0) {
        names[rank - 1] = column;
      }
      for (int64_t &name : names) {
        ++name;
      }
      row.push_back(rank == 0 ? "*" : fmt::format("{}", fmt::join(names, hasOneDigit ? "" : ",")));
    }
    lines.push_back(fmt::format("{}", fmt::join(row, " ")));
    size_t dim = rank < 2 ? 0 : rank - 1;
    while (dim > 0 && index[dim - 1] + 1 == endOf(dim - 1)) {
      --dim;
      index[dim] = box.start[dim];
    }
    if (dim == 0) {
      return lines;
    }
    ++index[dim - 1];
  }
}

std::string_view colourOf(core::DeviceId device) {
  static constexpr std::array<std::string_view, 12> kColours = {
      "#8dd3c7", "#ffffb3", "#bebada", "#fb8072", "#80b1d3", "#fdb462",
      "#b3de69", "#fccde5", "#d9d9d9", "#bc80bd", "#ccebc5", "#ffed6f"};
  return kColours[static_cast<size_t>(device) % kColours.size()];
}

/// Places devices of one state on the page: a grid, the last mesh axis to the right.
class Panel {
public:
  Panel(const ReshardProblem &problem, const Placement &state, double left)
      : problem(problem), state(state), left(left) {
    int64_t axes = state.mesh().numAxes();
    columns = axes == 0 ? 1 : state.mesh().axisSize(axes - 1);
    rows = state.numDevices() / columns;
  }

  static constexpr double kCell = 96;
  static constexpr double kGap = 24;
  static constexpr double kTop = 40;

  double width() const { return static_cast<double>(columns) * (kCell + kGap); }
  double height() const { return static_cast<double>(rows) * (kCell + kGap) + kTop; }
  double x(int64_t position) const {
    return left + static_cast<double>(position % columns) * (kCell + kGap);
  }
  double y(int64_t position) const {
    return kTop + static_cast<double>(position / columns) * (kCell + kGap);
  }

  /// Rectangle of `box` in the miniature of the whole tensor that stands for a device.
  std::string rectangle(int64_t position, const core::Box &box, std::string_view colour) const {
    auto part = [&](size_t fromEnd, int64_t value) {
      size_t rank = problem.shape.size();
      if (rank < fromEnd || problem.shape[rank - fromEnd] == 0) {
        return 0.0;
      }
      return kCell * static_cast<double>(value) /
             static_cast<double>(problem.shape[rank - fromEnd]);
    };
    size_t rank = problem.shape.size();
    bool hasColumns = rank >= 1;
    bool hasRows = rank >= 2;
    double dx = hasColumns ? part(1, box.start[rank - 1]) : 0;
    double dy = hasRows ? part(2, box.start[rank - 2]) : 0;
    double w = hasColumns ? part(1, box.size[rank - 1]) : kCell;
    double h = hasRows ? part(2, box.size[rank - 2]) : kCell;
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                       "fill=\"{}\" stroke=\"#333\" stroke-width=\"0.5\"/>\n",
                       x(position) + dx, y(position) + dy, w, h, colour);
  }

  /// Middle of `box` on the page.
  std::pair<double, double> middle(int64_t position, const core::Box &box) const {
    double dx = 0.5;
    double dy = 0.5;
    size_t rank = problem.shape.size();
    if (rank >= 1 && problem.shape[rank - 1] > 0) {
      dx =
          (static_cast<double>(box.start[rank - 1]) + static_cast<double>(box.size[rank - 1]) / 2) /
          static_cast<double>(problem.shape[rank - 1]);
    }
    if (rank >= 2 && problem.shape[rank - 2] > 0) {
      dy =
          (static_cast<double>(box.start[rank - 2]) + static_cast<double>(box.size[rank - 2]) / 2) /
          static_cast<double>(problem.shape[rank - 2]);
    }
    return {x(position) + dx * kCell, y(position) + dy * kCell};
  }

  std::string frame(int64_t position) const {
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                       "fill=\"none\" stroke=\"#999\"/>\n<text x=\"{:.1f}\" y=\"{:.1f}\" "
                       "font-size=\"11\">device {}</text>\n",
                       x(position), y(position), kCell, kCell, x(position), y(position) - 4,
                       state.idAt(position));
  }

private:
  const ReshardProblem &problem;
  const Placement &state;
  double left;
  int64_t columns = 1;
  int64_t rows = 1;
};

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '&':
      result += "&amp;";
      break;
    default:
      result += c;
    }
  }
  return result;
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
  std::vector<std::vector<std::string>> cells;
  size_t width = 1;
  size_t height = 1;
  for (int64_t position = 0; position < state.numDevices(); ++position) {
    cells.push_back(linesOf(problem, state.boxAt(position)));
    height = std::max(height, cells.back().size());
    for (const std::string &line : cells.back()) {
      width = std::max(width, line.size());
    }
  }
  std::string rule = "  +";
  for (int64_t column = 0; column < columns; ++column) {
    rule += std::string(width + 2, '-') + "+";
  }
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
  std::string text = fmt::format("before: {}\n{}", core::toString(problem.source, problem.mesh),
                                 drawState(problem, Placement(problem, problem.source, false)));
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const ReshardStep &step = plan.steps[i];
    const core::Mesh &mesh = step.changesMesh ? targetMeshOf(problem) : problem.mesh;
    fmt::format_to(std::back_inserter(text), "after {}. {}: {}\n{}", i + 1, toString(step.kind),
                   core::toString(step.after, mesh),
                   drawState(problem, Placement(problem, step.after, step.changesMesh)));
  }
  return text;
}

Result<std::string> drawSvg(const ReshardProblem &problem, const ReshardPlan &plan) {
  constexpr int64_t kMaxDevices = 256;
  Placement before(problem, problem.source, false);
  Placement after(problem, problem.target, true);
  if (std::max(before.numDevices(), after.numDevices()) > kMaxDevices) {
    return unsupported(
        fmt::format("a picture of more than {} devices; use a smaller mesh", kMaxDevices));
  }
  Panel left(problem, before, 20);
  Panel right(problem, after, 20 + left.width() + 120);
  std::string shapes;
  std::string arrows;
  for (int64_t position = 0; position < before.numDevices(); ++position) {
    shapes += left.rectangle(position, before.boxAt(position), colourOf(before.idAt(position)));
    shapes += left.frame(position);
  }
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    // What stays keeps the device's own colour; what arrives is painted over it.
    shapes += right.rectangle(position, after.boxAt(position), colourOf(after.idAt(position)));
  }
  bool reduces = core::shardedSize(problem.source.unreduced) > 1;
  core::Sharding complete = problem.source;
  complete.unreduced.clear();
  Placement holders(problem, reduces ? complete : problem.source, false);
  for (const Message &message : exchangeMessages(problem, holders, after)) {
    int64_t from = *before.positionOrNull(message.source);
    int64_t to = *after.positionOrNull(message.target);
    shapes += right.rectangle(to, message.box, colourOf(message.source));
    auto [x1, y1] = left.middle(from, message.box);
    auto [x2, y2] = right.middle(to, message.box);
    arrows += fmt::format("<line class=\"moved\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" "
                          "y2=\"{:.1f}\" stroke=\"#555\" stroke-width=\"0.8\" "
                          "marker-end=\"url(#head)\"/>\n",
                          x1, y1, x2, y2);
  }
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    shapes += right.frame(position);
  }
  double width = 60 + left.width() + 120 + right.width();
  double height = std::max(left.height(), right.height()) + 20;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\">\n"
      "<defs><marker id=\"head\" markerWidth=\"7\" markerHeight=\"7\" refX=\"6\" refY=\"3\" "
      "orient=\"auto\"><path d=\"M0,0 L6,3 L0,6 z\" fill=\"#555\"/></marker></defs>\n"
      "<text x=\"20\" y=\"16\" font-size=\"12\">{2} to {3}</text>\n{4}{5}</svg>\n",
      width, height, escaped(core::toString(problem.source, problem.mesh)),
      escaped(core::toString(problem.target, targetMeshOf(problem))), shapes, arrows);
}

} // namespace shardwise::planner
