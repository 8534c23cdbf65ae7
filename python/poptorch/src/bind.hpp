// SPDX-License-Identifier: MIT
// What the binding files of poptorch_core share.
#pragma once
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

// One function per binding file.
void bindRecorder(py::module &m);
void bindSessions(py::module &m);
