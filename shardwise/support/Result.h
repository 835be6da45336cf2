// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors as values for the layers that build without MLIR. No exceptions cross a layer.

#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace shardwise {

/// What went wrong, from the caller's point of view.
enum class ErrorKind {
  Invalid,     ///< The caller's input breaks a rule.
  Unsupported, ///< Valid input that is not implemented; the message names a way out.
  Infeasible,  ///< No answer within the given limit; the message has limit and need.
  Timeout,     ///< A wait ran out of time.
  Internal,    ///< A mistake of ours.
};

/// A failure: its kind, and a message in lower case without a full stop that says what was
/// given, what was expected and, if short, what to do.
struct [[nodiscard]] Error {
  ErrorKind kind = ErrorKind::Invalid;
  std::string message;

  bool operator==(const Error &) const = default;
};

/// Returns an `Invalid` error with `message`.
inline Error invalid(std::string message) {
  return {ErrorKind::Invalid, std::move(message)};
}
/// Returns an `Unsupported` error with `message`.
inline Error unsupported(std::string message) {
  return {ErrorKind::Unsupported, std::move(message)};
}

/// A value or an `Error`. Must be looked at: dropping one is a compile warning, reading the
/// value of a failed one an assertion.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &value() & {
    assert(ok() && "reading the value of a failed Result");
    return *std::get_if<0>(&state);
  }
  const T &value() const & {
    assert(ok() && "reading the value of a failed Result");
    return *std::get_if<0>(&state);
  }
  T &&value() && {
    assert(ok() && "reading the value of a failed Result");
    return std::move(*std::get_if<0>(&state));
  }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

  const Error &error() const {
    assert(!ok() && "reading the error of a successful Result");
    return *std::get_if<1>(&state);
  }

private:
  std::variant<T, Error> state;
};

/// Success or an `Error`.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : failure(std::move(error)), failed(true) {}

  bool ok() const { return !failed; }
  explicit operator bool() const { return ok(); }
  const Error &error() const {
    assert(failed && "reading the error of a successful Result");
    return failure;
  }

private:
  Error failure;
  bool failed = false;
};

} // namespace shardwise
