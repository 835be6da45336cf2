// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that is registered with PyTorch from Python has a guard that asks Python for the type of
// the device. Autograd's engine uses guards, and their destructors ask too: also where an exception
// of Python goes through C++ and is still pending in the interpreter,
//
//     backward() -> engine, guard -> op of a gradient -> Python raises
//                           ~guard asks "which type?"    <- C++ unwinds, the exception is pending
//
// A call of a Python function must not begin there. It fails, in a destructor, which ends the
// process, or it leaves no exception behind and the user sees "returned NULL without setting an
// exception". A GuardAnswer is what is called in place of a function:
//
// 1. It answers without running Python, so that it works while an exception is pending.
// 2. It takes a pending exception and keeps it for the thread, as no call may return a result
// beside
//    one. `take_error` gives it to whoever sees that an exception has been lost.

#include "GuardBindings.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace shardwise::python {
namespace {

class GuardAnswer {
public:
  explicit GuardAnswer(nb::object answer) : answer(std::move(answer)) {}

  nb::object ask() {
    if (PyErr_Occurred() != nullptr)
      keep(nb::python_error());
    return answer;
  }

  /// The exception of this thread, or of the last other one, which may have worked for this one.
  nb::object takeError() {
    auto found = ofThread();
    if (found == errors.end() && !errors.empty())
      --found;
    if (found == errors.end())
      return nb::none();
    nb::object error = std::move(found->second);
    errors.erase(found);
    return error;
  }

  void forgetError() {
    if (errors.empty())
      return;
    if (auto found = ofThread(); found != errors.end())
      errors.erase(found);
  }

private:
  using Errors = std::vector<std::pair<unsigned long, nb::object>>;

  Errors::iterator ofThread() {
    return std::find_if(errors.begin(), errors.end(),
                        [](const auto &one) { return one.first == PyThread_get_thread_ident(); });
  }

  void keep(const nb::python_error &error) {
    forgetError();
    errors.emplace_back(PyThread_get_thread_ident(), nb::borrow(error.value()));
  }

  nb::object answer;
  /// At most one per thread, the oldest first.
  Errors errors;
};

PyObject *call(PyObject *self, PyObject *, PyObject *) {
  return nb::inst_ptr<GuardAnswer>(self)->ask().release().ptr();
}

} // namespace

void bindGuards(nb::module_ &module) {
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void *>(call)}, {0, nullptr}};
  nb::class_<GuardAnswer>(module, "GuardAnswer", nb::type_slots(slots))
      .def(nb::init<nb::object>(), "answer"_a)
      .def("take_error", &GuardAnswer::takeError)
      .def("forget_error", &GuardAnswer::forgetError);
}

} // namespace shardwise::python
