// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How arguments and results of a program lie on the devices: what a caller needs to cut the one and
// to put the others together.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/runtime/DataType.h"
#include "shardwise/support/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardwise::driver {

/// An argument or a result of the global program, and how it lies on the devices.
struct ShardedValue {
  core::Shape globalShape;
  runtime::DataType type;
  core::Sharding sharding;
  /// The mesh of the sharding: that of the program, another order of its devices, or one of them.
  core::Mesh mesh;
  /// Path of the value in the user's program, where the exporter recorded one; else empty.
  std::string name;
};

/// All of them, in order.
struct ProgramBorder {
  core::Mesh mesh;
  std::vector<ShardedValue> arguments;
  std::vector<ShardedValue> results;
};

/// Returns the border as JSON, in terms that `jax.sharding` has: axes of a mesh and, per dimension,
/// the names of those that cut it. An axis of which parts are used is written as its parts:
/// `"x":(1)2` of size 8 makes "x:(1)2" and "x:(2)4" of it. Fails if parts do not fit together so.
/// docs/concepts/forms.md has the keys. `form` is the name of the form of the program.
Result<std::string> toJson(const ProgramBorder &border, std::string_view form);

} // namespace shardwise::driver
