// SPDX-License-Identifier: MIT
// The Builder. The Python class of that name (popart/builder.py) derives from this one.
#include "bind.hpp"

using namespace popart;
using Ids = std::set<TensorId>;

namespace {

bool isText(const py::handle &value) { return py::isinstance<py::str>(value); }
bool isWhole(const py::handle &value) {
  return py::isinstance<py::bool_>(value) || py::isinstance<py::int_>(value);
}
bool isReal(const py::handle &value) { return py::isinstance<py::float_>(value); }

// Attributes are text, numbers, and lists of either; numpy's scalars and arrays are taken as such.
template <class Use> void withAttribute(const std::string &name, py::object value, const Use &use) {
  if (py::hasattr(value, "dtype") && py::hasattr(value, "tolist"))
    value = value.attr("tolist")();
  const auto all = [&](auto holds) {
    for (const auto &item : value)
      if (!holds(item))
        return false;
    return true;
  };
  const bool list = py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value);
  try {
    if (isText(value))
      return use(value.cast<std::string>());
    if (isWhole(value))
      return use(value.cast<std::int64_t>());
    if (isReal(value))
      return use(value.cast<float>());
    if (list && all(isWhole))
      return use(value.cast<std::vector<std::int64_t>>());
    if (list && all(isText))
      return use(value.cast<std::vector<std::string>>());
    if (list && all([](const auto &item) { return isWhole(item) || isReal(item); }))
      return use(value.cast<std::vector<float>>());
  } catch (const py::cast_error &) { // no int64
  }
  throw error(
      "The attribute \"{}\" must be a str, an int of at most 64 bits, a float, or a list of "
      "one of them; it is {}.",
      name, shown(value));
}
any attribute(const std::string &name, const py::handle &value) {
  any out;
  withAttribute(name, py::reinterpret_borrow<py::object>(value), [&](auto v) { out = v; });
  return out;
}
py::object fromAttribute(const any &value) {
  py::object out = py::none();
  const auto try_ = [&](auto *found) {
    if (found)
      out = py::cast(*found);
  };
  try_(value.get<std::int64_t>());
  try_(value.get<float>());
  try_(value.get<std::string>());
  try_(value.get<std::vector<std::int64_t>>());
  try_(value.get<std::vector<float>>());
  try_(value.get<std::vector<std::string>>());
  return out;
}

void bindGraphcoreBase(py::module &m) {
  using Base = AiGraphcoreBase;
  py::class_<Base>(m, "AiGraphcoreBase", "Operators of ai.graphcore with lists of lists.")
      .def("reshape", &Base::reshape, py::arg("arg"), py::arg("shape"),
           py::arg("debugContext") = DebugContext(), "Reshape to a shape that is known now.")
      .def("multiconv", &Base::multiconv, py::arg("tensors"), py::arg("dilations") = Base::Lists(),
           py::arg("inDilations") = Base::Lists(), py::arg("pads") = Base::Lists(),
           py::arg("outPads") = Base::Lists(), py::arg("strides") = Base::Lists(),
           py::arg("availableMemoryProportions") = std::vector<float>(),
           py::arg("partialsTypes") = std::vector<std::string>(), py::arg("planType") = py::none(),
           py::arg("perConvReservedTiles") = py::none(), py::arg("cycleBackOff") = py::none(),
           py::arg("enableConvDithering") = std::vector<std::int64_t>(),
           py::arg("debugContext") = DebugContext(),
           "Several convolutions that run at the same time: tensors holds [x, weights] or "
           "[x, weights, bias] of each, the other lists one entry of each.");
  py::class_<AiOnnxMlOpset1>(m, "AiOnnxMlOpset1", "ai.onnx.ml, of which there are no operators.");
}

using Class = py::class_<Builder, std::shared_ptr<Builder>>;

