// SPDX-License-Identifier: MIT
#include "recorder.hpp"

#include "frontend/Python.hpp"

#include <algorithm>
#include <set>
#include <sstream>

using namespace tensorflow;

namespace {

// In place of unknown dimensions: large enough for most windows, divisible by most strides.
constexpr std::int64_t instead[] = {120, 240};

void print(std::ostream &out, const Attribute &value) {
  std::visit(
      [&](const auto &v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::vector<std::int64_t>> ||
                      std::is_same_v<T, std::vector<double>>) {
          for (auto each : v)
            out << each << ",";
        } else if constexpr (std::is_same_v<T, DataType>)
          out << int(v);
        else if constexpr (requires { out << v; })
          out << v;
      },
      value);
}

void print(std::ostream &out, const Recording &recording) {
  for (const auto &info : recording.tensors)
    out << int(info.type) << popart::ir::text(info.shape) << ";";
  for (const auto &[tensor, name] : recording.inputs)
    out << "in " << tensor << ";";
  for (const auto &v : recording.variables)
    out << "var " << v.tensor << v.name << int(v.stored) << v.trained << v.state << ";";
  for (const auto &[tensor, values] : recording.constants) {
    out << "const " << tensor << ":";
    for (double v : values.doubles())
      out << v << ",";
  }
  for (const auto &node : recording.nodes) {
    out << node.op << "(";
    for (auto t : node.inputs)
      out << t << ",";
    for (const auto &[name, value] : node.attributes) {
      out << name << "=";
      print(out, value);
      out << ";";
    }
    out << node.place.ipu.value_or(-1) << "/" << node.place.stage.value_or(-1)
        << (node.place.update ? "/update)" : ")");
    for (const auto &body : node.bodies)
      print(out, *body);
  }
  for (auto t : recording.outputs)
    out << "out " << t << ";";
  for (auto i : recording.gradients)
    out << "gradient " << i << ";";
  for (const auto &[variable, t] : recording.updates)
    out << "set " << variable << "=" << t << ";";
  out << "loss " << recording.loss;
}

bool isOpen(const Shape &shape) {
  return std::find(shape.begin(), shape.end(), unknown) != shape.end();
}

} // namespace

void Recorder::follow() {
  if (shadows_.empty())
    shadows_.push_back(std::make_unique<Conversion>(*recording_, instead[0]));
  for (auto &shadow : shadows_)
    shadow->follow();
}

// What the conversions say of the tensors from here on.
void Recorder::learn(Tensor first) {
  for (Tensor t = first; t < recording_->tensors.size(); ++t) {
    auto &info = recording_->tensors[t];
    const auto &one = shadows_.front()->model().info(shadows_.front()->at(t));
    const auto &other = shadows_.back()->model().info(shadows_.back()->at(t));
    info.type = one.dataType();
    info.shape = one.shape();
    for (std::size_t d = 0; d < info.shape.size(); ++d)
      if (d >= other.shape().size() || other.shape()[d] != info.shape[d])
        info.shape[d] = unknown;
  }
}

Recorder::Tensor Recorder::input(const Shape &shape, DataType type, const std::string &name) {
  const auto out = recording_->add(type, shape);
  recording_->inputs.emplace_back(out, name);
  if (isOpen(shape) && shadows_.size() < 2) {
    if (shadows_.empty())
      shadows_.push_back(std::make_unique<Conversion>(*recording_, instead[0]));
    shadows_.push_back(std::make_unique<Conversion>(*recording_, instead[1]));
  }
  return out;
}
Recorder::Tensor Recorder::variable(const Shape &shape, DataType type, const std::string &name,
                                    std::uintptr_t address, DataType stored, bool trained,
                                    const py::object &owner) {
  const auto out = recording_->add(type, shape);
  recording_->variables.push_back({storedAt(out, name, address, stored, trained, owner)});
  return out;
}
Recorder::Tensor Recorder::constant(const Shape &shape, DataType type, std::uintptr_t address,
                                    DataType stored, const py::object &owner) {
  const auto out = recording_->add(type, shape);
  recording_->constants.emplace_back(out, constantAt(address, shape, stored, type, owner));
  return out;
}

