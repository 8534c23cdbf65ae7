// SPDX-License-Identifier: MIT
// What the binding files share: how arrays and optional attributes pass, and what objects can do
// beside their own methods.
#pragma once
#include "arrays.hpp"
#include <popart/builder.hpp>
#include <popart/error.hpp>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

namespace pybind11::detail {
template <class T>
struct type_caster<nonstd::optional<T>> : optional_caster<nonstd::optional<T>> {};
} // namespace pybind11::detail

// copy.copy and copy.deepcopy of what is a value in C++ too.
template <class T, class... More> void copyable(py::class_<T, More...> &c) {
  c.def(
       "__copy__", [](const T &self) { return T(self); }, "A copy.")
      .def(
          "__deepcopy__", [](const T &self, const py::dict &) { return T(self); }, py::arg("memo"),
          "A copy.");
}

// An enumeration of module m with up to a dozen of its enumerators, by their own names.
#define BIND_ENUM(E, text, ...) py::enum_<E>(m, #E, text) BIND_ALL(BIND_VALUES(E, __VA_ARGS__))
#define BIND_VALUES(E, name, ...)                                                                  \
  .value(#name, E::name) __VA_OPT__(BIND_OTHERS BIND_PARENTHESES(E, __VA_ARGS__))
#define BIND_OTHERS() BIND_VALUES
#define BIND_PARENTHESES ()
#define BIND_ALL(...) BIND_FOUR(BIND_FOUR(BIND_FOUR(__VA_ARGS__)))
#define BIND_FOUR(...) BIND_ONE(BIND_ONE(BIND_ONE(BIND_ONE(__VA_ARGS__))))
#define BIND_ONE(...) __VA_ARGS__

// How objects show themselves: enumerators by name, everything else by its repr.
std::string shown(const py::handle &value);
template <class T>
requires(!std::is_base_of_v<py::handle, T>) std::string shown(const T &value) {
  return shown(py::handle(py::cast(value)));
}

// After all is bound: signatures, docstrings, errors in Python's words, representations.
void present(py::module &m);

// One function per binding file.
void bindErrors(py::module &m);
void bindTypes(py::module &m);
void bindOptions(py::module &m);
void bindOptimizers(py::module &m);
void bindDevices(py::module &m);
void bindStepIo(py::module &m);
void bindAddressIo(py::module &m);
void bindBuilder(py::module &m);
void bindAiOnnx(py::module &m);
void bindOpsets(py::module &m);
void bindSessions(py::module &m);
void bindModels(py::module &m);
void bindRuntime(py::module &m);
void bindOutputs(py::module &m);
void bindUtilities(py::module &m);
