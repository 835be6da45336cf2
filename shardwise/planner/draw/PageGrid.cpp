// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Geometry of blocks and elements. A tensor of up to four dimensions becomes a plane:
//
//     shape [2, 3, 4, 6], cut in halves along dimension 1:
//
//         columns of dimension 3 ->        the next block of dimension 1
//         +-----------+  +-----------+
//         |           |  |           |     rows of dimension 2, down
//         +-----------+  +-----------+
//         +-----------+  +-----------+
//         |           |  |           |     the next index of dimension 0, if that is cut
//         +-----------+  +-----------+
//
// Dimensions before the last two are not drawn element by element but block by block: only where
// some state cuts them is there anything to tell apart. A box that covers several blocks is drawn
// in each.
//
// Dimensions are counted from the last: 1 goes right and 2 down inside a block; 3 and 4 are blocks
// to the right and downwards. A tensor of shape [2, 4, 6] cut into halves in dimension 0 is two
// blocks of 4 rows and 6 columns beside each other.

#include "shardwise/planner/draw/PageGrid.h"

#include "shardwise/planner/draw/SvgShapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::planner {
namespace {

constexpr double kBlockGap = 4;

} // namespace

PageGrid::PageGrid(core::Shape shape, std::vector<std::vector<int64_t>> cuts, double side)
    : shape(std::move(shape)), cuts(std::move(cuts)) {
  // A block has the proportions of the matrix in it, but at most 1 to 4; it is as large as the
  // square allows.
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

std::vector<PageGrid::Piece> PageGrid::piecesOf(const core::Box &box) const {
  std::vector<Piece> pieces;
  if (box.numElements() == 0)
    return pieces;
  // Inside every block that the box meets it has the same place.
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

std::string PageGrid::background(double left, double top) const {
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

std::string PageGrid::names(const core::Box &box, double left, double top) const {
  std::string texts;
  // Only where a name has at most two digits and an element is wide enough for them.
  bool isNamed = !shape.empty() && shape.size() <= 2;
  for (int64_t size : shape)
    isNamed = isNamed && size > 0 && size <= 9;
  double width = blockWidth / sizeOf(1);
  double height = blockHeight / sizeOf(2);
  if (!isNamed || width < 11 || height < 9 || box.numElements() == 0)
    return texts;
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

std::string PageGrid::grid(double left, double top) const {
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
  // One path for all lines: an element each would make the file larger.
  return lines.empty() ? ""
                       : fmt::format("<path d=\"{}\" stroke=\"#fff\" stroke-width=\"0.4\" "
                                     "stroke-opacity=\"0.7\" fill=\"none\"/>\n",
                                     lines);
}

std::vector<size_t> PageGrid::blocksMet(const core::Box &box, size_t fromEnd) const {
  if (!has(fromEnd))
    return {0};
  size_t dim = dimOf(fromEnd);
  std::vector<size_t> met;
  for (size_t i = 0; i + 1 < cuts[dim].size(); ++i) {
    bool isInside =
        cuts[dim][i] < box.start[dim] + box.size[dim] && cuts[dim][i + 1] > box.start[dim];
    if (isInside)
      met.push_back(i);
  }
  return met;
}

std::pair<double, double> PageGrid::span(const core::Box &box, size_t fromEnd,
                                         double length) const {
  if (!has(fromEnd))
    return {0, length};
  size_t dim = dimOf(fromEnd);
  double scale = length / static_cast<double>(std::max<int64_t>(1, shape[dim]));
  return {static_cast<double>(box.start[dim]) * scale, static_cast<double>(box.size[dim]) * scale};
}

std::vector<std::vector<int64_t>> cutsOf(const ReshardProblem &problem,
                                         const std::vector<Placement> &states) {
  std::vector<std::vector<int64_t>> cuts;
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    int64_t size = problem.shape[dim];
    std::vector<int64_t> &list = cuts.emplace_back(std::vector<int64_t>{0, size});
    for (const Placement &state : states) {
      // Boundaries of ceil-div blocks: the last one may be smaller or empty.
      int64_t block = (size + state.numBlocks(dim) - 1) / state.numBlocks(dim);
      for (int64_t at = block; block > 0 && at < size; at += block)
        list.push_back(at);
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return cuts;
}

} // namespace shardwise::planner
