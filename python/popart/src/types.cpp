// SPDX-License-Identifier: MIT
// Element types, TensorInfo, debug names.
#include "bind.hpp"
#include <popart/inputshapeinfo.hpp>

using popart::DataType;
using popart::TensorInfo;

namespace {
// "FLOAT", a numpy type or dtype, or a Python type.
DataType typeFrom(const py::object &type) {
  if (py::isinstance<py::str>(type))
    return popart::dataTypeFromString(type.cast<std::string>());
  if (py::isinstance<DataType>(type))
    return type.cast<DataType>();
  return dataTypeOf(py::dtype::from_args(type));
}

using Facts = poplar::ProfileValue;
// Text, numbers, and lists and dicts of them.
Facts factFrom(const py::handle &value) {
  if (py::isinstance<py::bool_>(value))
    return value.cast<bool>();
  if (py::isinstance<py::int_>(value))
    return value.cast<std::int64_t>();
  if (py::isinstance<py::float_>(value))
    return value.cast<double>();
  if (py::isinstance<py::str>(value))
    return value.cast<std::string>();
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    Facts::Vector items;
    for (const auto &item : value)
      items.push_back(factFrom(item));
    return items;
  }
  if (!py::isinstance<py::dict>(value))
    throw py::type_error("DebugInfo.setValue: " + shown(value) +
                         " is no text, number, list or dict of them.");
  Facts::Map members;
  for (const auto &[key, item] : value.cast<py::dict>())
    members[py::str(key)] = factFrom(item);
  return members;
}

void bindDebugInfo(py::module &m, py::class_<popart::DebugContext> &context) {
  using poplar::DebugInfo;
  py::class_<DebugInfo, std::shared_ptr<DebugInfo>>(
      m, "DebugInfo", "Facts about one call, for the file of initializePoplarDebugInfo.")
      .def(py::init([](const popart::DebugContext &of, const std::string &layer) {
             return std::make_shared<DebugInfo>(of, layer);
           }),
           py::arg("debugContext"), py::arg("layer"), "Of a call, by the name of who makes it.")
      .def(
          "setValue",
          [](DebugInfo &self, const std::string &name, const py::object &value) {
            return self.setValue(name, factFrom(value));
          },
          py::arg("name"), py::arg("value"),
          "Adds a fact: text, a number, a list or a dict; whether it was not there yet.");
  context.def(py::init([](const DebugInfo &of, const std::string &name) {
                return popart::DebugContext(of, name);
              }),
              py::arg("debugInfo"), py::arg("name") = std::string(),
              "A name below that of the call, which it belongs to.");
  py::implicitly_convertible<DebugInfo, popart::DebugContext>();
}
} // namespace

void bindTypes(py::module &m) {
  py::class_<popart::DebugContext> context(
      m, "DebugContext", "A name for a tensor or operator. A str does wherever one is asked for.");
  context.def(py::init<>(), "No name.")
      .def(py::init([](const std::string &name) { return popart::DebugContext(name); }),
           py::arg("name"), "This name.")
      .def("__repr__", [](const popart::DebugContext &c) {
        return "DebugContext(" + shown(c.getPathName()) + ")";
      });
  copyable(context);
  py::implicitly_convertible<std::string, popart::DebugContext>();
  bindDebugInfo(m, context);

  py::enum_<DataType> types(m, "DataType", "Element types of tensors.");
  for (int i = 0; i <= int(DataType::UNDEFINED); ++i)
    types.value(popart::nameOf(DataType(i)).c_str(), DataType(i));

  py::class_<TensorInfo> info(m, "TensorInfo", "Element type and shape of a tensor.");
  info.def(py::init([](const ArrayLike &array) { return infoOf(array.array); }), py::arg("array"),
           "Type and shape of an array.")
      .def(py::init([](const py::object &type, const popart::Shape &shape) {
             return TensorInfo(typeFrom(type), shape);
           }),
           py::arg("dataType"), py::arg("shape"),
           "The type is \"FLOAT\" or the like, a DataType, a numpy type or a Python type.")
      .def("shape", &TensorInfo::shape, "The extents of the dimensions.")
      .def("metaShape", &TensorInfo::metaShape, "The shape before it was shared out over replicas.")
      .def("rank", &TensorInfo::rank, "How many dimensions.")
      .def("nelms", &TensorInfo::nelms, "How many elements.")
      .def("nbytes", &TensorInfo::nbytes, "How many bytes.")
      .def("dim", &TensorInfo::dim, py::arg("i"), "The extent of a dimension.")
      .def("strides", &TensorInfo::strides, py::arg("shape"),
           "Bytes from one element to the next in each dimension of an array of this shape.")
      .def("dataType", &TensorInfo::dataType, "The type, as DataType.")
      .def("data_type", &TensorInfo::data_type, "The type's name: \"FLOAT\".")
      .def("data_type_lcase", &TensorInfo::data_type_lcase,
           "The type's name as numpy has it: \"float32\".")
      .def(
          "set", [](TensorInfo &self, DataType type) { self.set(type); }, py::arg("dataType"),
          "Changes the type, or type and shape.")
      .def(
          "set",
          [](TensorInfo &self, DataType type, const popart::Shape &shape) {
            self.set(type, shape);
          },
          py::arg("dataType"), py::arg("shape"))
      .def(
          "__eq__", [](const TensorInfo &a, const TensorInfo &b) { return a == b; },
          py::is_operator(), py::arg("other"))
      .def("__repr__", [](const TensorInfo &self) {
        return "TensorInfo(" + shown(self.data_type()) + ", " + shown(self.shape()) + ")";
      });
  info.attr("__hash__") = py::none();
  copyable(info);
  m.def(
      "getTensorInfo", [](const ArrayLike &array) { return infoOf(array.array); }, py::arg("array"),
      "Type and shape of an array.");

  using Shapes = popart::InputShapeInfo;
  py::class_<Shapes> shapes(m, "InputShapeInfo",
                            "Types and shapes of inputs that the model leaves open.");
  shapes.def(py::init<>(), "None yet.")
      .def("add", &Shapes::add, py::arg("id"), py::arg("info"), "Says what an input is.")
      .def("get", &Shapes::get, py::arg("id"), "What was said of an input.")
      .def("has", &Shapes::has, py::arg("id"), "Whether something was said of an input.")
      .def("__repr__",
           [](const Shapes &self) { return "InputShapeInfo(" + shown(self.getInfos()) + ")"; });
  copyable(shapes);
}
