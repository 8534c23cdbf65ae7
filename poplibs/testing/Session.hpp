// SPDX-License-Identifier: MIT
// A graph, a program and a simulated IPU for one test: inputs given as doubles, outputs read as
// doubles.
//
//   Session s;                                   // 16 tiles; Session s(1472) for a whole chip
//   auto a = s.input(poplar::FLOAT, {3, 4}, s.random(12));
//   auto y = popops::exp(s.graph, a, s.prog);
//   EXPECT_THAT... s.run(y)                      // compiles, runs, returns y's elements
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <random>
#include <vector>

using Doubles = std::vector<double>;
using Shape = std::vector<std::size_t>;

inline std::size_t count(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<>());
}

struct Session {
  explicit Session(unsigned tiles = 16, unsigned ipus = 1, unsigned replicas = 1)
      : device(makeDevice(tiles, ipus * replicas)),
        graph(device.getTarget(), poplar::replication_factor(replicas)), replicas_(replicas) {}

  // Values between -1 and 1 (or `lo` and `hi`), the same in every run.
  Doubles random(std::size_t n, double lo = -1, double hi = 1) {
    std::uniform_real_distribution<double> draw(lo, hi);
    Doubles out(n);
    for (auto &x : out)
      x = draw(generator_);
    return out;
  }
  Doubles integers(std::size_t n, int lo, int hi) {
    std::uniform_int_distribution<int> draw(lo, hi);
    Doubles out(n);
    for (auto &x : out)
      x = draw(generator_);
    return out;
  }

  // A variable spread linearly over the tiles that holds the values when the program starts.
  poplar::Tensor input(poplar::Type type, const Shape &shape, const Doubles &values,
                       const std::string &name = "input") {
    auto t = graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, name);
    set(t, values);
    return t;
  }
  // The same for a tensor that exists already (createInput and the like); any view without aliases.
  void set(const poplar::Tensor &t, const Doubles &values) {
    ASSERT_EQ(t.numElements(), values.size());
    if (values.empty())
      return;
    auto handle = "in" + std::to_string(writes_.size());
    graph.createHostWrite(handle, t);
    writes_.push_back({handle, t.elementType(), values});
  }
  // What the values become when they are stored as `type`: the reference must start from these.
  static Doubles stored(poplar::Type type, const Doubles &values) {
    Doubles out;
    for (double v : values)
      out.push_back(type == poplar::HALF    ? double(halfToFloat(floatToHalf(float(v))))
                    : type == poplar::FLOAT ? double(float(v))
                                            : v);
    return out;
  }

  // Elements of a view, read after the program; call any number of times before run().
  std::size_t output(const poplar::Tensor &t) {
    auto handle = "out" + std::to_string(reads_.size());
    if (t.numElements())
      graph.createHostRead(handle, t);
    reads_.push_back({handle, t.elementType(), t.numElements()});
    return reads_.size() - 1;
  }
  void run(const poplar::OptionFlags &options = {}) {
    poplar::Engine engine(graph, prog, options);
    engine.load(device);
    for (const auto &w : writes_) {
      std::vector<char> bytes; // of all replicas, one after the other
      for (unsigned r = 0; r < replicas_; ++r) {
        Doubles shifted = w.values; // replica r starts from values + r * replicaStep
        for (auto &v : shifted)
          v += r * replicaStep;
        auto one = pack(w.type, shifted);
        bytes.insert(bytes.end(), one.begin(), one.end());
      }
      engine.writeTensor(w.handle, bytes.data(), bytes.data() + bytes.size());
    }
    engine.run(0);
    results_.assign(reads_.size(), std::vector<Doubles>(replicas_));
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      std::vector<char> bytes(reads_[i].elements * sizeOf(reads_[i].type) * replicas_);
      if (!bytes.empty())
        engine.readTensor(reads_[i].handle, bytes.data(), bytes.data() + bytes.size());
      auto all = unpack(reads_[i].type, bytes);
      for (unsigned r = 0; r < replicas_; ++r)
        results_[i][r].assign(all.begin() + r * reads_[i].elements,
                              all.begin() + (r + 1) * reads_[i].elements);
    }
  }
  const Doubles &values(std::size_t output, unsigned replica = 0) const {
    return results_.at(output).at(replica);
  }
  // Compiles, runs and returns one output.
  Doubles run(const poplar::Tensor &t) {
    auto i = output(t);
    run();
    return values(i);
  }

  static std::size_t sizeOf(poplar::Type type) {
    return poplar::Target::createCPUTarget().getTypeSize(type);
  }
  static std::uint16_t floatToHalf(float f) {
    std::uint16_t h;
    _Float16 x = _Float16(f);
    std::memcpy(&h, &x, 2);
    return h;
  }
  static float halfToFloat(std::uint16_t h) {
    _Float16 x;
    std::memcpy(&x, &h, 2);
    return float(x);
  }

  poplar::Device device;
  poplar::Graph graph;
  poplar::program::Sequence prog;
  double replicaStep = 0;

