// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common axes by vote: what most elements have already is what all tensors of the op get, so that
// the fewest have to move.
//
//   1. Every prefix of an axis list that some tensor has on a factor is a candidate for that
//      factor. Its votes are the elements of the tensors whose list begins with it.
//   2. A candidate can be elected once the factors that are major to its own, in any dimension of
//      any tensor, are cut completely and evenly: anything else would be a strided shard.
//   3. Of those, the one with the most votes is elected. With equal votes: pass-through factors
//      before permutations, reductions and factors that must be whole; then more shards, of which
//      those of a choice just before for the same factor do not count; then the later factor; then
//      the longer list; then the list that comes later by axis names, pre-sizes and sizes.
//   4. Candidates for the elected one's factor stay if they extend it. Those for other factors are
//      cut before the first axis that it takes from them.
// Steps 2 to 4 repeat until no candidate can be elected. Every round removes one, so this ends.
//
// Example: `([i, j], [i, j])->([i, j]) {i=16, j=64}`, all axes of size 2, with `[{"c", "b"},
// {"a"}]`, `[{"a", "c"}, {"b"}]` and `[{"c"}, {}]`.
//   - Of i, {"c"} has the votes of two tensors, {"c", "b"}, {"a"} and {"a", "c"} those of one; of
//     j, {"a"} and {"b"} have those of one.
//   - {"c"} is elected for i. {"c", "b"} extends it and stays; {"a"} and {"a", "c"} do not.
//   - What is left has equal votes and adds as many shards. j is the later factor and "b" the later
//     name: {"b"} is elected for j. That takes "b" from {"c", "b"}, which says no more than {"c"}
//     then.
// All tensors get `[{"c"}, {"b"}]`.

#pragma once

#include "shardwise/propagation/FactorView.h"

namespace shardwise::exporter {

/// Returns the axes that are elected for each factor, by the steps above; no two factors share one.
/// Uneven shardings are as good as even ones.
propagation::AxesPerFactor vote(const propagation::FactorView &view);

} // namespace shardwise::exporter
