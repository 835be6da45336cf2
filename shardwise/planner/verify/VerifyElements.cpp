// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replay on elements: every device has a buffer of 64-bit values, steps move them.
//
// What is independent of the planner: a step is run by what the collective does to buffers (cut,
// concatenate, add, hand on), never by what a table says about shardings. Values differ for every
// element, so an element in a wrong place is a wrong value; padding holds garbage, so padding that
// is taken for data is one as well. After each step every device's buffer is compared with the box
// that the step's sharding gives it (core/ShardMap.h).
//
// What is shared: the messages of an exchange are those of `exchangeMessages`. A message from a
// device without the data brings garbage and is found.
//
// Axes to reduce: a device starts with a summand of its own, and a buffer must hold the sum of the
// summands of exactly those devices over which the axes were reduced so far. Sums are of unsigned
// integers, the same in any order.
//
// Example, 4 elements on <["x"=2]>: [{"x"}] to [{}] by all_gather. Device 0 holds values of
// elements 0, 1 and device 1 of 2, 3; both then hold the concatenation, which is compared with 0,
// 1, 2, 3.

#include "shardwise/planner/verify/VerifyPlan.h"

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/core/Text.h"
#include "shardwise/planner/model/Placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <map>

namespace shardwise::planner {
namespace {

using core::AxisList;
using core::Shape;

constexpr int64_t kMaxElements = int64_t{1} << 24;

/// Spreads numbers over 64 bits (the finaliser of SplitMix64): different numbers stay different.
uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

/// What stands in padding: never the value of an element.
constexpr uint64_t kGarbage = 0xbad0bad0bad0bad0U;

/// A dense row-major buffer of one device.
struct Buffer {
  Shape shape;
  std::vector<uint64_t> values;

  explicit Buffer(Shape shapeOf = {})
      : shape(std::move(shapeOf)), values(core::numElements(shape), kGarbage) {}

  int64_t outer(size_t dim) const {
    return core::numElements(Shape(shape.begin(), shape.begin() + static_cast<int64_t>(dim)));
  }
  int64_t inner(size_t dim) const {
    return core::numElements(Shape(shape.begin() + static_cast<int64_t>(dim) + 1, shape.end()));
  }
};

/// Copies `count` slabs of dimension `dim` from position `from` of `source` to `to` of `target`.
void copySlabs(const Buffer &source, int64_t from, Buffer &target, int64_t to, int64_t count,
               size_t dim) {
  int64_t inner = source.inner(dim);
  for (int64_t i = 0; i < source.outer(dim); ++i) {
    auto begin = source.values.begin() + (i * source.shape[dim] + from) * inner;
    std::copy(begin, begin + count * inner,
              target.values.begin() + (i * target.shape[dim] + to) * inner);
  }
}

/// Returns `buffer` with dimension `dim` cut off or padded to `size`.
Buffer resized(const Buffer &buffer, size_t dim, int64_t size) {
  Shape shape = buffer.shape;
  shape[dim] = size;
  Buffer result(std::move(shape));
  copySlabs(buffer, 0, result, 0, std::min(size, buffer.shape[dim]), dim);
  return result;
}

/// Returns part `index` of `buffer` cut into parts of `size`, padding at the end.
Buffer part(const Buffer &buffer, size_t dim, int64_t size, int64_t index) {
  int64_t begin = std::min(index * size, buffer.shape[dim]);
  int64_t count = std::min(size, buffer.shape[dim] - begin);
  Shape shape = buffer.shape;
  shape[dim] = size;
  Buffer result(std::move(shape));
  copySlabs(buffer, begin, result, 0, count, dim);
  return result;
}

Buffer concatenated(const std::vector<Buffer> &parts, size_t dim) {
  Shape shape = parts.front().shape;
  shape[dim] *= static_cast<int64_t>(parts.size());
  Buffer result(std::move(shape));
  int64_t position = 0;
  for (const Buffer &buffer : parts) {
    copySlabs(buffer, 0, result, position, buffer.shape[dim], dim);
    position += buffer.shape[dim];
  }
  return result;
}

/// The devices of a mesh, with their buffers.
class Simulation {
public:
  Simulation(const ReshardProblem &problemOf, core::Mesh positions)
      : problem(problemOf), mesh(std::move(positions)), pending(pendingAxes(problemOf)),
        numPartials(core::shardedSize(pending)) {
    for (int64_t device = 0; device < mesh.numDevices(); ++device) {
      buffers.push_back(filled(problem.source, device, [&](int64_t element) {
        return partial(element, device, core::coordinateAlong(pending, mesh, device));
      }));
    }
  }