void bindTensors(Class &b) {
  const auto context = py::arg("debugContext") = DebugContext();
  b.def("addInputTensor",
        py::overload_cast<const TensorInfo &, const DebugContext &>(&Builder::addInputTensor),
        py::arg("tensorInfo"), context, "An input of the model; gives its name.")
      .def("addInputTensor",
           py::overload_cast<const std::string &, const Shape &, const DebugContext &>(
               &Builder::addInputTensor),
           py::arg("dataType"), py::arg("shape"), context)
      .def("addInputTensor",
           py::overload_cast<const TensorInfo &, const InputSettings &, const DebugContext &>(
               &Builder::addInputTensor),
           py::arg("tensorInfo"), py::arg("settings"), context)
      .def("addInputTensor",
           py::overload_cast<const std::string &, const Shape &, const InputSettings &,
                             const DebugContext &>(&Builder::addInputTensor),
           py::arg("dataType"), py::arg("shape"), py::arg("settings"), context)
      .def("addUntypedInputTensor", &Builder::addUntypedInputTensor, context,
           "An input of a subgraph, whose type and shape are those of what it is called with.")
      .def("addInputTensorFromParentGraph", &Builder::addInputTensorFromParentGraph,
           py::arg("tensorId"), "Lets a subgraph use a tensor of its parent.")
      .def(
          "addInitializedInputTensor",
          [](Builder &self, const ArrayLike &values, const DebugContext &name) {
            return self.addInitializedInputTensor(PlainArray(values.array).data(), name);
          },
          py::arg("initVal"), context, "A weight with its first value; gives its name.")
      .def(
          "addInitializedInputTensor",
          [](Builder &self, const ArrayLike &values, const VariableSettings &settings,
             const DebugContext &name) {
            return self.addInitializedInputTensor(PlainArray(values.array).data(), settings, name);
          },
          py::arg("initVal"), py::arg("variableSettings"), context)
      .def("addOutputTensor", &Builder::addOutputTensor, py::arg("outputName"),
           "Makes a tensor an output of the model.")
      .def(
          "customOp",
          [](Builder &self, const std::string &type, unsigned version, const std::string &domain,
             const std::vector<TensorId> &inputs, const std::map<std::string, py::object> &given,
             unsigned outputs, const std::string &name) {
            std::map<std::string, any> attributes;
            for (const auto &[key, value] : given)
              attributes[key] = attribute(key, value);
            return self.customOp(OperatorIdentifier(domain, type, version), int(version), inputs,
                                 outputs, attributes, name);
          },
          py::arg("opName"), py::arg("opVersion"), py::arg("domain"), py::arg("inputs"),
          py::arg("attributes"), py::arg("numOutputs") = 1, py::arg("name") = std::string(),
          "A node of an operator by its name; gives the names of its outputs.")
      .def("checkpointOutput", &Builder::checkpointOutput, py::arg("nodeOutputNames"),
           "Copies of these tensors, which are kept when others are recomputed.");
}

void bindModel(Class &b) {
  b.def(
       "getModelProto", [](const Builder &self) { return py::bytes(self.getModelProto()); },
       "The model, as the bytes of an ONNX file.")
      .def("saveModelProto", &Builder::saveModelProto, py::arg("filename"),
           "Writes the model to an ONNX file.")
      .def("saveInitializersExternally", &Builder::saveInitializersExternally, py::arg("ids"),
           py::arg("filename"), "Moves the values of these weights to a file beside the model.")
      .def("embedReplicationFactor", &Builder::embedReplicationFactor, py::arg("replicationFactor"),
           "Notes in the model how many replicas its weights are for.")
      .def("setGraphName", &Builder::setGraphName, py::arg("name"), "Names the graph.")
      .def("pushNameScope", &Builder::pushNameScope, py::arg("name"), "See nameScope.")
      .def("popNameScope", &Builder::popNameScope, "See nameScope.")
      .def("getNameScope", &Builder::getNameScope, py::arg("name") = std::string(),
           "A name with the scopes it is in.")
      .def("getInputTensorIds", &Builder::getInputTensorIds, "Names of the inputs.")
      .def("getOutputTensorIds", &Builder::getOutputTensorIds, "Names of the outputs.")
      .def("getValueTensorIds", &Builder::getValueTensorIds, "Names of what nodes make.")
      .def("getTrainableTensorIds", &Builder::getTrainableTensorIds, "Names of the weights.")
      .def("hasValueInfo", &Builder::hasValueInfo, py::arg("id"),
           "Whether type and shape of a tensor are known.")
      .def("getTensorShape", &Builder::getTensorShape, py::arg("id"), "The shape of a tensor.")
      .def("getTensorDtypeString", &Builder::getTensorDtypeString, py::arg("id"),
           "The type of a tensor, as numpy names it.")
      .def("isInitializer", &Builder::isInitializer, py::arg("id"),
           "Whether a tensor is a weight.");
}

