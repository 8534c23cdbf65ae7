// SPDX-License-Identifier: MIT
// How long models take from a session's construction to being ready on the device, compiled and
// from the executable cache, and the peak memory of training ResNet-50. Each in a process of its
// own.
#include "base/Text.hpp"
#include "CompiledModels.hpp"
#include "Subjects.hpp"
#include "Values.hpp"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <popart/adam.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>
#include <stdexcept>

namespace bench {

using namespace popart;

namespace {

struct CompiledModel {
  std::string name, what;
  double cold; // goal
};
const std::vector<CompiledModel> &all() {
  static const std::vector<CompiledModel> list{
      {"cnn", "CNN training b16", 0.3},
      {"resnet50-infer", "ResNet-50 inference b1", 3},
      {"resnet50", "ResNet-50 training b8", 3},
      {"bert-base", "BERT-base training b1, Adam", 5},
      {"bert-large", "BERT-large training, 4 stages x 4 replicas", 20}};
  return list;
}

} // namespace

ModelGraph modelOf(const std::string &name) {
  if (name == "cnn")
    return cnn(16);
  if (name == "bert-base")
    return encoder({1, 12, 768, 12, 30522});
  if (name == "bert-large")
    return encoder({1, 24, 1024, 16, 30522, 128, 0.1f, 4});
  return resnet50(name == "resnet50" ? 8 : 1);
}

std::unique_ptr<Session> sessionOf(const std::string &name, ModelGraph model,
                                   SessionOptions options) {
  const bool large = name == "bert-large";
  if (large) {
    options.virtualGraphMode = VirtualGraphMode::Manual;
    options.enablePipelining = options.enableGradientAccumulation = true;
    options.enableReplicatedGraphs = true;
    options.accumulationFactor = 8;
    options.replicatedGraphCount = 4;
    options.autoRecomputation = RecomputationType::Pipeline;
  }
  options.engineOptions["debug.allowOutOfMemory"] = "true";
  auto device = DeviceManager::createDeviceManager().acquireAvailableDevice(large ? 16 : 1);
  const DataFlow flow(1, {{model.loss, AnchorReturnType("Final")}});
  if (name == "resnet50-infer")
    return InferenceSession::createFromOnnxModel(std::move(model.proto), flow, device,
                                                 InputShapeInfo(), options);
  const SGD sgd({{"defaultLearningRate", {0.001f, true}}, {"defaultMomentum", {0.9f, true}}});
  const Adam adam({{"defaultLearningRate", {0.001f, false}}}, AdamMode::Adam,
                  WeightDecayMode::Decay, DataType::FLOAT, DataType::FLOAT, DataType::FLOAT);
  const Optimizer &optimizer = name == "bert-base" ? static_cast<const Optimizer &>(adam) : sgd;
  return TrainingSession::createFromOnnxModel(std::move(model.proto), flow, model.loss, optimizer,
                                              device, InputShapeInfo(), options);
}

namespace {

std::string mebibytes(double bytes) { return fixed(bytes / (1 << 20), 0) + " MiB"; }

// A folder for simulated devices and one for executables, gone at the end.
struct Folders : TemporaryFolder {
  ChildResult child(const std::string &what, const std::string &name, bool cached) const {
    return runChild({what, name, cached ? (root / "cache").string() : "-"},
                    {"OPENIPU_RUNTIME_DIR=" + (root / "devices").string(), "OPENIPU_NUM_IPUS=16"});
  }
};

constexpr std::int64_t measuredSteps = 3; // of which the memory is measured

std::optional<ChildResult> torchMemory() {
  return runProgram(OPENIPU_PYTHON,
                    {"python3", OPENIPU_BENCH "/models_peer.py", "-",
                     base::str("resnet50-train-8-", measuredSteps)},
                    {}, "values\n");
}

bool same(const std::vector<double> &a, const std::vector<double> &b) {
  for (std::size_t i = 0; i < std::size_t(measuredSteps); ++i)
    if (!(std::abs(a.at(i) - b.at(i)) < 0.01 * std::abs(b.at(i))))
      return false;
  return true;
}

} // namespace

// Prints the seconds of construction and prepareDevice.
void compileChild(const std::string &name, const std::string &cache) {
  auto model = modelOf(name);
  SessionOptions options;
  if (cache != "-") {
    options.enableEngineCaching = true;
    options.cachePath = cache;
  }
  std::unique_ptr<Session> session;
  std::printf("%.6f\n", seconds([&] {
                session = sessionOf(name, std::move(model), options);
                session->prepareDevice();
              }));
}

// Trains for a few steps and prints the losses.
void memoryChild() {
  auto model = modelOf("resnet50");
  const auto inputs = model.inputs;
  const auto loss = model.loss;
  auto session = sessionOf("resnet50", std::exchange(model, {}), {});
  const std::size_t pixels = 8 * 3 * 224 * 224, images = 8;
  auto x = uniform("x", measuredSteps * pixels);
  auto labels = below<std::int32_t>(1000, "labels", measuredSteps * images);
  session->prepareDevice();
  session->weightsFromHost();
  for (std::size_t i = 0; i < std::size_t(measuredSteps); ++i) {
    float value = 0;
    NDArrayWrapper<float> xs(x.data() + i * pixels, inputs[0].shape), out(&value, Shape{});
    NDArrayWrapper<std::int32_t> ys(labels.data() + i * images, inputs[1].shape);
    StepIO io({{inputs[0].id, xs}, {inputs[1].id, ys}}, {{loss, out}});
    session->run(io);
    std::printf("%.6f\n", value);
  }
}

std::vector<Row> compileModels() {
  std::vector<Row> rows;
  const Folders folders;
  for (const auto &subject : all()) {
    const auto cold = folders.child("compile", subject.name, false);
    folders.child("compile", subject.name, true); // fills the cache
    const auto warm = folders.child("compile", subject.name, true);
    const double c = cold.numbers.at(0), w = warm.numbers.at(0);
    const auto text = [](double t, const ChildResult &r) {
      return duration(t) + ", " + mebibytes(r.peakBytes);
    };
    rows.push_back({"compile " + subject.what, text(c, cold), "", 0,
                    "< " + fixed(subject.cold, 1) + " s", met(c < subject.cold)});
    rows.push_back({"  from the cache", text(w, warm), "", 0, "< 0.5 s", met(w < 0.5)});
  }
  return rows;
}

std::vector<Row> modelMemory() {
  const Folders folders;
  const auto ours = folders.child("memory", "resnet50", false);
  const std::string what = "peak memory, ResNet-50 training b8";
  const auto torch = torchMemory();
  if (!torch)
    return {{what, mebibytes(ours.peakBytes), "no torch", 0, "", Row::Met::NoGoal}};
  if (!same(ours.numbers, torch->numbers))
    return {{what, "other numbers", "torch", 0, "the same", Row::Met::No}};
  const double ratio = torch->peakBytes / ours.peakBytes;
  return {{what, mebibytes(ours.peakBytes), mebibytes(torch->peakBytes) + " torch", ratio,
           ">= 1.00", met(ratio >= 1)}};
}

} // namespace bench
