// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The basic strategy: the same axes for all tensors that have the factor, or none. An axis has to
// pass the filters of every tensor of the op, also of those without the factor.
//
// Example: `([i, k], [k, j])->([i, j])`, operands `[{"x"}, {}]` and `[{}, {"x"}]`. The result could
// have "x" for i, but operand 1 uses it for j: i gets nothing, and j neither.

#include "shardwise/propagation/FactorPropagation.h"

namespace shardwise::propagation {

using core::Axis;

namespace {

/// Returns the part of `axis` that all tensors leave to `factor`.
std::optional<Axis> filterByAllTensors(const ShardingProjection &projection,
                                       core::FactorIndex factor, Axis axis, int64_t shardedSize) {
  std::optional<Axis> kept = axis;
  // Entries of the factor are in tensor order, so one cursor finds those of the tensor at hand.
  auto entries = projection.entriesOf(factor);
  size_t next = 0;
  for (int64_t tensor = 0; kept && tensor < projection.numTensors(); ++tensor) {
    kept = filterAcrossFactors(projection, tensor, factor, *kept);
    if (next == entries.size() || projection.entry(entries[next]).tensor != tensor)
      continue;
    const FactorEntry &entry = projection.entry(entries[next++]);
    if (kept)
      kept = filterWithinFactor(projection, entry, *kept, shardedSize);
  }
  return kept;
}

} // namespace

void propagateBasic(ShardingProjection &projection, const FactorPropagationOptions &options,
                    FactorPropagationBuffers &buffers) {
  for (core::FactorIndex factor = 0; factor < projection.numFactors(); ++factor) {
    compatibleMajorAxes(projection, factor, options.directions[factor], buffers.axes);
    if (!wouldExpand(projection, factor, buffers.axes))
      continue;
    truncate(buffers.axes, options.mesh, options.isConservative,
             [&](const Axis &axis, int64_t shardedSize) {
               return filterByAllTensors(projection, factor, axis, shardedSize);
             });
    for (auto index : projection.entriesOf(factor))
      projection.expand(index, buffers.axes);
  }
}

} // namespace shardwise::propagation