  /// Runs a step that ends on the target mesh, whose devices are `positions` from then on.
  void cross(const ReshardStep &step, const core::Sharding &before, core::Mesh positions) {
    Placement from(problem, before, OnMesh::Source);
    Placement to(problem, step.collective.after, OnMesh::Target);
    std::vector<Buffer> arrived;
    // Block numbers are the same on both meshes for a permute: any holder of the block will do.
    if (step.collective.kind == CollectiveKind::CollectivePermute)
      for (int64_t device = 0; device < to.numDevices(); ++device)
        arrived.push_back(buffers[from.holders(to.blocksAt(device)).front()]);
    else
      arrived = exchanged(from, to);
    buffers = std::move(arrived);
    mesh = std::move(positions);
    problem = onTargetMesh(problem, step.collective.after);
    pending.clear();
    isAcross = true;
  }

  void run(const ReshardStep &step, const core::Sharding &before) {
    Shape after = core::localShape(problem.shape, step.collective.after);
    switch (step.collective.kind) {
    case CollectiveKind::AllSlice:
      forEachDim(step, [&](size_t dim, const AxisList &axes) { slice(dim, axes, after[dim]); });
      break;
    case CollectiveKind::AllGather:
      forEachDim(step, [&](size_t dim, const AxisList &axes) { gather(dim, axes, after[dim]); });
      break;
    case CollectiveKind::AllToAll:
      if (step.collective.localTranspose) {
        transposedAllToAll(step, before, after);
        break;
      }
      // Moves one after the other give what the joint step gives.
      for (const AxisMove &move : step.collective.moves) {
        int64_t held = buffers.front().shape[move.targetDim];
        int64_t parts = core::shardedSize(move.axes);
        allToAll(move, after[move.sourceDim], (held + parts - 1) / parts);
      }
      break;
    case CollectiveKind::ReduceScatter:
      // By definition: the sum, of which each device keeps its part.
      forEachDim(step, [&](size_t dim, const AxisList &axes) {
        allReduce(axes);
        slice(dim, axes, after[dim]);
      });
      break;
    case CollectiveKind::AllReduce:
      allReduce(step.collective.reducedAxes);
      break;
    case CollectiveKind::CollectivePermute:
      permute(before, step.collective.after);
      break;
    case CollectiveKind::Exchange:
      exchange(before, step.collective.after);
      break;
    case CollectiveKind::CollectiveBroadcast:
    case CollectiveKind::RaggedAllToAll:
    case CollectiveKind::ShardedToUnreduced:
    case CollectiveKind::ReplicatedToUnreduced:
      assert(false && "no step of a plan");
    }
  }

