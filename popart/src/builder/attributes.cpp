// SPDX-License-Identifier: MIT
// Attributes of nodes, one by one and by what they mean.
#include "builder/attributes.hpp"
#include "base/Text.hpp"
#include "builder/impl.hpp"
#include "onnx/attributes.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart {

// Enumerations travel by name, groups of replicas as {kind, size}.
static std::string nameAt(const std::string &attribute, const std::vector<const char *> &names,
                          int value) {
  if (value < 0 || std::size_t(value) >= names.size())
    throw error(base::str("Attribute \"", attribute, "\" is ", value, "; it must be one of ",
                          base::list(names, ", "), "."));
  return names[std::size_t(value)];
}
void OpsetAttributes::add(const std::string &name, ReductionType value) {
  all_[name] = nameAt(name, {"Sum", "Mean", "NoReduction"}, static_cast<int>(value));
}
void OpsetAttributes::add(const std::string &name, ScatterReduction value) {
  all_[name] = nameAt(name, {"sum", "max", "min", "mul", "none"}, static_cast<int>(value));
}
void OpsetAttributes::add(const std::string &name, CollectiveOperator value) {
  all_[name] = static_cast<std::int64_t>(value);
}
void OpsetAttributes::add(const std::string &name, const CommGroup &value) {
  all_[name] = std::vector<std::int64_t>{static_cast<std::int64_t>(value.type),
                                         static_cast<std::int64_t>(value.replicaGroupSize)};
}

namespace builder {

void set(onnx::AttributeProto &out, const std::string &name, const any &value) {
  out.Clear();
  out.set_name(name);
  if (const auto *i = value.get<std::int64_t>()) {
    out.set_type(onnx::AttributeProto::INT);
    out.set_i(*i);
  } else if (const auto *i = value.get<int>()) {
    out.set_type(onnx::AttributeProto::INT);
    out.set_i(*i);
  } else if (const auto *b = value.get<bool>()) {
    out.set_type(onnx::AttributeProto::INT);
    out.set_i(*b);
  } else if (const auto *f = value.get<float>()) {
    out.set_type(onnx::AttributeProto::FLOAT);
    out.set_f(*f);
  } else if (const auto *f = value.get<double>()) {
    out.set_type(onnx::AttributeProto::FLOAT);
    out.set_f(static_cast<float>(*f));
  } else if (const auto *s = value.get<std::string>()) {
    out.set_type(onnx::AttributeProto::STRING);
    out.set_s(*s);
  } else if (const auto *s = value.get<const char *>()) {
    out.set_type(onnx::AttributeProto::STRING);
    out.set_s(*s);
  } else if (const auto *list = value.get<std::vector<std::int64_t>>()) {
    out.set_type(onnx::AttributeProto::INTS);
    for (auto i : *list)
      out.add_ints(i);
  } else if (const auto *list = value.get<std::vector<float>>()) {
    out.set_type(onnx::AttributeProto::FLOATS);
    for (auto f : *list)
      out.add_floats(f);
  } else if (const auto *list = value.get<std::vector<std::string>>()) {
    out.set_type(onnx::AttributeProto::STRINGS);
    for (const auto &s : *list)
      out.add_strings(s);
  } else if (const auto *data = value.get<ConstVoidData>()) {
    out.set_type(onnx::AttributeProto::TENSOR);
    setTensor(*out.mutable_t(), "", *data);
  } else
    throw error(base::str("Attribute \"", name,
                          "\" has a type that nodes cannot carry. There are integers, floats, "
                          "texts, lists of them, and tensors."));
}

void setTensor(onnx::TensorProto &out, const std::string &name, const ConstVoidData &data) {
  switch (data.info.dataType()) {
  case DataType::DOUBLE:
  case DataType::STRING:
  case DataType::BFLOAT16:
  case DataType::COMPLEX64:
  case DataType::COMPLEX128:
  case DataType::FLOAT8_143:
  case DataType::FLOAT8_152:
  case DataType::UNDEFINED:
    throw error(base::str("\"", name, "\" cannot be of type ", nameOf(data.info.dataType()),
                          ". Convert the data to float32, float16 or an integer type."));
  default:;
  }
  if (!data.data && data.info.nbytes())
    throw error(base::str("\"", name, "\" is ", data.info, ", but no data is given for it."));
  out.set_name(name);
  onnxmodel::writeFields(out, data.info, data.data);
}

} // namespace builder

