// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The limits of the header, checked in one pass over the text, and stacks for what passes. The pass
// counts brackets, numbers behind `#` and long words, as far as that needs no grammar: strings and
// comments are skipped, nothing else is understood. It stops at the first place beyond a limit.

#include "shardwise/driver/TextLimits.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include <pthread.h>

namespace shardwise::driver {

namespace {

// Bytes for programs within the limit: see docs/benchmarks/propagation.md for what a level takes.
// Threads of MLIR and of devices recurse, but never parse or print.
constexpr size_t kDeepStackBytes = size_t(1) << 29;
constexpr size_t kThreadStackBytes = size_t(1) << 26;

/// Characters that matter to the checks; all others are words and blanks.
enum class CharKind : uint8_t { Other, Open, Close, Less, Greater, Quote, Slash, Hash };

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
  kinds['#'] = CharKind::Hash;
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

TextError errorAt(llvm::StringRef text, size_t position, std::string message) {
  llvm::StringRef before = text.take_front(position);
  TextError error;
  error.line = static_cast<int64_t>(before.count('\n')) + 1;
  error.column = static_cast<int64_t>(before.size() - (before.rfind('\n') + 1)) + 1;
  error.message = std::move(message);
  return error;
}

TextError nestingAt(llvm::StringRef text, size_t position, size_t limit) {
  return errorAt(
      text, position,
      fmt::format("the program nests deeper than {} brackets here, which is the limit; move inner "
                  "regions into functions, or give long attributes and types names of their own",
                  limit));
}

/// Checks the number after the sign at `position`, if there is one. Names of attributes, as in
/// `#sdy.sharding`, start with a letter.
std::optional<TextError> checkResultNumber(llvm::StringRef text, size_t position) {
  llvm::StringRef digits = text.drop_front(position + 1).take_while(llvm::isDigit);
  uint64_t number = 0;
  if (digits.empty() || (!digits.getAsInteger(10, number) && number <= kMaxResultNumber))
    return std::nullopt;
  return errorAt(text, position,
                 fmt::format("result number {} is beyond {}, which is the limit; name a result "
                             "that the op has",
                             std::string_view(digits.take_front(40)), kMaxResultNumber));
}

/// Checks the words of `text` from `begin` to `end`.
std::optional<TextError> checkWords(llvm::StringRef text, size_t begin, size_t end) {
  // Goes on behind each word, so every character is looked at once.
  for (size_t start = begin; end - start > kMaxWordLength; ++start) {
    size_t length = text.slice(start, end).take_while(llvm::isAlnum).size();
    if (length > kMaxWordLength)
      return errorAt(text, start,
                     fmt::format("{} letters and digits in a row, more than {}, which is the "
                                 "limit; write a smaller number, or a type of fewer dimensions",
                                 length, kMaxWordLength));
    start += length;
    if (start >= end)
      break;
  }
  return std::nullopt;
}

} // namespace

std::optional<TextError> findTextError(llvm::StringRef text, size_t maxNesting) {
  if (text.starts_with("ML\xefR"))
    return std::nullopt;
  // Between the signs that are looked at there are words and blanks. Only long stretches can hold
  // long words.
  size_t afterSign = 0;
  std::optional<TextError> error;
  auto charAt = [&](size_t i) { return i < text.size() ? text[i] : '\0'; };
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    CharKind kind = kCharKinds[static_cast<unsigned char>(text[i])];
    if (kind == CharKind::Other)
      continue;
    if (i - afterSign > kMaxWordLength && (error = checkWords(text, afterSign, i)))
      return error;
    afterSign = i + 1;
    switch (kind) {
    case CharKind::Other:
      continue;
    case CharKind::Quote:
      i = endOfString(text, i);
      afterSign = i + 1;
      continue;
    case CharKind::Slash:
      if (charAt(i + 1) == '/')
        i = std::min(text.find('\n', i), text.size());
      afterSign = i + 1;
      continue;
    case CharKind::Hash:
      if ((error = checkResultNumber(text, i)))
        return error;
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
      if (++depth > maxNesting)
        return nestingAt(text, i, maxNesting);
    } else if (depth > 0) {
      --depth; // what closes too much is for the parser to refuse
    }
  }
  return afterSign < text.size() ? checkWords(text, afterSign, text.size()) : std::nullopt;
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
