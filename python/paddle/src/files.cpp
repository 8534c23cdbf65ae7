// SPDX-License-Identifier: MIT
// Parameter files: arrays by name.
#include "bind.hpp"

using namespace paddleipu;

void bindFiles(py::module &m) {
  m.def("saved_names", [](const py::bytes &program) {
    return savedNames(readProgram(std::string_view(program), "memory"));
  });
  m.def(
      "write_parameters",
      [](const std::vector<std::tuple<std::string, int, py::array>> &arrays) {
        std::vector<StoredTensor> all;
        std::vector<py::array> held;
        for (const auto &[name, type, array] : arrays) {
          held.push_back(py::array::ensure(array, py::array::c_style));
          StoredTensor tensor{name, proto::VarType::Type(type), {}, {}};
          tensor.dims.assign(array.shape(), array.shape() + array.ndim());
          tensor.data = {static_cast<const char *>(held.back().data()),
                         std::size_t(held.back().nbytes())};
          all.push_back(tensor);
        }
        return py::bytes(writeParameters(all));
      },
      "The bytes of (name, type, array)s, in this order.");
  m.def(
      "read_parameters",
      [](const py::bytes &bytes, const py::bytes &program, const std::string &where) {
        std::vector<py::tuple> out;
        for (const auto &t : readParameters(
                 std::string_view(bytes), readProgram(std::string_view(program), "memory"), where))
          out.push_back(
              py::make_tuple(t.name, int(t.type), t.dims, py::bytes(t.data.data(), t.data.size())));
        return out;
      },
      "(name, type, shape, bytes) of every tensor.");
}
