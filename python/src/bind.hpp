// SPDX-License-Identifier: MIT
// What the binding files share: numpy arrays as PopART sees them, and how optional attributes pass.
#pragma once
#include <popart/builder.hpp>
#include <popart/error.hpp>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace pybind11::detail {
template <class T>
struct type_caster<nonstd::optional<T>> : optional_caster<nonstd::optional<T>> {};
} // namespace pybind11::detail

// numpy's element type as ours and back; popart::error for one that has no counterpart.
popart::DataType dataTypeOf(const py::dtype &type);
py::dtype dtypeOf(popart::DataType type);
popart::TensorInfo infoOf(const py::array &array);
// The array itself if it is C-contiguous, else a contiguous copy.
py::array contiguous(const py::array &array);

// One function per binding file.
void bindErrors(py::module &m);
void bindTypes(py::module &m);
void bindOptions(py::module &m);
void bindOptimizers(py::module &m);
void bindDevices(py::module &m);
void bindStepIo(py::module &m);
void bindBuilder(py::module &m);
void bindAiOnnx(py::module &m);
void bindAiGraphcore(py::module &m);
void bindSessions(py::module &m);
void bindUtilities(py::module &m);
