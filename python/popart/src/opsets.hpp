// SPDX-License-Identifier: MIT
// For the generated bindings of operators: what all opsets have, and constants from numpy arrays.
#pragma once
#include "bind.hpp"

template <class C> void opset(C &c) {
  using Opset = typename C::type;
  c.def(py::init<const Opset &>(), py::arg("opset"), "The same operators.");
  c.def("__repr__", [](const Opset &self) {
    return "<operators of " + self.getDomain() + ", opset " +
           std::to_string(self.getOpsetVersion()) + ">";
  });
  copyable(c);
}

template <class C> void constants(C &c, const char *doc) {
  using Opset = typename C::type;
  const auto make = [](Opset &self, const ArrayLike &value, const popart::DebugContext &context) {
    return self.constant(PlainArray(value.array).data(), context);
  };
  c.def("constant", make, py::arg("value"), py::arg("debugContext") = popart::DebugContext(), doc)
      .def(
          "constant",
          [make](Opset &self, const ArrayLike &value, bool sparse,
                 const popart::DebugContext &context) {
            if (sparse)
              throw popart::error("constant: is_value_sparse is True, but there are no sparse "
                                  "tensors here. Give the whole array, and False.");
            return make(self, value, context);
          },
          py::arg("value"), py::arg("is_value_sparse"),
          py::arg("debugContext") = popart::DebugContext(), doc);
}
