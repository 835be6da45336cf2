// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes by physical device, holders of blocks, and messages between two placements.
//
// How messages of an exchange are chosen:
//
// 1. The box that a device wants is cut into tiles, the parts in one source block each (Tiles.h).
//    A tile of its own block it has already.
// 2. Tiles that the same devices can send form a class: those of one source block, with the
//    receiver's coordinate along unreduced axes, on the receiver's host if some holder is there.
// 3. In a class each tile goes whole to the holder that has sent least so far. If one then has sent
//    more than an equal part, the tiles are laid end to end instead and cut where a holder is full
//    (McNaughton 1959); the better of the two is taken.
//
// Example: 8 elements on <["x"=2, "y"=2]> from [{"x"}] to [{}]. The two devices at x=0 hold 0-3,
// the two at x=1 lack these: two tiles and two holders, so each holder sends one.

#include "shardwise/planner/model/Placement.h"

#include "shardwise/planner/model/Tiles.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace shardwise::planner {

Placement::Placement(const ReshardProblem &problem, const core::Sharding &sharding, OnMesh where)
    : problem(&problem), shardingOf(&sharding),
      meshOf(where == OnMesh::Target ? &targetMeshOf(problem) : &problem.mesh), where(where) {
  for (const core::DimSharding &dim : sharding.dims)
    blockCounts.push_back(core::shardedSize(dim.axes));
}

core::DeviceId Placement::idAt(int64_t position) const {
  return where == OnMesh::Target ? targetDeviceAt(*problem, position)
                                 : sourceDeviceAt(*problem, position);
}

std::optional<int64_t> Placement::positionOrNull(core::DeviceId id) const {
  if (positions.empty()) {
    for (int64_t position = 0; position < numDevices(); ++position)
      positions.emplace_back(idAt(position), position);
    if (!std::is_sorted(positions.begin(), positions.end()))
      std::sort(positions.begin(), positions.end());
  }
  // The ids of most meshes are 0 to n-1.
  if (id >= 0 && id < std::ssize(positions) && positions[id].first == id)
    return positions[id].second;
  auto found = std::lower_bound(positions.begin(), positions.end(), std::pair(id, int64_t{0}));
  bool isThere = found != positions.end() && found->first == id;
  return isThere ? std::optional(found->second) : std::nullopt;
}

std::vector<int64_t> Placement::blocksAt(int64_t position) const {
  std::vector<int64_t> blocks;
  blocks.reserve(blockCounts.size());
  for (const core::DimSharding &dim : shardingOf->dims)
    blocks.push_back(core::coordinateAlong(dim.axes, *meshOf, position));
  return blocks;
}

core::Box Placement::boxAt(int64_t position) const {
  return core::shardBox(problem->shape, *shardingOf, *meshOf, position);
}

const std::vector<int64_t> &Placement::holders(const std::vector<int64_t> &blocks) const {
  auto number = [&](const std::vector<int64_t> &list) {
    int64_t result = 0;
    for (size_t dim = 0; dim < list.size(); ++dim)
      result = result * blockCounts[dim] + list[dim];
    return result;
  };
  if (holdersOfBlock.empty()) {
    int64_t count = 1;
    for (int64_t blocksOfDim : blockCounts)
      count *= blocksOfDim;
    holdersOfBlock.resize(count);
    for (int64_t position = 0; position < numDevices(); ++position)
      holdersOfBlock[number(blocksAt(position))].push_back(position);
  }
  return holdersOfBlock[number(blocks)];
}

