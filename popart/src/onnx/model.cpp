// SPDX-License-Identifier: MIT
// Whole models: reading files, then inputs, initialisers, nodes and outputs in turn.
#include "base/Text.hpp"
#include "onnx/check.hpp"
#include "onnx/skim.hpp"
#include <algorithm>
#include <cctype>
#include <fstream>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <limits>
#include <optional>
#include <popart/error.hpp>

namespace popart::onnxmodel {

using ir::HostTensor;
using ir::Kind;
using onnx::GraphProto;
using onnx::ModelProto;
using onnx::ValueInfoProto;
namespace io = google::protobuf::io;

namespace {

bool parse(ModelProto &model, std::string_view text) {
  if (text.size() > std::size_t(std::numeric_limits<int>::max()))
    return false;
  io::ArrayInputStream bytes(text.data(), static_cast<int>(text.size()));
  io::CodedInputStream coded(&bytes);
  coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
  return model.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

// Every name that nodes read, in bodies too, and the names of the outputs.
void collectUses(const GraphProto &graph, std::set<TensorId> &uses) {
  for (const auto &node : graph.node()) {
    uses.insert(node.input().begin(), node.input().end());
    for (const auto &a : node.attribute())
      if (a.has_g())
        collectUses(a.g(), uses);
  }
  for (const auto &output : graph.output())
    uses.insert(output.name());
}

std::string userOf(const GraphProto &graph, const TensorId &id) {
  for (const auto &node : graph.node())
    for (const auto &input : node.input())
      if (input == id)
        return base::str(" of ", node.op_type());
  return {};
}

// A dimension that is not a number: its name, or where it is.
std::string unknownDimension(const onnx::TensorShapeProto &shape) {
  for (int i = 0; i < shape.dim_size(); ++i) {
    const auto &dim = shape.dim(i);
    if (dim.has_dim_value() && dim.dim_value() >= 0)
      continue;
    if (dim.has_dim_param() && !dim.dim_param().empty())
      return base::str("dimension ", i, " (\"", dim.dim_param(), "\")");
    return base::str("dimension ", i);
  }
  return {};
}

void checkAgainst(const ValueInfoProto &input, const TensorInfo &given) {
  const auto &tensor = input.type().tensor_type();
  const auto fail = [&](const std::string &declared) {
    throw error(base::str("Input \"", input.name(), "\" is declared ", declared,
                          ", but InputShapeInfo says ", given, "."));
  };
  if (tensor.elem_type() != 0 && typeFromOnnx(tensor.elem_type()) != given.dataType())
    fail(nameOf(typeFromOnnx(tensor.elem_type())));
  if (!tensor.has_shape())
    return;
  if (tensor.shape().dim_size() != given.rank())
    fail(base::str("with ", tensor.shape().dim_size(), " dimensions"));
  for (int i = 0; i < given.rank(); ++i)
    if (const auto &dim = tensor.shape().dim(i);
        dim.has_dim_value() && dim.dim_value() >= 0 && dim.dim_value() != given.dim(i))
      fail(base::str("with dimension ", i, " = ", dim.dim_value()));
}

// Of a kind the device could not hold, should anybody use it.
bool isForeign(const ValueInfoProto &input) {
  if (input.type().value_case() != onnx::TypeProto::kTensorType)
    return true;
  const int type = input.type().tensor_type().elem_type();
  return type == onnx::TensorProto::STRING || type == onnx::TensorProto::COMPLEX64 ||
         type == onnx::TensorProto::COMPLEX128;
}

TensorInfo infoOfInput(const ValueInfoProto &input, const GraphProto &graph,
                       const ImportOptions &options) {
  const auto &tensor = input.type().tensor_type();
  if (auto it = options.inputShapes.find(input.name()); it != options.inputShapes.end()) {
    checkAgainst(input, it->second);
    return it->second;
  }
  const auto type = typeFromOnnx(tensor.elem_type());
  if (isForeign(input))
    throw error(base::str("Input \"", input.name(), "\"", userOf(graph, input.name()), " is ",
                          nameOf(type), ", which the device cannot hold."));
  const std::string unknown =
      tensor.has_shape() ? unknownDimension(tensor.shape()) : std::string("shape");
  if (!unknown.empty())
    throw error(base::str("Input \"", input.name(), "\" has unknown ", unknown,
                          "; give it with InputShapeInfo."));
  Shape shape;
  for (const auto &dim : tensor.shape().dim())
    shape.push_back(dim.dim_value());
  return {type, shape};
}

// The tensors of a sequence as InputShapeInfo gives them: [n, ...] under its own name for n of one
// shape, or each under name/0, name/1 ... Nothing if it gives none.
std::optional<std::vector<TensorInfo>> elementsOf(const TensorId &id,
                                                  const ImportOptions &options) {
  const auto &known = options.inputShapes;
  std::vector<TensorInfo> out;
  if (const auto all = known.find(id); all != known.end()) {
    if (all->second.rank() == 0)
      throw error(base::str("Input \"", id, "\" is a sequence, but InputShapeInfo says ",
                            all->second, ". Give [n, ...] for n tensors of one shape."));
    const Shape one(all->second.shape().begin() + 1, all->second.shape().end());
    out.assign(std::size_t(all->second.dim(0)), TensorInfo(all->second.dataType(), one));
    return out;
  }
  for (auto it = known.find(id + "/0"); it != known.end();
       it = known.find(base::str(id, '/', out.size())))
    out.push_back(it->second);
  return out.empty() ? std::nullopt : std::optional(out);
}

// A sequence, whose length must be known, or an optional value, which is there if InputShapeInfo
// names it.
void addOther(Importer &importer, const ValueInfoProto &input, const GraphProto &graph,
              const ImportOptions &options) {
  const bool optional = input.type().value_case() == onnx::TypeProto::kOptionalType;
  const auto &held = optional ? input.type().optional_type().elem_type() : input.type();
  const auto given = options.inputShapes.find(input.name());
  if (held.value_case() == onnx::TypeProto::kSequenceType) {
    const auto elements = elementsOf(input.name(), options);
    if (!elements && !optional)
      throw error(base::str("Input \"", input.name(), "\"", userOf(graph, input.name()),
                            " is a sequence, whose length must be known when the model is "
                            "compiled: give its tensors with InputShapeInfo, as [n, ...] under its "
                            "own name or one by one as \"",
                            input.name(), "/0\" and so on."));
    return elements ? importer.addSequence(input.name(), *elements)
                    : importer.addAbsent(input.name());
  }
  if (!optional || held.value_case() != onnx::TypeProto::kTensorType)
    throw error(base::str("Input \"", input.name(), "\"", userOf(graph, input.name()),
                          " is a map or a sparse tensor; only dense tensors can be used."));
  if (given == options.inputShapes.end())
    return importer.addAbsent(input.name());
  importer.addInput(input.name(), given->second);
}

// Inputs that limit, pad or scale: written as weights by some exporters, but nothing to train.
bool isParameter(const onnx::NodeProto &node, int input) {
  static const std::map<std::string, std::set<int>> parameters{
      {"Clip", {1, 2}},  {"Pad", {1, 2}},       {"OneHot", {1, 2}},  {"Dropout", {1, 2}},
      {"Upsample", {1}}, {"Resize", {1, 2, 3}}, {"Range", {0, 1, 2}}};
  const auto it = parameters.find(node.op_type());
  return node.domain().empty() && it != parameters.end() && it->second.count(input);
}

// Names that are used otherwise than as parameters, in bodies too.
void collectTrainable(const GraphProto &graph, std::set<TensorId> &names) {
  for (const auto &node : graph.node()) {
    for (int i = 0; i < node.input_size(); ++i)
      if (!isParameter(node, i))
        names.insert(node.input(i));
    for (const auto &a : node.attribute())
      if (a.has_g())
        collectTrainable(a.g(), names);
  }
  for (const auto &output : graph.output())
    names.insert(output.name());
}

Kind kindOf(const HostTensor &values, bool trainable, const ImportOptions &options) {
  // INT64 is for shapes, axes and the like, which must be known when the model is compiled.
  const bool variable = trainable && (options.training || !options.constantWeights) &&
                        values.type() != DataType::INT64 && values.type() != DataType::UINT64;
  return variable ? Kind::Variable : Kind::Constant;
}

void addInputs(Importer &importer, const GraphProto &graph, const ImportOptions &options) {
  std::set<TensorId> initialised, uses;
  collectUses(graph, uses);
  for (const auto &tensor : graph.initializer())
    initialised.insert(tensor.name());
  for (const auto &input : graph.input()) {
    if (initialised.count(input.name()) || (isForeign(input) && !uses.count(input.name())))
      continue;
    if (input.type().value_case() != onnx::TypeProto::kTensorType) {
      addOther(importer, input, graph, options);
      continue;
    }
    auto constant = options.constantInputs.find(input.name());
    if (constant != options.constantInputs.end())
      importer.addInitializer(input.name(), constant->second, Kind::Constant);
    else
      importer.addInput(input.name(), infoOfInput(input, graph, options));
  }
}

void addInitializers(Importer &importer, const GraphProto &graph, const ImportOptions &options) {
  if (graph.sparse_initializer_size())
    throw error(base::str("Initializer \"", graph.sparse_initializer(0).values().name(),
                          "\" is sparse; only dense tensors can be used."));
  std::set<TensorId> uses, trainable;
  collectUses(graph, uses);
  collectTrainable(graph, trainable);
  for (const auto &tensor : graph.initializer()) {
    if (uses.count(tensor.name())) { // others may be optimiser state: the session asks for it
      auto values = importer.reader().read(tensor);
      const Kind kind = options.ownValues.count(tensor.name())
                            ? Kind::Variable
                            : kindOf(values, trainable.count(tensor.name()) != 0, options);
      importer.addInitializer(tensor.name(), std::move(values), kind);
    }
  }
}

// Variables that only told operators something at compile time (the limits of a Clip) stay as they
// are.
void freezeUnused(ir::Graph &graph) {
  const ir::Links links(graph);
  const std::set<ir::Value> outputs(graph.outputs.begin(), graph.outputs.end());
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (auto &value = graph[ir::Value(i)];
        value.kind == Kind::Variable && links.consumers[i].empty() && !outputs.count(ir::Value(i)))
      value.kind = Kind::Constant;
}

ir::Graph import(const ModelProto &model, TensorReader reader, const ImportOptions &options) {
  checkModel(model, reader.folder(), options.strictOpVersions);
  ir::Graph graph;
  Importer importer(graph, opsetsOf(model), std::move(reader));
  importer.setFunctions(model);
  importer.setReplicas(options.replicas);
  addInputs(importer, model.graph(), options);
  addInitializers(importer, model.graph(), options);
  for (const auto &node : model.graph().node())
    importer.addNode(node);
  for (const auto &output : model.graph().output())
    importer.addOutput(output.name());
  freezeUnused(graph);
  return graph;
}

} // namespace

// A short line of text was meant as the name of a file.
static std::string notAModel(std::string_view text) {
  const bool printable =
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isprint(c); });
  if (text.empty())
    return "No model was given: neither the name of a file nor the bytes of an ONNX model.";
  if (printable && text.size() < 4096) {
    std::error_code ignored;
    if (std::filesystem::is_directory(text, ignored))
      return base::str("\"", text, "\" is a folder. Give the file of an ONNX model.");
    if (std::filesystem::exists(text, ignored))
      return base::str("\"", text, "\" is no ordinary file. Give the file of an ONNX model.");
    return base::str("Failed to load a ModelProto from the string: there is no file \"",
                     text.substr(0, 200), text.size() > 200 ? "..." : "",
                     "\", and the text is no ONNX model either.");
  }
  return base::str("Failed to load a ModelProto from the string: its ", text.size(),
                   " bytes do not hold an ONNX model, or not all of it.");
}

