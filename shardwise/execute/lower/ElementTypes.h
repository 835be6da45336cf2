// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From MLIR tensor types and constants to bytes.

#pragma once

#include "shardwise/dialect/builtin/TensorTypes.h"
#include "shardwise/execute/Program.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace shardwise::execute {

/// Returns element type and shape of `type`, if it is a static ranked tensor of a known type
/// without encoding. A token is a tensor without elements: the order it stands for is that of the
/// thunks.
std::optional<TensorType> tensorTypeOf(mlir::Type type);

/// Returns element type and shape of `value`. Requires: `tensorTypeOf` knows its type, which every
/// op is checked for before it is lowered.
TensorType typeOf(mlir::Value value);

/// The value of a constant. A splat holds one element, whatever the shape.
struct ConstantData {
  std::vector<std::byte> bytes;
  bool isSplat = false;
};

/// Returns the data of `attr`; none if its kind or type is unknown or its resource has no data.
std::optional<ConstantData> constantDataOf(mlir::ElementsAttr attr);

} // namespace shardwise::execute
