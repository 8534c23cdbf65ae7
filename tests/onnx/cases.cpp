// SPDX-License-Identifier: MIT
#include "cases.hpp"
#include "ir/narrowed.hpp"

#include "base/Text.hpp"
#include "lowering/lowering.hpp"
#include <algorithm>
#include <cmath>
#include <fstream>
#include <onnx/onnx-data_pb.h>
#include <popart/error.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <sstream>

namespace cases {

using namespace popart;
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

template <class Message> Message message(const fs::path &path) {
  Message proto;
  if (!proto.ParseFromString(contents(path)))
    throw error(base::str(path.filename(), " does not hold what the model says."));
  return proto;
}

// The tensors in a file, under the names they have as inputs: its own, or one for each of a
// sequence.
std::map<std::string, HostTensor> named(const std::string &name, const onnx::SequenceProto &list) {
  std::map<std::string, HostTensor> out;
  for (int i = 0; i < list.tensor_values_size(); ++i)
    out[base::str(name, '/', i)] = onnxmodel::TensorReader().read(list.tensor_values(i));
  return out;
}
std::map<std::string, HostTensor> tensors(const fs::path &path, const onnx::ValueInfoProto &info) {
  onnxmodel::TensorReader reader;
  if (info.type().has_sequence_type())
    return named(info.name(), message<onnx::SequenceProto>(path));
  if (!info.type().has_optional_type())
    return {{info.name(), reader.read(message<onnx::TensorProto>(path))}};
  const auto optional = message<onnx::OptionalProto>(path);
  if (optional.has_sequence_value())
    return named(info.name(), optional.sequence_value());
  if (optional.has_tensor_value())
    return {{info.name(), reader.read(optional.tensor_value())}};
  return {};
}

// What InputShapeInfo has to say of an input that is no tensor: nothing of an optional value that
// is not there.
void addShapes(Case &c, const onnx::ValueInfoProto &info,
               const std::map<std::string, HostTensor> &values) {
  for (const auto &[name, value] : values)
    c.shapes[name] = value.info();
  if (info.type().has_sequence_type() && values.empty()) {
    const auto &each = info.type().sequence_type().elem_type().tensor_type();
    c.shapes[info.name()] = {onnxmodel::typeFromOnnx(each.elem_type()), {0}};
  }
}

void readInputs(Case &c, const fs::path &folder) {
  const auto &infos = c.model.proto->graph().input();
  for (int i = 0; i < infos.size(); ++i) {
    const auto values = tensors(folder / base::str("input_", i, ".pb"), infos[i]);
    if (!infos[i].type().has_tensor_type())
      addShapes(c, infos[i], values);
    c.inputs.insert(values.begin(), values.end());
  }
}
void readOutputs(Case &c, const fs::path &folder) {
  const auto &infos = c.model.proto->graph().output();
  for (int i = 0; i < infos.size(); ++i)
    for (auto &[name, value] : tensors(folder / base::str("output_", i, ".pb"), infos[i]))
      c.outputs.push_back(std::move(value));
}

// The operator a case is about: of a function written out, the one before "_expanded" is not in the
// model, so the file's first node stands for it.
std::string operatorOf(const onnx::GraphProto &graph) {
  for (const auto &node : graph.node())
    if (node.op_type() != "Constant" || graph.node_size() == 1)
      return node.op_type();
  return graph.node_size() ? graph.node(0).op_type() : std::string("none");
}

// Compiles a graph and runs it once.
class Program {
public:
  explicit Program(const ir::Graph &model)
      : model_(model), device_(makeDevice()), graph_(device_.getTarget()) {
    lowering::Options options;
    lowering::Lowering l(graph_, model, options);
    poplar::program::Sequence prog;
    auto seed = graph_.addVariable(poplar::UNSIGNED_INT, {2}, poplar::VariableMappingMethod::LINEAR,
                                   "seed");
    graph_.setInitialValue(seed, poplar::ArrayRef<unsigned>({42u, 7u}));
    l.setSeed(seed);
    for (ir::Value v : model.inputs)
      if (model[v].info.nelms())
        graph_.createHostWrite(base::str("in", v.value), l.tensor(v));
    for (const auto &node : model.nodes)
      l.lower(node, prog);
    for (ir::Value v : model.outputs)
      if (read(v))
        graph_.createHostRead(base::str("out", v.value), l.tensor(v));
    engine_ = std::make_unique<poplar::Engine>(graph_, prog);
    engine_->load(device_);
  }
  std::vector<HostTensor> run(const std::map<TensorId, HostTensor> &feeds) {
    for (ir::Value v : model_.inputs) {
      const auto data = feeds.at(model_[v].name).as(ir::narrowed(model_[v].info.dataType()));
      if (data.elements())
        engine_->writeTensor(base::str("in", v.value), data.data(),
                             static_cast<const char *>(data.data()) + data.bytes());
    }
    engine_->run(0);
    std::vector<HostTensor> out;
    for (ir::Value v : model_.outputs)
      out.push_back(output(v));
    return out;
  }

private:
  bool read(ir::Value v) const {
    return model_[v].kind != ir::Kind::Constant && model_[v].info.nelms() != 0;
  }
  HostTensor output(ir::Value v) {
    const auto &value = model_[v];
    if (value.kind == ir::Kind::Constant)
      return value.data;
    const TensorInfo info(ir::narrowed(value.info.dataType()), value.info.shape());
    std::vector<char> bytes(static_cast<std::size_t>(info.nbytes()));
    if (!bytes.empty())
      engine_->readTensor(base::str("out", v.value), bytes.data(), bytes.data() + bytes.size());
    return HostTensor(info, std::move(bytes));
  }
  static poplar::Device makeDevice() {
    poplar::IPUModel model;
    model.tilesPerIPU = 16;
    return model.createDevice();
  }

