// SPDX-License-Identifier: MIT
// Element types, TensorInfo, numpy arrays.
#include "bind.hpp"
#include <popart/inputshapeinfo.hpp>

using popart::DataType;
using popart::TensorInfo;

popart::DataType dataTypeOf(const py::dtype &type) {
  const std::string name = py::str(type.attr("name"));
  if (name == "float64")
    return DataType::DOUBLE;
  if (name == "object")
    throw popart::error("An array of Python objects is no tensor. Give it a number type.");
  return popart::dataTypeFromString(name);
}
py::dtype dtypeOf(DataType type) {
  if (type == DataType::FLOAT8_143 || type == DataType::FLOAT8_152)
    return py::dtype("uint8");
  return py::dtype(popart::lowerCaseNameOf(type));
}
TensorInfo infoOf(const py::array &array) {
  return TensorInfo(dataTypeOf(array.dtype()),
                    popart::Shape(array.shape(), array.shape() + array.ndim()));
}
py::array contiguous(const py::array &array) {
  return py::array::ensure(array, py::array::c_style);
}

namespace {
// "FLOAT", a numpy type or dtype, or a Python type.
DataType typeFrom(const py::object &type) {
  if (py::isinstance<py::str>(type))
    return popart::dataTypeFromString(type.cast<std::string>());
  if (py::isinstance<DataType>(type))
    return type.cast<DataType>();
  return dataTypeOf(py::dtype::from_args(type));
}
} // namespace

void bindTypes(py::module &m) {
  py::class_<popart::DebugContext>(m, "DebugContext")
      .def(py::init<>())
      .def(py::init([](const std::string &name) { return popart::DebugContext(name); }));
  py::implicitly_convertible<std::string, popart::DebugContext>();

  py::enum_<DataType> types(m, "DataType");
  for (int i = 0; i <= int(DataType::UNDEFINED); ++i)
    types.value(popart::nameOf(DataType(i)).c_str(), DataType(i));

  py::class_<TensorInfo>(m, "TensorInfo")
      .def(py::init([](const py::array &array) { return infoOf(array); }))
      .def(py::init([](const py::object &type, const popart::Shape &shape) {
        return TensorInfo(typeFrom(type), shape);
      }))
      .def("shape", &TensorInfo::shape)
      .def("metaShape", &TensorInfo::metaShape)
      .def("rank", &TensorInfo::rank)
      .def("nelms", &TensorInfo::nelms)
      .def("nbytes", &TensorInfo::nbytes)
      .def("dim", &TensorInfo::dim)
      .def("strides", &TensorInfo::strides)
      .def("dataType", &TensorInfo::dataType)
      .def("data_type", &TensorInfo::data_type)
      .def("data_type_lcase", &TensorInfo::data_type_lcase)
      .def("set", [](TensorInfo &info, DataType type) { info.set(type); })
      .def("set", [](TensorInfo &info, DataType type,
                     const popart::Shape &shape) { info.set(type, shape); })
      .def("__eq__", [](const TensorInfo &a, const TensorInfo &b) { return a == b; })
      .def("__repr__", [](const TensorInfo &info) {
        std::ostringstream out;
        out << info;
        return out.str();
      });
  m.def("getTensorInfo", &infoOf);

  py::class_<popart::InputShapeInfo>(m, "InputShapeInfo")
      .def(py::init<>())
      .def("add", &popart::InputShapeInfo::add)
      .def("get", &popart::InputShapeInfo::get)
      .def("has", &popart::InputShapeInfo::has);
}