private:
  struct Write {
    std::string handle;
    poplar::Type type;
    Doubles values;
  };
  struct Read {
    std::string handle;
    poplar::Type type;
    std::size_t elements;
  };

  static poplar::Device makeDevice(unsigned tiles, unsigned ipus) {
    poplar::IPUModel model;
    model.tilesPerIPU = tiles;
    model.numIPUs = ipus;
    return model.createDevice();
  }
  template <class T> static void put(std::vector<char> &out, T value) {
    const char *p = reinterpret_cast<const char *>(&value);
    out.insert(out.end(), p, p + sizeof value);
  }
  template <class T> static Doubles get(const std::vector<char> &bytes) {
    Doubles out(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < out.size(); ++i) {
      T value;
      std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
      out[i] = double(value);
    }
    return out;
  }
  static std::vector<char> pack(poplar::Type type, const Doubles &values) {
    std::vector<char> out;
    for (double v : values) {
      if (type == poplar::FLOAT)
        put(out, float(v));
      else if (type == poplar::HALF)
        put(out, floatToHalf(float(v)));
      else if (type == poplar::INT)
        put(out, std::int32_t(std::int64_t(v)));
      else if (type == poplar::UNSIGNED_INT)
        put(out, std::uint32_t(std::int64_t(v)));
      else if (type == poplar::LONGLONG)
        put(out, std::int64_t(v));
      else if (type == poplar::UNSIGNED_LONGLONG)
        put(out, std::uint64_t(v));
      else if (type == poplar::SHORT || type == poplar::UNSIGNED_SHORT)
        put(out, std::int16_t(std::int64_t(v)));
      else
        put(out, std::int8_t(std::int64_t(v)));
    }
    return out;
  }
  static Doubles unpack(poplar::Type type, const std::vector<char> &bytes) {
    if (type == poplar::FLOAT)
      return get<float>(bytes);
    if (type == poplar::HALF) {
      Doubles out;
      for (double h : get<std::uint16_t>(bytes))
        out.push_back(halfToFloat(std::uint16_t(h)));
      return out;
    }
    if (type == poplar::INT)
      return get<std::int32_t>(bytes);
    if (type == poplar::UNSIGNED_INT)
      return get<std::uint32_t>(bytes);
    if (type == poplar::LONGLONG)
      return get<std::int64_t>(bytes);
    if (type == poplar::UNSIGNED_LONGLONG)
      return get<std::uint64_t>(bytes);
    if (type == poplar::SHORT)
      return get<std::int16_t>(bytes);
    if (type == poplar::UNSIGNED_SHORT)
      return get<std::uint16_t>(bytes);
    if (type == poplar::BOOL || type == poplar::UNSIGNED_CHAR)
      return get<std::uint8_t>(bytes);
    return get<std::int8_t>(bytes);
  }

  unsigned replicas_;
  std::mt19937 generator_{12345};
  std::vector<Write> writes_;
  std::vector<Read> reads_;
  std::vector<std::vector<Doubles>> results_;
};

// |actual - expected| <= absolute + relative * |expected| for every element; equal infinities and
// NaNs pass.
inline void expectClose(const Doubles &actual, const Doubles &expected, double relative,
                        double absolute = 0) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i] || (std::isnan(actual[i]) && std::isnan(expected[i])))
      continue;
    ASSERT_LE(std::abs(actual[i] - expected[i]), absolute + relative * std::abs(expected[i]))
        << "element " << i << ": got " << actual[i] << ", expected " << expected[i];
  }
}
