// SPDX-License-Identifier: MIT
// Small models and devices for tests of sessions.
#pragma once
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <popart/builder.hpp>
#include <popart/error.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>
#include <unistd.h>

namespace popart::testing {

using Floats = std::vector<float>;

inline std::shared_ptr<DeviceInfo> modelDevice(int ipus = 1, int tiles = 8) {
  DeviceOptions options{{"numIPUs", std::to_string(ipus)}, {"tilesPerIPU", std::to_string(tiles)}};
  return DeviceManager::createDeviceManager().createIpuModelDevice(options);
}

inline TensorId addWeights(Builder &builder, Floats values, const Shape &shape,
                           const std::string &name, const VariableSettings &settings = {}) {
  return builder.addInitializedInputTensor(
      ConstVoidData(values.data(), TensorInfo(DataType::FLOAT, shape)), settings, name);
}

// y = w x, element by element, and loss = sum(y). The gradient of w is x.
struct Product {
  std::unique_ptr<Builder> builder = Builder::create();
  TensorId x, w, y, loss;
  explicit Product(const Floats &weights = {2, 3}, const InputSettings &input = {}) {
    const Shape shape{static_cast<std::int64_t>(weights.size())};
    x = builder->addInputTensor("FLOAT", shape, input, "x");
    w = addWeights(*builder, weights, shape, "w");
    finish();
  }
  void finish() {
    y = builder->aiOnnxOpset11().mul({x, w});
    loss = builder->aiGraphcoreOpset1().identityloss({y}, ReductionType::Sum);
  }
  std::string bytes() const { return builder->getModelProto(); }
  std::unique_ptr<InferenceSession> inference(const DataFlow &flow,
                                              const SessionOptions &options = {},
                                              std::shared_ptr<DeviceInfo> device = {}) const {
    return InferenceSession::createFromOnnxModel(bytes(), flow, device ? device : modelDevice(),
                                                 InputShapeInfo(), options);
  }
  std::unique_ptr<TrainingSession> training(const DataFlow &flow, const Optimizer &optimizer,
                                            const SessionOptions &options = {},
                                            std::shared_ptr<DeviceInfo> device = {}) const {
    return TrainingSession::createFromOnnxModel(
        bytes(), flow, loss, optimizer, device ? device : modelDevice(), InputShapeInfo(), options);
  }
};

// One step with one input array and one anchor.
inline Floats step(Session &session, const TensorId &x, Floats in, const TensorId &y,
                   std::size_t elements) {
  Floats out(elements, -1);
  NDArrayWrapper<float> from(in.data(), {static_cast<std::int64_t>(in.size())});
  NDArrayWrapper<float> to(out.data(), {static_cast<std::int64_t>(elements)});
  StepIO io({{x, from}}, {{y, to}});
  session.run(io);
  return out;
}

// The host's values of a weight.
inline Floats readWeight(Session &session, const TensorId &id, std::size_t elements) {
  Floats values(elements);
  WeightsIO io;
  io.insert(id,
            MutableVoidData(values.data(), TensorInfo(DataType::FLOAT, {std::int64_t(elements)})));
  session.weightsToHost();
  session.readWeights(io);
  return values;
}

template <class F> std::string messageOf(F f) {
  try {
    f();
  } catch (const error &e) {
    return e.what();
  }
  return "no error";
}

// Whether the executable came from the cache or a file: only then there is no graph.
inline bool isWarm(Session &session) {
  return messageOf([&] { session.getSerializedGraph(); }) ==
         "getSerializedGraph is not available: the executable was loaded from a file.";
}

// A folder of a test's own, removed at its end.
class Folder {
public:
  Folder() {
    const auto *test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            (std::string("popart-") + test->name() + "-" + std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string &name) const { return (path_ / name).string(); }
  const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace popart::testing
