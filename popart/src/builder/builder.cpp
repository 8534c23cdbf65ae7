// SPDX-License-Identifier: MIT
#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include "builder/attributes.hpp"
#include "builder/impl.hpp"
#include "onnx/check.hpp"
#include "onnx/export.hpp"
#include "onnx/formals.hpp"
#include "opdef/importing.hpp"
#include <algorithm>
#include <filesystem>
#include <onnx/checker.h>
#include <popart/error.hpp>

namespace popart {

namespace {
constexpr int oldestIrVersion = 3, newerIrVersion = 4;
std::string nameOf(const DebugContext &context) { return context.getPathName(); }
OpsetAttributes allOf(const std::map<std::string, any> &attributes) {
  OpsetAttributes out;
  for (const auto &[name, value] : attributes)
    out.set(name, value);
  return out;
}
} // namespace

// ---- inside

Builder::Impl::Impl(Builder *parentBuilder) : parent(parentBuilder) {
  if (parent) {
    root = parent->impl_->root;
    own = std::make_unique<onnx::GraphProto>();
    graph = own.get();
  } else {
    root = this;
    model = std::make_shared<onnx::ModelProto>();
    model->set_ir_version(newerIrVersion);
    model->set_producer_name("OpenIPU");
    graph = model->mutable_graph();
  }
  static std::uint64_t count = 0;
  graph->set_name(base::str("BuilderGraph_", count++));
  importer = std::make_unique<onnxmodel::Importer>(shapes);
}

TensorId Builder::Impl::freeName(const std::string &wanted) {
  auto &used = root->names;
  std::string name = wanted;
  while (!used.insert(name).second)
    name = base::str(wanted, '/', ++root->taken[wanted]);
  mine.insert(name);
  return name;
}

bool Builder::Impl::knows(const TensorId &id) const {
  return mine.count(id) || (parent && parent->impl_->knows(id));
}
void Builder::Impl::checkInputs(const OpType &type, const std::vector<TensorId> &inputs) {
  for (const auto &id : inputs)
    if (!id.empty() && !knows(id))
      throw error(base::str(type, ": there is no tensor \"", id, "\" to read.",
                            base::didYouMean(id, {mine.begin(), mine.end()})));
}

void Builder::Impl::lockOpset(const OpDomain &domain, int version) {
  const std::string key = domain == Domain::ai_onnx ? "" : domain;
  for (const auto &import : root->model->opset_import())
    if (import.domain() == key) {
      if (import.version() != version)
        throw error(base::str("Invalid opset ", version, " selected. Opset for domain ", domain,
                              " already defined as ", import.version(),
                              "; one model has one opset of a domain."));
      return;
    }
  auto *import = root->model->add_opset_import();
  import->set_domain(key);
  import->set_version(version);
  if (key.empty())
    root->model->set_ir_version(version <= 8 ? oldestIrVersion : newerIrVersion);
}

std::string Builder::Impl::scoped(const std::string &name) const {
  std::string out;
  for (const auto &scope : scopes)
    out += scope + "/";
  return out + name;
}

static std::int64_t typeNumber(const std::string &name) {
  return onnxmodel::typeToOnnx(TensorInfo(name, Shape{}).dataType());
}

static bool isEmptyList(const OpDomain &domain, const any &value) {
  const auto *list = value.get<std::vector<std::int64_t>>();
  return domain == Domain::ai_onnx && list && list->empty();
}

std::vector<TensorId> Builder::Impl::addOperator(const OpDomain &domain, const OpType &type,
                                                 int opsetVersion,
                                                 const std::vector<TensorId> &inputs,
                                                 const OpsetAttributes &given, unsigned outputs,
                                                 const DebugContext &debugContext) {
  if (outputs > onnxmodel::mostOutputs)
    throw error(base::str(type, ": ", outputs, " outputs are asked for; a node can have ",
                          onnxmodel::mostOutputs, "."));
  return addNode(domain, type, opsetVersion, inputs, given, std::vector<TensorId>(outputs),
                 debugContext);
}
std::vector<TensorId> Builder::Impl::addNode(const OpDomain &domain, const OpType &type,
                                             int opsetVersion, const std::vector<TensorId> &inputs,
                                             const OpsetAttributes &given,
                                             const std::vector<TensorId> &outputs,
                                             const DebugContext &debugContext) {
  checkInputs(type, inputs);
  for (const auto &id : outputs)
    if (root->names.count(id))
      throw error(base::str(type, ": there is a tensor \"", id, "\" already."));
  lockOpset(domain, opsetVersion);
  onnx::NodeProto node;
  node.set_op_type(type);
  node.set_domain(domain == Domain::ai_onnx ? "" : domain);
  const auto name = nameOf(debugContext);
  node.set_name(scoped(name.empty() && !scopes.empty() ? type : name));
  for (const auto &id : inputs)
    node.add_input(id);
  bool means = domain == Domain::ai_onnx && (type == "Scan" || type == "ConvTranspose");
  for (const auto &[key, value] : given.all()) {
    if (const auto *body = value.get<const Builder *>()) {
      auto &attribute = *node.add_attribute();
      attribute.set_name(key);
      attribute.set_type(onnx::AttributeProto::GRAPH);
      *attribute.mutable_g() = *(*body)->impl_->graph;
    } else if (isEmptyList(domain, value)) {
      means = true; // none, which is not the same as absent; ONNX's checker knows no empty lists
    } else if (const auto *text = value.get<std::string>(); text && type == "Cast" && key == "to")
      builder::set(*node.add_attribute(), key,
                   typeNumber(*text)); // a name for us, a number in ONNX
    else
      builder::set(*node.add_attribute(), key, value);
  }
  for (const auto &[key, value] : attributes)
    if (!given.all().count(key))
      builder::set(*node.add_attribute(), key, value);
  if (means)
    builder::set(*node.add_attribute(), ops::sBuilderMeaning, std::int64_t(1));
  std::vector<TensorId> made;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    made.push_back(freeName(outputs[i].empty() ? scoped(base::str(type, ':', i)) : outputs[i]));
    node.add_output(made.back());
  }
  infer(node);
  *graph->add_node() = std::move(node);
  return made;
}

