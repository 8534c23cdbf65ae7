// SPDX-License-Identifier: MIT
// What the recorders of front ends take from Python, and tell it. For the modules of Python only.
#pragma once
#include "frontend/Functions.hpp"
#include "frontend/Recording.hpp"
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace frontend {

namespace py = pybind11;

// An object of Python as the owner of memory that a model uses where it lies.
inline std::shared_ptr<void> held(const py::object &owner) {
  return {new py::object(owner), [](void *object) {
            const py::gil_scoped_acquire gil;
            delete static_cast<py::object *>(object);
          }};
}

// Numbers at an address of Python's, in the device's type.
inline HostTensor constantAt(std::uintptr_t address, const Shape &shape, DataType stored,
                             DataType type, const py::object &owner) {
  static const char nothing[1] = {};
  const auto *data = address ? reinterpret_cast<const void *>(address) : nothing;
  return HostTensor(TensorInfo(stored, shape), data, held(owner)).as(type);
}

inline Stored storedAt(TensorNumber tensor, const std::string &name, std::uintptr_t address,
                       DataType stored, bool trained, const py::object &owner) {
  return {tensor, name, reinterpret_cast<void *>(address), held(owner), stored, trained};
}

// Anything but tensors, which are the recorder's own.
inline Argument argumentFrom(const py::handle &value) {
  if (value.is_none())
    return std::monostate();
  if (PyBool_Check(value.ptr()))
    return value.ptr() == Py_True;
  if (PyLong_Check(value.ptr()))
    return value.cast<std::int64_t>();
  if (PyFloat_Check(value.ptr()))
    return value.cast<double>();
  if (PyUnicode_Check(value.ptr()))
    return value.cast<std::string>();
  if (py::isinstance<DataType>(value))
    return value.cast<DataType>();
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr()))
    throw py::type_error("An argument of type " + py::str(py::type::of(value)).cast<std::string>() +
                         " cannot be recorded.");
  const auto list = py::reinterpret_borrow<py::sequence>(value);
  for (const auto &entry : list)
    if (PyFloat_Check(entry.ptr()))
      return list.cast<std::vector<double>>();
  return list.cast<std::vector<std::int64_t>>(); // bools too
}

// Rows of functions() with words that a front end has, for its functions in Python: name,
// operation, words, and numbers by attribute with what they are if left out.
inline py::list functionsOf(FunctionName Function::*frontEnd) {
  py::list out;
  forFunctionsOf(frontEnd, [&](const Function &function, const FunctionName &own) {
    py::list numbers;
    for (const auto &[attribute, otherwise] : own.numbers)
      if (!attribute.empty())
        numbers.append(py::make_tuple(attribute, otherwise));
    if (!function.words.empty())
      out.append(py::make_tuple(function.name, own.operation, function.words, numbers));
  });
  return out;
}

} // namespace frontend
