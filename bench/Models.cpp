// SPDX-License-Identifier: MIT
// Whole models through PopART beside torch and ONNX Runtime, which run in processes of their own
// and take turns with us. A speed is only told after losses, or outputs, were found to be the same.
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "ModelGraphs.hpp"
#include "PeerProcess.hpp"
#include "Subjects.hpp"
#include "Values.hpp"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>
#include <thread>

namespace bench {

namespace fs = std::filesystem;
using namespace popart;

namespace {

const std::string folder = OPENIPU_BENCH_FILES;

std::size_t elements(const Shape &shape) {
  std::size_t n = 1;
  for (auto d : shape)
    n *= std::size_t(d);
  return n;
}

// Owns the arrays of a step.
struct Arrays {
  std::vector<std::shared_ptr<void>> owned;
  std::map<TensorId, std::unique_ptr<IArray>> arrays;
  std::map<TensorId, IArray &> ids;
  template <class T> T *add(const TensorId &id, const Shape &shape, std::vector<T> values) {
    auto held = std::make_shared<std::vector<T>>(std::move(values));
    owned.push_back(held);
    arrays[id] = std::make_unique<NDArrayWrapper<T>>(held->data(), shape);
    ids.emplace(id, *arrays[id]);
    return held->data();
  }
  void addInput(const ModelInput &input, std::int64_t steps, const std::string &name) {
    Shape shape = input.shape;
    if (steps > 1)
      shape.insert(shape.begin(), steps);
    if (input.classes)
      add(input.id, shape, below<std::int32_t>(input.classes, name, elements(shape)));
    else
      add(input.id, shape, uniform(name, elements(shape)));
  }
};

// A session with its data, ready to run.
struct Ours {
  std::unique_ptr<Session> session;
  Arrays in, out;
  std::unique_ptr<StepIO> io;
  std::vector<double> values; // to be compared
  double calls = 1;           // steps in one run