// Data with a dimension of groups in front. How many replicas there will be is not known, so that
// groups of replicas are taken to be several.
TensorInfo Builder::Impl::ofOneReplica(const TensorInfo &all, const VariableSettings &settings) {
  if (settings.getSharedVariableDomain().type == CommGroupType::All || all.shape().empty())
    return all;
  root->guessed = true;
  return {all.dataType(), Shape(all.shape().begin() + 1, all.shape().end())};
}

const TensorInfo *Builder::Impl::infoOf(const TensorId &id) const {
  const auto v = shapes.find(id);
  if (v != ir::none)
    return &shapes[v].info;
  return parent && !mine.count(id) ? parent->impl_->infoOf(id) : nullptr;
}

onnx::NodeProto &Builder::Impl::nodeOf(const std::set<TensorId> &outputs) {
  for (auto &node : *graph->mutable_node()) {
    const std::set<TensorId> own(node.output().begin(), node.output().end());
    if (own == outputs)
      return node;
    if (!outputs.empty() && own.count(*outputs.begin()))
      throw error(base::str("The node that makes \"", *outputs.begin(), "\" has the outputs ",
                            base::list(own, ", "), "; name all of them."));
  }
  throw error(base::str("No node of this graph makes ", base::list(outputs, ", "), "."));
}

// ---- outside

Builder::Builder() = default;
Builder::~Builder() = default;
std::shared_ptr<OpsetTarget> Builder::target() { return impl_; }

std::unique_ptr<Builder> Builder::create() {
  std::unique_ptr<Builder> builder(new Builder);
  builder->impl_ = std::make_shared<Impl>(nullptr);
  return builder;
}
std::unique_ptr<Builder> Builder::createFromOnnxModel(const std::string &modelOrFile) {
  std::error_code ignored;
  const bool isFile =
      modelOrFile.size() < 4096 && std::filesystem::is_regular_file(modelOrFile, ignored);
  const auto loaded =
      isFile ? onnxmodel::loadModel(modelOrFile) : onnxmodel::parseModel(modelOrFile);
  auto builder = create();
  builder->impl_->adopt(loaded.whole(), loaded.folder);
  return builder;
}

