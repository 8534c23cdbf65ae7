// SPDX-License-Identifier: MIT
// What the examples of PopART share: weights from numbers, arrays for steps, a small model.
#pragma once
#include <memory>
#include <popart/builder.hpp>
#include <popart/devicemanager.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>
#include <random>
#include <string>
#include <vector>

// A simulated device of so many IPUs, 16 tiles each.
inline std::shared_ptr<popart::DeviceInfo> modelDevice(int ipus = 1) {
  popart::DeviceOptions options = {{"numIPUs", std::to_string(ipus)}, {"tilesPerIPU", "16"}};
  return popart::DeviceManager::createDeviceManager().createIpuModelDevice(options);
}

// Normal numbers whose spread suits so many inputs.
inline std::vector<float> initialWeights(std::int64_t count, std::int64_t inputs, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, std::sqrt(2.f / float(inputs)));
  std::vector<float> values(static_cast<std::size_t>(count));
  for (auto &v : values)
    v = normal(random);
  return values;
}

// A weight [inputs, outputs]; the builder copies the values.
inline popart::TensorId addWeight(popart::Builder &builder, const std::string &name,
                                  std::int64_t inputs, std::int64_t outputs, unsigned seed) {
  const auto values = initialWeights(inputs * outputs, inputs, seed);
  const popart::TensorInfo info(popart::DataType::FLOAT, {inputs, outputs});
  return builder.addInitializedInputTensor(popart::ConstVoidData(values.data(), info), name);
}

// The values of a weight, from the device.
inline std::vector<float> weightOf(popart::Session &session, const popart::TensorId &id) {
  const auto info = session.getInfo(id);
  std::vector<float> values(static_cast<std::size_t>(info.nelms()));
  popart::WeightsIO io;
  io.insert(id, popart::MutableVoidData(values.data(), info));
  session.weightsToHost();
  session.readWeights(io);
  return values;
}
