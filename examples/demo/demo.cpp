// SPDX-License-Identifier: MIT
// The demo: a small convolutional network learns digits on a simulated GC200. Shows how well it
// does on digits it has not seen, how fast this machine simulates it, what it would cost on the
// device and where the cycles go.
//   openipu-demo [FOLDER with MNIST's IDX files]
#include "../Digits.hpp"
#include "../Example.hpp"
#include "../Spent.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "DigitNet.hpp"
#include "Terminal.hpp"
#include <cstdio>
#include <poplar/Engine.hpp>
#include <popnn/codelets.hpp>

using namespace demo;
using namespace poplar;
using namespace poplar::program;

namespace {

constexpr std::size_t batch = 64, batchesPerRun = 25;
constexpr unsigned epochs = 3;
constexpr float rate = 0.08f;
enum Programs { Start, Learn, Predict };

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

struct Built {
  Graph graph;
  std::vector<Program> programs;
};

Built build(const Device &device) {
  Built b{Graph(device.getTarget()), {}};
  DigitNet net(b.graph, batch, rate);
  auto images = b.graph.addHostToDeviceFIFO("images", FLOAT, batch * Digits::pixels);
  auto labels = b.graph.addHostToDeviceFIFO("labels", INT, batch);
  auto correct = b.graph.addDeviceToHostFIFO("correct", UNSIGNED_INT, 1);
  Sequence input({Copy(images, net.images), Copy(labels, net.labels)});
  auto repeated = [&](const Program &step) {
    return Repeat(batchesPerRun, Sequence({input, step, Copy(net.correct, correct)}));
  };
  b.programs = {net.start(), repeated(net.learn()), repeated(net.predict())};
  return b;
}

Engine compile(const Built &built) {
  Progress progress("compile", "passes");
  Engine engine(
      built.graph, built.programs,
      {{"autoReport.outputGraphProfile", "true"}, {"autoReport.outputExecutionProfile", "true"}},
      [&](int done, int total) { progress.at(done, total); });
  progress.finish("");
  return engine;
}

// Feeds all whole runs of the digits to a program; the part that was told rightly.
double pass(Engine &engine, unsigned program, const Digits &digits, Progress &progress, long before,
            long total) {
  auto feed = [&](const char *stream, auto *values, std::size_t each) {
    engine.connectStream(
        stream, const_cast<void *>(static_cast<const void *>(values)),
        const_cast<void *>(static_cast<const void *>(values + digits.size() * each)));
  };
  feed("images", digits.images.data(), Digits::pixels);
  feed("labels", digits.labels.data(), 1);
  std::vector<unsigned> correct(batchesPerRun);
  const std::size_t runs = digits.size() / (batch * batchesPerRun);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < runs; ++i) {
    engine.connectStream("correct", correct.data(), correct.data() + correct.size());
    engine.run(program, program == Learn ? "learn" : "predict");
    for (auto c : correct)
      sum += c;
    progress.at(before + long((i + 1) * batch * batchesPerRun), total);
  }
  return double(sum) / double(runs * batch * batchesPerRun);
}

void showShare(const char *name, std::uint64_t cycles, std::uint64_t total) {
  const double share = double(cycles) / double(total);
  std::printf("    %-9s %s %5.1f %%  %8s cycles\n", name, bar(share, 30).c_str(), 100 * share,
              base::thousands(cycles / batchesPerRun).c_str());
}

// The first recorded run tells what each batch costs. Gives back the modelled seconds of a batch.
double showCycles(const pva::Report &report, double clock) {
  for (const auto &run : report.execution().runs()) {
    if (run.name() != "learn")
      continue;
    const Spent cycles = spent(run.steps());
    std::printf("\n  %s\n", bold("Modelled on the device, per batch of 64").c_str());
    showShare("compute", cycles.compute, cycles.total());
    showShare("exchange", cycles.exchange, cycles.total());
    showShare("sync", cycles.sync, cycles.total());
    showShare("host", cycles.host, cycles.total());
    return double(cycles.total()) / batchesPerRun / clock;
  }
  throw std::runtime_error("The profile holds no run named \"learn\".");
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

int run(const char *folder) {
  const Data data = load(folder);
  Device device = attachIpu();
  const auto count = [](std::size_t n) { return base::thousands(n); };
  std::printf("\n%s\n  a convolutional network learns digits, %s tiles\n  digits: %s, %s to learn, "
              "%s held out\n\n",
              bold("OpenIPU: a simulated GC200").c_str(),
              count(device.getTarget().getNumTiles()).c_str(), data.where.c_str(),
              count(data.train.size()).c_str(), count(data.test.size()).c_str());

  Stopwatch building;
  const Built built = build(device);
  std::printf("  %-10s graph built, convolutions planned  %.2f s\n", "build", building.seconds());
  double seconds = 0, accuracy = 0, clock = device.getTarget().getTileClockFrequency();
  const std::size_t perEpoch = data.train.size() / (batch * batchesPerRun) * batch * batchesPerRun;
  pva::Report report = [&] {
    Engine engine = compile(built);
    engine.load(device);
    engine.run(Start, "start");
    Progress progress("train", "digits");
    Stopwatch time;
    for (unsigned e = 0; e < epochs; ++e)
      pass(engine, Learn, data.train, progress, long(e * perEpoch), long(epochs * perEpoch));
    seconds = time.seconds();
    progress.finish("");
    Progress testing("test", "digits");
    accuracy = pass(engine, Predict, data.test, testing, 0, long(data.test.size()));
    testing.finish("");
    return engine.getReport();
  }(); // profile.pop is complete once the engine is gone

  const bool ok = accuracy > 0.9;
  const auto percent = base::str(int(std::lround(accuracy * 1000)) / 10.0, " %");
  std::printf("  %-10s %s of the held-out digits are told rightly\n", "accuracy",
              ok ? good(percent).c_str() : bad(percent).c_str());
  const double modelled = showCycles(report, clock);
  showMemory(report);
  std::printf(
      "\n  %s\n    %s digits/s on this machine (%u threads)\n    %s digits/s on a GC200, as "
      "modelled\n",
      bold("Training speed").c_str(),
      count(std::size_t(double(epochs * perEpoch) / seconds)).c_str(), base::numThreads(),
      count(std::size_t(double(batch) / modelled)).c_str());
  std::printf("\n  Profile written to %s\n\n", bold("profile.pop").c_str());
  return ok ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc > 1 ? argv[1] : nullptr);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "\nopenipu-demo: %s\n", error.what());
    return 1;
  }
}