void Builder::Impl::adopt(onnx::ModelProto loaded, const std::filesystem::path &folder) {
  onnxmodel::opsetsOf(loaded); // says which can be read
  *model = std::move(loaded);
  graph = model->mutable_graph();
  importer = std::make_unique<onnxmodel::Importer>(shapes, onnxmodel::Importer::Opsets{},
                                                   onnxmodel::TensorReader(folder));
  std::set<TensorId> initialised;
  for (const auto &tensor : graph->initializer()) {
    initialised.insert(tensor.name());
    importer->addInitializer(tensor.name(), importer->reader().read(tensor), ir::Kind::Variable);
    root->names.insert(tensor.name());
    mine.insert(tensor.name());
  }
  for (const auto &input : graph->input()) {
    root->names.insert(input.name());
    mine.insert(input.name());
    if (initialised.count(input.name()))
      continue;
    if (const auto info = builder::fixedInfo(input.type()))
      importer->addInput(input.name(), *info);
    else
      unknown.insert(input.name());
  }
  for (const auto &node : graph->node()) {
    for (const auto &id : node.output()) {
      root->names.insert(id);
      mine.insert(id);
    }
    infer(node);
  }
}

Builder &Builder::createSubgraphBuilder() {
  std::unique_ptr<Builder> child(new Builder);
  child->impl_ = std::make_shared<Impl>(this);
  impl_->children.push_back(std::move(child));
  return *impl_->children.back();
}
Builder *Builder::getParent() const { return impl_->parent; }
int Builder::getOpsetVersion() const {
  for (const auto &import : impl_->root->model->opset_import())
    if (import.domain().empty() || import.domain() == Domain::ai_onnx)
      return static_cast<int>(import.version());
  return 0;
}

TensorId Builder::addInputTensor(const TensorInfo &info, const DebugContext &debugContext) {
  return addInputTensor(info, InputSettings(), debugContext);
}
TensorId Builder::addInputTensor(const std::string &dataType, const Shape &shape,
                                 const DebugContext &debugContext) {
  return addInputTensor(TensorInfo(dataType, shape), InputSettings(), debugContext);
}
TensorId Builder::addInputTensor(const std::string &dataType, const Shape &shape,
                                 const InputSettings &settings, const DebugContext &debugContext) {
  return addInputTensor(TensorInfo(dataType, shape), settings, debugContext);
}
TensorId Builder::addInputTensor(const TensorInfo &info, const InputSettings &settings,
                                 const DebugContext &debugContext) {
  const auto name = nameOf(debugContext);
  const auto id = impl_->freeName(impl_->scoped(name.empty() ? "input" : name));
  builder::describe(*impl_->graph->add_input(), id, info);
  impl_->importer->addInput(id, info);
  const auto note = [&](const char *key, int value) {
    auto *entry = impl_->root->model->add_metadata_props();
    entry->set_key(base::str("__", key, "/", id));
    entry->set_value(std::to_string(value));
  };
  if (settings.replicatedStreamMode() != ReplicatedStreamMode::Replicate)
    note("replicated_stream_mode", static_cast<int>(settings.replicatedStreamMode()));
  if (settings.tileSet() != TileSet::Compute)
    note("tile_set", static_cast<int>(settings.tileSet()));
  if (settings.exchangeStrategy() != ExchangeStrategy::JustInTime)
    note("exchange_strategy", static_cast<int>(settings.exchangeStrategy()));
  return id;
}
TensorId Builder::addUntypedInputTensor(const DebugContext &debugContext) {
  if (!impl_->parent)
    throw error(
        "addUntypedInputTensor is for subgraphs; inputs of a model have a type and a shape.");
  const auto name = nameOf(debugContext);
  const auto id = impl_->freeName(impl_->scoped(name.empty() ? "input" : name));
  impl_->graph->add_input()->set_name(id);
  impl_->unknown.insert(id);
  return id;
}
void Builder::addInputTensorFromParentGraph(const TensorId &id) {
  if (!impl_->parent || !impl_->parent->impl_->knows(id))
    throw error(
        base::str("addInputTensorFromParentGraph: no parent graph has a tensor \"", id, "\"."));
  for (const auto &input : impl_->graph->input())
    if (input.name() == id)
      return;
  auto *input = impl_->graph->add_input();
  if (const auto *info = impl_->infoOf(id))
    builder::describe(*input, id, *info);
  else
    input->set_name(id);
}
TensorId Builder::addInitializedInputTensor(const ConstVoidData &data,
                                            const DebugContext &debugContext) {
  return addInitializedInputTensor(data, VariableSettings(), debugContext);
}
TensorId Builder::addInitializedInputTensor(const ConstVoidData &data,
                                            const VariableSettings &settings,
                                            const DebugContext &debugContext) {
  const auto name = nameOf(debugContext);
  const std::string wanted = impl_->scoped(name.empty() ? "init_input" : name);
  onnx::TensorProto tensor;
  builder::setTensor(tensor, wanted, data); // says what is wrong before anything is added
  const auto id = impl_->freeName(wanted);
  tensor.set_name(id);
  builder::describe(*impl_->graph->add_input(), id, data.info);
  const auto *begin = static_cast<const char *>(data.data);
  const TensorInfo one = impl_->ofOneReplica(data.info, settings);
  impl_->importer->addInitializer(
      id, ir::HostTensor(one, std::vector<char>(begin, begin + one.nbytes())),
      data.info.dataType() == DataType::INT64 ? ir::Kind::Constant : ir::Kind::Variable);
  *impl_->graph->add_initializer() = std::move(tensor);
  if (!(settings == VariableSettings())) {
    auto *entry = impl_->root->model->add_metadata_props();
    entry->set_key("__variable_settings/" + id);
    const auto &group = settings.getSharedVariableDomain();
    entry->set_value(base::str(static_cast<int>(group.type), ' ', group.replicaGroupSize, ' ',
                               static_cast<int>(settings.getRetrievalMode()),
                               settings.getStride() ? base::str(' ', settings.getStride()) : ""));
  }
  return id;
}
void Builder::addOutputTensor(const TensorId &id) {
  impl_->checkInputs("addOutputTensor", {id});
  auto *output = impl_->graph->add_output();
  if (const auto *info = impl_->infoOf(id))
    builder::describe(*output, id, *info);
  else
    output->set_name(id);
}

