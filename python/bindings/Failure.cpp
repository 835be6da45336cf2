// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Failure.h"

namespace nb = nanobind;

namespace shardwise::python {
namespace {

const char *wordOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::Invalid:
    return "invalid";
  case ErrorKind::Unsupported:
    return "unsupported";
  case ErrorKind::Infeasible:
    return "infeasible";
  case ErrorKind::Timeout:
    return "timeout";
  case ErrorKind::Internal:
    return "internal";
  }
  return "internal";
}

/// Text of a user may be no UTF-8, and is in the message.
nb::object textOf(const std::string &text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

void raise(const std::exception_ptr &exception, void *) {
  try {
    std::rethrow_exception(exception);
  } catch (const Failure &failure) {
    nb::object error =
        nb::module_::import_("shardwise.errors")
            .attr("make_error")(wordOf(failure.error().kind), textOf(failure.error().message));
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  }
}

} // namespace

void registerFailures(nb::module_ &) {
  nb::register_exception_translator(raise);
}

} // namespace shardwise::python
