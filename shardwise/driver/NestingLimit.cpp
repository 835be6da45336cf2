// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counting brackets, and stacks.

#include "shardwise/driver/NestingLimit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <pthread.h>

namespace shardwise::driver {

namespace {

// Bytes for programs within the limit: see docs/benchmarks/propagation.md for what a level takes.
// Threads of MLIR and of devices recurse, but never parse or print.
constexpr size_t kDeepStackBytes = size_t(1) << 29;
constexpr size_t kThreadStackBytes = size_t(1) << 26;

enum class CharKind : uint8_t { Other, Open, Close, Less, Greater, Quote, Slash };

constexpr std::array<CharKind, 256> kCharKinds = [] {
  std::array<CharKind, 256> kinds{};
  for (unsigned char open : {'(', '[', '{'})
    kinds[open] = CharKind::Open;
  for (unsigned char close : {')', ']', '}'})
    kinds[close] = CharKind::Close;
  kinds['<'] = CharKind::Less;
  kinds['>'] = CharKind::Greater;
  kinds['"'] = CharKind::Quote;
  kinds['/'] = CharKind::Slash;
  return kinds;
}();

/// Position of the last character of the string that starts at `start`. Strings end with their
/// line.
size_t endOfString(llvm::StringRef text, size_t start) {
  for (size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\n')
      return i;
    if (text[i] == '\\')
      ++i;
  }
  return text.size();
}

NestingError errorAt(llvm::StringRef text, size_t position, size_t limit) {
  llvm::StringRef before = text.take_front(position);
  NestingError error;
  error.line = static_cast<int64_t>(before.count('\n')) + 1;
  error.column = static_cast<int64_t>(before.size() - (before.rfind('\n') + 1)) + 1;
  error.message =
      fmt::format("the program nests deeper than {} brackets here, which is the limit; move inner "
                  "regions into functions, or give long attributes and types names of their own",
                  limit);
  return error;
}

} // namespace

std::optional<NestingError> findNestingError(llvm::StringRef text, size_t limit) {
  if (text.starts_with("ML\xefR"))
    return std::nullopt;
  auto charAt = [&](size_t i) { return i < text.size() ? text[i] : '\0'; };
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    CharKind kind = kCharKinds[static_cast<unsigned char>(text[i])];
    switch (kind) {
    case CharKind::Other:
      continue;
    case CharKind::Quote:
      i = endOfString(text, i);
      continue;
    case CharKind::Slash:
      if (charAt(i + 1) == '/')
        i = std::min(text.find('\n', i), text.size());
      continue;
    // Of the signs with angles, only brackets count: not `->`, `<=` and `>=`.
    case CharKind::Less:
    case CharKind::Greater:
      if (charAt(i + 1) == '=' || (kind == CharKind::Greater && i > 0 && text[i - 1] == '-'))
        continue;
      break;
    case CharKind::Open:
    case CharKind::Close:
      break;
    }
    if (kind == CharKind::Open || kind == CharKind::Less) {
      if (++depth > limit)
        return errorAt(text, i, limit);
    } else if (depth > 0) {
      --depth; // what closes too much is for the parser to refuse
    }
  }
  return std::nullopt;
}

void runOnDeepStack(llvm::function_ref<void()> work) {
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0)
    return work();
  pthread_attr_setstacksize(&attributes, kThreadStackBytes);
  pthread_setattr_default_np(&attributes);
  auto call = [](void *argument) -> void * {
    (*static_cast<llvm::function_ref<void()> *>(argument))();
    return nullptr;
  };
  // Where the address space is limited, the largest stack that fits.
  pthread_t thread;
  int error = EAGAIN;
  for (size_t bytes = kDeepStackBytes; error != 0 && bytes >= kThreadStackBytes; bytes /= 2) {
    pthread_attr_setstacksize(&attributes, bytes);
    error = pthread_create(&thread, &attributes, call, &work);
  }
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return work();
  pthread_join(thread, nullptr);
}

} // namespace shardwise::driver
