// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan as SVG: a row of devices for every state, arrows between rows for what moves.

#include "shardwise/planner/PlanMoves.h"
#include "shardwise/planner/PlanPicture.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

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
constexpr double kBlockGap = 4;
constexpr double kArrowHeight = 130;
constexpr double kHead = 40;

/// Colours that differ for neighbours: hues a golden angle apart.
std::string colourOf(core::DeviceId device, double lightness) {
  double hue = std::fmod(static_cast<double>(device) * 137.508 + 205, 360) / 60;
  double saturation = 0.62;
  double chroma = (1 - std::abs(2 * lightness - 1)) * saturation;
  double second = chroma * (1 - std::abs(std::fmod(hue, 2) - 1));
  double base = lightness - chroma / 2;
  std::array<double, 3> rgb = hue < 1   ? std::array{chroma, second, 0.0}
                              : hue < 2 ? std::array{second, chroma, 0.0}
                              : hue < 3 ? std::array{0.0, chroma, second}
                              : hue < 4 ? std::array{0.0, second, chroma}
                              : hue < 5 ? std::array{second, 0.0, chroma}
                                        : std::array{chroma, 0.0, second};
  auto part = [&](size_t i) { return static_cast<int>(std::lround(255 * (rgb[i] + base))); };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(1), part(2));
}

std::string fillOf(core::DeviceId device) {
  return colourOf(device, 0.72);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return result;
}

std::string textAt(double x, double y, double size, std::string_view text,
                   std::string_view style = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" {}>{}</text>\n", x, y,
                     size, style, escaped(text));
}

std::string rectangle(double x, double y, double width, double height, std::string_view style) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n", x,
                     y, width, height, style);
}

/// A tensor on the page: the last dimension goes right, the one before down; the two before those
/// are cut where some state cuts them and laid out as blocks, right and down again.
class TensorLayout {
public:
  /// `cuts` are the block boundaries of each dimension over all states, ascending with both ends.
  TensorLayout(core::Shape shapeOf, std::vector<std::vector<int64_t>> cutsOf, double side)
      : shape(std::move(shapeOf)), cuts(std::move(cutsOf)) {
    double columns = numBlocks(3);
    double rows = numBlocks(4);
    double across = (side - (columns - 1) * kBlockGap) / columns;
    double down = (side - (rows - 1) * kBlockGap) / rows;
    double ratio = sizeOf(2) / std::max(1.0, sizeOf(1));
    blockWidth = std::min(across, down / std::clamp(ratio, 0.25, 4.0));
    blockHeight = blockWidth * std::clamp(ratio, 0.25, 4.0);
    pageWidth = columns * (blockWidth + kBlockGap) - kBlockGap;
    pageHeight = rows * (blockHeight + kBlockGap) - kBlockGap;
  }

  double width() const { return pageWidth; }
  double height() const { return pageHeight; }

  struct Piece {
    double x, y, width, height;
  };

  /// Where `box` is, from the upper left corner: a rectangle for every block it meets.
  std::vector<Piece> piecesOf(const core::Box &box) const {
    std::vector<Piece> pieces;
    if (box.numElements() == 0) {
      return pieces;
    }
    for (size_t row : blocksMet(box, 4)) {
      for (size_t column : blocksMet(box, 3)) {
        auto [x, width] = span(box, 1, blockWidth);
        auto [y, height] = span(box, 2, blockHeight);
        pieces.push_back({static_cast<double>(column) * (blockWidth + kBlockGap) + x,
                          static_cast<double>(row) * (blockHeight + kBlockGap) + y, width, height});
      }
    }
    return pieces;
  }

  /// The empty blocks.
  std::string background(double left, double top) const {
    std::string shapes;
    for (size_t row = 0; row < numBlocksOf(4); ++row) {
      for (size_t column = 0; column < numBlocksOf(3); ++column) {
        shapes += rectangle(left + static_cast<double>(column) * (blockWidth + kBlockGap),
                            top + static_cast<double>(row) * (blockHeight + kBlockGap), blockWidth,
                            blockHeight, "fill=\"#e6e6e6\"");
      }
    }
    return shapes;
  }

  /// Indices from 1 in each element of `box`, where there is room: 23 is row 2, column 3.
  std::string names(const core::Box &box, double left, double top) const {
    std::string texts;
    bool isNamed = !shape.empty() && shape.size() <= 2;
    for (int64_t size : shape) {
      isNamed = isNamed && size > 0 && size <= 9;
    }
    double width = blockWidth / sizeOf(1);
    double height = blockHeight / sizeOf(2);
    if (!isNamed || width < 11 || height < 9 || box.numElements() == 0) {
      return texts;
    }
    for (int64_t row = 0; row < (has(2) ? box.size[0] : 1); ++row) {
      for (int64_t column = 0; column < box.size.back(); ++column) {
        int64_t x = box.start.back() + column;
        int64_t y = has(2) ? box.start[0] + row : 0;
        texts += textAt(left + (static_cast<double>(x) + 0.5) * width,
                        top + (static_cast<double>(y) + 0.5) * height + 2.5, 7.5,
                        has(2) ? fmt::format("{}{}", y + 1, x + 1) : fmt::format("{}", x + 1),
                        "text-anchor=\"middle\" fill=\"#333\"");
      }
    }
    return texts;
  }

