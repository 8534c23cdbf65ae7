// SPDX-License-Identifier: MIT
// Programs become models; shapes of results.
#include "bind.hpp"

#include "core/Conversion.hpp"
#include "frontend/Python.hpp"

using namespace paddleipu;

namespace {

using Described =
    std::tuple<std::string, int, std::vector<std::int64_t>>; // name, Paddle's type, shape

std::vector<Described> described(const std::vector<Slot> &slots) {
  std::vector<Described> out;
  for (const auto &slot : slots)
    out.emplace_back(slot.name, int(slot.type), slot.shape);
  return out;
}

// Python's arrays are used where they lie, and live as long as the model.
std::map<std::string, Variable>
variablesFrom(const std::map<std::string, std::pair<int, py::array>> &arrays) {
  std::map<std::string, Variable> out;
  for (const auto &[name, typed] : arrays) {
    const auto &array = typed.second;
    out[name] = {VarType::Type(typed.first), Shape(array.shape(), array.shape() + array.ndim()),
                 const_cast<void *>(array.data()), frontend::held(array)};
  }
  return out;
}

// A function of Python: (operator, inputs) -> None, or (handle, names of inputs, outputs).
HostOperators hostOperators(const py::function &function) {
  return [function](const proto::OpDesc &op,
                    const std::vector<Slot> &inputs) -> std::optional<HostCall> {
    const py::object made = function(describeOperator(op), described(inputs));
    if (made.is_none())
      return {};
    const auto [handle, names, outputs] =
        made.cast<std::tuple<std::string, std::vector<std::string>, std::vector<Described>>>();
    HostCall call{handle, names, {}};
    for (const auto &[name, type, shape] : outputs)
      call.outputs.push_back({name, VarType::Type(type), shape});
    return call;
  };
}

} // namespace

void bindConversion(py::module &m) {
  py::class_<ConversionSettings>(m, "ConversionSettings")
      .def(py::init<>())
      .def_readwrite("whole", &ConversionSettings::whole)
      .def_readwrite("training", &ConversionSettings::training)
      .def_readwrite("half", &ConversionSettings::half)
      .def_readwrite("micro_batch", &ConversionSettings::microBatch)
      .def_readwrite("ipus", &ConversionSettings::ipus)
      .def_readwrite("sharded", &ConversionSettings::sharded)
      .def_readwrite("pipelined", &ConversionSettings::pipelined)
      .def_readwrite("averaged", &ConversionSettings::averaged)
      .def_readwrite("memory_proportion", &ConversionSettings::memoryProportion)
      .def_readwrite("custom", &ConversionSettings::custom)
      .def("compute_on_host", [](ConversionSettings &self, const py::function &function) {
        self.onHost = hostOperators(function);
      });
  m.def(
      "convert",
      [](const py::bytes &program, const Feeds &feeds, const std::vector<std::string> &fetches,
         const std::map<std::string, std::pair<int, py::array>> &variables,
         const ConversionSettings &settings) {
        auto made = convert(readProgram(std::string_view(program), "memory"), feeds, fetches,
                            variablesFrom(variables), settings);
        return py::make_tuple(std::move(made.converted), described(made.inputs),
                              described(made.outputs), described(made.created), made.variables);
      },
      "(popart_core.Converted, inputs, outputs, created, variables)");
  m.def(
      "infer_shapes",
      [](const py::dict &op, const std::vector<Described> &inputs) {
        std::map<std::string, Slot> slots;
        for (const auto &[name, type, shape] : inputs)
          slots[name] = {name, VarType::Type(type), shape};
        return described(inferShapes(operatorFrom(op), slots));
      },
      "What an operator makes of its inputs: (name, type, shape)s.");
  m.def("operators", [] { return Registry::all().names(); });
  m.def("functions", [] { return frontend::functionsOf(&frontend::Function::paddle); });
}
