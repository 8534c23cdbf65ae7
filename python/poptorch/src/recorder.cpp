// SPDX-License-Identifier: MIT
#include "recorder.hpp"

#include "core/Conversion.hpp"
#include "core/Listing.hpp"
#include "core/Overlaps.hpp"
#include "frontend/Python.hpp"
#include <popart/error.hpp>

using namespace poptorch;

namespace {

// A tensor as an argument; made once per tensor of Python.
struct TensorRef {
  TensorNumber number;
};

Argument argumentOf(const py::handle &value) {
  if (py::isinstance<TensorRef>(value))
    return TensorArgument{value.cast<const TensorRef &>().number};
  const bool isList = PyList_Check(value.ptr()) || PyTuple_Check(value.ptr());
  bool tensors = false;
  if (isList)
    for (const auto &entry : value)
      tensors |= py::isinstance<TensorRef>(entry) || entry.is_none();
  if (!tensors)
    return frontend::argumentFrom(value);
  TensorList out;
  for (const auto &entry : value)
    out.push_back(entry.is_none() ? noTensor : entry.cast<const TensorRef &>().number);
  return out;
}

} // namespace

std::uint32_t Recorder::number(std::vector<std::string> &all,
                               std::map<std::string, std::uint32_t> &numbers,
                               const std::string &text) {
  const auto [it, fresh] = numbers.emplace(text, std::uint32_t(all.size()));
  if (fresh)
    all.push_back(text);
  return it->second;
}

std::uint32_t Recorder::signature(const std::string &name, const std::string &overload,
                                  const std::vector<std::string> &arguments) {
  recording.signatures.push_back({name, overload, arguments});
  return std::uint32_t(recording.signatures.size() - 1);
}
void Recorder::weight(TensorNumber tensor, const std::string &name, std::uintptr_t address,
                      DataType stored, bool trained, const popart::VariableSettings &settings,
                      const py::object &owner) {
  recording.weights.push_back(
      {storedAt(recording.known(tensor), name, address, stored, trained, owner), settings});
}
void Recorder::constant(TensorNumber tensor, std::uintptr_t address, DataType stored,
                        const py::object &owner) {
  const auto &info = recording.tensors[recording.known(tensor)];
  recording.constants.emplace_back(
      tensor, constantAt(address, info.shape(), stored, info.dataType(), owner));
}
void Recorder::operation(std::uint32_t signature, const py::sequence &arguments,
                         const std::vector<TensorNumber> &outputs,
                         const std::vector<TensorNumber> &aliases, bool writes, bool noGradient,
                         std::uint32_t scope, std::uint32_t source) {
  Operation out;
  out.signature = signature;
  for (const auto &argument : arguments)
    out.arguments.push_back(argumentOf(argument));
  if (out.arguments.size() != recording.signatures.at(signature).arguments.size())
    throw popart::internal_error("{} was recorded with {} arguments.",
                                 recording.signatures[signature].name, out.arguments.size());
  for (auto tensor : outputs)
    recording.known(tensor);
  out.outputs = outputs;
  out.aliases = aliases;
  out.writes = writes;
  out.noGradient = noGradient;
  out.scope = scope;
  out.source = source;
  recording.operations.push_back(std::move(out));
}

void bindRecorder(py::module &m) {
  py::class_<TensorRef>(m, "TensorRef", "A tensor of a recording, as an argument.")
      .def(py::init([](TensorNumber number) { return TensorRef{number}; }))
      .def_readonly("number", &TensorRef::number);
  py::class_<Recorder>(m, "Recorder", "Records the operators of a module in program order.")
      .def(py::init<>())
      .def("signature", &Recorder::signature, "Announces an overload; its number.")
      .def("scope", &Recorder::scope, "The number of a module's name.")
      .def("source", &Recorder::source, "The number of a source line.")
      .def("tensor", &Recorder::tensor, "A new tensor's number.")
      .def("input", &Recorder::input, "Makes a tensor an input.")
      .def("weight", &Recorder::weight, "Makes a tensor a parameter or buffer in this memory.")
      .def("constant", &Recorder::constant, "Gives a tensor these values.")
      .def("operation", &Recorder::operation, "Appends an operator.")
      .def("output", &Recorder::output, "Appends an output.")
      .def(
          "unsupported", [](const Recorder &r) { return unsupported(r.recording); },
          "Operators without a converter, each with its place.")
      .def(
          "check_overlaps", [](const Recorder &r) { checkOverlaps(r.recording); },
          "An error unless markers of overlapping transfers stand at inputs and outputs.")
      .def(
          "listing", [](const Recorder &r) { return listing(r.recording); },
          "A line for every operator.")
      .def("__len__", [](const Recorder &r) { return r.recording.operations.size(); });
  m.attr("no_tensor") = noTensor;
  m.def(
      "supports", [](const std::string &name) { return Registry::all().find(name) != nullptr; },
      "Whether an operator has a converter.");
  m.def(
      "operators", [] { return Registry::all().names(); }, "All operators with a converter.");
}