  void bind() {
    io = std::make_unique<StepIO>(in.ids, out.ids);
    session->prepareDevice();
    session->weightsFromHost();
    session->run(*io);
  }
  double time(unsigned runs) {
    session->run(*io);
    return seconds([&] {
             for (unsigned i = 0; i < runs; ++i)
               session->run(*io);
           }) /
           runs / calls;
  }
};

std::shared_ptr<DeviceInfo> device() {
  DeviceOptions options{{"numIPUs", "1"}, {"tilesPerIPU", "1472"}};
  return DeviceManager::createDeviceManager().createIpuModelDevice(options);
}
SessionOptions sessionOptions() {
  SessionOptions options;
  options.engineOptions["debug.allowOutOfMemory"] = "true"; // the host's speed is asked for
  return options;
}

Ours training(const ModelGraph &model, std::int64_t steps, const SGD &sgd) {
  Ours o;
  o.session = TrainingSession::createFromOnnxModel(
      model.proto, DataFlow(int(steps), {{model.loss, AnchorReturnType("All")}}), model.loss, sgd,
      device(), InputShapeInfo(), sessionOptions());
  o.in.addInput(model.inputs[0], steps, "x");
  o.in.addInput(model.inputs[1], steps, "labels");
  const auto shape = steps > 1 ? Shape{steps} : Shape{};
  const float *losses = o.out.add(model.loss, shape, std::vector<float>(std::size_t(steps)));
  o.calls = double(steps);
  o.bind();
  o.values.assign(losses, losses + std::min<std::int64_t>(steps, 5));
  return o;
}

Ours inference(const std::string &file, const Shape &x, const Shape &y, std::int64_t classes) {
  Ours o;
  o.session =
      InferenceSession::createFromOnnxModel(file, DataFlow(1, {{"y", AnchorReturnType("All")}}),
                                            device(), InputShapeInfo(), sessionOptions());
  if (classes)
    o.in.add("x", x, below<std::int64_t>(classes, "x", elements(x)));
  else
    o.in.add("x", x, uniform("x", elements(x)));
  const float *values = o.out.add("y", y, std::vector<float>(elements(y)));
  o.bind();
  for (std::size_t i = 0; i < elements(y); i += std::max<std::size_t>(1, elements(y) / 1000))
    o.values.push_back(values[i]);
  return o;
}

// The largest difference, against the largest value.
double difference(const std::vector<double> &a, const std::vector<double> &b) {
  double most = 0, apart = a.size() == b.size() && !a.empty() ? 0 : INFINITY;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    most = std::max(most, std::abs(b[i]));
    apart = std::isfinite(a[i]) ? std::max(apart, std::abs(a[i] - b[i])) : INFINITY;
  }
  return apart / std::max(most, 1e-30);
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// A peer and a number of threads, and how long its steps took.
struct Runner {
  PeerProcess *peer;
  unsigned threads, calls = 1;
  std::vector<double> times = {};
  double time() {
    peer->ask(base::str("threads ", threads));
    return peer->numbers(base::str("time ", calls)).at(0);
  }
};

constexpr double block = 0.15; // seconds of one turn, or one call if that takes longer
unsigned callsFor(double once) { return unsigned(std::clamp(block / once, 1.0, 1e5)); }
void letThreadsSleep() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

// With which number of threads peers take part: that which is best for them, or ours.
enum class PeerThreads { Best, Same };

struct Outcome {
  double ours;
  std::string peer;
  double seconds = 0; // of the faster peer; 0: there is none
};
Outcome measure(Ours &ours, const std::vector<PeerProcess *> &peers, PeerThreads which) {
  std::vector<Runner> runners;
  const unsigned most = base::numThreads();
  for (auto *peer : peers)
    for (unsigned threads = which == PeerThreads::Same ? most : 1; threads <= most; threads *= 2)
      runners.push_back({peer, threads});
  for (auto &r : runners)
    r.calls = callsFor(r.time());
  const unsigned runs = callsFor(ours.time(1) * ours.calls);
  std::vector<double> own;
  for (int round = 0; round < 7; ++round) {
    own.push_back(ours.time(runs));
    letThreadsSleep();
    for (auto &r : runners) {
      r.times.push_back(r.time());
      letThreadsSleep();
    }
  }
  Outcome out{median(own), "", 0};
  for (const auto &r : runners)
    if (const double t = median(r.times); !out.seconds || t < out.seconds) {
      out.seconds = t;
      out.peer = base::str(r.peer->name(), r.threads > 1 ? base::str(" x", r.threads) : "");
    }
  return out;
}

Row rowOf(const std::string &what, Ours &ours, const std::vector<PeerProcess *> &peers,
          const std::vector<double> &own, double goal, PeerThreads which) {
  for (auto *peer : peers) {
    const auto theirs = peer->numbers("values");
    const double apart = difference(own, theirs);
    std::fprintf(stderr, "  %s: ours and %s's numbers differ by %.1e\n", what.c_str(),
                 peer->name().c_str(), apart);
    if (!(apart < 2e-3))
      return {what, "other numbers", peer->name(), 0, "the same", Row::Met::No};
  }
  const auto result = measure(ours, peers, which);
  if (!result.seconds)
    return {what, duration(result.ours), "no peer", 0, "", Row::Met::NoGoal, result.ours};
  const double ratio = result.seconds / result.ours;
  return {what,       duration(result.ours),  duration(result.seconds) + " " + result.peer,
          ratio,      ">= " + fixed(goal, 2), met(ratio >= goal),
          result.ours};
}

std::unique_ptr<PeerProcess> start(const std::string &peer, const std::string &name) {
  fs::create_directories(folder);
  std::vector<std::string> command{OPENIPU_PYTHON, OPENIPU_BENCH "/models_peer.py"};
  if (peer != "torch") {
    command = {"node", OPENIPU_BENCH "/onnxruntime_peer.mjs"};
    if (!fs::exists(folder + "/node_modules/onnxruntime-node"))
      return nullptr;
  }
  command.insert(command.end(), {folder, name});
  const auto log = folder + "/" + name + "." + peer + ".log";
  auto out = std::make_unique<PeerProcess>(peer, command, log);
  if (out->ready())
    return out;
  std::fprintf(stderr, "  %s does not run %s; its messages are in %s\n", peer.c_str(), name.c_str(),
               log.c_str());
  return nullptr;
}

struct TrainingCase {
  std::string what, name;
  std::int64_t batch, steps;
  double goal;
  std::function<ModelGraph(float dropout)> model; // 0: without, to compare losses
  float rate, momentum, dropout;
};

Row trainingRow(const TrainingCase &c, PeerThreads which) {
  const SGD sgd({{"defaultLearningRate", {c.rate, true}}, {"defaultMomentum", {c.momentum, true}}});
  auto torch = start("torch", base::str(c.name, "-train-", c.batch, "-", c.steps));
  const std::string what = base::str("training ", c.what, " b", c.batch);
  std::vector<double> losses;
  std::optional<Ours> plain = training(c.model(0), c.steps, sgd);
  losses = plain->values;
  if (c.dropout > 0)
    plain = training(c.model(c.dropout), c.steps, sgd);
  return rowOf(what, *plain,
               torch ? std::vector<PeerProcess *>{torch.get()} : std::vector<PeerProcess *>{},
               losses, c.goal, which);
}

struct InferenceCase {
  std::string what, name;
  std::int64_t batch;
  Shape x, y; // without the batch
  std::int64_t classes = 0;
};

std::optional<Row> inferenceRow(const InferenceCase &c, PeerThreads which) {
  const auto name = base::str(c.name, "-infer-", c.batch);
  auto torch = start("torch", name);
  if (!torch) // it writes the model
    return std::nullopt;
  auto ort = start("ONNX Runtime", name);
  std::vector<PeerProcess *> peers{torch.get()};
  if (ort)
    peers.push_back(ort.get());
  Shape x = c.x, y = c.y;
  x.insert(x.begin(), c.batch);
  y.insert(y.begin(), c.batch);
  auto ours = inference(folder + "/" + name + ".onnx", x, y, c.classes);
  return rowOf(base::str("inference ", c.what, " b", c.batch), ours, peers, ours.values, 1, which);
}

std::vector<Row> trainingRows(PeerThreads which) {
  std::vector<Row> rows;
  for (const auto &[batch, goal] :
       std::vector<std::pair<std::int64_t, double>>{{16, 6}, {64, 3}, {512, 2}})
    rows.push_back(trainingRow({"CNN", "cnn", batch, batch > 100 ? 4 : 32, goal,
                                [b = batch](float) { return cnn(b); }, 0.001f, 0.9f, 0},
                               which));
  rows.push_back(trainingRow(
      {"CIFAR CNN", "cifar", 64, 8, 1.1, [](float d) { return cifar(64, d); }, 0.016f, 0, 0.25f},
      which));
  rows.push_back(trainingRow({"encoder 4 x 256", "encoder", 8, 4, 1.2,
                              [](float d) {
                                return encoder({8, 4, 256, 4, 1000, 128, d});
                              },
                              0.01f, 0.9f, 0.1f},
                             which));
  return rows;
}

std::vector<Row> inferenceRows(PeerThreads which) {
  std::vector<Row> rows;
  if (!fs::exists(folder + "/node_modules/onnxruntime-node"))
    std::fprintf(stderr, "  ONNX Runtime is left out: there is no package onnxruntime-node in %s\n",
                 folder.c_str());
  const std::vector<InferenceCase> cases{
      {"ResNet-50", "resnet50", 1, {3, 224, 224}, {1000}},
      {"ResNet-50", "resnet50", 8, {3, 224, 224}, {1000}},
      {"BERT-base, sequence 128,", "bert", 1, {128}, {128, 768}, 30522},
      {"CNN", "cnn", 1, {1, 28, 28}, {10}},
      {"CNN", "cnn", 64, {1, 28, 28}, {10}},
      {"MLP", "mlp", 1, {784}, {10}},
      {"MLP", "mlp", 64, {784}, {10}}};
  for (const auto &c : cases)
    if (auto row = inferenceRow(c, which))
      rows.push_back(*row);
  return rows;
}

} // namespace

std::vector<Row> trainedModels() { return trainingRows(PeerThreads::Best); }
std::vector<Row> inferredModels() { return inferenceRows(PeerThreads::Best); }

static std::vector<Row> rowsWithOurThreads() {
  auto rows = trainingRows(PeerThreads::Same);
  for (auto &row : inferenceRows(PeerThreads::Same))
    rows.push_back(std::move(row));
  return rows;
}

// For a parent that chose the number of threads: of each row our seconds, and the ratio.
void scalingChild() {
  for (const auto &row : rowsWithOurThreads())
    std::printf("%.9g %.9g\n", row.seconds, row.ratio);
}

std::vector<Row> scaling() {
  const unsigned most = base::numThreads();
  std::vector<unsigned> threads;
  std::vector<std::vector<double>> found; // what the children print, by number of threads
  for (unsigned n = 1; n < most; n *= 2) {
    threads.push_back(n);
    found.push_back(runChild({"scaling"}, {base::str("OPENIPU_NUM_THREADS=", n)}).numbers);
  }
  const auto whole = rowsWithOurThreads();
  threads.push_back(most);
  found.emplace_back();
  for (const auto &row : whole)
    found.back().insert(found.back().end(), {row.seconds, row.ratio});
  std::vector<Row> out;
  for (std::size_t row = 0; row < whole.size(); ++row)
    for (std::size_t k = 0; k < threads.size(); ++k) {
      const double ours = found[k].at(2 * row), ratio = found[k].at(2 * row + 1);
      const auto speedup = fixed(found[0][2 * row] / ours, 2);
      out.push_back({base::str(whole[row].what, ", threads: ", threads[k]),
                     base::str(duration(ours), threads[k] > 1 ? ", one thread / " + speedup : ""),
                     ratio > 0 ? duration(ours * ratio) : "no peer", ratio, ""});
    }
  return out;
}

} // namespace bench