void bindNodes(Class &b) {
  const auto outputs = py::arg("nodeOutputNames"), output = py::arg("nodeOutputName");
  const auto name = py::arg("attributeName");
  b.def(
       "addNodeAttribute",
       [](Builder &self, const std::string &key, const py::object &value, const Ids &ids) {
         if (py::isinstance<py::bool_>(value))
           self.addNodeAttribute(key, value.cast<bool>(), ids);
         else
           withAttribute(key, value, [&](const auto &v) { self.addNodeAttribute(key, v, ids); });
       },
       name, py::arg("attributeValue"), outputs,
       "Adds an attribute to the node that makes all of these tensors.")
      .def("nodeHasAttribute", &Builder::nodeHasAttribute, name, outputs, "Whether it has it.")
      .def("getInt64NodeAttribute", &Builder::getInt64NodeAttribute, name, outputs, "Its value.")
      .def("getInt64VectorNodeAttribute", &Builder::getInt64VectorNodeAttribute, name, outputs,
           "Its value.")
      .def("getFloatNodeAttribute", &Builder::getFloatNodeAttribute, name, outputs, "Its value.")
      .def("getFloatVectorNodeAttribute", &Builder::getFloatVectorNodeAttribute, name, outputs,
           "Its value.")
      .def("getStringNodeAttribute", &Builder::getStringNodeAttribute, name, outputs, "Its value.")
      .def("getStringVectorNodeAttribute", &Builder::getStringVectorNodeAttribute, name, outputs,
           "Its value.")
      .def("removeNodeAttribute", &Builder::removeNodeAttribute, name, outputs, "Takes it away.")
      .def("getAllNodeAttributeNames", &Builder::getAllNodeAttributeNames, outputs,
           "The names of a node's attributes.")
      .def("excludePatterns", &Builder::excludePatterns, output, py::arg("patternNames"),
           "Patterns that leave this node alone.")
      .def("setPartialsType", &Builder::setPartialsType, output, py::arg("partialsType"),
           "The type of a convolution's or product's partial sums: FLOAT or HALF.")
      .def("getPartialsType", &Builder::getPartialsType, output, "What setPartialsType said.")
      .def("setAvailableMemoryProportion",
           py::overload_cast<const TensorId &, const float>(&Builder::setAvailableMemoryProportion),
           output, py::arg("availableMemoryProportion"),
           "How much of a tile's memory the node's temporary values may use: above 0, up to 1.")
      .def("setAvailableMemoryProportion",
           py::overload_cast<const Ids &, const float>(&Builder::setAvailableMemoryProportion),
           outputs, py::arg("availableMemoryProportion"))
      .def("setEnableConvDithering", &Builder::setEnableConvDithering, output, py::arg("value"),
           "Whether a convolution begins at another tile than its neighbours: 0 or 1.")
      .def("setSerializeMatMul", &Builder::setSerializeMatMul, outputs, py::arg("mode"),
           py::arg("factor") = 0, py::arg("keep_precision") = false,
           "Cuts a product along input_channels, reducing_dim or output_channels; or none.")
      .def("setInplacePreferences", &Builder::setInplacePreferences, output, py::arg("prefs"),
           "Which variants in place a node may become, by priority.")
      .def("getRecomputeOutputInBackwardPass", &Builder::getRecomputeOutputInBackwardPass, output,
           "Whether the backward pass computes a tensor again.");
}