namespace {

onnx::AttributeProto *find(onnx::NodeProto &node, const std::string &name) {
  for (auto &attribute : *node.mutable_attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}
const onnx::AttributeProto &require(onnx::NodeProto &node, const std::string &name,
                                    onnx::AttributeProto::AttributeType type) {
  const auto *attribute = find(node, name);
  if (!attribute)
    throw error(base::str("The node that makes \"", node.output(0), "\" (", node.op_type(),
                          ") has no attribute \"", name, "\"."));
  if (attribute->type() != type)
    throw error(base::str("Attribute \"", name, "\" of the node that makes \"", node.output(0),
                          "\" is ", onnx::AttributeProto::AttributeType_Name(attribute->type()),
                          ", not ", onnx::AttributeProto::AttributeType_Name(type), "."));
  return *attribute;
}
void addNew(onnx::NodeProto &node, const std::string &name, const any &value) {
  if (find(node, name))
    throw error(base::str("The node that makes \"", node.output(0), "\" has an attribute \"", name,
                          "\" already."));
  builder::set(*node.add_attribute(), name, value);
}
void overwrite(onnx::NodeProto &node, const std::string &name, const any &value) {
  auto *attribute = find(node, name);
  builder::set(attribute ? *attribute : *node.add_attribute(), name, value);
}
void overwritePlace(onnx::NodeProto &node, const std::string &name, std::int64_t value) {
  onnxmodel::checkPlace(name, value);
  overwrite(node, name, value);
}
template <class List> auto listOf(const List &list) {
  return std::vector<std::decay_t<decltype(*list.begin())>>(list.begin(), list.end());
}

} // namespace

#define POPART_ADD(T)                                                                              \
  void Builder::addNodeAttribute(const std::string &name, T value,                                 \
                                 const std::set<TensorId> &outputs) {                              \
    addNew(impl_->nodeOf(outputs), name, any(value));                                              \
  }
POPART_ADD(const std::int64_t &)
POPART_ADD(const std::vector<std::int64_t> &)
POPART_ADD(const float &)
POPART_ADD(const std::vector<float> &)
POPART_ADD(const std::string &)
POPART_ADD(const std::vector<std::string> &)
POPART_ADD(const bool)
POPART_ADD(const ConstVoidData &)
#undef POPART_ADD
void Builder::addNodeAttribute(const std::string &name, const char *value,
                               const std::set<TensorId> &outputs) {
  addNodeAttribute(name, std::string(value), outputs);
}

bool Builder::nodeHasAttribute(const std::string &name, const std::set<TensorId> &outputs) {
  return find(impl_->nodeOf(outputs), name) != nullptr;
}
std::int64_t Builder::getInt64NodeAttribute(const std::string &name,
                                            const std::set<TensorId> &outputs) {
  return require(impl_->nodeOf(outputs), name, onnx::AttributeProto::INT).i();
}
std::vector<std::int64_t> Builder::getInt64VectorNodeAttribute(const std::string &name,
                                                               const std::set<TensorId> &outputs) {
  return listOf(require(impl_->nodeOf(outputs), name, onnx::AttributeProto::INTS).ints());
}
float Builder::getFloatNodeAttribute(const std::string &name, const std::set<TensorId> &outputs) {
  return require(impl_->nodeOf(outputs), name, onnx::AttributeProto::FLOAT).f();
}
std::vector<float> Builder::getFloatVectorNodeAttribute(const std::string &name,
                                                        const std::set<TensorId> &outputs) {
  return listOf(require(impl_->nodeOf(outputs), name, onnx::AttributeProto::FLOATS).floats());
}
std::string Builder::getStringNodeAttribute(const std::string &name,
                                            const std::set<TensorId> &outputs) {
  return require(impl_->nodeOf(outputs), name, onnx::AttributeProto::STRING).s();
}
std::vector<std::string> Builder::getStringVectorNodeAttribute(const std::string &name,
                                                               const std::set<TensorId> &outputs) {
  return listOf(require(impl_->nodeOf(outputs), name, onnx::AttributeProto::STRINGS).strings());
}
void Builder::removeNodeAttribute(const std::string &name, const std::set<TensorId> &outputs) {
  auto &node = impl_->nodeOf(outputs);
  auto &all = *node.mutable_attribute();
  for (int i = 0; i < all.size(); ++i)
    if (all[i].name() == name) {
      all.DeleteSubrange(i, 1);
      return;
    }
  throw error(
      base::str("The node that makes \"", node.output(0), "\" has no attribute \"", name, "\"."));
}
std::vector<std::string> Builder::getAllNodeAttributeNames(const std::set<TensorId> &outputs) {
  std::vector<std::string> names;
  for (const auto &attribute : impl_->nodeOf(outputs).attribute())
    names.push_back(attribute.name());
  return names;
}

// ---- by meaning

void Builder::virtualGraph(const TensorId &output, std::int64_t value) {
  virtualGraph(std::set<TensorId>{output}, value);
}
void Builder::virtualGraph(const std::set<TensorId> &outputs, std::int64_t value) {
  overwritePlace(impl_->nodeOf(outputs), sVirtualGraphAttribute, value);
}
void Builder::pipelineStage(const TensorId &output, std::int64_t value) {
  pipelineStage(std::set<TensorId>{output}, value);
}
void Builder::pipelineStage(const std::set<TensorId> &outputs, std::int64_t value) {
  overwritePlace(impl_->nodeOf(outputs), sPipelineStageAttribute, value);
}
void Builder::executionPhase(const TensorId &output, std::int64_t value) {
  executionPhase(std::set<TensorId>{output}, value);
}
void Builder::executionPhase(const std::set<TensorId> &outputs, std::int64_t value) {
  overwritePlace(impl_->nodeOf(outputs), sExecutionPhaseAttribute, value);
}
std::int64_t Builder::getVirtualGraph(const TensorId &output) {
  return getVirtualGraph(std::set<TensorId>{output});
}
std::int64_t Builder::getVirtualGraph(const std::set<TensorId> &outputs) {
  return getInt64NodeAttribute(sVirtualGraphAttribute, outputs);
}

namespace {
std::int64_t scopeValue(const Builder &builder, const char *attribute, const char *what) {
  if (!builder.hasAttribute(attribute))
    throw error(base::str("No ", what, " is set in the current scope."));
  onnx::AttributeProto value;
  builder::set(value, attribute, builder.getAttribute(attribute));
  if (value.type() != onnx::AttributeProto::INT)
    throw error(base::str("The ", what, " of the current scope is no integer."));
  return value.i();
}
} // namespace
std::int64_t Builder::getVirtualGraph() const {
  return scopeValue(*this, sVirtualGraphAttribute, "virtual graph");
}
std::int64_t Builder::getPipelineStage() const {
  return scopeValue(*this, sPipelineStageAttribute, "pipeline stage");
}
std::int64_t Builder::getExecutionPhase() const {
  return scopeValue(*this, sExecutionPhaseAttribute, "execution phase");
}

void Builder::recomputeOutput(const TensorId &output, RecomputeType value) {
  recomputeOutputInBackwardPass(std::set<TensorId>{output}, value);
}
void Builder::recomputeOutputInBackwardPass(const TensorId &output, RecomputeType value) {
  recomputeOutputInBackwardPass(std::set<TensorId>{output}, value);
}
void Builder::recomputeOutputInBackwardPass(const std::set<TensorId> &outputs,
                                            RecomputeType value) {
  overwrite(impl_->nodeOf(outputs), sRecomputeOutputAttribute, static_cast<std::int64_t>(value));
}
bool Builder::getRecomputeOutputInBackwardPass(const TensorId &output) {
  return nodeHasAttribute(sRecomputeOutputAttribute, {output}) &&
         getInt64NodeAttribute(sRecomputeOutputAttribute, {output}) ==
             static_cast<std::int64_t>(RecomputeType::Recompute);
}
void Builder::outputTensorLocation(const TensorId &output, TensorLocation location) {
  overwrite(impl_->nodeOf({output}), sOutputTensorLocationAttribute,
            std::vector<std::int64_t>{
                static_cast<std::int64_t>(location.storage),
                static_cast<std::int64_t>(location.loadTileSet),
                static_cast<std::int64_t>(location.storageTileSet),
                static_cast<std::int64_t>(location.replicatedTensorSharding),
                static_cast<std::int64_t>(location.shardingDomain.type),
                static_cast<std::int64_t>(location.shardingDomain.replicaGroupSize)});
}
void Builder::excludePatterns(const TensorId &output, const std::vector<OpType> &patterns) {
  overwrite(impl_->nodeOf({output}), sExcludePatternsAttribute, patterns);
}

namespace {
void requireProduct(const onnx::NodeProto &node, const char *what) {
  if (node.op_type() != "Conv" && node.op_type() != "MatMul")
    throw error(base::str(what, " is for Conv and MatMul; \"", node.output(0), "\" is made by ",
                          node.op_type(), "."));
}
} // namespace
void Builder::setPartialsType(const TensorId &output, const std::string partialsType) {
  auto &node = impl_->nodeOf({output});
  requireProduct(node, "setPartialsType");
  overwrite(node, sPartialsTypeAttribute, partialsType);
}
std::string Builder::getPartialsType(const TensorId &output) {
  auto &node = impl_->nodeOf({output});
  requireProduct(node, "getPartialsType");
  const auto *attribute = find(node, sPartialsTypeAttribute);
  return attribute ? attribute->s() : "FLOAT";
}
void Builder::setAvailableMemoryProportion(const TensorId &output, const float proportion) {
  setAvailableMemoryProportion(std::set<TensorId>{output}, proportion);
}
void Builder::setAvailableMemoryProportion(const std::set<TensorId> &outputs,
                                           const float proportion) {
  if (!(proportion > 0 && proportion <= 1))
    throw error(base::str("availableMemoryProportion must be in (0,1], not ", proportion, "."));
  overwrite(impl_->nodeOf(outputs), sAvailMemAttribute, proportion);
}
void Builder::setEnableConvDithering(const TensorId &output, std::int64_t value) {
  if (value != 0 && value != 1)
    throw error(base::str("enableConvDithering must be 0 or 1, not ", value, "."));
  overwrite(impl_->nodeOf({output}), sEnableConvDitheringAttribute, value);
}
void Builder::setSerializeMatMul(const std::set<TensorId> &outputs, std::string mode,
                                 std::int64_t factor, bool keepPrecision) {
  const std::vector<std::string> modes{"input_channels", "reducing_dim", "output_channels", "none"};
  if (std::find(modes.begin(), modes.end(), mode) == modes.end())
    throw error(base::str("Unknown way to serialise a MatMul, \"", mode, "\".",
                          base::didYouMean(mode, modes), " There are ", base::list(modes, ", "),
                          "."));
  auto &node = impl_->nodeOf(outputs);
  if (node.op_type() != "MatMul")
    throw error(base::str("setSerializeMatMul is for MatMul; \"", node.output(0), "\" is made by ",
                          node.op_type(), "."));
  overwrite(node, sSerializeMatMulModeAttribute, mode);
  if (mode != "none") {
    overwrite(node, sSerializeMatMulFactorAttribute, factor);
    overwrite(node, sSerializeMatMulPrecAttribute, std::int64_t(keepPrecision));
  }
}
void Builder::setInplacePreferences(const TensorId &output,
                                    const std::map<OpType, float> &priorities) {
  std::vector<std::string> names;
  std::vector<float> values;
  for (const auto &[name, value] : priorities) {
    names.push_back(name);
    values.push_back(value);
  }
  overwrite(impl_->nodeOf({output}), sInplaceOpNames, names);
  overwrite(impl_->nodeOf({output}), sInplaceOpPriorities, values);
}

} // namespace popart