// Custom operators have version 1 of their domain, unless the model says otherwise.
int Builder::Impl::customVersion(const OperatorIdentifier &opid) const {
  if (opid.domain == Domain::ai_onnx)
    return static_cast<int>(opid.version);
  for (const auto &import : root->model->opset_import())
    if (import.domain() == opid.domain)
      return static_cast<int>(import.version());
  return 1;
}
std::vector<TensorId> Builder::customOp(const OperatorIdentifier &opid, int,
                                        const std::vector<TensorId> &inputs, unsigned numOutputs,
                                        const std::map<std::string, any> &attributes,
                                        const DebugContext &debugContext) {
  return impl_->addOperator(opid.domain, opid.type, impl_->customVersion(opid), inputs,
                            allOf(attributes), numOutputs, debugContext);
}
void Builder::customOp(const OperatorIdentifier &opid, int, const std::vector<TensorId> &inputs,
                       const std::vector<TensorId> &outputs,
                       const std::map<std::string, any> &attributes,
                       const DebugContext &debugContext) {
  impl_->addNode(opid.domain, opid.type, impl_->customVersion(opid), inputs, allOf(attributes),
                 outputs, debugContext);
}
void Builder::useOpset(const OpDomain &domain, int version) { impl_->lockOpset(domain, version); }
TensorId Builder::reshape_const(DomainOpSet &opset, const std::vector<TensorId> &args,
                                const Shape &shape, const DebugContext &debugContext) {
  const int version = opset.getOpsetVersion();
  OpsetAttributes value;
  value.add("value", ConstVoidData(shape.data(), {DataType::INT64, {std::int64_t(shape.size())}}));
  auto inputs = args;
  inputs.push_back(
      impl_->addOperator(Domain::ai_onnx, "Constant", version, {}, value, 1, debugContext).front());
  return impl_->addOperator(Domain::ai_onnx, "Reshape", version, inputs, {}, 1, debugContext)
      .front();
}
std::vector<TensorId> Builder::checkpointOutput(const std::vector<TensorId> &ids) {
  std::vector<TensorId> out;
  int version = defaultAiOnnxOpset;
  for (const auto &import : impl_->root->model->opset_import())
    if (import.domain().empty())
      version = static_cast<int>(import.version());
  for (const auto &id : ids) {
    OpsetAttributes attributes;
    attributes.add(sRecomputeOutputAttribute, static_cast<std::int64_t>(RecomputeType::Checkpoint));
    attributes.add(sExcludePatternsAttribute, std::vector<std::string>{"PreUniRepl", "PostNRepl"});
    out.push_back(
        impl_->addOperator(Domain::ai_onnx, "Identity", version, {id}, attributes, 1, {}).front());
  }
  return out;
}