  const ir::Graph &model_;
  poplar::Device device_;
  poplar::Graph graph_;
  std::unique_ptr<poplar::Engine> engine_;
};

// The input that a message says must be known at compile time.
std::string compileTimeInput(const std::string &message) {
  if (message.find("must be known when the model is compiled") == std::string::npos)
    return {};
  const auto from = message.find("input ");
  const auto open = message.find('"', from), close = message.find('"', open + 1);
  return message.substr(open + 1, close - open - 1);
}

// Inputs become constants one by one as operators ask for them; if what they ask for is computed
// from others, all that look like shapes do.
ir::Graph imported(const Case &c, onnxmodel::ImportOptions &options) {
  const auto &inputs = c.model.proto->graph().input();
  bool shapesToo = false;
  while (true) {
    try {
      return onnxmodel::importModel(c.model, options);
    } catch (const error &e) {
      const std::string name = compileTimeInput(e.what());
      if (name.empty())
        throw;
      bool added = false;
      for (int i = 0; i < inputs.size(); ++i) {
        const auto found = c.inputs.find(inputs[i].name());
        if (found == c.inputs.end())
          continue;
        const auto &data = found->second;
        const bool shapeLike =
            shapesToo && (data.type() == DataType::INT64 || data.info().rank() < 2);
        if (inputs[i].name() == name || shapeLike)
          added = options.constantInputs.emplace(inputs[i].name(), data).second || added;
      }
      if (!added && shapesToo)
        throw;
      shapesToo = shapesToo || !added;
    }
  }
}

// Cases whose numbers are drawn: only types and shapes can agree.
bool isRandom(const Case &c) {
  for (const auto &node : c.model.proto->graph().node())
    if (node.op_type() == "Bernoulli" || node.op_type().rfind("Random", 0) == 0)
      return true;
  return c.name.find("training_dropout") != std::string::npos &&
         c.name.find("zero_ratio") == std::string::npos;
}

double tolerance(DataType type) {
  return type == DataType::FLOAT16 || type == DataType::BFLOAT16 ? 1e-2 : 1e-3;
}

bool close(double got, double want, double relative) {
  if (std::isnan(want))
    return std::isnan(got);
  if (std::isinf(want))
    return got == want;
  return std::abs(got - want) <= 2e-6 + relative * std::abs(want);
}

// NonMaxSuppression gives as many rows as there can be; those behind the last box are -1.
HostTensor withoutFiller(const HostTensor &rows) {
  auto values = rows.integers();
  while (!values.empty() && values.back() == -1)
    values.resize(values.size() - 3);
  return HostTensor::of<std::int64_t>({std::int64_t(values.size() / 3), 3}, values);
}

std::string compare(const Case &c, std::vector<HostTensor> got) {
  if (got.size() != c.outputs.size())
    return base::str(got.size(), " outputs, not ", c.outputs.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto &want = c.outputs[i];
    if (c.op == "NonMaxSuppression")
      got[i] = withoutFiller(got[i]);
    if (isRandom(c) && got[i].shape() == want.shape())
      continue;
    if (auto text = difference(got[i], want); !text.empty())
      return base::str("output ", i, ": ", text);
  }
  return {};
}

bool namesOperator(const Case &c, const std::string &message) {
  for (const auto &node : c.model.proto->graph().node())
    if (message.find(node.op_type()) != std::string::npos)
      return true;
  return false;
}

} // namespace

Case load(const fs::path &folder) {
  Case c;
  c.name = folder.filename().string();
  c.model = onnxmodel::loadModel(folder / "model.onnx");
  const auto &graph = c.model.proto->graph();
  c.op = operatorOf(graph);
  try {
    readInputs(c, folder);
    readOutputs(c, folder);
  } catch (const error &e) { // texts: the importer has to refuse them
    c.unreadable = e.what();
  }
  return c;
}

std::string difference(const HostTensor &got, const HostTensor &want) {
  if (got.shape() != want.shape())
    return base::str("has shape ", ir::text(got.shape()), ", not ", ir::text(want.shape()));
  if (ir::narrowed(got.type()) != ir::narrowed(want.type()))
    return base::str("is ", nameOf(got.type()), ", not ", nameOf(want.type()));
  const auto a = got.doubles(), b = want.doubles();
  const double relative = std::max(tolerance(got.type()), tolerance(want.type()));
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!close(a[i], b[i], relative))
      return base::str("element ", i, " is ", a[i], ", not ", b[i]);
  return {};
}

Result run(const Case &c) {
  onnxmodel::ImportOptions options;
  options.inputShapes.insert(c.shapes.begin(), c.shapes.end());
  Result result{Outcome::Failed, {}, {}};
  try {
    const auto graph = imported(c, options);
    for (const auto &[name, data] : options.constantInputs)
      result.constants.push_back(name);
    result.folded = std::all_of(graph.outputs.begin(), graph.outputs.end(),
                                [&](ir::Value v) { return graph[v].kind == ir::Kind::Constant; });
    if (!c.unreadable.empty())
      throw error("Accepted, but cannot be compared: {}", c.unreadable);
    result.message = compare(c, Program(graph).run(c.inputs));
    result.outcome = result.message.empty() ? Outcome::Passed : Outcome::Failed;
  } catch (const internal_error &e) {
    result.message = base::str("internal error: ", e.what());
  } catch (const error &e) {
    result.message = e.what();
    if (namesOperator(c, e.what()))
      result.outcome = Outcome::Unsupported;
  } catch (const std::exception &e) {
    result.message = base::str("exception: ", e.what());
  }
  return result;
}

} // namespace cases
