// SPDX-License-Identifier: MIT
// popart_core: the C++ side of the Python package popart.
#include "bind.hpp"

PYBIND11_MODULE(popart_core, m) {
  m.doc() = "The C++ side of popart, which is the package to import.";
  try {
    py::module_::import("numpy");
  } catch (py::error_already_set &e) {
    throw py::import_error(
        std::string("popart_core needs numpy, which this Python cannot import (") + e.what() +
        "). Use /usr/bin/python3, for which it is built.");
  }
  bindErrors(m);
  bindTypes(m);
  bindOptions(m);
  bindOptimizers(m);
  bindDevices(m);
  bindStepIo(m);
  bindAddressIo(m);
  bindBuilder(m);
  bindAiOnnx(m);
  bindOpsets(m);
  bindSessions(m);
  bindModels(m);
  bindRuntime(m);
  bindOutputs(m);
  bindUtilities(m);
  present(m);
}
