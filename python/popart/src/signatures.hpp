// SPDX-License-Identifier: MIT
// The signature of a bound function, from what pybind11 recorded of it: one form per overload.
#pragma once
#include "bind.hpp"

struct Parameter {
  std::string name; // "*args" and "**kwargs" with their stars
  std::string type; // in the words of Python's typing
  py::object value; // the default; null: required
};
struct Form {
  std::vector<Parameter> parameters;
  std::string returns, doc;
};

// Null for what pybind11 did not make. A function's record is in what it is bound to.
py::detail::function_record *recordOf(PyObject *function);
py::detail::function_record *recordIn(PyObject *self);
std::vector<Form> formsOf(const py::detail::function_record *record);

// "(self, shape, debugContext='')": what inspect.signature reads. Several forms have no other
// signature than (*args, **kwargs).
std::string plainSignature(const std::vector<Form> &forms, bool method);
// "(self, shape: list[int], debugContext: DebugContext = '') -> str"; for stubs and docstrings.
std::string typedSignature(const Form &form);
