// SPDX-License-Identifier: MIT
// The demo: a small convolutional network learns digits through PopART on a simulated GC200. Shows
// how well it does on digits it has not seen, how fast this machine simulates it, what it would
// cost on the device and where the cycles go.
//   openipu-demo [FOLDER with MNIST's IDX files]     ./run demo builds it; an SDK has it in bin/
#include "../Digits.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "DigitNet.hpp"
#include "Terminal.hpp"
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <popart/devicemanager.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>
#include <poplar/Target.hpp>
#include <pva/pva.hpp>
#include <pva/Step.hpp>

using namespace demo;
using namespace popart;

namespace {

constexpr int batch = 64, batchesPerRun = 25;
constexpr unsigned epochs = 3;
constexpr float rate = 0.08f;
constexpr const char *trainedFile = "digits.onnx";

struct Data {
  Digits train, test;
  std::string where;
};

Data load(const char *folder) {
  if (folder)
    return {readDigits(folder, "train"), readDigits(folder, "t10k"),
            std::string("MNIST from ") + folder};
  return {drawDigits(8000, 1), drawDigits(1600, 2), "drawn by a generator (not MNIST)"};
}

SessionOptions sessionOptions(const char *label, bool profile) {
  SessionOptions options;
  auto progress = std::make_shared<Progress>(label, "passes");
  options.compilationProgressTotal = 7;
  options.compilationProgressLogger = [progress](int done, int total) {
    progress->at(done, total);
    if (done == total)
      progress->finish("");
  };
  if (profile)
    options.engineOptions = {{"autoReport.outputGraphProfile", "true"},
                             {"autoReport.outputExecutionProfile", "true"}};
  return options;
}

DataFlow scoresOf(const DigitNet &net) {
  return DataFlow(batchesPerRun, {{net.scores, AnchorReturnType("All")}});
}

// How many of the rows of scores are highest at the label.
std::size_t toldRightly(const std::vector<float> &scores, const int *labels) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < scores.size() / Digits::classes; ++i) {
    const auto *row = scores.data() + i * Digits::classes;
    right += std::max_element(row, row + Digits::classes) - row == labels[i];
  }
  return right;
}

// Feeds all whole runs of the digits to a session; the part that was recognised.
double pass(Session &session, const DigitNet &net, Digits &digits, const char *name,
            Progress &progress, long before, long total) {
  const std::size_t perRun = batch * batchesPerRun, runs = digits.size() / perRun;
  const bool learns = dynamic_cast<TrainingSession *>(&session);
  std::vector<float> scores(perRun * Digits::classes);
  std::size_t right = 0;
  for (std::size_t i = 0; i < runs; ++i) {
    NDArrayWrapper<float> images(digits.images.data() + i * perRun * Digits::pixels,
                                 {batchesPerRun, batch, 1, 28, 28});
    NDArrayWrapper<int> labels(digits.labels.data() + i * perRun, {batchesPerRun, batch});
    NDArrayWrapper<float> out(scores.data(), {batchesPerRun, batch, std::int64_t(Digits::classes)});
    std::map<TensorId, IArray &> inputs{{DigitNet::images, images}};
    if (learns)
      inputs.emplace(DigitNet::labels, labels);
    StepIO io(inputs, {{net.scores, out}});
    session.run(io, name);
    right += toldRightly(scores, digits.labels.data() + i * perRun);
    progress.at(before + long((i + 1) * perRun), total);
  }
  return double(right) / double(runs * perRun);
}

// The trained model by itself, on digits that it has not seen.
double test(const DigitNet &net, const std::string &trained, std::shared_ptr<DeviceInfo> device,
            Digits &digits) {
  auto session = InferenceSession::createFromOnnxModel(trained, scoresOf(net), std::move(device));
  session->prepareDevice();
  session->weightsFromHost();
  Progress progress("test", "digits");
  const double accuracy = pass(*session, net, digits, "predict", progress, 0, long(digits.size()));
  progress.finish("");
  return accuracy;
}

void showShare(const char *name, std::uint64_t cycles, std::uint64_t total) {
  const double share = double(cycles) / double(total);
  std::printf("    %-9s %s %5.1f %%  %8s cycles\n", name, bar(share, 30).c_str(), 100 * share,
              base::thousands(cycles / batchesPerRun).c_str());
}

// One step tells what each batch costs. Gives back the modelled seconds of a batch.
double showCycles(const pva::Report &report, double clock) {
  const auto step = pva::stepOf(report);
  if (!step || !step->traced)
    throw std::runtime_error("The profile holds no whole run of the training.");
  std::printf("\n  %s\n", bold("Modelled on the device, per batch of 64").c_str());
  for (unsigned i = 0; i < pva::numCycleKinds; ++i)
    if (const auto kind = pva::CycleKind(i); step->byKind[kind])
      showShare(toString(kind), step->byKind[kind], step->cycles);
  return double(step->cycles) / batchesPerRun / clock;
}

