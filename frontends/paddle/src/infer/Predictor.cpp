// SPDX-License-Identifier: MIT
// On IPUs a predictor is compiled when it is made, for the shapes of the program and the
// configuration; on the CPU when it runs, once for every set of input shapes.
#include "infer/Log.hpp"
#include "infer/SavedModel.hpp"
#include "infer/Tensor.hpp"

#include "base/Environment.hpp"
#include "base/Text.hpp"
#include "runtime/Cache.hpp"
#include "runtime/Devices.hpp"
#include "runtime/Fit.hpp"
#include "runtime/Share.hpp"
#include "runtime/Weights.hpp"
#include <popart/stepio.hpp>

namespace paddle_infer {

using namespace paddleipu;

namespace {

using Memories = std::vector<std::shared_ptr<Tensor::Memory>>;

// A session for inputs of these shapes.
struct Compiled {
  std::unique_ptr<popart::InferenceSession> session;
  std::unique_ptr<frontend::Weights> weights;
  std::vector<Shape> results;
  std::unique_ptr<popart::StepIO> io;
};

frontend::Device acquire(int ipus) {
  if (frontend::isOn("POPLAR_IPUMODEL"))
    return frontend::ipuModel(ipus, "ipu2", 4); // as many tiles as IpuStrategy's tiles_per_ipu
  try {
    return frontend::acquire({.ipus = ipus});
  } catch (const frontend::Unavailable &e) {
    throw popart::runtime_error("Can't attach IPU, ipu_num = {}. {}", ipus, e.what());
  }
}

} // namespace

struct Predictor::Impl {
  Config config;
  std::shared_ptr<const SavedModel> model;
  Memories inputs, outputs;
  std::map<std::vector<Shape>, Compiled> compiled;

  std::int64_t times() const {
    return config.use_ipu() ? config.ipu_batches_per_step() * config.ipu_replica_num() : 1;
  }
  ConversionSettings settings() const;
  popart::SessionOptions options() const;
  Compiled compile(const Feeds &feeds, const std::vector<Shape> &whole);
  void prepare();
  void compileForIpu();
  Compiled &forShapes();
  std::shared_ptr<Tensor::Memory> find(const Memories &all, const std::string &name,
                                       const char *what) const;
};

ConversionSettings Predictor::Impl::settings() const {
  ConversionSettings s;
  s.microBatch = config.ipu_micro_batch_size();
  if (!config.use_ipu())
    return s;
  s.half = config.ipu_enable_fp16();
  s.ipus = config.ipu_device_num();
  s.averaged = s.ipus > 1;
  s.pipelined = config.ipu_enable_pipelining() && s.ipus > 1;
  s.memoryProportion = config.ipu_available_memory_proportion();
  for (const auto &op : config.ipu_custom_ops_info())
    s.custom[op[0]] = {op[2].empty() ? op[1] : op[2] + "." + op[1], std::stoll(op[3])};
  return s;
}

popart::SessionOptions Predictor::Impl::options() const {
  popart::SessionOptions o;
  if (!config.use_ipu())
    return o;
  frontend::setReplicas(o, {.here = config.ipu_replica_num(), .total = config.ipu_replica_num()});
  if (config.ipu_device_num() > 1)
    o.virtualGraphMode = popart::VirtualGraphMode::Manual;
  o.enablePipelining = config.ipu_enable_pipelining() && config.ipu_device_num() > 1;
  if (config.ipu_enable_half_partial()) {
    o.partialsTypeMatMuls = "half";
    o.convolutionOptions["partialsType"] = "half";
  }
  frontend::keepExecutables(o, base::textFromEnvironment("IPU_CACHE_PATH"));
  return o;
}

Compiled Predictor::Impl::compile(const Feeds &feeds, const std::vector<Shape> &whole) {
  auto made = convert(model->program, feeds, model->fetches, model->parameters, settings());
  popart::AnchorReturnTypeMap anchors;
  for (const auto &name : made.converted.outputs)
    anchors.emplace(name, popart::AnchorReturnType("All"));
  const bool ipu = config.use_ipu();
  const auto batches = ipu ? config.ipu_batches_per_step() : 1;
  auto device = ipu ? acquire(config.ipu_device_num() * config.ipu_replica_num())
                    : popart::DeviceManager::createDeviceManager().createCpuDevice();
  auto patterns = popart::Patterns();
  for (const auto &[name, on] : config.ipu_custom_patterns())
    patterns.enablePattern(name, on);
  Compiled out;
  out.session = popart::makeInferenceSession(
      std::move(made.converted.model), popart::DataFlow(batches, anchors), device,
      frontend::allowingTooLarge(options()), patterns, "inference");
  out.session->prepareDevice();
  out.weights = std::make_unique<frontend::Weights>(*out.session, false);
  if (const auto told = frontend::memoryAdvice(*out.session, *device); !told.empty())
    logWarning(told);
  std::map<popart::TensorId, popart::IArray &> in, results;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    in.emplace(made.converted.inputs[i], *inputs[i]);
  for (std::size_t i = 0; i < made.outputs.size(); ++i) {
    outputs[i]->paddleType = made.outputs[i].type;
    Shape shape;
    for (std::int64_t n : {std::int64_t(ipu ? config.ipu_replica_num() : 1), std::int64_t(batches)})
      if (n > 1)
        shape.push_back(n);
    shape.insert(shape.end(), made.outputs[i].shape.begin(), made.outputs[i].shape.end());
    outputs[i]->resize(shape);
    results.emplace(made.converted.outputs[i], *outputs[i]);
    out.results.push_back(shape);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i]->dims != whole[i])
      inputs[i]->resize(whole[i]);
  out.io = std::make_unique<popart::StepIO>(in, results);
  return out;
}