Recorder::Tensor Recorder::node(const std::string &op, const std::string &name,
                                const std::vector<Tensor> &inputs, const py::dict &attributes,
                                unsigned outputs, std::optional<std::int64_t> ipu,
                                std::optional<std::int64_t> stage,
                                const std::vector<const Recorder *> &bodies, bool update) {
  Node out;
  out.op = op;
  out.name = name;
  out.inputs = inputs;
  for (const auto &[key, value] : attributes)
    out.attributes.emplace(key.cast<std::string>(), frontend::argumentFrom(value));
  out.place = {ipu, stage, update};
  for (const auto *body : bodies)
    out.bodies.push_back(body->recording_);
  const auto first = Tensor(recording_->tensors.size());
  for (unsigned i = 0; i < outputs; ++i)
    out.outputs.push_back(recording_->add(DataType::FLOAT, {}));
  recording_->nodes.push_back(std::move(out));
  try {
    follow();
  } catch (...) { // as if it had not been asked for
    recording_->nodes.pop_back();
    recording_->tensors.resize(first);
    throw;
  }
  learn(first);
  return first;
}

std::pair<DataType, Shape> Recorder::info(Tensor tensor) const {
  const auto &info = recording_->tensors.at(tensor);
  return {info.type, info.shape};
}

py::object Recorder::known(Tensor tensor) const {
  for (const auto &info : {recording_->tensors.at(tensor)})
    if (isOpen(info.shape))
      return py::none();
  std::vector<double> first;
  for (const auto &shadow : shadows_) {
    if (!shadow->knows(tensor))
      return py::none();
    const auto *values = shadow->model().valuesOf(shadow->at(tensor));
    if (!values)
      return py::none();
    if (&shadow == &shadows_.front())
      first = values->doubles();
    else if (values->doubles() != first)
      return py::none();
  }
  return shadows_.empty() ? py::none() : py::cast(first);
}

popart::Converted Recorder::convert(const std::vector<py::array> &instead) const {
  Conversion conversion(*recording_);
  std::vector<Conversion::Memory> memory;
  for (const auto &array : instead)
    memory.push_back({const_cast<void *>(array.data()), frontend::held(array)});
  conversion.synthesise(std::move(memory));
  return conversion.finish();
}

std::vector<bool> Recorder::depends(Tensor of, const std::vector<std::size_t> &variables) const {
  Conversion own(*recording_, instead[0]);
  own.follow();
  Values by;
  for (auto i : variables)
    by.push_back(own.at(recording_->variables.at(i).tensor));
  std::vector<bool> out;
  for (Value v : own.model().gradients({own.at(of)}, by))
    out.push_back(v != none);
  return out;
}

std::unique_ptr<Recorder>
Recorder::select(const std::vector<Tensor> &outputs,
                 const std::vector<std::pair<std::size_t, Tensor>> &updates,
                 const std::map<Tensor, Shape> &shapes, const std::set<Tensor> &fed) const {
  auto out = std::make_unique<Recorder>();
  auto &to = *out->recording_;
  to = *recording_;
  to.outputs = outputs;
  to.updates = updates;
  std::set<Tensor> needed(outputs.begin(), outputs.end());
  for (const auto &[variable, tensor] : updates) {
    needed.insert(tensor);
    needed.insert(to.variables.at(variable).tensor);
  }
  to.nodes.clear();
  for (auto it = recording_->nodes.rbegin(); it != recording_->nodes.rend(); ++it) {
    const auto &made = it->outputs;
    const auto wanted = [&](Tensor t) { return needed.count(t) && !fed.count(t); };
    if (std::none_of(made.begin(), made.end(), wanted))
      continue;
    needed.insert(it->inputs.begin(), it->inputs.end());
    to.nodes.push_back(*it);
    for (auto &t : to.nodes.back().outputs)
      if (fed.count(t)) { // what it makes is not used
        to.tensors.push_back(to.tensors[t]);
        t = Tensor(to.tensors.size() - 1);
      }
  }
  std::reverse(to.nodes.begin(), to.nodes.end());
  const auto unused = [&](const auto &entry) { return !needed.count(entry.first); };
  std::erase_if(to.inputs, unused);
  std::erase_if(to.constants, unused);
  std::erase_if(to.constants, [&](const auto &entry) { return fed.count(entry.first) > 0; });
  const auto isInput = [&](Tensor t) {
    return std::any_of(to.inputs.begin(), to.inputs.end(), [&](auto &i) { return i.first == t; });
  };
  for (Tensor t : fed)
    if (needed.count(t) && !isInput(t))
      to.inputs.emplace_back(t, "fed:" + std::to_string(t));
  for (const auto &[tensor, shape] : shapes)
    to.tensors.at(tensor).shape = shape;
  return out;
}

