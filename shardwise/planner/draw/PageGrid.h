// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of a tensor are on a page of a picture.

#pragma once

#include "shardwise/planner/model/Placement.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace shardwise::planner {

/// A tensor on the page: the last dimension goes right, the one before down; the two before those
/// are cut where some state cuts them and laid out as blocks, right and down again.
class PageGrid {
public:
  /// `cuts` are the block boundaries of each dimension over all states, ascending with both ends;
  /// the page has room for a square of `side`.
  PageGrid(core::Shape shape, std::vector<std::vector<int64_t>> cuts, double side);

  double width() const { return pageWidth; }
  double height() const { return pageHeight; }

  struct Piece {
    double x, y, width, height;
  };

  /// Where `box` is, from the upper left corner: a rectangle for every block it meets.
  std::vector<Piece> piecesOf(const core::Box &box) const;

  /// The empty blocks.
  std::string background(double left, double top) const;

  /// Indices from 1 in each element of `box`, where there is room: 23 is row 2, column 3.
  std::string names(const core::Box &box, double left, double top) const;

  /// The lines between elements, where these are few.
  std::string grid(double left, double top) const;

private:
  // Dimensions are counted from the last, which is 1.

  bool has(size_t fromEnd) const { return fromEnd <= shape.size(); }
  size_t dimOf(size_t fromEnd) const { return shape.size() - fromEnd; }
  double sizeOf(size_t fromEnd) const {
    return has(fromEnd) ? static_cast<double>(shape[dimOf(fromEnd)]) : 1;
  }
  size_t numBlocksOf(size_t fromEnd) const {
    return has(fromEnd) ? std::max<size_t>(1, cuts[dimOf(fromEnd)].size() - 1) : 1;
  }
  double numBlocks(size_t fromEnd) const { return static_cast<double>(numBlocksOf(fromEnd)); }

  /// Blocks of the dimension that `box` meets.
  std::vector<size_t> blocksMet(const core::Box &box, size_t fromEnd) const;
  /// Begin and extent of `box` along the dimension, which takes `length` on the page.
  std::pair<double, double> span(const core::Box &box, size_t fromEnd, double length) const;

  core::Shape shape;
  std::vector<std::vector<int64_t>> cuts;
  double blockWidth = 0;
  double blockHeight = 0;
  double pageWidth = 0;
  double pageHeight = 0;
};

/// Returns the block boundaries of every dimension over all `states`.
std::vector<std::vector<int64_t>> cutsOf(const ReshardProblem &problem,
                                         const std::vector<Placement> &states);

} // namespace shardwise::planner
