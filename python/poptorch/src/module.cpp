// SPDX-License-Identifier: MIT
// poptorch_core: the C++ side of the Python package poptorch. Sessions, devices, options and errors
// are popart_core's.
#include "bind.hpp"

PYBIND11_MODULE(poptorch_core, m) {
  m.doc() = "The C++ side of poptorch, which is the package to import.";
  py::module_::import("popart_core");
  bindRecorder(m);
  bindSessions(m);
  m.def(
      "hasMLIRSupportOnPlatform", [] { return false; },
      "Whether there is another compiler besides PopART: no.");
  for (const char *name : {"Error", "RecoverableError", "UnrecoverableError"})
    m.attr(name) = py::module::import("poptorch.errors").attr(name);
  for (const char *name : {"isCompilingWithDispatcher", "TestErrorType", "_throwTestError",
                           "throwTestError", "_validateOptions"})
    m.attr(name) = py::module::import("poptorch._impl").attr(name);
}
