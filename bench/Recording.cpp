// SPDX-License-Identifier: MIT
// What reports and traces cost: processor time of compiling and of training with autoReport.all and
// PVTI_OPTIONS beside the same without, and the size of what is written. Runs take turns, each in a
// process of its own.
#include "base/Text.hpp"
#include "CompiledModels.hpp"
#include "Subjects.hpp"
#include "Values.hpp"
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <popart/ndarraywrapper.hpp>
#include <popart/stepio.hpp>

namespace bench {

namespace fs = std::filesystem;
using namespace popart;

namespace {

struct RecordedModel {
  std::string name, what;
  int steps, repeats;
};
// So many steps that a run takes seconds: the first and the last report are a fixed cost.
const std::vector<RecordedModel> recordedModels{{"cnn", "CNN training b16", 4000, 5},
                                                {"resnet50", "ResNet-50 training b8", 12, 3},
                                                {"bert-base", "BERT-base training b1", 12, 3}};

double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

template <class Work> double spent(const Work &work) {
  const double before = processorSeconds();
  work();
  return processorSeconds() - before;
}

std::size_t elements(const Shape &shape) {
  return std::size_t(
      std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<>()));
}

void train(Session &session, const ModelGraph &model, int steps) {
  std::vector<std::vector<float>> floats;
  std::vector<std::vector<std::int32_t>> integers;
  std::vector<std::unique_ptr<IArray>> arrays;
  std::map<TensorId, IArray &> inputs;
  for (const auto &input : model.inputs) {
    const auto count = elements(input.shape);
    if (input.classes)
      arrays.push_back(std::make_unique<NDArrayWrapper<std::int32_t>>(
          integers.emplace_back(below<std::int32_t>(input.classes, input.id, count)).data(),
          input.shape));
    else
      arrays.push_back(std::make_unique<NDArrayWrapper<float>>(
          floats.emplace_back(uniform(input.id, count)).data(), input.shape));
    inputs.emplace(input.id, *arrays.back());
  }
  float loss = 0;
  NDArrayWrapper<float> out(&loss, Shape{});
  for (int i = 0; i < steps; ++i) {
    StepIO io(inputs, {{model.loss, out}});
    session.run(io);
  }
}

struct Costs {
  double compile, run;
};

Costs measure(const RecordedModel &model, const fs::path &root, bool recorded) {
  // One thread: others look for work while a report is written, which counts as processor time.
  std::vector<std::string> environment{"OPENIPU_RUNTIME_DIR=" + (root / "devices").string(),
                                       "OPENIPU_NUM_THREADS=1"};
  if (recorded) {
    environment.push_back(base::str("POPLAR_ENGINE_OPTIONS={\"autoReport.all\":\"true\",",
                                    "\"autoReport.directory\":\"", (root / "report").string(),
                                    "\"}"));
    environment.push_back(base::str("PVTI_OPTIONS={\"enable\":\"true\",\"directory\":\"",
                                    (root / "trace").string(), "\"}"));
  }
  const auto numbers =
      runChild({"record", model.name, std::to_string(model.steps)}, environment).numbers;
  return {numbers.at(0), numbers.at(1)};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Row row(const std::string &what, double plain, double more, double goal) {
  return {what,
          duration(more),
          duration(plain) + " without",
          plain / more,
          "< " + fixed(100 * goal, 0) + " % more",
          met(more < (1 + goal) * plain)};
}

std::string megabytes(const fs::path &file) {
  return fs::exists(file) ? fixed(double(fs::file_size(file)) / 1e6, 1) + " MB" : "none";
}

} // namespace

// Prints the processor time of compiling, and of training until the last report is written.
void recordChild(const std::string &name, int steps) {
  auto model = modelOf(name);
  std::unique_ptr<Session> session;
  std::printf("%.6f\n", spent([&] {
                session = sessionOf(name, model, {});
                session->prepareDevice();
              }));
  std::printf("%.6f\n", spent([&] {
                session->weightsFromHost();
                train(*session, model, steps);
                session.reset();
              }));
}

std::vector<Row> recording() {
  std::vector<Row> rows;
  for (const auto &model : recordedModels) {
    const TemporaryFolder folder;
    std::vector<double> compile[2], run[2];
    for (int i = 0; i < model.repeats; ++i)
      for (int recorded : {0, 1}) {
        const auto costs = measure(model, folder.root, recorded);
        compile[recorded].push_back(costs.compile);
        run[recorded].push_back(costs.run);
      }
    rows.push_back(
        row("recording: compile " + model.what, median(compile[0]), median(compile[1]), 0.10));
    rows.push_back(row(base::str("  ", model.steps, " steps and the last report"), median(run[0]),
                       median(run[1]), 0.05));
    const auto report = folder.root / "report";
    const auto file = report / "training" / "profile.pop";
    const double bytes = fs::exists(file) ? double(fs::file_size(file)) : 0;
    rows.push_back({"  profile.pop", megabytes(file),
                    megabytes(report / "debug.cbor") + " debug.cbor", 0, "< 300 MB",
                    met(bytes > 0 && bytes < 300e6)});
  }
  return rows;
}

} // namespace bench
