// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Meshes over the same devices are different ways to number them by mixed radices. The *positions*
// of the devices are those in the base, one of the meshes.
//
//   1. An axis of a mesh is a list of digits (stride, size): along it positions are `stride` apart.
//      In the order of the base's devices, <["data"=4, "model"=2]> has data (2, 4) and model (1,
//      2). A mesh whose order of devices is a transposition of the base's has such strides too; one
//      in any other order gets those of its own positions, and stays a mesh of its own.
//   2. The *cuts* of a mesh are the strides and the ends, stride * size, of its digits. Cuts of
//      several meshes that each divide the next, as 1, 2, 8 and 1, 4, 8 do, make the common
//      refinement: between two neighbours is a *block*, a part of an axis of the base; an axis of a
//      mesh is the blocks between its own cuts.
//   3. Cuts 1, 3, 6 and 1, 2, 6, of <["a"=2, "b"=3]> and <["c"=3, "d"=2]>, do not: no block is one
//      of both. Then blocks of the same sizes stand for each other, c for b and d for a, and the
//      second mesh has another order of devices: position (a, b) is the device that it has at (c,
//      d).

#include "shardwise/core/CommonMesh.h"

#include "shardwise/core/Text.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

namespace shardwise::core {

namespace {

/// Positions along a digit are `stride` apart.
struct Digit {
  int64_t stride = 1;
  int64_t size = 1;

