// SPDX-License-Identifier: MIT
// A small model for one test: inputs given as doubles, outputs read as doubles, gradients checked
// against finite differences.
//
//   Model m;
//   auto x = m.input({2, 3}, m.random(6));
//   auto y = m.b.op("Relu", {x});
//   EXPECT_NEAR(m.run(y)[0], ...);
//   m.checkGradients(y, {x});        // of sum(y * r) for random r, by every element of x
#pragma once
#include "autodiff/autodiff.hpp"
#include "base/Text.hpp"
#include "ir/narrowed.hpp"
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"
#include "opdef/importing.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poprand/RandomGen.hpp>
#include <random>

namespace popart::testing {

using Doubles = std::vector<double>;
using ir::HostTensor;
using ir::Value;
using ir::Values;

struct Model {
  explicit Model(unsigned tiles = 16) : tiles_(tiles) {}

  ir::Graph graph;
  ops::GraphBuilder b{graph};
  lowering::Options options;

  Doubles random(std::int64_t n, double lo = -1, double hi = 1) {
    std::uniform_real_distribution<double> draw(lo, hi);
    Doubles out(static_cast<std::size_t>(n));
    for (auto &x : out)
      x = draw(generator_);
    return out;
  }
  // A stream of the model with these values. Half and float inputs are rounded once.
  Value input(const Shape &shape, const Doubles &values, DataType type = DataType::FLOAT) {
    const Value v = graph.addStream("input", {type, shape});
    feeds_[v] = HostTensor::fromDoubles({type, shape}, values);
    return v;
  }
  // Values for a stream that the graph has already (of an imported model).
  void feed(Value v, const Doubles &values) {
    feeds_[v] = HostTensor::fromDoubles(graph[v].info, values);
  }
  Value randomInput(const Shape &shape, double lo = -1, double hi = 1,
                    DataType type = DataType::FLOAT) {
    return input(shape, random(ir::elementsOf(shape), lo, hi), type);
  }
  Value constant(const Shape &shape, const Doubles &values, DataType type = DataType::FLOAT) {
    return b.constant(HostTensor::fromDoubles({type, shape}, values));
  }
  Doubles fed(Value v) const { return feeds_.at(v).doubles(); }
  // An ONNX node of an old version, brought to canonical form as the importer does it.
  Values imported(const std::string &type, Values inputs, ir::Attributes attributes,
                  unsigned version, unsigned outputs = 1, const std::string &domain = "") {
    ir::Node node;
    node.def = ops::findOp(domain, type);
    if (!node.def)
      throw std::runtime_error("no operator " + type);
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    ops::Importing importing(b, node, version, outputs);
    if (node.def->canonical)
      node.def->canonical(importing);
    auto made = b.append(node, importing.outputs);
    if (importing.after)
      made[0] = importing.after(b, made[0]);
    return made;
  }

  // The types of the nodes as they run, and how many there are of one.
  std::string order() const {
    std::string out;
    for (const auto &node : graph.nodes)
      out += (out.empty() ? "" : " ") + node.def->type;
    return out;
  }
  unsigned count(const std::string &type) const {
    unsigned n = 0;
    for (const auto &node : graph.nodes)
      n += node.def->type == type;
    return n;
  }

  // Compiles and runs once; the elements of every value asked for.
  std::vector<Doubles> run(const Values &outputs) {
    Runner runner(*this, outputs);
    return runner.run();
  }
  Doubles run(Value output) { return run(Values{output}).front(); }

  // d(sum(y * r)) by every element of the inputs, from the operators' own gradients against central
  // differences. `step` should suit the size of the inputs; floats allow about 1e-3 of accuracy.
  void checkGradients(Value y, const Values &inputs, double tolerance = 5e-3, double step = 1e-2) {
    const auto &info = graph[y].info;
    const Value r = constant(info.shape(), random(info.nelms(), 0.5, 1.5), info.dataType());
    const Value product = b.mul(y, r);
    const Value loss = b.op("ReduceSum", {product}, {{"keepdims", std::int64_t(0)}});
    autodiff::Request request{loss, b.scalar(1, loss), {inputs.begin(), inputs.end()}};
    const auto gradients = autodiff::differentiate(graph, request);
    Values outputs{product};
    for (Value in : inputs) {
      ASSERT_TRUE(gradients.count(in)) << "no gradient reached " << graph[in].name;
      outputs.push_back(gradients.at(in));
    }
    Runner runner(*this, outputs);
    const auto first = runner.run();
    for (std::size_t k = 0; k < inputs.size(); ++k)
      compare(runner, inputs[k], first[k + 1], tolerance, step);
  }

private:
  static double sum(const Doubles &values) {
    double out = 0;
    for (double v : values)
      out += v;
    return out;
  }

