// SPDX-License-Identifier: MIT
// tensorflow._core: graphs as they are traced, and models of them. Sessions, devices, options and
// errors are popart_core's.
#include "library.hpp"
#include "recorder.hpp"

#include "core/Conversion.hpp"
#include "frontend/Python.hpp"

PYBIND11_MODULE(_core, m) {
  m.doc() = "The C++ side of tensorflow, which is the package to import.";
  py::module_::import("popart_core");
  bindRecorder(m);
  bindLibrary(m);
  m.def(
      "functions", [] { return frontend::functionsOf(&frontend::Function::tensorflow); },
      "Functions of one number that other front ends have, too.");
  m.def("keeps_order", tensorflow::keepsOrder,
        "Elements of this operation's results are in its inputs' order.");
}