// None if it is no model.
static std::optional<Model> read(const Bytes &bytes, const std::filesystem::path &folder,
                                 std::size_t large) {
  auto proto = std::make_shared<ModelProto>();
  Model model{proto, folder};
  auto skimmed = skim(bytes.view, large);
  if (!parse(*proto, skimmed ? std::string_view(skimmed->rest) : bytes.view))
    return std::nullopt;
  if (!skimmed)
    return model;
  model.raw = std::move(skimmed->raw);
  model.rawOwner = bytes.owner ? bytes.owner : keep(model.raw);
  return model;
}

// Large files are mapped: most of their bytes are weights that nobody looks at before they are
// sent to the device.
static Model readFile(const std::filesystem::path &path) {
  constexpr std::size_t worthMapping = std::size_t(64) << 20;
  std::shared_ptr<const MappedFile> file;
  try {
    file = std::make_shared<const MappedFile>(path);
  } catch (const error &e) {
    throw error(base::str("The model file ", path, " ", e.what(), "."));
  }
  const bool mapped = file->bytes().size() >= worthMapping;
  const auto bytes = mapped ? Bytes{file->bytes(), file} : Bytes::of(std::string(file->bytes()));
  if (bytes.view.empty())
    throw error(base::str("The file ", path, " is empty: it holds no ONNX model."));
  auto model = read(bytes, path.parent_path(), largeTensor);
  if (!model)
    throw error(base::str("The file ", path,
                          " does not hold an ONNX model, or not all of it: is it another kind of "
                          "file, or was it cut short when it was copied?"));
  if (mapped)
    model->file = file;
  return *model;
}

Model loadModel(const std::filesystem::path &path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw error(base::str("The model file ", path, " cannot be opened."));
  return readFile(path);
}

Model parseModel(const Bytes &bytes, const std::filesystem::path &folder, std::size_t large) {
  auto model = bytes.view.empty() ? std::nullopt : read(bytes, folder, large);
  if (!model)
    throw error(notAModel(bytes.view));
  return *model;
}

ir::Graph importModel(const Model &model, const ImportOptions &options) {
  return import(*model.proto, TensorReader(model), options);
}
ir::Graph importModel(const ModelProto &model, const ImportOptions &options) {
  return import(model, TensorReader(), options);
}

} // namespace popart::onnxmodel
