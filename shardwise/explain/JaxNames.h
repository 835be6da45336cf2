// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How JAX names what it exports: the names in locations, and the attributes of results. The grammar
// is JAX's own; neither StableHLO nor MLIR defines it. Programs of other front ends have no such
// names, and everything here is empty for them.

#pragma once

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

#include <compare>
#include <string>
#include <vector>

namespace shardwise::explain {

/// What the name of an op's location says: `jit(f)/transpose(jvp(mlp))/dot`. A name is the scopes
/// around an op and the primitive that it was made for; a scope may be wrapped in the
/// transformations that were applied to it.
struct SourceScope {
  /// `mlp`: the scopes that the user named.
  std::string path;
  /// `backward`, `recomputed`, or empty.
  std::string direction;

  static SourceScope parse(llvm::StringRef name);

  bool operator==(const SourceScope &) const = default;
};

/// Returns the name that a location begins with: that of an op's scopes, or what the user's source
/// calls an argument, `params['w1']`. Empty if it has none.
llvm::StringRef jaxNameIn(mlir::Location location);

/// A place in the user's own source.
struct SourceFrame {
  /// Base name: `model.py`.
  std::string file;
  unsigned line = 0;
  /// `attention`, without the functions that it is in; empty if the location does not say it.
  std::string function;

  /// `model.py:31`.
  std::string place() const;
  auto operator<=>(const SourceFrame &) const = default;
};

/// Returns the places in the user's own source that `location` tells, the innermost first, then who
/// called it. None of libraries or of the program itself, `programFile`.
std::vector<SourceFrame> framesIn(mlir::Location location, llvm::StringRef programFile);

/// Returns the path of a result in the user's program, `[0]['w1']`: JAX records it as
/// `jax.result_info = "result[0]['w1']"`. Empty if it did not.
std::string resultName(mlir::Operation *entry, unsigned index);

} // namespace shardwise::explain
