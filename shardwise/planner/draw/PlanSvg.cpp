// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan as SVG: a row of devices for every state, arrows between rows for what moves.
//
// The page is built in layers: first what devices hold, with what arrived over it, then arrows,
// then labels, which nothing covers. Colours name devices (SvgShapes.h): what a device holds has
// its own colour, what it was sent the sender's, and an arrow the same hue darker. A sum comes from
// everywhere and keeps the receiver's colour.

#include "shardwise/core/Text.h"
#include "shardwise/planner/draw/PageGrid.h"
#include "shardwise/planner/draw/PlanPicture.h"
#include "shardwise/planner/draw/SvgShapes.h"
#include "shardwise/planner/verify/PlanMoves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shardwise::planner {
namespace {

constexpr int64_t kMaxDevices = 64;
constexpr size_t kMaxDims = 4;
constexpr size_t kMaxSteps = 12;
/// Intervals of a dimension that is drawn as separate blocks.
constexpr size_t kMaxBlocks = 16;
/// More arrows than this in one step hide each other.
constexpr size_t kMaxArrows = 260;

constexpr double kMargin = 24;
constexpr double kGap = 22;
constexpr double kArrowHeight = 130;
constexpr double kHead = 40;

/// The devices of one state in a row.
struct Row {
  const Placement *state;
  const PageGrid *layout;
  double top;

  double x(int64_t position) const {
    return kMargin + static_cast<double>(position) * (layout->width() + kGap);
  }
  double bottom() const { return top + layout->height(); }

  std::string pieces(int64_t position, const core::Box &box, std::string_view colour,
                     std::string_view name) const {
    std::string shapes;
    for (const PageGrid::Piece &piece : layout->piecesOf(box)) {
      shapes += rectangle(x(position) + piece.x, top + piece.y, piece.width, piece.height,
                          fmt::format("class=\"{}\" fill=\"{}\" stroke=\"#444\" "
                                      "stroke-width=\"0.6\"",
                                      name, colour));
    }
    return shapes;
  }

  /// Middle of `box` across, the lower or upper end of it down.
  std::pair<double, double> end(int64_t position, const core::Box &box, bool isLower) const {
    std::vector<PageGrid::Piece> all = layout->piecesOf(box);
    if (all.empty())
      return {x(position), isLower ? bottom() : top};
    const PageGrid::Piece &piece = isLower ? all.back() : all.front();
    return {x(position) + piece.x + piece.width / 2,
            top + piece.y + (isLower ? piece.height * 0.75 : piece.height * 0.25)};
  }