namespace {

/// Calls `visit(blocks, box)` for every tile of the target box at `position` of `after`.
template <class Visit>
void forEachTile(const ReshardProblem &problem, const Placement &before, const Placement &after,
                 int64_t position, Visit visit) {
  size_t rank = problem.shape.size();
  std::vector<int64_t> own = after.blocksAt(position);
  std::vector<BlockRange> met(rank);
  std::vector<int64_t> blocks(rank);
  for (size_t dim = 0; dim < rank; ++dim) {
    met[dim] =
        blocksMeeting(problem.shape[dim], after.numBlocks(dim), own[dim], before.numBlocks(dim));
    if (met[dim].count() <= 0)
      return;
    blocks[dim] = met[dim].first;
  }
  core::Box box;
  box.start.resize(rank);
  box.size.resize(rank);
  while (true) {
    for (size_t dim = 0; dim < rank; ++dim) {
      TileInterval tile = tileInterval(problem.shape[dim], before.numBlocks(dim), blocks[dim],
                                       after.numBlocks(dim), own[dim]);
      box.start[dim] = tile.begin;
      box.size[dim] = tile.size();
    }
    visit(blocks, box);
    size_t dim = rank;
    // The next tile in row-major order: the last dimension with blocks left goes on.
    while (dim > 0 && blocks[dim - 1] == met[dim - 1].last) {
      --dim;
      blocks[dim] = met[dim].first;
    }
    if (dim == 0)
      return;
    ++blocks[dim - 1];
  }
}

/// Tiles that the same devices can send, and these devices.
struct SenderClass {
  struct Tile {
    int64_t receiver;
    core::Box box;
  };
  std::vector<int64_t> holders;
  std::vector<Tile> tiles;
};

/// A message and the place of its tile in the order of receivers.
struct Assigned {
  int64_t receiver;
  int64_t sender;
  core::Box box;
};

/// Cuts the first `elements` off `box` along its longest dimension, rounded down to whole slabs.
core::Box cutOff(core::Box &box, int64_t elements) {
  core::Box first = box;
  auto longest = std::max_element(box.size.begin(), box.size.end()) - box.size.begin();
  int64_t slab = box.numElements() / box.size[longest];
  int64_t count = std::min(box.size[longest], elements / slab);
  first.size[longest] = count;
  box.start[longest] += count;
  box.size[longest] -= count;
  return first;
}

/// Hands whole tiles to whoever has sent least. Returns the largest load of the holders.
int64_t assignWhole(const SenderClass &tiles, std::vector<int64_t> &load,
                    std::vector<Assigned> &out) {
  for (const SenderClass::Tile &tile : tiles.tiles) {
    int64_t best = tiles.holders.front();
    for (int64_t holder : tiles.holders)
      best = load[holder] < load[best] ? holder : best;
    load[best] += tile.box.numElements();
    out.push_back({tile.receiver, best, tile.box});
  }
  int64_t largest = 0;
  for (int64_t holder : tiles.holders)
    largest = std::max(largest, load[holder]);
  return largest;
}

/// Fills one holder after the other up to `level`, cutting the tile at the boundary (McNaughton's
/// rule): at most one cut per holder. Returns the largest load.
int64_t assignCut(const SenderClass &tiles, int64_t level, std::vector<int64_t> &load,
                  std::vector<Assigned> &out) {
  size_t next = 0;
  auto send = [&](int64_t receiver, core::Box part) {
    if (part.numElements() > 0) {
      load[tiles.holders[next]] += part.numElements();
      out.push_back({receiver, tiles.holders[next], std::move(part)});
    }
  };
  for (const SenderClass::Tile &tile : tiles.tiles) {
    core::Box rest = tile.box;
    while (next + 1 < tiles.holders.size() &&
           load[tiles.holders[next]] + rest.numElements() > level) {
      send(tile.receiver, cutOff(rest, std::max<int64_t>(0, level - load[tiles.holders[next]])));
      ++next;
    }
    send(tile.receiver, std::move(rest));
  }
  int64_t largest = 0;
  for (int64_t holder : tiles.holders)
    largest = std::max(largest, load[holder]);
  return largest;
}

/// Appends the messages of one class: whole tiles, or cut ones where that lowers the largest load.
void assign(SenderClass &tiles, std::vector<int64_t> &load, std::vector<Assigned> &out) {
  if (tiles.holders.size() == 1) {
    int64_t sender = tiles.holders.front();
    for (SenderClass::Tile &tile : tiles.tiles) {
      load[sender] += tile.box.numElements();
      out.push_back({tile.receiver, sender, std::move(tile.box)});
    }
    return;
  }
  std::vector<int64_t> before;
  int64_t total = 0;
  for (int64_t holder : tiles.holders) {
    before.push_back(load[holder]);
    total += load[holder];
  }
  for (const SenderClass::Tile &tile : tiles.tiles)
    total += tile.box.numElements();
  auto count = static_cast<int64_t>(tiles.holders.size());
  // No assignment does better than an equal part, nor than what a holder has sent before.
  int64_t level =
      std::max((total + count - 1) / count, *std::max_element(before.begin(), before.end()));
  auto restore = [&] {
    for (size_t i = 0; i < before.size(); ++i)
      load[tiles.holders[i]] = before[i];
  };
  std::vector<Assigned> whole;
  int64_t largest = assignWhole(tiles, load, whole);
  if (largest > level) {
    std::vector<Assigned> cut;
    restore();
    if (assignCut(tiles, level, load, cut) < largest) {
      whole = std::move(cut);
    } else {
      restore();
      whole.clear();
      assignWhole(tiles, load, whole);
    }
  }
  out.insert(out.end(), std::make_move_iterator(whole.begin()),
             std::make_move_iterator(whole.end()));
}

/// Finds the devices that may send a tile to a receiver: those with the receiver's copy, and of
/// these those on its host, if there are any.
class SenderClasses {
public:
  SenderClasses(const ReshardProblem &problem, const Placement &before)
      : perHost(problem.topology.devicesPerHost), before(before),
        unreduced(before.sharding().unreduced) {}

