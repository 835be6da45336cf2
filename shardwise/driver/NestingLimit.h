// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How deep programs may nest. MLIR's parser, printer and walks recurse once for every region,
// attribute or type around another one, and so do some of our own. So programs are read and
// compiled on a stack that holds the deepest program allowed, and a deeper one is refused before
// anything recurses into it.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace shardwise::driver {

/// Brackets of any kind that may be open at one place of a program's text.
inline constexpr size_t kMaxNesting = 10'000;

/// A bracket that nests too deep: its place, from 1 on, and what to tell the user.
struct NestingError {
  int64_t line = 1;
  int64_t column = 1;
  std::string message;
};

/// Returns the first bracket of `text` that opens inside `limit` others; nothing if there is none,
/// or if `text` is bytecode. Brackets in strings and comments do not count. Reads the text once.
std::optional<NestingError> findNestingError(llvm::StringRef text, size_t limit = kMaxNesting);

/// Runs `work` on a stack that is large enough for programs within the limit, and gives threads
/// that are made from now on an eighth of it. Stacks take memory only as far as they are used;
/// where the address space is limited, they are smaller.
void runOnDeepStack(llvm::function_ref<void()> work);

} // namespace shardwise::driver
