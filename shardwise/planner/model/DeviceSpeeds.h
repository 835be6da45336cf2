// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast a device computes and goes through memory: the part `device` of a topology file.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardwise::planner {

/// Ways through memory that may have rates of their own, beside that of element-wise ops, which
/// read and write what lies side by side.
enum class Access : uint8_t {
  Copy,      ///< Rows as they lie: slices, pads, concatenations, transposes of rows.
  Transpose, ///< Element by element: transposes that move the last dimension.
  Reduce,    ///< Reductions.
  Window,    ///< Reductions of windows, and what scatters to what they selected.
  Gather,    ///< Rows at indices: gathers and scatters.
  Patch,     ///< What a convolution copies to make it a matrix product.
};

/// All of them, with the names that they have in files.
inline constexpr std::array<std::pair<Access, std::string_view>, 6> kAccesses = {{
    {Access::Copy, "copy"},
    {Access::Transpose, "transpose"},
    {Access::Reduce, "reduce"},
    {Access::Window, "window"},
    {Access::Gather, "gather"},
    {Access::Patch, "patch"},
}};

/// What convolutions copy to be matrix products.
struct PatchCopies {
  double bytes = 0;
  /// Of how many pieces: what lies side by side where it is copied from, and to.
  double runs = 0;
};

/// What one device reaches: published peaks, or what was measured.
struct DeviceSpeeds {
  /// Multiplications and additions of matrix products and convolutions, by element type.
  std::vector<std::pair<std::string, double>> flopsPerSecond;
  /// Elements of all other ops.
  double vectorFlopsPerSecond = 0;
  double memoryBytesPerSecond = 0;
  /// By `Access`; 0: not said.
  std::array<double, kAccesses.size()> accessBytesPerSecond = {};
  /// What each run of a patch takes besides its bytes.
  double patchRunSeconds = 0;
  /// What work takes that all devices do alike, of what it takes if each does its own: below 1
  /// where one does it for all, on cores that they share.
  double commonWorkShare = 1;
  /// 0: not said.
  int64_t memoryBytes = 0;

  /// Of matrix products in elements of `type`; a type that is not listed has the slowest rate that
  /// is.
  double productFlopsPerSecond(std::string_view type) const;
  double &rateOf(Access access) { return accessBytesPerSecond[static_cast<size_t>(access)]; }
  double rateOf(Access access) const { return accessBytesPerSecond[static_cast<size_t>(access)]; }
  /// Whether `access` has a rate of its own. Then ops that go through memory so are taken to do it
  /// by themselves, not as a part of what makes their operands.
  bool isApart(Access access) const { return rateOf(access) > 0; }
  /// Of a byte that is read or written. Without a rate of its own that of memory; of a patch
  /// nothing, as where convolutions need none.
  double secondsPerByte(Access access) const;
  double secondsOf(const PatchCopies &patches) const {
    return patches.bytes * secondsPerByte(Access::Patch) + patches.runs * patchRunSeconds;
  }
  /// What work takes that `times` devices do alike, of what it takes if each does its own. With 8
  /// devices on 2 cores and a `commonWorkShare` of 1/4: half for 2, a quarter for 4 or 8.
  double shareOfCommonWork(int64_t times) const;
};

} // namespace shardwise::planner