  void add(int64_t receiver, core::DeviceId id, int64_t copy, const std::vector<int64_t> &blocks,
           const core::Box &box) {
    const std::vector<int64_t> &all = before.holders(blocks);
    int64_t host = perHost > 0 ? id / perHost : -1;
    Key key{all.front(), copy, -1};
    std::vector<int64_t> near;
    for (int64_t holder : all)
      if (perHost > 0 && hasCopy(holder, copy) && before.idAt(holder) / perHost == host)
        near.push_back(holder);
    if (!near.empty())
      std::get<2>(key) = host;
    auto [entry, isNew] = numbers.try_emplace(key, classes.size());
    if (isNew) {
      SenderClass &added = classes.emplace_back();
      added.holders = std::move(near);
      for (int64_t holder : all)
        if (std::get<2>(key) < 0 && hasCopy(holder, copy))
          added.holders.push_back(holder);
    }
    classes[entry->second].tiles.push_back({receiver, box});
  }

  std::vector<SenderClass> &all() { return classes; }

private:
  /// First holder of the block, coordinate along unreduced axes, host or -1.
  using Key = std::tuple<int64_t, int64_t, int64_t>;

  bool hasCopy(int64_t holder, int64_t copy) const {
    return unreduced.empty() || core::coordinateAlong(unreduced, before.mesh(), holder) == copy;
  }

  int64_t perHost;
  const Placement &before;
  const core::AxisList &unreduced;
  std::map<Key, size_t> numbers;
  std::vector<SenderClass> classes;
};

} // namespace

std::vector<Message> exchangeMessages(const ReshardProblem &problem, const Placement &before,
                                      const Placement &after) {
  SenderClasses classes(problem, before);
  const core::AxisList &unreduced = before.sharding().unreduced;
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    core::DeviceId receiver = after.idAt(position);
    std::optional<int64_t> ownPosition = before.positionOrNull(receiver);
    std::vector<int64_t> ownBlocks =
        ownPosition ? before.blocksAt(*ownPosition) : std::vector<int64_t>{-1};
    int64_t copy = unreduced.empty() ? 0 : core::coordinateAlong(unreduced, after.mesh(), position);
    forEachTile(problem, before, after, position,
                [&](const std::vector<int64_t> &blocks, const core::Box &box) {
                  bool isOwn = ownPosition && blocks == ownBlocks;
                  if (!isOwn && box.numElements() > 0)
                    classes.add(position, receiver, copy, blocks, box);
                });
  }
  std::vector<int64_t> load(before.numDevices(), 0);
  std::vector<Assigned> assigned;
  for (SenderClass &tiles : classes.all())
    assign(tiles, load, assigned);
  // Classes are in the order of their first tile; messages are by receiver.
  std::stable_sort(assigned.begin(), assigned.end(), [](const Assigned &a, const Assigned &b) {
    return std::tie(a.receiver, a.box.start) < std::tie(b.receiver, b.box.start);
  });
  std::vector<Message> messages;
  messages.reserve(assigned.size());
  for (Assigned &message : assigned) {
    messages.push_back(
        {before.idAt(message.sender), after.idAt(message.receiver), std::move(message.box)});
  }
  return messages;
}

} // namespace shardwise::planner
