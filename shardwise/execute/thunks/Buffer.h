// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of a compiled function: their numbers, which thunks hold, and where their bytes are.

#pragma once

#include <cstdint>

namespace shardwise::execute {

/// Number of a buffer in its function.
using BufferId = int32_t;

/// Where the bytes of a buffer are.
enum class BufferKind : uint8_t {
  Temporary, ///< At `offset` in the arena.
  Argument,  ///< In the caller's memory, read only; `offset` is the argument number.
  Constant,  ///< In the program, read only; `offset` is the constant's number.
};

/// A run of bytes, and where it is.
struct Buffer {
  BufferKind kind = BufferKind::Temporary;
  int64_t bytes = 0;
  int64_t offset = 0;
};

} // namespace shardwise::execute