// What the Python class makes scopes of.
void bindScopes(Class &b) {
  const auto outputs = py::arg("nodeOutputNames"), name = py::arg("attribute");
  b.def(
       "setAttribute",
       [](Builder &self, const std::string &key, const py::object &value) {
         self.setAttribute(key, attribute(key, value));
       },
       name, py::arg("value"), "Gives an attribute to all nodes from here on.")
      .def(
          "getAttribute",
          [](const Builder &self, const std::string &key) {
            return fromAttribute(self.getAttribute(key));
          },
          name, "What setAttribute gave.")
      .def("hasAttribute", &Builder::hasAttribute, name, "Whether setAttribute gave it.")
      .def("clearAttribute", &Builder::clearAttribute, name, "Ends setAttribute.")
      .def("_virtualGraph", py::overload_cast<const Ids &, std::int64_t>(&Builder::virtualGraph),
           outputs, py::arg("value"))
      .def("_pipelineStage", py::overload_cast<const Ids &, std::int64_t>(&Builder::pipelineStage),
           outputs, py::arg("value"))
      .def("_executionPhase",
           py::overload_cast<const Ids &, std::int64_t>(&Builder::executionPhase), outputs,
           py::arg("value"))
      .def("_recomputeOutput",
           py::overload_cast<const Ids &, RecomputeType>(&Builder::recomputeOutputInBackwardPass),
           outputs, py::arg("value"))
      .def("_outputTensorLocation", &Builder::outputTensorLocation, py::arg("nodeOutputName"),
           py::arg("value"))
      .def("_getVirtualGraph", py::overload_cast<const Ids &>(&Builder::getVirtualGraph), outputs)
      .def("getVirtualGraph", py::overload_cast<>(&Builder::getVirtualGraph, py::const_),
           "The virtual graph of the scope.")
      .def("getPipelineStage", &Builder::getPipelineStage, "The stage of the scope.")
      .def("getExecutionPhase", &Builder::getExecutionPhase, "The phase of the scope.")
      .def("hasVirtualGraph", &Builder::hasVirtualGraph, "Whether the scope has one.")
      .def("hasPipelineStage", &Builder::hasPipelineStage, "Whether the scope has one.")
      .def("hasExecutionPhase", &Builder::hasExecutionPhase, "Whether the scope has one.");
}

} // namespace

void bindBuilder(py::module &m) {
  bindGraphcoreBase(m);
  Class b(m, "_BuilderCore", "Makes ONNX models from code, operator by operator.");
  b.def(py::init([] { return std::shared_ptr<Builder>(Builder::create()); }), "An empty model.")
      .def(py::init([](const std::string &model) { // text or bytes
             return std::shared_ptr<Builder>(Builder::createFromOnnxModel(model));
           }),
           py::arg("modelProtoOrFilename"), "A model to go on from.")
      .def(py::init([](Builder &parent) { // which owns it
             return std::shared_ptr<Builder>(&parent.createSubgraphBuilder(), [](Builder *) {});
           }),
           py::keep_alive<1, 2>(), py::arg("parent"), "The body of a call, loop, scan or branch.")
      .def("hasParent", &Builder::hasParent, "Whether it is of a subgraph.")
      .def("_useOpset", &Builder::useOpset, py::arg("domain"), py::arg("version"))
      .def("_onnxOpset", &Builder::getOpsetVersion);
  bindTensors(b);
  bindModel(b);
  bindNodes(b);
  bindScopes(b);
  m.attr("defaultAiOnnxOpset") = defaultAiOnnxOpset;
  m.attr("defaultAiOnnxMlOpset") = defaultAiOnnxMlOpset;
  m.attr("defaultAiGraphcoreOpset") = defaultAiGraphcoreOpset;
}

// When the classes they return are there.
void bindOpsets(py::module &m) {
  auto b = m.attr("_BuilderCore").cast<Class>();
  b.def("_aiOnnxMlOpset1", &Builder::aiOnnxMlOpset1)
      .def("_aiGraphcoreOpset1", &Builder::aiGraphcoreOpset1);
#define OPSET(n) b.def("_aiOnnxOpset" #n, &Builder::aiOnnxOpset##n);
  OPSET(6)
  OPSET(7)
  OPSET(8) OPSET(9) OPSET(10) OPSET(11) OPSET(12) OPSET(13) OPSET(14) OPSET(15) OPSET(16) OPSET(17)
#undef OPSET
}