  /// Compares every device's buffer with its box under `state`.
  Result<void> compareWith(const core::Sharding &state) const {
    AxisList reduced = core::setDifference(pending, state.unreduced);
    for (int64_t device = 0; device < mesh.numDevices(); ++device) {
      std::vector<int64_t> summed = summedPartials(reduced, device);
      Buffer expected = filled(state, device, [&](int64_t element) {
        uint64_t total = 0;
        for (int64_t coordinate : summed)
          total += partial(element, device, coordinate);
        return total;
      });
      if (buffers[device].shape != expected.shape) {
        return Error{ErrorKind::Internal,
                     fmt::format("device at position {} holds shape {}, expected {}", device,
                                 buffers[device].shape, expected.shape)};
      }
      for (size_t i = 0; i < expected.values.size(); ++i) {
        bool isPadding = expected.values[i] == kGarbage;
        if (!isPadding && buffers[device].values[i] != expected.values[i]) {
          return Error{ErrorKind::Internal,
                       fmt::format("device at position {} has a wrong value at local index {} of "
                                   "shape {}",
                                   device, i, expected.shape)};
        }
      }
    }
    return {};
  }

private:
  /// The part of element `element` that a device with number `coordinate` along the pending axes
  /// holds; kept unreduced axes have their own values.
  uint64_t partial(int64_t element, int64_t device, int64_t coordinate) const {
    auto kept =
        static_cast<uint64_t>(core::coordinateAlong(problem.target.unreduced, mesh, device));
    uint64_t seed = mix(static_cast<uint64_t>(element) + 1);
    return mix(seed + 1'000'003 * kept + 7'919 * static_cast<uint64_t>(coordinate));
  }

  /// Which parts a device has added up once the axes `reduced` are.
  std::vector<int64_t> summedPartials(const AxisList &reduced, int64_t device) const {
    // Nothing partial crosses: on the target mesh every buffer has all parts.
    std::vector<int64_t> coordinates;
    for (int64_t i = 0; isAcross && i < numPartials; ++i)
      coordinates.push_back(i);
    if (!isAcross)
      for (int64_t member : core::replicaGroupOf(mesh, reduced, device))
        coordinates.push_back(core::coordinateAlong(pending, mesh, member));
    return coordinates;
  }

  /// Returns a device's padded buffer with `value(row-major global index)` in its box.
  template <class Value>
  Buffer filled(const core::Sharding &sharding, int64_t device, Value value) const {
    Buffer buffer(core::localShape(problem.shape, sharding));
    core::Box box = core::shardBox(problem.shape, sharding, mesh, device);
    forEachIndex(box.size, [&](const Shape &index) {
      buffer.values[position(buffer.shape, index)] = value(globalPosition(box, index));
    });
    return buffer;
  }

  int64_t globalPosition(const core::Box &box, Shape index) const {
    for (size_t dim = 0; dim < index.size(); ++dim)
      index[dim] += box.start[dim];
    return position(problem.shape, index);
  }

  static int64_t position(const Shape &shape, const Shape &index) {
    int64_t result = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      result = result * shape[dim] + index[dim];
    return result;
  }

  template <class Visit> static void forEachIndex(const Shape &shape, Visit visit) {
    Shape index(shape.size(), 0);
    for (int64_t i = 0; i < core::numElements(shape); ++i) {
      visit(index);
      for (size_t dim = shape.size(); dim-- > 0;) {
        if (++index[dim] < shape[dim])
          break;
        index[dim] = 0;
      }
    }
  }

  template <class Run> static void forEachDim(const ReshardStep &step, Run run) {
    for (size_t dim = 0; dim < step.collective.dimAxes.size(); ++dim)
      if (!step.collective.dimAxes[dim].empty())
        run(dim, step.collective.dimAxes[dim]);
  }

  /// Replaces all buffers by `make(device)`, which reads the old ones.
  template <class Make> void update(Make make) {
    std::vector<Buffer> next;
    next.reserve(buffers.size());
    for (int64_t device = 0; device < mesh.numDevices(); ++device)
      next.push_back(make(device));
    buffers = std::move(next);
  }

  /// Every device keeps the part that its coordinate along `axes` numbers.
  void slice(size_t dim, const AxisList &axes, int64_t size) {
    update([&](int64_t device) {
      return part(buffers[device], dim, size, core::coordinateAlong(axes, mesh, device));
    });
  }

  /// Concatenates the buffers of the group, in its order; the size of the result cuts padding off.
  void gather(size_t dim, const AxisList &axes, int64_t size) {
    update([&](int64_t device) {
      std::vector<Buffer> parts;
      for (int64_t member : core::replicaGroupOf(mesh, axes, device))
        parts.push_back(buffers[member]);
      return resized(concatenated(parts, dim), dim, size);
    });
  }

  /// Every device cuts its buffer along the target dimension and sends part i to the i-th member of
  /// its group; the receiver concatenates along the source dimension, by sender.
  void allToAll(const AxisMove &move, int64_t sourceSize, int64_t targetSize) {
    update([&](int64_t device) {
      int64_t own = core::coordinateAlong(move.axes, mesh, device);
      std::vector<Buffer> parts;
      for (int64_t member : core::replicaGroupOf(mesh, move.axes, device))
        parts.push_back(part(buffers[member], move.targetDim, targetSize, own));
      return resized(concatenated(parts, move.sourceDim), move.sourceDim, sourceSize);
    });
  }

  /// Every device cuts its buffer along the target dimensions by the receiver's coordinates; the
  /// receiver puts the pieces where the sender's coordinates along what left each dimension say.
  void transposedAllToAll(const ReshardStep &step, const core::Sharding &before,
                          const Shape &after) {
    size_t rank = after.size();
    std::vector<AxisList> lost(rank);
    std::vector<AxisList> gained(rank);
    AxisList group;
    // The order of `gained` numbers the pieces of a dimension, that of `group` only who takes part.
    for (const AxisMove &move : step.collective.moves) {
      AxisList &list = gained[move.targetDim];
      list.insert(list.end(), move.axes.begin(), move.axes.end());
      group.insert(group.end(), move.axes.begin(), move.axes.end());
    }
    for (size_t dim = 0; dim < rank; ++dim)
      lost[dim] = core::setDifference(before.dims[dim].axes, step.collective.after.dims[dim].axes);
    update([&](int64_t device) {
      Buffer result(after);
      for (int64_t member : core::replicaGroupOf(mesh, group, device)) {
        const Buffer &sent = buffers[member];
        Shape piece = sent.shape;
        Shape from(rank, 0);
        Shape to(rank, 0);
        for (size_t dim = 0; dim < rank; ++dim) {
          piece[dim] /= core::shardedSize(gained[dim]);
          from[dim] = core::coordinateAlong(gained[dim], mesh, device) * piece[dim];
          to[dim] = core::coordinateAlong(lost[dim], mesh, member) * piece[dim];
        }
        forEachIndex(piece, [&](const Shape &index) {
          Shape source = index;
          Shape target = index;
          for (size_t dim = 0; dim < rank; ++dim) {
            source[dim] += from[dim];
            target[dim] += to[dim];
          }
          result.values[position(after, target)] = sent.values[position(sent.shape, source)];
        });
      }
      return result;
    });
  }

  void allReduce(const AxisList &axes) {
    update([&](int64_t device) {
      Buffer total = buffers[device];
      std::fill(total.values.begin(), total.values.end(), 0);
      for (int64_t member : core::replicaGroupOf(mesh, axes, device))
        for (size_t i = 0; i < total.values.size(); ++i)
          total.values[i] += buffers[member].values[i];
      return total;
    });
  }

  /// Block numbers of a device, and its coordinate along the unreduced axes.
  std::vector<int64_t> blockOf(const core::Sharding &sharding, int64_t device) const {
    std::vector<int64_t> numbers = {core::coordinateAlong(sharding.unreduced, mesh, device)};
    for (const core::DimSharding &dim : sharding.dims)
      numbers.push_back(core::coordinateAlong(dim.axes, mesh, device));
    return numbers;
  }

  /// Every device takes the buffer of some device that had its block, with its summand.
  void permute(const core::Sharding &before, const core::Sharding &after) {
    std::map<std::vector<int64_t>, int64_t> holders;
    for (int64_t device = 0; device < mesh.numDevices(); ++device)
      holders.emplace(blockOf(before, device), device);
    update([&](int64_t device) { return buffers[holders.at(blockOf(after, device))]; });
  }

  void exchange(const core::Sharding &before, const core::Sharding &after) {
    buffers = exchanged(Placement(problem, before, OnMesh::Source),
                        Placement(problem, after, OnMesh::Source));
  }

  /// The buffers after an exchange: what a device keeps, and what the messages bring.
  std::vector<Buffer> exchanged(const Placement &before, const Placement &after) const {
    std::vector<Buffer> next;
    Shape shape = core::localShape(problem.shape, after.sharding());
    for (int64_t device = 0; device < after.numDevices(); ++device) {
      Buffer &buffer = next.emplace_back(shape);
      if (std::optional<int64_t> own = before.positionOrNull(after.idAt(device))) {
        core::Box kept = core::intersect(before.boxAt(*own), after.boxAt(device));
        copyBox(kept, before.boxAt(*own), buffers[*own], after.boxAt(device), buffer);
      }
    }
    for (const Message &message : exchangeMessages(problem, before, after)) {
      int64_t sender = *before.positionOrNull(message.source);
      int64_t receiver = *after.positionOrNull(message.target);
      copyBox(message.box, before.boxAt(sender), buffers[sender], after.boxAt(receiver),
              next[receiver]);
    }
    return next;
  }

  /// Copies the elements of `box` between buffers that hold `from` and `to`.
  static void copyBox(const core::Box &box, const core::Box &from, const Buffer &source,
                      const core::Box &to, Buffer &target) {
    forEachIndex(box.size, [&](const Shape &index) {
      int64_t read = 0;
      int64_t written = 0;
      for (size_t dim = 0; dim < index.size(); ++dim) {
        int64_t global = box.start[dim] + index[dim];
        read = read * source.shape[dim] + global - from.start[dim];
        written = written * target.shape[dim] + global - to.start[dim];
      }
      target.values[written] = source.values[read];
    });
  }

  /// On the mesh where the data are.
  ReshardProblem problem;
  core::Mesh mesh;
  AxisList pending;
  int64_t numPartials = 1;
  bool isAcross = false;
  std::vector<Buffer> buffers;
};

Result<void> checkSize(const ReshardProblem &problem, const core::Sharding &sharding,
                       int64_t devices) {
  int64_t elements = core::numElements(core::localShape(problem.shape, sharding));
  if (elements > kMaxElements / devices) {
    return unsupported(fmt::format("replaying {} elements on each of {} devices exceeds {} "
                                   "elements; use a smaller shape or the replay on blocks",
                                   elements, devices, kMaxElements));
  }
  return {};
}

} // namespace

Result<void> verifyOnElements(const ReshardProblem &problem, const ReshardPlan &plan) {
  int64_t devices = problem.mesh.numDevices();
  if (Result<void> fits = checkSize(problem, problem.source, devices); !fits)
    return fits;
  // Devices are known by position here: their ids do not change who holds what.
  Result<core::Mesh> positions = core::Mesh::create(problem.mesh.axes());
  Result<core::Mesh> onTarget = core::Mesh::create(targetMeshOf(problem).axes());
  if (!positions || !onTarget)
    return positions ? onTarget.error() : positions.error();
  Simulation simulation(problem, std::move(*positions));
  const core::Sharding *before = &problem.source;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const ReshardStep &step = plan.steps[i];
    devices = step.changesMesh ? onTarget->numDevices() : devices;
    if (Result<void> fits = checkSize(problem, step.collective.after, devices); !fits)
      return fits;
    if (step.changesMesh)
      simulation.cross(step, *before, *onTarget);
    else
      simulation.run(step, *before);
    if (Result<void> compared = simulation.compareWith(step.collective.after); !compared) {
      return Error{compared.error().kind,
                   fmt::format("after step {}: {}", i, compared.error().message)};
    }
    before = &step.collective.after;
  }
  // Without a crossing the devices of the target mesh are not known by position here:
  // verifyOnBoxes compares them.
  bool hasArrived =
      isOneMesh(problem) || std::any_of(plan.steps.begin(), plan.steps.end(),
                                        [](const ReshardStep &step) { return step.changesMesh; });
  return hasArrived ? simulation.compareWith(problem.target) : Result<void>();
}

} // namespace shardwise::planner