  int64_t end() const { return stride * size; }
};

/// Most major first.
using Digits = std::vector<Digit>;
using Cuts = std::vector<int64_t>;

/// The digits of every axis of `mesh` by its own positions.
std::vector<Digits> ownDigits(const Mesh &mesh) {
  std::vector<Digits> digits(mesh.numAxes());
  int64_t stride = mesh.numDevices();
  for (int64_t axis = 0; axis < mesh.numAxes(); ++axis) {
    stride /= mesh.axisSize(axis);
    if (mesh.axisSize(axis) > 1)
      digits[axis] = {{stride, mesh.axisSize(axis)}};
  }
  return digits;
}

/// Reads the digits off `offsets`, the distances along an axis; none if they are not of mixed
/// radices. Example: 0, 1, 4, 5 is (4, 2) and (1, 2).
std::optional<Digits> digitsOf(const std::vector<int64_t> &offsets) {
  int64_t size = int64_t(offsets.size());
  Digits digits;
  for (int64_t known = 1; known < size;) {
    Digit digit{offsets[known], 1};
    auto continues = [&](int64_t i) {
      return offsets[i] == (i / known) * digit.stride + offsets[i % known];
    };
    int64_t end = known;
    while (end < size && continues(end))
      ++end;
    digit.size = end / known;
    if (digit.stride <= 0 || digit.size < 2 || size % (known * digit.size) != 0)
      return std::nullopt;
    known *= digit.size;
    digits.insert(digits.begin(), digit);
  }
  return digits;
}

/// The digits of `mesh` by the positions of `base`, if the one's order of devices is a
/// transposition of the other's.
std::optional<std::vector<Digits>> digitsOn(const Mesh &base, const Mesh &mesh) {
  if (base.deviceIds() == mesh.deviceIds())
    return ownDigits(mesh);
  int64_t count = mesh.numDevices();
  std::vector<int64_t> positionOf(count), position(count);
  for (int64_t i = 0; i < count; ++i)
    positionOf[base.deviceAt(i)] = i;
  for (int64_t i = 0; i < count; ++i)
    position[i] = positionOf[mesh.deviceAt(i)];
  std::vector<Digits> digits(mesh.numAxes());
  int64_t stride = count;
  for (int64_t axis = 0; axis < mesh.numAxes(); ++axis) {
    stride /= mesh.axisSize(axis);
    std::vector<int64_t> offsets;
    for (int64_t i = 0; i < mesh.axisSize(axis); ++i)
      offsets.push_back(position[i * stride]);
    auto found = digitsOf(offsets);
    if (offsets.front() != 0 || !found)
      return std::nullopt;
    digits[axis] = std::move(*found);
  }
  // Along each axis it fits; all devices must.
  for (int64_t i = 0; i < count; ++i) {
    int64_t sum = 0;
    std::vector<int64_t> coordinates = mesh.coordinates(i);
    int64_t step = count;
    for (int64_t axis = 0; axis < mesh.numAxes(); ++axis) {
      step /= mesh.axisSize(axis);
      sum += position[coordinates[axis] * step];
    }
    if (sum != position[i])
      return std::nullopt;
  }
  return digits;
}

/// Cuts `digits`, those of an axis, at the ends of the part [pre, pre * size) of it. Fails if an
/// end is inside of a digit that cannot be cut there.
bool cutAt(Digits &digits, const Axis &part) {
  for (int64_t end : {part.preSize, part.nextPreSize()}) {
    int64_t passed = 1;
    for (size_t i = 0; i < digits.size() && passed < end; ++i) {
      int64_t next = passed * digits[i].size;
      if (next > end) {
        if (end % passed != 0 || digits[i].size % (end / passed) != 0)
          return false;
        int64_t major = end / passed;
        int64_t minor = digits[i].size / major;
        Digit rest{digits[i].stride, minor};
        digits[i] = {digits[i].stride * minor, major};
        digits.insert(digits.begin() + i + 1, rest);
        break;
      }
      passed = next;
    }
  }
  return true;
}

bool isChain(const Cuts &cuts) {
  for (size_t i = 1; i < cuts.size(); ++i)
    if (cuts[i] % cuts[i - 1] != 0)
      return false;
  return true;
}

Cuts withCutsOf(Cuts cuts, const std::vector<Digits> &axes) {
  for (const Digits &digits : axes)
    for (const Digit &digit : digits)
      cuts.insert(cuts.end(), {digit.stride, digit.end()});
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

/// The blocks of `cuts` between `low` and `high`, most major first.
Digits blocksBetween(const Cuts &cuts, int64_t low, int64_t high) {
  Digits blocks;
  for (size_t i = cuts.size() - 1; i > 0; --i)
    if (cuts[i - 1] >= low && cuts[i] <= high)
      blocks.push_back({cuts[i - 1], cuts[i] / cuts[i - 1]});
  return blocks;
}

/// The part of an axis of `base` that is `block`, which crosses no border of axes.
Axis axisOf(const Digit &block, const Mesh &base) {
  int64_t stride = base.numDevices();
  for (int32_t axis = 0;; ++axis) {
    int64_t end = stride;
    stride /= base.axisSize(axis);
    if (base.axisSize(axis) > 1 && block.stride >= stride)
      return {axis, end / block.end(), block.size};
  }
}

/// Matches digits with blocks of the same sizes, wherever they are; equal ones first, then parts.
/// Requires that both have the same product.
class Matching {
public:
  explicit Matching(Digits blocks) : free(std::move(blocks)) {}

  std::vector<Digits> match(const std::vector<Digits> &axes) {
    std::vector<std::vector<Digits>> found(axes.size());
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      found[axis].resize(axes[axis].size());
      for (size_t i = 0; i < axes[axis].size(); ++i)
        takeEqual(axes[axis][i].size, found[axis][i]);
    }
    std::vector<Digits> matched(axes.size());
    for (size_t axis = 0; axis < axes.size(); ++axis)
      for (size_t i = 0; i < axes[axis].size(); ++i) {
        if (found[axis][i].empty())
          takeParts(axes[axis][i].size, found[axis][i]);
        matched[axis].insert(matched[axis].end(), found[axis][i].begin(), found[axis][i].end());
      }
    return matched;
  }

private:
  void takeEqual(int64_t size, Digits &taken) {
    auto block = std::ranges::find(free, size, &Digit::size);
    if (block == free.end())
      return;
    taken.push_back(*block);
    free.erase(block);
  }

  void takeParts(int64_t size, Digits &taken) {
    for (size_t i = 0; size > 1 && i < free.size();) {
      int64_t part = std::gcd(size, free[i].size);
      if (part == 1) {
        ++i;
        continue;
      }
      // The major part is taken; what is left may have more of the same factor.
      int64_t rest = free[i].size / part;
      taken.push_back({free[i].stride * rest, part});
      free[i].size = rest;
      size /= part;
    }
  }

  Digits free;
};

/// The mesh of the axes of `base` that has, where `digits` put a device of `mesh`, that device.
Mesh inOrderOf(const Mesh &mesh, const std::vector<Digits> &axes, const Mesh &base) {
  std::vector<DeviceId> ids(mesh.numDevices());
  for (int64_t i = 0; i < mesh.numDevices(); ++i) {
    std::vector<int64_t> coordinates = mesh.coordinates(i);
    int64_t position = 0;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      int64_t rest = coordinates[axis];
      for (size_t d = axes[axis].size(); d > 0; --d) {
        const Digit &digit = axes[axis][d - 1];
        position += (rest % digit.size) * digit.stride;
        rest /= digit.size;
      }
    }
    ids[position] = mesh.deviceAt(i);
  }
  return Mesh::create(base.axes(), std::move(ids)).value();
}

/// A mesh on the way to its translation.
struct Seen {
  std::vector<Digits> digits;
  /// Positions are those of the base's devices, else of the mesh's own.
  bool hasOrderOfBase = false;
  /// Its cuts are among the common ones.
  bool isRefined = false;
};

/// All `uses` told on `base`; `cuts` become the common ones.
Result<CommonMesh> tellOn(const Mesh &base, std::span<const MeshUse> uses, Cuts &cuts) {
  cuts = withCutsOf({1, base.numDevices()}, ownDigits(base));
  std::vector<Seen> seen;
  for (const MeshUse &use : uses) {
    auto onBase = digitsOn(base, use.mesh);
    Seen one{onBase ? *onBase : ownDigits(use.mesh), onBase.has_value(), false};
    for (const Axis &part : use.parts)
      if (!cutAt(one.digits[part.index], part))
        return invalid("parts of axis \"" + use.mesh.axes()[part.index].name + "\" of mesh <" +
                       toString(use.mesh) +
                       "> cut it at places that do not divide each other, so that no other "
                       "mesh can be told beside it; use parts like (1)2 and (2)3");
    Cuts all = withCutsOf(cuts, one.digits);
    one.isRefined = isChain(all);
    if (one.isRefined)
      cuts = std::move(all);
    seen.push_back(std::move(one));
  }
  CommonMesh common{base, {}};
  for (size_t i = 0; i < uses.size(); ++i) {
    const Seen &one = seen[i];
    std::vector<Digits> axes(one.digits.size());
    if (one.isRefined) {
      for (size_t axis = 0; axis < axes.size(); ++axis)
        for (const Digit &digit : one.digits[axis])
          std::ranges::copy(blocksBetween(cuts, digit.stride, digit.end()),
                            std::back_inserter(axes[axis]));
    } else {
      axes = Matching(blocksBetween(cuts, 1, base.numDevices())).match(one.digits);
      cuts = withCutsOf(std::move(cuts), axes);
    }
    MeshTranslation translation;
    translation.mesh =
        one.isRefined && one.hasOrderOfBase ? base : inOrderOf(uses[i].mesh, axes, base);
    for (const Digits &digits : axes) {
      AxisList &list = translation.axes.emplace_back();
      for (const Digit &digit : digits)
        appendOrMerge(list, axisOf(digit, base));
    }
    common.translations.push_back(std::move(translation));
  }
  return common;
}

/// Whether `axes` are full axes of `mesh`.
bool areFull(const AxisList &axes, const Mesh &mesh) {
  return std::ranges::all_of(axes, [&](const Axis &axis) { return axis.isFull(mesh); });
}

/// Which axes of a translation must not be parts of axes.
enum class Whole { All, AsAsked };

bool isWhole(const CommonMesh &common, std::span<const MeshUse> uses, Whole which) {
  for (size_t i = 0; i < uses.size(); ++i) {
    const std::vector<AxisList> &axes = common.translations[i].axes;
    for (size_t axis = 0; axis < axes.size(); ++axis)
      if (which == Whole::All || std::ranges::count(uses[i].wholeAxes, int32_t(axis)))
        if (!areFull(axes[axis], common.mesh))
          return false;
  }
  return true;
}

/// The mesh with an axis for every block of `cuts`, which are named as parts of axes of `base`.
Mesh refinedMesh(const Mesh &base, const Cuts &cuts) {
  std::vector<MeshAxis> axes;
  for (const Digit &block : blocksBetween(cuts, 1, base.numDevices())) {
    Axis part = axisOf(block, base);
    std::string name = base.axes()[part.index].name;
    if (!part.isFull(base))
      name += ":(" + std::to_string(part.preSize) + ")" + std::to_string(part.size);
    axes.push_back({std::move(name), part.size});
  }
  return Mesh::create(std::move(axes), base.deviceIds()).value();
}

} // namespace

