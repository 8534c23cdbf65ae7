// SPDX-License-Identifier: MIT
// Values of the host between the instances that poprun started.
#pragma once
#include <pybind11/pybind11.h>

namespace py = pybind11;

void bindInstances(py::module &m);
