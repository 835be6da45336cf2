// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of an op when the axes of its factors are chosen. There are two choosers with one
// signature, `AxesPerFactor choose(const FactorView &)`: a vote of the tensors, which is what
// Shardy does (transforms/export/VoteOnAxes.h), and the cheapest reshards (transforms/reshard/
// ChooseFactorAxes.h).

#pragma once

#include "shardwise/core/FactorUse.h"
#include "shardwise/core/IndexExchange.h"
#include "shardwise/core/Mesh.h"
#include "shardwise/core/Padding.h"
#include "shardwise/core/Window.h"
#include "shardwise/propagation/AxesPerFactor.h"

#include <cstdint>
#include <functional>
#include <span>

namespace shardwise::propagation {

/// What a chooser knows of a tensor besides its axes.
struct FactorTensor {
  /// Global shape; empty for what is not a tensor of known size, which counts as one element.
  std::span<const int64_t> shape;
  int64_t elementBytes = 4;
  /// The tensor can be made in any sharding at no cost: a constant.
  bool isFree = false;

  int64_t numElements() const {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  }
};

/// Returns the cost of moving a tensor of `shape` from one sharding to another, in bytes received
/// by a device or what corresponds to it; infinite if that is impossible.
using ReshardCost = std::function<double(std::span<const int64_t> shape, int64_t elementBytes,
                                         const core::Sharding &from, const core::Sharding &to)>;

/// Returns what it costs a device to receive so many bytes of its neighbours along `axes`, in the
/// unit of `ReshardCost`.
using FetchCost = std::function<double(double bytes, const core::AxisList &axes)>;

/// What a device computes, reads and writes, in the unit of `ReshardCost`. The default is small
/// against any communication, but enough to prefer computing on parts when communication is equal.
struct WorkCost {
  /// Of a byte that the op reads or writes.
  double perByte = 1.0 / 8;
  /// Of an iteration of its loop nest.
  double perIteration = 1.0 / 512;

  bool operator==(const WorkCost &) const = default;
};

/// An op and its tensors. Nothing is owned.
struct FactorView {
  /// The op's rule, and the axes of its tensors: those that operands have and results are to have.
  const ShardingProjection &projection;
  /// Operands first.
  std::span<const FactorTensor> tensors;
  const core::Mesh &mesh;
  /// What may be done with each factor. Unused by the vote, which goes by the kinds of the rule.
  std::span<const core::FactorUse> uses = {};
  /// Which factors may be cut into unequal parts; none if empty. Unused by the vote.
  std::span<const core::Padding> paddings = {};
  /// Cost of a reshard. Unused by the vote.
  ReshardCost cost = {};
  /// What the op reads beyond the parts of its operands. Unused by the vote.
  std::span<const core::OperandWindow> windows = {};
  /// Where factors may share axes, since rows are exchanged. Unused by the vote.
  std::span<const core::IndexExchange> exchanges = {};
  /// Cost of what windows lack, bytes if it is not given. Unused by the vote.
  FetchCost fetchCost = {};
  /// Unused by the vote.
  WorkCost work = {};
};

} // namespace shardwise::propagation