  /// The lines between elements, where these are few.
  std::string grid(double left, double top) const {
    std::string lines;
    auto draw = [&](size_t fromEnd, double length, bool isColumn) {
      auto count = static_cast<int64_t>(sizeOf(fromEnd));
      for (int64_t i = 1; i < count && count <= 24; ++i) {
        double at = length * static_cast<double>(i) / static_cast<double>(count);
        for (size_t row = 0; row < numBlocksOf(4); ++row) {
          for (size_t column = 0; column < numBlocksOf(3); ++column) {
            double x = left + static_cast<double>(column) * (blockWidth + kBlockGap);
            double y = top + static_cast<double>(row) * (blockHeight + kBlockGap);
            lines += isColumn ? fmt::format("M{:.1f} {:.1f}v{:.1f}", x + at, y, blockHeight)
                              : fmt::format("M{:.1f} {:.1f}h{:.1f}", x, y + at, blockWidth);
          }
        }
      }
    };
    draw(1, blockWidth, true);
    draw(2, blockHeight, false);
    return lines.empty() ? ""
                         : fmt::format("<path d=\"{}\" stroke=\"#fff\" stroke-width=\"0.4\" "
                                       "stroke-opacity=\"0.7\" fill=\"none\"/>\n",
                                       lines);
  }

private:
  bool has(size_t fromEnd) const { return fromEnd <= shape.size(); }
  size_t dimOf(size_t fromEnd) const { return shape.size() - fromEnd; }
  double sizeOf(size_t fromEnd) const {
    return has(fromEnd) ? static_cast<double>(shape[dimOf(fromEnd)]) : 1;
  }
  size_t numBlocksOf(size_t fromEnd) const {
    return has(fromEnd) ? std::max<size_t>(1, cuts[dimOf(fromEnd)].size() - 1) : 1;
  }
  double numBlocks(size_t fromEnd) const { return static_cast<double>(numBlocksOf(fromEnd)); }

  std::vector<size_t> blocksMet(const core::Box &box, size_t fromEnd) const {
    if (!has(fromEnd)) {
      return {0};
    }
    size_t dim = dimOf(fromEnd);
    std::vector<size_t> met;
    for (size_t i = 0; i + 1 < cuts[dim].size(); ++i) {
      bool isInside =
          cuts[dim][i] < box.start[dim] + box.size[dim] && cuts[dim][i + 1] > box.start[dim];
      if (isInside) {
        met.push_back(i);
      }
    }
    return met;
  }

  std::pair<double, double> span(const core::Box &box, size_t fromEnd, double length) const {
    if (!has(fromEnd)) {
      return {0, length};
    }
    size_t dim = dimOf(fromEnd);
    double scale = length / static_cast<double>(std::max<int64_t>(1, shape[dim]));
    return {static_cast<double>(box.start[dim]) * scale,
            static_cast<double>(box.size[dim]) * scale};
  }

  core::Shape shape;
  std::vector<std::vector<int64_t>> cuts;
  double blockWidth = 0;
  double blockHeight = 0;
  double pageWidth = 0;
  double pageHeight = 0;
};

/// Block boundaries of every dimension, over all states.
std::vector<std::vector<int64_t>> cutsOf(const ReshardProblem &problem,
                                         const std::vector<Placement> &states) {
  std::vector<std::vector<int64_t>> cuts;
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    int64_t size = problem.shape[dim];
    std::vector<int64_t> &list = cuts.emplace_back(std::vector<int64_t>{0, size});
    for (const Placement &state : states) {
      int64_t block = (size + state.numBlocks(dim) - 1) / state.numBlocks(dim);
      for (int64_t at = block; block > 0 && at < size; at += block) {
        list.push_back(at);
      }
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return cuts;
}

/// The devices of one state in a row.
struct Row {
  const Placement *state;
  const TensorLayout *layout;
  double top;

  double x(int64_t position) const {
    return kMargin + static_cast<double>(position) * (layout->width() + kGap);
  }
  double bottom() const { return top + layout->height(); }

  std::string pieces(int64_t position, const core::Box &box, std::string_view colour,
                     std::string_view name) const {
    std::string shapes;
    for (const TensorLayout::Piece &piece : layout->piecesOf(box)) {
      shapes += rectangle(x(position) + piece.x, top + piece.y, piece.width, piece.height,
                          fmt::format("class=\"{}\" fill=\"{}\" stroke=\"#444\" "
                                      "stroke-width=\"0.6\"",
                                      name, colour));
    }
    return shapes;
  }

  /// Middle of `box` across, the lower or upper end of it down.
  std::pair<double, double> end(int64_t position, const core::Box &box, bool isLower) const {
    std::vector<TensorLayout::Piece> all = layout->piecesOf(box);
    if (all.empty()) {
      return {x(position), isLower ? bottom() : top};
    }
    const TensorLayout::Piece &piece = isLower ? all.back() : all.front();
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
    if (!source || !target || move.box.numElements() == 0) {
      continue;
    }
    if (!addsUp) {
      drawing.shapes += to.pieces(*target, move.box, fillOf(move.source), "arrived");
    }
    if (isCrowded && *target != 0) {
      continue;
    }
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
  if (number == 0) {
    return line;
  }
  const ReshardStep &step = plan.steps[number - 1];
  return fmt::format("step {}: {}{}, the slowest device receives {} B{}  →  {}", number,
                     toString(step.kind), step.changesMesh ? " to the target mesh" : "",
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

std::string drawNames(const Row &row, const TensorLayout &layout) {
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
  if (Result<void> checked = checkDrawable(problem, plan, cuts); !checked) {
    return checked.error();
  }
  int64_t devices = std::max(problem.mesh.numDevices(), targetMeshOf(problem).numDevices());
  double side = devices <= 8 ? 110 : devices <= 16 ? 84 : devices <= 32 ? 56 : 40;
  TensorLayout layout(problem.shape, cuts, side);
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
      StepKind kind = plan.steps[i - 1].kind;
      // A sum comes from everywhere: it has the receiver's colour.
      bool addsUp = kind == StepKind::AllReduce || kind == StepKind::ReduceScatter;
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