void Builder::setAttribute(const std::string &name, any value) {
  onnx::AttributeProto probe;
  builder::set(probe, name, value); // a type nodes cannot carry is refused now
  impl_->attributes[name] = value;
}
any Builder::getAttribute(const std::string &name) const {
  auto it = impl_->attributes.find(name);
  if (it == impl_->attributes.end())
    throw error(base::str("No attribute \"", name, "\" is set in the current scope."));
  return it->second;
}
bool Builder::hasAttribute(const std::string &name) const {
  return impl_->attributes.count(name) != 0;
}
void Builder::clearAttribute(const std::string &name) { impl_->attributes.erase(name); }
void Builder::pushNameScope(const std::string &name) { impl_->scopes.push_back(name); }
void Builder::popNameScope() {
  if (impl_->scopes.empty())
    throw error("popNameScope without a matching pushNameScope.");
  impl_->scopes.pop_back();
}
std::string Builder::getNameScope(const std::string &name) const { return impl_->scoped(name); }
void Builder::setGraphName(const std::string &name) {
  if (name.empty())
    throw error("A graph needs a name.");
  impl_->graph->set_name(name);
}

namespace {
template <class List> std::vector<TensorId> names(const List &list) {
  std::vector<TensorId> out;
  for (const auto &item : list)
    out.push_back(item.name());
  return out;
}
} // namespace
std::vector<TensorId> Builder::getInputTensorIds() const { return names(impl_->graph->input()); }
std::vector<TensorId> Builder::getOutputTensorIds() const { return names(impl_->graph->output()); }
std::vector<TensorId> Builder::getTrainableTensorIds() const {
  return names(impl_->graph->initializer());
}
std::vector<TensorId> Builder::getValueTensorIds() const {
  std::vector<TensorId> out;
  for (const auto &node : impl_->graph->node())
    out.insert(out.end(), node.output().begin(), node.output().end());
  return out;
}
bool Builder::hasValueInfo(const TensorId &id) const { return impl_->infoOf(id) != nullptr; }
namespace {
const TensorInfo &known(const TensorInfo *info, const TensorId &id) {
  if (!info)
    throw error(base::str("The type and shape of \"", id, "\" are not known."));
  return *info;
}
} // namespace
std::vector<std::int64_t> Builder::getTensorShape(const TensorId &id) const {
  return known(impl_->infoOf(id), id).shape();
}
std::string Builder::getTensorDtypeString(const TensorId &id) const {
  return known(impl_->infoOf(id), id).data_type_lcase();
}
DataType Builder::getTensorDataType(const TensorId &id) const {
  return known(impl_->infoOf(id), id).dataType();
}
bool Builder::isInitializer(const TensorId &id) const {
  for (const auto &tensor : impl_->graph->initializer())
    if (tensor.name() == id)
      return true;
  return false;
}

std::string Builder::getModelProto(bool humanReadable) const {
  if (!impl_->root->model->opset_import_size()) { // nothing but inputs so far
    auto *import = impl_->root->model->add_opset_import();
    import->set_version(defaultAiOnnxOpset);
  }
  return humanReadable ? impl_->root->model->DebugString()
                       : impl_->root->model->SerializeAsString();
}
void Builder::saveModelProto(const std::string &file) {
  std::string bytes = getModelProto();
  try {
    onnx::checker::check_model(*impl_->root->model);
  } catch (const std::exception &e) {
    throw error(base::str("The model is not valid ONNX: ", e.what()));
  }
  const auto &tensors = impl_->root->model->graph().initializer();
  if (std::any_of(tensors.begin(), tensors.end(), onnxmodel::isExternal)) {
    auto model = *impl_->root->model;
    onnxmodel::nameFrom(std::filesystem::path(file).parent_path(), model);
    bytes = model.SerializeAsString();
  }
  try {
    base::writeWhole(file, bytes);
  } catch (const base::FileError &e) {
    throw error(e.what());
  }
}
void Builder::saveInitializersExternally(const std::vector<TensorId> &ids,
                                         const std::string &file) {
  onnxmodel::storeExternally(*impl_->root->model, ids, file);
}
void Builder::embedReplicationFactor(int factor) {
  auto *entry = impl_->root->model->add_metadata_props();
  entry->set_key("__replicationFactor");
  entry->set_value(std::to_string(factor));
}

} // namespace popart
