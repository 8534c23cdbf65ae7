// SPDX-License-Identifier: MIT
// Functions of shared libraries that users bring, called on the host.
#pragma once
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

void bindLibrary(py::module &m);