  std::string background() const {
    std::string shapes;
    for (int64_t position = 0; position < state->numDevices(); ++position) {
      shapes += rectangle(x(position) - 3, top - 3, layout->width() + 6, layout->height() + 6,
                          "rx=\"3\" fill=\"#f7f7f7\" stroke=\"#c8c8c8\" stroke-width=\"0.8\"");
      shapes += layout->background(x(position), top);
      shapes += rectangle(x(position) - 3, top - 25, 9, 9,
                          fmt::format("fill=\"{}\" stroke=\"#444\" stroke-width=\"0.5\"",
                                      fillOf(state->idAt(position))));
      std::string coordinates;
      std::vector<int64_t> values = state->mesh().coordinates(position);
      for (size_t axis = 0; axis < values.size(); ++axis) {
        coordinates += fmt::format("{}{}={}", axis == 0 ? "" : " ", state->mesh().axes()[axis].name,
                                   values[axis]);
      }
      shapes += textAt(x(position) + 9, top - 16, 11,
                       fmt::format("device {}", state->idAt(position)), "font-weight=\"bold\"");
      // Coordinates shrink until they fit over the cell.
      double fitting = (layout->width() + kGap) / std::max<size_t>(1, coordinates.size()) * 1.7;
      shapes +=
          textAt(x(position) - 3, top - 6, std::min(9.0, fitting), coordinates, "fill=\"#666\"");
    }
    return shapes;
  }
};

std::string legend(const ReshardProblem &problem, double y) {
  static constexpr std::array<std::string_view, 4> kWays = {
      "goes right inside a block", "goes down inside a block", "is blocks to the right",
      "is blocks downwards"};
  size_t rank = problem.shape.size();
  std::string ways;
  for (size_t fromEnd = 1; fromEnd <= rank; ++fromEnd) {
    ways += fmt::format("{}dimension {} ({}) {}", fromEnd == 1 ? "" : "; ", rank - fromEnd,
                        problem.shape[rank - fromEnd], kWays[fromEnd - 1]);
  }
  return textAt(kMargin, y, 10,
                fmt::format("A cell is the whole tensor as one device sees it{}{}.",
                            rank == 0 ? "" : ": ", ways),
                "fill=\"#555\"") +
         textAt(kMargin, y + 14, 10,
                "Coloured: what the device holds. The colour is that of the device the part came "
                "from in the step above, its own for what stayed and for sums; an arrow is a part "
                "that moves.",
                "fill=\"#555\"");
}

Result<void> checkDrawable(const ReshardProblem &problem, const ReshardPlan &plan,
                           const std::vector<std::vector<int64_t>> &cuts) {
  int64_t devices = std::max(problem.mesh.numDevices(), targetMeshOf(problem).numDevices());
  if (devices > kMaxDevices) {
    return unsupported(fmt::format("a picture of {} devices; at most {} can be drawn, use a "
                                   "smaller mesh",
                                   devices, kMaxDevices));
  }
  if (problem.shape.size() > kMaxDims) {
    return unsupported(fmt::format("a picture of {} dimensions; at most {} can be drawn, leave "
                                   "out dimensions that are not split",
                                   problem.shape.size(), kMaxDims));
  }
  if (plan.steps.size() > kMaxSteps) {
    return unsupported(fmt::format("a picture of {} steps; at most {} can be drawn, use strategy "
                                   "optimal",
                                   plan.steps.size(), kMaxSteps));
  }
  for (size_t dim = 0; dim + 2 < cuts.size(); ++dim) {
    if (cuts[dim].size() > kMaxBlocks + 1) {
      return unsupported(fmt::format("a picture of dimension {} in {} blocks; dimensions before "
                                     "the last two can have {}",
                                     dim, cuts[dim].size() - 1, kMaxBlocks));
    }
  }
  return {};
}

/// What a state looks like after a step: held boxes in the device's colour, what arrived in the
/// sender's over them, and arrows from the row before.
struct Drawing {
  std::string shapes;
  std::string arrows;
};

void drawMoves(const Row &from, const Row &to, const std::vector<Message> &moves, bool addsUp,
               Drawing &drawing) {
  bool isCrowded = moves.size() > kMaxArrows;
  double opacity = moves.size() > 60 ? 0.45 : 0.8;
  for (const Message &move : moves) {
    std::optional<int64_t> source = from.state->positionOrNull(move.source);
    std::optional<int64_t> target = to.state->positionOrNull(move.target);
    if (!source || !target || move.box.numElements() == 0)
      continue;
    if (!addsUp)
      drawing.shapes += to.pieces(*target, move.box, fillOf(move.source), "arrived");
    // Hundreds of arrows are a grey area: those to one device show the pattern.
    if (isCrowded && *target != 0)
      continue;
    auto [x1, y1] = from.end(*source, move.box, true);
    auto [x2, y2] = to.end(*target, move.box, false);
    double bend = (to.top - from.bottom()) * 0.45;
    drawing.arrows += fmt::format(
        "<path class=\"moved\" d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" "
        "fill=\"none\" stroke=\"{}\" stroke-width=\"1.3\" stroke-opacity=\"{}\" "
        "marker-end=\"url(#head)\"/>\n",
        x1, y1, x1, from.bottom() + bend, x2, to.top - 14 - bend, x2, y2,
        colourOf(move.source, 0.38), opacity);
  }
}

/// "step 1: exchange, ... -> state 1: [{"y"}, {"x"}], 24 B on a device".
std::string lineOf(const ReshardProblem &problem, const ReshardPlan &plan, const Placement &state,
                   size_t number, size_t numMoves) {
  std::string line = fmt::format("state {}: {}, {} B on a device", number,
                                 core::toString(state.sharding(), state.mesh()),
                                 localBytes(problem, state.sharding()));
  if (number == 0)
    return line;
  const ReshardStep &step = plan.steps[number - 1];
  return fmt::format("step {}: {}{}, the slowest device receives {} B{}  →  {}", number,
                     toString(step.collective.kind), step.changesMesh ? " to the target mesh" : "",
                     step.receivedBytes,
                     numMoves > kMaxArrows
                         ? fmt::format("; {} parts move, arrows only to the first device", numMoves)
                         : "",
                     line);
}

void drawRow(const Row &row, Drawing &drawing) {
  drawing.shapes += row.background();
  for (int64_t position = 0; position < row.state->numDevices(); ++position) {
    drawing.shapes +=
        row.pieces(position, row.state->boxAt(position), fillOf(row.state->idAt(position)), "held");
  }
}

std::string drawNames(const Row &row, const PageGrid &layout) {
  std::string shapes;
  for (int64_t position = 0; position < row.state->numDevices(); ++position) {
    shapes += layout.grid(row.x(position), row.top);
    shapes += layout.names(row.state->boxAt(position), row.x(position), row.top);
  }
  return shapes;
}

/// The page around `content`.
std::string page(const ReshardProblem &problem, double width, double height,
                 const std::string &content) {
  std::string title = fmt::format(
      "{} on {} to {}{}", core::toString(problem.source, problem.mesh),
      core::toString(problem.mesh), core::toString(problem.target, targetMeshOf(problem)),
      isOneMesh(problem) ? "" : " on " + core::toString(targetMeshOf(problem)));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"DejaVu Sans, Helvetica, sans-serif\">\n"
      "<defs><marker id=\"head\" markerWidth=\"6\" markerHeight=\"6\" refX=\"5\" refY=\"3\" "
      "orient=\"auto\"><path d=\"M0,0.5 L6,3 L0,5.5 z\" fill=\"#333\"/></marker></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}{3}{4}</svg>\n",
      width, height, textAt(kMargin - 3, 26, 14, title, "font-weight=\"bold\""),
      legend(problem, 48), content);
}

} // namespace

