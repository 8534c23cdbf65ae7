// SPDX-License-Identifier: MIT
// popart_core: the C++ side of the Python package popart.
#include "bind.hpp"

// Arrays of numpy 2 have another layout, which pybind11 reads since 2.12.
static void knowsNumpy(const py::module_ &numpy) {
  const auto version = numpy.attr("__version__").cast<std::string>();
  if (std::stoi(version) >= 2 && (PYBIND11_VERSION_MAJOR < 3 && PYBIND11_VERSION_MINOR < 12))
    throw py::import_error(
        "popart_core was built with pybind11 " + std::to_string(PYBIND11_VERSION_MAJOR) + "." +
        std::to_string(PYBIND11_VERSION_MINOR) + ", which knows numpy 1 alone, and this is numpy " +
        version + ". Build it again for this Python, once: " +
        py::module_::import("sys").attr("executable").cast<std::string>() + " -m openipu build");
}

PYBIND11_MODULE(popart_core, m) {
  m.doc() = "The C++ side of popart, which is the package to import.";
  try {
    knowsNumpy(py::module_::import("numpy"));
  } catch (py::error_already_set &e) {
    throw py::import_error(
        std::string("popart_core needs numpy, which this Python cannot import (") + e.what() +
        "). Install it: python3 -m pip install numpy, or Debian's python3-numpy.");
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