void showMemory(const pva::Report &report) {
  std::uint64_t sum = 0, largest = 0;
  for (const auto &tile : report.compilation().tiles()) {
    const std::uint64_t bytes = tile.memory().total().excludingGaps();
    sum += bytes;
    largest = std::max(largest, bytes);
  }
  const double limit = double(report.compilation().target().bytesPerTile());
  std::printf("\n  %s\n    fullest   %s %5.1f %%  %.1f of %.0f KiB\n    all tiles %.1f MiB\n",
              bold("Tile memory").c_str(), bar(double(largest) / limit, 30).c_str(),
              100 * double(largest) / limit, double(largest) / 1024, limit / 1024,
              double(sum) / (1 << 20));
}

// Gives back the seconds that it took.
double train(Session &session, const DigitNet &net, Digits &digits, std::size_t perEpoch) {
  session.prepareDevice();
  session.weightsFromHost();
  Progress progress("train", "digits");
  Stopwatch time;
  for (unsigned e = 0; e < epochs; ++e)
    pass(session, net, digits, "learn", progress, long(e * perEpoch), long(epochs * perEpoch));
  const double seconds = time.seconds();
  session.weightsToHost();
  progress.finish("");
  return seconds;
}

// What this program is part of: an SDK has pages beside it, a build folder has not.
const char *whatNext() {
  std::error_code none;
  const auto bin = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  if (std::filesystem::exists(bin.parent_path() / "share" / "openipu", none))
    return "    popvision training        the profile, in a browser\n"
           "    gc-info -l                the simulated IPUs that programs find\n"
           "    openipu                   where documents, lessons and examples lie\n\n";
  return "    ./run demo poptorch       the same in PyTorch\n"
         "    ./run install ~/openipu   an SDK for your programs; popvision shows the profile\n"
         "    ./run docs --serve        lessons and pages, in a browser\n\n";
}

int run(const char *folder) {
  Data data = load(folder);
  auto device = DeviceManager::createDeviceManager().acquireAvailableDevice();
  const double clock = device->getTarget().getTileClockFrequency();
  const auto count = [](std::size_t n) { return base::thousands(n); };
  std::printf("\n%s\n  a convolutional network learns digits, %s tiles\n  digits: %s, %s to learn, "
              "%s held out\n\n",
              bold("OpenIPU: a simulated GC200").c_str(),
              count(device->getTarget().getNumTiles()).c_str(), data.where.c_str(),
              count(data.train.size()).c_str(), count(data.test.size()).c_str());

  Stopwatch building;
  const DigitNet net = buildDigitNet(batch);
  const SGD optimizer({{"defaultLearningRate", {rate, true}}});
  auto session =
      TrainingSession::createFromOnnxModel(net.model, scoresOf(net), net.loss, optimizer, device,
                                           InputShapeInfo(), sessionOptions("compile", true));
  std::printf("  %-10s model built, gradients and updates made  %.2f s\n", "build",
              building.seconds());
  const std::size_t perEpoch = data.train.size() / (batch * batchesPerRun) * batch * batchesPerRun;
  const double seconds = train(*session, net, data.train, perEpoch);
  session->modelToHost(trainedFile);
  pva::Report report = session->getReport();
  session.reset(); // profile.pop is complete once the engine is gone
  const double accuracy = test(net, trainedFile, device, data.test);

  const bool ok = accuracy > 0.9;
  const auto percent = base::str(int(std::lround(accuracy * 1000)) / 10.0, " %");
  std::printf("  %-10s %s of the held-out digits are recognised\n", "accuracy",
              ok ? good(percent).c_str() : bad(percent).c_str());
  const double modelled = showCycles(report, clock);
  showMemory(report);
  std::printf(
      "\n  %s\n    %s digits/s on this machine (%u threads)\n    %s digits/s on a GC200, as "
      "modelled\n",
      bold("Training speed").c_str(),
      count(std::size_t(double(epochs * perEpoch) / seconds)).c_str(), base::numThreads(),
      count(std::size_t(double(batch) / modelled)).c_str());
  std::printf("\n  Profile written to %s, trained model to %s\n",
              bold("training/profile.pop").c_str(), bold(trainedFile).c_str());
  std::printf("\n  %s\n%s", bold("Try next").c_str(), whatNext());
  return ok ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  const auto asks = [&](const char *option) { return argc > 1 && !std::strcmp(argv[1], option); };
  if (asks("--version"))
    return std::printf("openipu-demo %s\n", OPENIPU_VERSION) < 0;
  if (asks("--help"))
    return std::printf("Trains a small network on digits on a simulated GC200 and shows what it "
                       "costs.\nUsage: openipu-demo [FOLDER]\n\n"
                       "  FOLDER       MNIST's IDX files instead of drawn digits\n"
                       "  --help       this text\n  --version    the version\n") < 0;
  try {
    return run(argc > 1 ? argv[1] : nullptr);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "\nopenipu-demo: %s\n", error.what());
    return 1;
  }
}
