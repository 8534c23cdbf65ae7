// SPDX-License-Identifier: MIT
// The Builder. The Python class of that name (popart/builder.py) stands on this one.
#include "bind.hpp"

using namespace popart;
using Ids = std::set<TensorId>;

namespace {
// Attributes of custom operators: text, number, list of numbers.
any attribute(const std::string &name, const py::handle &value) {
  if (py::isinstance<py::str>(value))
    return value.cast<std::string>();
  if (py::isinstance<py::bool_>(value) || py::isinstance<py::int_>(value))
    return value.cast<std::int64_t>();
  if (py::isinstance<py::float_>(value))
    return value.cast<float>();
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    bool real = false, text = false;
    for (const auto &item : value) {
      real = real || py::isinstance<py::float_>(item);
      text = text || py::isinstance<py::str>(item);
    }
    if (text)
      return value.cast<std::vector<std::string>>();
    return real ? any(value.cast<std::vector<float>>())
                : any(value.cast<std::vector<std::int64_t>>());
  }
  throw popart::error("Attribute \"{}\" must be a str, an int, a float, or a list of them.", name);
}
ConstVoidData dataOf(const py::array &array) { return {array.data(), infoOf(array)}; }
} // namespace

void bindBuilder(py::module &m) {
  py::class_<ConstVoidData>(m, "ConstVoidData")
      .def(py::init([](const py::array &array) {
             if (!(array.flags() & py::array::c_style))
               throw popart::error("A constant must be a C-contiguous array.");
             return dataOf(array);
           }),
           py::keep_alive<1, 2>());
  py::implicitly_convertible<py::array, ConstVoidData>();
  py::class_<AiGraphcoreBase>(m, "AiGraphcoreBase")
      .def("reshape", &AiGraphcoreBase::reshape, py::arg("arg"), py::arg("shape"),
           py::arg("debugContext") = DebugContext())
      .def("multiconv", &AiGraphcoreBase::multiconv, py::arg("tensors"),
           py::arg("dilations") = AiGraphcoreBase::Lists(),
           py::arg("inDilations") = AiGraphcoreBase::Lists(),
           py::arg("pads") = AiGraphcoreBase::Lists(),
           py::arg("outPads") = AiGraphcoreBase::Lists(),
           py::arg("strides") = AiGraphcoreBase::Lists(),
           py::arg("availableMemoryProportions") = std::vector<float>(),
           py::arg("partialsTypes") = std::vector<std::string>(), py::arg("planType") = py::none(),
           py::arg("perConvReservedTiles") = py::none(), py::arg("cycleBackOff") = py::none(),
           py::arg("enableConvDithering") = std::vector<std::int64_t>(),
           py::arg("debugContext") = DebugContext());

  py::class_<AiOnnxMlOpset1>(m, "AiOnnxMlOpset1");
  py::class_<Builder> b(m, "_BuilderCore");
  b.def(py::init([] { return Builder::create(); }))
      .def_static("fromModel", &Builder::createFromOnnxModel)
      .def_static("fromModel",
                  [](const py::bytes &bytes) { return Builder::createFromOnnxModel(bytes); })
      .def("createSubgraphBuilder", &Builder::createSubgraphBuilder,
           py::return_value_policy::reference_internal)
      .def("hasParent", &Builder::hasParent)
      .def("addInputTensor",
           py::overload_cast<const TensorInfo &, const DebugContext &>(&Builder::addInputTensor),
           py::arg("tensorInfo"), py::arg("debugContext") = DebugContext())
      .def("addInputTensor",
           py::overload_cast<const std::string &, const Shape &, const DebugContext &>(
               &Builder::addInputTensor),
           py::arg("dataType"), py::arg("shape"), py::arg("debugContext") = DebugContext())
      .def("addInputTensor",
           py::overload_cast<const TensorInfo &, const InputSettings &, const DebugContext &>(
               &Builder::addInputTensor),
           py::arg("tensorInfo"), py::arg("settings"), py::arg("debugContext") = DebugContext())
      .def("addInputTensor",
           py::overload_cast<const std::string &, const Shape &, const InputSettings &,
                             const DebugContext &>(&Builder::addInputTensor),
           py::arg("dataType"), py::arg("shape"), py::arg("settings"),
           py::arg("debugContext") = DebugContext())
      .def("addUntypedInputTensor", &Builder::addUntypedInputTensor,
           py::arg("debugContext") = DebugContext())
      .def("addInputTensorFromParentGraph", &Builder::addInputTensorFromParentGraph,
           py::arg("tensorId"))
      .def(
          "addInitializedInputTensor",
          [](Builder &self, const py::array &values, const DebugContext &context) {
            const auto whole = contiguous(values);
            return self.addInitializedInputTensor(dataOf(whole), context);
          },
          py::arg("initVal"), py::arg("debugContext") = DebugContext())
      .def(
          "addInitializedInputTensor",
          [](Builder &self, const py::array &values, const VariableSettings &settings,
             const DebugContext &context) {
            const auto whole = contiguous(values);
            return self.addInitializedInputTensor(dataOf(whole), settings, context);
          },
          py::arg("initVal"), py::arg("variableSettings"), py::arg("debugContext") = DebugContext())
      .def("addOutputTensor", &Builder::addOutputTensor, py::arg("outputName"))
      .def(
          "customOp",
          [](Builder &self, const std::string &type, unsigned version, const std::string &domain,
             const std::vector<TensorId> &inputs, const py::dict &attributes, unsigned outputs,
             const std::string &name) {
            std::map<std::string, any> all;
            for (const auto &[key, value] : attributes)
              all[py::str(key)] = attribute(py::str(key), value);
            return self.customOp(OperatorIdentifier(domain, type, version), int(version), inputs,
                                 outputs, all, name);
          },
          py::arg("opName"), py::arg("opVersion"), py::arg("domain"), py::arg("inputs"),
          py::arg("attributes"), py::arg("numOutputs") = 1, py::arg("name") = std::string())
      .def("checkpointOutput", &Builder::checkpointOutput, py::arg("nodeOutputNames"))
      .def("getModelProto", [](const Builder &self) { return py::bytes(self.getModelProto()); })
      .def("saveModelProto", &Builder::saveModelProto, py::arg("filename"))
      .def("saveInitializersExternally", &Builder::saveInitializersExternally, py::arg("ids"),
           py::arg("filename"))
      .def("embedReplicationFactor", &Builder::embedReplicationFactor)
      .def("setGraphName", &Builder::setGraphName, py::arg("name"))
      .def("pushNameScope", &Builder::pushNameScope)
      .def("popNameScope", &Builder::popNameScope)
      .def("getNameScope", &Builder::getNameScope, py::arg("name") = std::string())
      .def("setAttribute",
           [](Builder &self, const std::string &name, const py::object &value) {
             self.setAttribute(name, attribute(name, value));
           })
      .def("hasAttribute", &Builder::hasAttribute)
      .def("clearAttribute", &Builder::clearAttribute)
      .def("getAttribute",
           [](const Builder &self, const std::string &name) {
             const auto value = self.getAttribute(name);
             if (const auto *i = value.get<std::int64_t>())
               return py::object(py::int_(*i));
             if (const auto *f = value.get<float>())
               return py::object(py::float_(*f));
             if (const auto *s = value.get<std::string>())
               return py::object(py::str(*s));
             if (const auto *list = value.get<std::vector<std::int64_t>>())
               return py::object(py::cast(*list));
             if (const auto *list = value.get<std::vector<std::string>>())
               return py::object(py::cast(*list));
             return py::object(py::none());
           })
      .def(
          "addNodeAttribute",
          [](Builder &self, const std::string &name, const py::object &value, const Ids &outputs) {
            if (py::isinstance<py::str>(value))
              self.addNodeAttribute(name, value.cast<std::string>(), outputs);
            else if (py::isinstance<py::bool_>(value))
              self.addNodeAttribute(name, value.cast<bool>(), outputs);
            else if (py::isinstance<py::int_>(value))
              self.addNodeAttribute(name, value.cast<std::int64_t>(), outputs);
            else if (py::isinstance<py::float_>(value))
              self.addNodeAttribute(name, value.cast<float>(), outputs);
            else {
              const auto list = value.cast<py::list>();
              if (list.size() && py::isinstance<py::str>(list[0]))
                self.addNodeAttribute(name, value.cast<std::vector<std::string>>(), outputs);
              else if (list.size() && py::isinstance<py::float_>(list[0]))
                self.addNodeAttribute(name, value.cast<std::vector<float>>(), outputs);
              else
                self.addNodeAttribute(name, value.cast<std::vector<std::int64_t>>(), outputs);
            }
          },
          py::arg("attributeName"), py::arg("attributeValue"), py::arg("nodeOutputNames"))
      .def("nodeHasAttribute", &Builder::nodeHasAttribute)
      .def("getInt64NodeAttribute", &Builder::getInt64NodeAttribute)
      .def("getInt64VectorNodeAttribute", &Builder::getInt64VectorNodeAttribute)
      .def("getFloatNodeAttribute", &Builder::getFloatNodeAttribute)
      .def("getFloatVectorNodeAttribute", &Builder::getFloatVectorNodeAttribute)
      .def("getStringNodeAttribute", &Builder::getStringNodeAttribute)
      .def("getStringVectorNodeAttribute", &Builder::getStringVectorNodeAttribute)
      .def("removeNodeAttribute", &Builder::removeNodeAttribute)
      .def("getAllNodeAttributeNames", &Builder::getAllNodeAttributeNames)
      .def("virtualGraph", py::overload_cast<const Ids &, std::int64_t>(&Builder::virtualGraph))
      .def("pipelineStage", py::overload_cast<const Ids &, std::int64_t>(&Builder::pipelineStage))
      .def("executionPhase", py::overload_cast<const Ids &, std::int64_t>(&Builder::executionPhase))
      .def("getVirtualGraph", py::overload_cast<const TensorId &>(&Builder::getVirtualGraph))
      .def("getVirtualGraph", py::overload_cast<>(&Builder::getVirtualGraph, py::const_))
      .def("getPipelineStage", &Builder::getPipelineStage)
      .def("getExecutionPhase", &Builder::getExecutionPhase)
      .def("hasVirtualGraph", &Builder::hasVirtualGraph)
      .def("hasPipelineStage", &Builder::hasPipelineStage)
      .def("hasExecutionPhase", &Builder::hasExecutionPhase)
      .def("recomputeOutput",
           py::overload_cast<const Ids &, RecomputeType>(&Builder::recomputeOutputInBackwardPass))
      .def("getRecomputeOutputInBackwardPass", &Builder::getRecomputeOutputInBackwardPass)
      .def("outputTensorLocation", &Builder::outputTensorLocation, py::arg("nodeOutputName"),
           py::arg("value") = TensorLocation())
      .def("excludePatterns", &Builder::excludePatterns)
      .def("setPartialsType", &Builder::setPartialsType)
      .def("getPartialsType", &Builder::getPartialsType)
      .def("setAvailableMemoryProportion",
           py::overload_cast<const TensorId &, const float>(&Builder::setAvailableMemoryProportion))
      .def("setAvailableMemoryProportion",
           py::overload_cast<const Ids &, const float>(&Builder::setAvailableMemoryProportion))
      .def("setEnableConvDithering", &Builder::setEnableConvDithering)
      .def("setSerializeMatMul", &Builder::setSerializeMatMul, py::arg("nodeOutputName"),
           py::arg("mode"), py::arg("factor") = 0, py::arg("keep_precision") = false)
      .def("setInplacePreferences", &Builder::setInplacePreferences)
      .def("getInputTensorIds", &Builder::getInputTensorIds)
      .def("getOutputTensorIds", &Builder::getOutputTensorIds)
      .def("getValueTensorIds", &Builder::getValueTensorIds)
      .def("getTrainableTensorIds", &Builder::getTrainableTensorIds)
      .def("hasValueInfo", &Builder::hasValueInfo)
      .def("getTensorShape", &Builder::getTensorShape)
      .def("getTensorDtypeString", &Builder::getTensorDtypeString)
      .def("isInitializer", &Builder::isInitializer)
      .def("aiOnnxMlOpset1", &Builder::aiOnnxMlOpset1)
      .def("aiGraphcoreOpset1", &Builder::aiGraphcoreOpset1);
#define OPSET(n) b.def("aiOnnxOpset" #n, &Builder::aiOnnxOpset##n);
  OPSET(6)
  OPSET(7)
  OPSET(8) OPSET(9) OPSET(10) OPSET(11) OPSET(12) OPSET(13) OPSET(14) OPSET(15) OPSET(16) OPSET(17)
#undef OPSET
}

void bindAiGraphcore(py::module &m) {
  m.attr("defaultAiOnnxOpset") = defaultAiOnnxOpset;
  m.attr("defaultAiOnnxMlOpset") = defaultAiOnnxMlOpset;
  m.attr("defaultAiGraphcoreOpset") = defaultAiGraphcoreOpset;
}