Result<std::string> drawSvg(const ReshardProblem &problem, const ReshardPlan &plan) {
  std::vector<Placement> states = placementsOf(problem, plan);
  std::vector<std::vector<int64_t>> cuts = cutsOf(problem, states);
  if (Result<void> checked = checkDrawable(problem, plan, cuts); !checked)
    return checked.error();
  int64_t devices = std::max(problem.mesh.numDevices(), targetMeshOf(problem).numDevices());
  double side = devices <= 8 ? 110 : devices <= 16 ? 84 : devices <= 32 ? 56 : 40;
  PageGrid layout(problem.shape, cuts, side);
  std::vector<Row> rows;
  double top = kMargin + 3 * kHead;
  for (const Placement &state : states) {
    rows.push_back({&state, &layout, top});
    top += layout.height() + kArrowHeight;
  }
  Drawing drawing;
  std::string labels;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<Message> moves = i == 0 ? std::vector<Message>{} : movesOf(problem, plan, i - 1);
    drawRow(rows[i], drawing);
    if (i > 0) {
      // A sum comes from everywhere: it has the receiver's colour.
      bool addsUp = combinesPartialValues(plan.steps[i - 1].collective.kind);
      drawMoves(rows[i - 1], rows[i], moves, addsUp, drawing);
    }
    drawing.shapes += drawNames(rows[i], layout);
    labels +=
        textAt(kMargin - 3, rows[i].top - 36, 12, lineOf(problem, plan, states[i], i, moves.size()),
               "font-weight=\"bold\" stroke=\"#fff\" stroke-width=\"4\" "
               "stroke-linejoin=\"round\" paint-order=\"stroke\"");
  }
  double width =
      std::max(2 * kMargin + static_cast<double>(devices) * (layout.width() + kGap), 980.0);
  return page(problem, width, rows.back().bottom() + kMargin,
              drawing.shapes + drawing.arrows + labels);
}

} // namespace shardwise::planner