AxisList MeshTranslation::translate(const Axis &part) const {
  AxisList translated;
  int64_t passed = 1;
  for (const Axis &axis : axes[part.index]) {
    int64_t low = std::max(passed, part.preSize);
    int64_t high = std::min(passed * axis.size, part.nextPreSize());
    if (low < high)
      appendOrMerge(translated, {axis.index, axis.preSize * (low / passed), high / low});
    passed *= axis.size;
  }
  return translated;
}

Result<CommonMesh> commonMesh(std::span<const MeshUse> uses) {
  for (const MeshUse &use : uses)
    if (use.mesh.numDevices() != uses.front().mesh.numDevices())
      return invalid("mesh <" + toString(use.mesh) + "> has other devices than mesh <" +
                     toString(uses.front().mesh) + ">");
  std::optional<CommonMesh> found;
  Cuts cuts;
  for (const MeshUse &use : uses) {
    auto common = tellOn(use.mesh, uses, cuts);
    if (!common || isWhole(*common, uses, Whole::All))
      return common;
    if (!found && isWhole(*common, uses, Whole::AsAsked))
      found = std::move(*common);
  }
  if (found)
    return std::move(*found);
  if (auto common = tellOn(uses.front().mesh, uses, cuts); !common)
    return common;
  auto refined = tellOn(refinedMesh(uses.front().mesh, cuts), uses, cuts);
  if (refined && !isWhole(*refined, uses, Whole::AsAsked))
    return unsupported("axes of manual computations are parts of each other in several ways");
  return refined;
}

} // namespace shardwise::core