void Predictor::Impl::prepare() {
  for (const auto &feed : model->feeds) {
    auto memory = std::make_shared<Tensor::Memory>();
    memory->tensorName = feed.name;
    memory->paddleType = feed.type;
    memory->input = true;
    inputs.push_back(memory);
  }
  for (const auto &name : model->fetches) {
    auto memory = std::make_shared<Tensor::Memory>();
    memory->tensorName = name;
    outputs.push_back(memory);
  }
  if (!config.glog_info_disabled())
    logAnalysis();
  if (config.use_ipu())
    compileForIpu();
  if (config.glog_info_disabled())
    return;
  std::vector<std::string> feeds;
  for (const auto &feed : model->feeds)
    feeds.push_back(feed.name);
  logExecutor(feeds, model->fetches);
}

void Predictor::Impl::compileForIpu() {
  Feeds feeds;
  std::vector<Shape> whole;
  for (const auto &feed : model->feeds) {
    feeds.emplace_back(feed.name, std::nullopt);
    Shape shape = feed.shape;
    if (!shape.empty())
      shape[0] = (shape[0] == -1 ? config.ipu_micro_batch_size() : shape[0]) * times();
    whole.push_back(shape);
  }
  compiled.emplace(whole, compile(feeds, whole));
}

Compiled &Predictor::Impl::forShapes() {
  std::vector<Shape> shapes;
  for (const auto &input : inputs) {
    if (!input->filled)
      throw popart::error("The input \"" + input->tensorName +
                          "\" has no data: call Reshape and CopyFromCpu of its handle.");
    shapes.push_back(input->dims);
  }
  if (const auto it = compiled.find(shapes); it != compiled.end())
    return it->second;
  if (config.use_ipu()) {
    const auto &wanted = compiled.begin()->first;
    for (std::size_t i = 0; i < shapes.size(); ++i)
      if (shapes[i] != wanted[i])
        throw popart::error(base::str(
            "The input \"", inputs[i]->tensorName, "\" has shape ", popart::ir::text(shapes[i]),
            "; the predictor was compiled for ", popart::ir::text(wanted[i]),
            " (micro batch size x batches per step x replicas in front)."));
  }
  Feeds feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    feeds.emplace_back(inputs[i]->tensorName, shapes[i]);
  return compiled.emplace(shapes, compile(feeds, shapes)).first->second;
}

std::shared_ptr<Tensor::Memory> Predictor::Impl::find(const Memories &all, const std::string &name,
                                                      const char *what) const {
  std::string names;
  for (const auto &memory : all) {
    if (memory->tensorName == name)
      return memory;
    names += (names.empty() ? "" : ", ") + memory->tensorName;
  }
  throw popart::error(
      base::str("The model has no ", what, " \"", name, "\". It has: ", names, "."));
}

Predictor::Predictor(const Config &config) : impl_(std::make_unique<Impl>()) {
  impl_->config = config;
  if (!config.from_memory_ && config.prog_file_.empty())
    throw popart::error("The configuration names no model: use Config(prog_file, params_file).");
  if (config.from_memory_)
    impl_->model = SavedModel::read(config.prog_, config.params_, "memory", "memory");
  else {
    auto program = contentsOf(config.prog_file_, "program");
    impl_->model =
        SavedModel::read(std::move(program), contentsOf(config.params_file_, "parameter file"),
                         config.prog_file_, config.params_file_);
  }
  impl_->prepare();
}
Predictor::Predictor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) { impl_->prepare(); }
Predictor::~Predictor() = default;

std::unique_ptr<Predictor> Predictor::Clone() {
  auto impl = std::make_unique<Impl>();
  impl->config = impl_->config;
  impl->model = impl_->model;
  return std::unique_ptr<Predictor>(new Predictor(std::move(impl)));
}

std::vector<std::string> Predictor::GetInputNames() {
  std::vector<std::string> out;
  for (const auto &memory : impl_->inputs)
    out.push_back(memory->tensorName);
  return out;
}
std::vector<std::string> Predictor::GetOutputNames() { return impl_->model->fetches; }
std::unique_ptr<Tensor> Predictor::GetInputHandle(const std::string &name) {
  return std::make_unique<Tensor>(impl_->find(impl_->inputs, name, "input"));
}
std::unique_ptr<Tensor> Predictor::GetOutputHandle(const std::string &name) {
  return std::make_unique<Tensor>(impl_->find(impl_->outputs, name, "output"));
}

bool Predictor::Run() {
  auto &now = impl_->forShapes();
  for (std::size_t i = 0; i < now.results.size(); ++i)
    if (impl_->outputs[i]->dims != now.results[i])
      impl_->outputs[i]->resize(now.results[i]);
  now.io->rewind();
  if (now.weights->newest() == frontend::Weights::Newest::Host)
    now.weights->send();
  now.weights->step([&] { now.session->run(*now.io); });
  for (const auto &output : impl_->outputs)
    output->widen();
  return true;
}

std::shared_ptr<Predictor> CreatePredictor(const Config &config) {
  return std::make_shared<Predictor>(config);
}
std::string GetVersion() { return "version: 0.0.0 (OpenIPU)\n"; }

namespace services {
PredictorPool::PredictorPool(const Config &config, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    all_.push_back(i == 0 ? std::make_unique<Predictor>(config) : all_[0]->Clone());
}
Predictor *PredictorPool::Retrive(std::size_t index) {
  if (index >= all_.size())
    throw popart::error("The pool has {} predictors; there is none with index {}.", all_.size(),
                        index);
  return all_[index].get();
}
} // namespace services

} // namespace paddle_infer