void Recorder::resolve() {
  follow();
  for (Tensor t = 0; t < recording_->tensors.size(); ++t)
    if (shadows_.front()->knows(t)) {
      const auto &info = shadows_.front()->model().info(shadows_.front()->at(t));
      recording_->tensors[t] = {info.dataType(), info.shape()};
    }
}

std::vector<Recorder::Tensor> Recorder::inputs() const {
  std::vector<Tensor> out;
  for (const auto &[tensor, name] : recording_->inputs)
    out.push_back(tensor);
  return out;
}

std::vector<Recorder::Edges> Recorder::edges() const {
  std::vector<Edges> out;
  for (const auto &node : recording_->nodes) {
    const bool differentiates = node.op == "Gradients";
    const auto count = [&](const char *what) {
      return differentiates ? std::get<std::int64_t>(node.attributes.at(what)) : 0;
    };
    out.emplace_back(node.inputs, node.outputs, count("of"), count("by"));
  }
  return out;
}

std::vector<std::size_t> Recorder::variables() const {
  std::set<Tensor> used(recording_->outputs.begin(), recording_->outputs.end());
  for (const auto &node : recording_->nodes)
    used.insert(node.inputs.begin(), node.inputs.end());
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < recording_->variables.size(); ++i)
    if (used.count(recording_->variables[i].tensor))
      out.push_back(i);
  return out;
}

std::string Recorder::listing() const {
  std::ostringstream out;
  for (const auto &node : recording_->nodes) {
    for (auto t : node.outputs)
      out << "%" << t << " " << popart::ir::text(recording_->tensors[t].shape) << " ";
    out << "= " << node.op << "(";
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      out << (i ? ", " : "") << "%" << node.inputs[i];
    out << ")" << (node.name.empty() ? "" : " \"" + node.name + "\"") << "\n";
  }
  return out.str();
}

std::string Recorder::fingerprint() const {
  std::ostringstream out;
  out.precision(17);
  print(out, *recording_);
  return out.str();
}

void bindRecorder(py::module &m) {
  py::class_<Recorder>(m, "Recorder", "Records the operations of a graph in program order.")
      .def(py::init<>())
      .def("input", &Recorder::input, "A tensor that is fed.")
      .def("variable", &Recorder::variable, "A variable in this memory.")
      .def("constant", &Recorder::constant, "A tensor of these values.")
      .def("node", &Recorder::node, py::arg("op"), py::arg("name"), py::arg("inputs"),
           py::arg("attributes"), py::arg("outputs"), py::arg("ipu"), py::arg("stage"),
           py::arg("bodies"), py::arg("update") = false, "Appends an operation; its first output.")
      .def("output", &Recorder::output, "Appends an output.")
      .def("gradient", &Recorder::gradient, "Appends an output: the loss's gradient by a tensor.")
      .def("update", &Recorder::update, "A variable's new value, when everything is computed.")
      .def("train", &Recorder::train, "A variable that an optimiser changes.")
      .def("state", &Recorder::state, "A variable that an optimiser keeps for itself.")
      .def("loss", &Recorder::loss, "What training makes small.")
      .def("info", &Recorder::info, "Element type and shape, -1 for unknown dimensions.")
      .def("known", &Recorder::known, "The numbers of what is constant, or None.")
      .def("depends", &Recorder::depends, "Whether a tensor has a gradient by these variables.")
      .def("convert", &Recorder::convert, py::arg("instead") = std::vector<py::array>(),
           "The graph as a model.")
      .def("listing", &Recorder::listing, "A line for every operation.")
      .def("described", &Recorder::described, "All of it as dictionaries and lists.")
      .def("fingerprint", &Recorder::fingerprint, "What a compiled program depends on.")
      .def(
          "select", &Recorder::select, py::arg("outputs"), py::arg("updates"), py::arg("shapes"),
          py::arg("fed") = std::set<Recorder::Tensor>(),
          "The part of the graph that these outputs and updates need, with inputs of these shapes.")
      .def("resolve", &Recorder::resolve, "Learns all shapes, now that those of inputs are known.")
      .def("edges", &Recorder::edges,
           "Of every operation: inputs, outputs, and of gradients how many are of and by what.")
      .def("inputs", &Recorder::inputs, "The tensors that are fed.")
      .def("variables", &Recorder::variables, "The numbers of the variables that are used.")
      .def("__len__", &Recorder::size);
  m.attr("no_tensor") = noTensor;
  m.def(
      "operations", [] { return Registry::all().names(); }, "All operations with a conversion.");
}
