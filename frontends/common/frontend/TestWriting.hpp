// SPDX-License-Identifier: MIT
// For tests: what is written, as text, and what it computes.
#pragma once
#include "frontend/Reader.hpp"
#include "ir/graph.hpp"
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <popart/devicemanager.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/stepio.hpp>

namespace frontend {

using Doubles = std::vector<double>;

struct TestWriting : Writing {
  popart::Model model{"model"};
  std::deque<std::vector<float>> memory;

  TestWriting() : Writing(model) {} // a reference to what is made right after
  [[noreturn]] void failWith(const std::string &message) const override {
    throw popart::error("{}", message);
  }
  Value input(const std::string &name, const Shape &shape, DataType type = DataType::FLOAT) {
    return model.input(name, TensorInfo(type, shape));
  }
  // A tensor with these numbers.
  Value given(const Shape &shape, const Doubles &values) {
    memory.emplace_back(values.begin(), values.end());
    return model.weight("given" + std::to_string(memory.size()), TensorInfo(DataType::FLOAT, shape),
                        memory.back().data(), nullptr, popart::ir::Role::Fixed);
  }
  Value counting(const Shape &shape) { // 1, 2, 3 ...
    Doubles values;
    for (std::int64_t i = 0; i < popart::ir::elementsOf(shape); ++i)
      values.push_back(double(i + 1));
    return given(shape, values);
  }
  std::string text() const { return popart::ir::text(model.graph()); }
  std::string error(const std::function<void()> &fails) const {
    try {
      fails();
    } catch (const popart::error &e) {
      return e.what();
    }
    return "";
  }

  // Runs the model, once: the numbers of these.
  std::vector<Doubles> run(const Values &wanted) {
    popart::AnchorReturnTypeMap anchors;
    std::deque<std::vector<float>> results;
    std::deque<popart::NDArrayWrapper<float>> arrays;
    std::map<popart::TensorId, popart::IArray &> outputs;
    for (Value v : wanted) {
      const auto id = "result" + std::to_string(results.size());
      model.output(m.op("Identity", {m.cast(v, DataType::FLOAT)}), id);
      results.emplace_back(std::size_t(m.info(v).nelms()));
      arrays.emplace_back(results.back().data(), m.shape(v));
      outputs.emplace(id, arrays.back());
      anchors.emplace(id, popart::AnchorReturnType("All"));
    }
    popart::DeviceOptions options{{"numIPUs", "1"}, {"tilesPerIPU", "4"}};
    auto device = popart::DeviceManager::createDeviceManager().createIpuModelDevice(options);
    auto session = makeInferenceSession(std::move(model), popart::DataFlow(1, anchors), device);
    session->prepareDevice();
    session->weightsFromHost();
    popart::StepIO step({}, outputs);
    session->run(step);
    std::vector<Doubles> out;
    for (const auto &result : results)
      out.emplace_back(result.begin(), result.end());
    return out;
  }
};

// Arguments of an operator, by name.
struct TestReader : Reader {
  popart::Model model{"model"};
  std::map<std::string, Argument> arguments;

  explicit TestReader(std::map<std::string, Argument> given)
      : Reader(model, "attribute"), arguments(std::move(given)) {}
  Argument find(const char *name) const override {
    const auto it = arguments.find(name);
    return it == arguments.end() ? Argument() : it->second;
  }
  [[noreturn]] void failWith(const std::string &message) const override {
    throw popart::error("{}", message);
  }
  std::string error(const std::function<void()> &fails) const { return TestWriting().error(fails); }
};

} // namespace frontend