  struct Runner {
    Runner(Model &m, const Values &outputs)
        : model(m), outputs(outputs), device(makeDevice(m.tiles_)), graph(device.getTarget()) {
      lowering::Lowering l(graph, m.graph, m.options);
      poplar::program::Sequence prog;
      auto seed = graph.addVariable(poplar::UNSIGNED_INT, {2},
                                    poplar::VariableMappingMethod::LINEAR, "seed");
      graph.setInitialValue(seed, poplar::ArrayRef<unsigned>({42u, 7u}));
      l.setSeed(seed);
      for (const auto &[v, data] : m.feeds_)
        if (data.elements())
          graph.createHostWrite("in" + std::to_string(v.value), l.tensor(v));
      for (const auto &node : m.graph.nodes)
        l.lower(node, prog);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        if (m.graph[outputs[i]].info.nelms())
          graph.createHostRead("out" + std::to_string(i), l.tensor(outputs[i]));
      engine = std::make_unique<poplar::Engine>(graph, prog);
      engine->load(device);
    }
    std::vector<Doubles> run() {
      for (const auto &[v, data] : model.feeds_)
        write(v, data);
      engine->run(0);
      std::vector<Doubles> out;
      for (std::size_t i = 0; i < outputs.size(); ++i)
        out.push_back(read(i));
      return out;
    }
    void write(Value v, const HostTensor &data) {
      const auto narrow = data.as(ir::narrowed(data.type()));
      if (data.elements())
        engine->writeTensor("in" + std::to_string(v.value), narrow.data(),
                            static_cast<const char *>(narrow.data()) + narrow.bytes());
    }
    Doubles read(std::size_t i) {
      const auto &info = model.graph[outputs[i]].info;
      TensorInfo device(ir::narrowed(info.dataType()), info.shape());
      std::vector<char> bytes(static_cast<std::size_t>(device.nbytes()));
      if (!bytes.empty())
        engine->readTensor("out" + std::to_string(i), bytes.data(), bytes.data() + bytes.size());
      return HostTensor(device, bytes).doubles();
    }
    static poplar::Device makeDevice(unsigned tiles) {
      poplar::IPUModel model;
      model.tilesPerIPU = tiles;
      return model.createDevice();
    }
    Model &model;
    Values outputs;
    poplar::Device device;
    poplar::Graph graph;
    std::unique_ptr<poplar::Engine> engine;
  };

  void compare(Runner &runner, Value input, const Doubles &gradient, double tolerance,
               double step) {
    const HostTensor kept = feeds_.at(input);
    Doubles values = kept.doubles();
    double size = 1e-3;
    for (double g : gradient)
      size = std::max(size, std::abs(g));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x = values[i];
      auto at = [&](double v) {
        values[i] = v;
        feeds_[input] = HostTensor::fromDoubles(kept.info(), values);
        return sum(runner.run()[0]);
      };
      const double slope = (at(x + step) - at(x - step)) / (2 * step);
      values[i] = x;
      EXPECT_NEAR(gradient[i], slope, tolerance * size)
          << "d/d " << graph[input].name << '[' << i << ']';
    }
    feeds_[input] = kept;
  }

  unsigned tiles_;
  std::map<Value, HostTensor> feeds_;
  std::mt19937 generator_{1};
};

inline void expectNear(const Doubles &got, const Doubles &want, double relative = 1e-5,
                       double absolute = 1e-6) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]))
      EXPECT_TRUE(std::isnan(got[i])) << "element " << i;
    else if (std::isinf(want[i]))
      EXPECT_EQ(got[i], want[i]) << "element " << i;
    else
      EXPECT_NEAR(got[i], want[i], absolute + relative * std::abs(want[i])) << "element " << i;
  }
}

} // namespace popart::testing
