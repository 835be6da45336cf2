// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How elements of a type lie in files.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/runtime/DataType.h"
#include "shardwise/support/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardwise::files {

/// An element type and its bytes in a file. Elements of less than a byte lie packed: a *group* of
/// them is the least that takes whole bytes. Example: f4E2M1FN has groups of 2 elements in 1 byte.
struct ElementFormat {
  /// As in StableHLO text.
  std::string_view name = "f32";
  /// As in .safetensors files; empty if they do not have it.
  std::string_view safetensorsName = "F32";
  int64_t groupElements = 1;
  int64_t groupBytes = 4;

  bool operator==(const ElementFormat &) const = default;
};

/// Returns the format in .npy files: a byte for each element of less.
ElementFormat npyFormat(runtime::DataType type);
/// Returns the format that .safetensors files call `name`, if there is one.
std::optional<ElementFormat> safetensorsFormat(std::string_view name);
/// Returns the packed format of a type that has groups, else that of .npy files; by StableHLO name.
std::optional<ElementFormat> packedFormat(std::string_view name);

/// Bytes of `shape`. Requires: what `shape` has is in the file, so that they do not overflow.
int64_t byteCount(const ElementFormat &format, const core::Shape &shape);
/// The same of a shape that nobody has checked: none if it overflows, a
/// dimension is above 2^48, or it ends inside a group.
std::optional<int64_t> checkedByteCount(const ElementFormat &format, const core::Shape &shape);

/// Returns `f32[8, 4]`.
std::string typeText(const ElementFormat &format, const core::Shape &shape);

} // namespace shardwise::files
