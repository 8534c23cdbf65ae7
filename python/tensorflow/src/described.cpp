// SPDX-License-Identifier: MIT
#include "recorder.hpp"

using namespace tensorflow;

namespace {

py::object valueOf(const Attribute &value) {
  return std::visit(
      [](const auto &v) -> py::object {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate> ||
                      std::is_same_v<T, frontend::TensorArgument>)
          return py::none();
        else if constexpr (std::is_same_v<T, DataType>)
          return py::dict(py::arg("type") = int(v));
        else
          return py::cast(v);
      },
      value);
}

py::dict described(const Recording &recording);

py::dict described(const Node &node) {
  py::dict attributes;
  for (const auto &[name, value] : node.attributes)
    attributes[py::str(name)] = valueOf(value);
  py::list bodies;
  for (const auto &body : node.bodies)
    bodies.append(described(*body));
  return py::dict(py::arg("op") = node.op, py::arg("name") = node.name,
                  py::arg("inputs") = node.inputs, py::arg("attributes") = attributes,
                  py::arg("outputs") = node.outputs, py::arg("ipu") = node.place.ipu,
                  py::arg("bodies") = bodies);
}

py::dict placed(Recorder::Tensor tensor, const std::string &name, const Info &info) {
  return py::dict(py::arg("tensor") = tensor, py::arg("name") = name,
                  py::arg("type") = int(info.type), py::arg("shape") = info.shape);
}

py::dict described(const Recording &recording) {
  py::list nodes, inputs, variables, constants;
  for (const auto &node : recording.nodes)
    nodes.append(described(node));
  for (const auto &[tensor, name] : recording.inputs)
    inputs.append(placed(tensor, name, recording.tensors[tensor]));
  for (const auto &v : recording.variables)
    variables.append(placed(v.tensor, v.name, recording.tensors[v.tensor]));
  for (const auto &[tensor, values] : recording.constants) {
    constants.append(placed(tensor, "", recording.tensors[tensor]));
    constants[constants.size() - 1]["values"] = values.doubles();
  }
  return py::dict(py::arg("nodes") = nodes, py::arg("inputs") = inputs,
                  py::arg("variables") = variables, py::arg("constants") = constants,
                  py::arg("outputs") = recording.outputs);
}

} // namespace

py::dict Recorder::described() const { return ::described(*recording_); }
