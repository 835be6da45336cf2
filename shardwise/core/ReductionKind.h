// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How partial values combine into one: the only enum for it, from shardings to the folds of the
// runtime. Text is in Text.h.

#pragma once

namespace shardwise::core {

/// An associative and commutative function of two values.
///
/// Unreduced axes of a sharding combine by Sum, Max or Min, which is all that sdy can write.
/// Reducers of programs know the others as well. On booleans Sum and Max are Or, Product and Min
/// are And.
enum class ReductionKind { Sum, Max, Min, Product, And, Or };

} // namespace shardwise::core
