// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is refused in a program's text before MLIR parses it, because the parser has no limit there.
//
// - Nesting. MLIR's parser, printer and walks recurse once for every region, attribute or type
//   around another one, and so do some of our own. So programs are read and compiled on a stack
//   that holds the deepest program allowed, and a deeper one is refused before anything recurses
//   into it.
// - Numbers of results. For `%0#4000000000` the parser makes a table of as many entries.
// - Words. The parser takes time with the square of the length of a number, and of what it reads a
//   part at a time, as the sizes in `tensor<1x1x1xf32>`.

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
/// Largest number after `#`, as in `%0#3`.
inline constexpr uint64_t kMaxResultNumber = 100'000;
/// Letters and digits in a row, outside of strings and comments.
inline constexpr size_t kMaxWordLength = 10'000;

/// What the parser must not see: its place, from 1 on, and what to tell the user.
struct TextError {
  int64_t line = 1;
  int64_t column = 1;
  std::string message;
};

/// Returns the first place of `text` that is beyond a limit: a bracket that opens inside
/// `maxNesting` others, the number of a result, a word. Nothing if there is none, or if `text` is
/// bytecode. Strings and comments do not count. Reads the text once.
/// Example: in `return %0#4000000000 : tensor<f32>` column 10, the `#`.
std::optional<TextError> findTextError(llvm::StringRef text, size_t maxNesting = kMaxNesting);

/// Runs `work` on a stack that is large enough for programs within the limit, and gives threads
/// that are made from now on an eighth of it. Stacks take memory only as far as they are used;
/// where the address space is limited, they are smaller.
void runOnDeepStack(llvm::function_ref<void()> work);

} // namespace shardwise::driver
