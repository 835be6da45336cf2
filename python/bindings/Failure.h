// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of the layers on their way to Python: the only exception that our own code throws, and
// only in the bindings.

#pragma once

#include "shardwise/support/Result.h"

#include <exception>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>

namespace shardwise::python {

/// A failure that becomes an exception of Python; `shardwise.errors` decides which.
class Failure : public std::exception {
public:
  explicit Failure(Error error) : failure(std::move(error)) {}

  const Error &error() const { return failure; }
  const char *what() const noexcept override { return failure.message.c_str(); }

private:
  Error failure;
};

/// Returns the value of `result`, or throws its error.
template <class T> T valueOf(Result<T> result) {
  if (!result.ok())
    throw Failure(result.error());
  return std::move(*result);
}
inline void check(const Result<void> &result) {
  if (!result.ok())
    throw Failure(result.error());
}

/// From now on, a `Failure` that leaves a function of `module` raises what
/// `shardwise.errors.make_error` gives for it.
void registerFailures(nanobind::module_ &module);

} // namespace shardwise::python
